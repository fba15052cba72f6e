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
