//! Redis 8.2's own names on servers that lack them.

use crate::harness::{Kind, Options};
use crate::vectors;

#[test]
fn everything_redis_7_4() {
    everything(Kind::Redis74);
}

fn everything(kind: Kind) {
    let server = Options::new(kind).line("egg.native-names yes").start();
    vectors::check("native names", &server, &vectors::load());
}

/// Found by the fuzz histories: 8.2.3 looks at the id's value before it looks at the key.
#[test]
fn xadd_on_a_string_refuses_the_id_0_0_first() {
    let server = Options::new(Kind::Redis74).line("egg.native-names yes").start();
    let mut client = server.connect();
    client.all(&["SET w string"]);
    for (call, error) in [
        ("XADD w MAXLEN 3 ACKED 0-0 f v", "ERR The ID specified in XADD must be greater than 0-0"),
        ("XADD w MAXLEN 3 ACKED 1-0 f v", "WRONGTYPE Operation against a key holding the wrong kind of value"),
        (
            "XADD w NOMKSTREAM DELREF MINID 3 1-* f v",
            "WRONGTYPE Operation against a key holding the wrong kind of value",
        ),
    ] {
        assert_eq!(client.run(call).error(), error, "{call}");
    }
}
