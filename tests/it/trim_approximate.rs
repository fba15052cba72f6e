//! EGG.TRIM with `~`: as far as it goes, where 8.2.3 stops at the first node.

use crate::trim::left;
use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    approximate_trims_work_on_thousands_of_acknowledged_entries,
    approximate_trims_pass_over_what_is_needed,
}

/// A stream of 3,000 entries in nodes of 100, all of them acknowledged but `pending`.
pub fn thousands(client: &mut Client, pending: &[&str]) {
    client.all(&["FLUSHALL", "CONFIG SET stream-node-max-entries 100"]);
    client.add(1..=3000);
    client.all(&["XGROUP CREATE s g 0"]);
    let mut ack = vec!["XACK".to_owned(), "s".to_owned(), "g".to_owned()];
    ack.extend(client.read("g", 3000).into_iter().filter(|id| !pending.contains(&id.as_str())));
    client.send(&ack);
}

fn approximate_trims_work_on_thousands_of_acknowledged_entries(kind: Kind) {
    let native = Options::new(Kind::Redis82).without_module().start();
    thousands(&mut native.connect(), &[]);
    assert_eq!(native.connect().run("XTRIM s MAXLEN ~ 100 ACKED"), 0);

    let server = Options::new(kind).line("egg.native-names yes").start();
    let mut client = server.connect();
    thousands(&mut client, &[]);
    assert_eq!(client.run("EGG.TRIM s ACKED MAXLEN ~ 100"), 2900);
    assert_eq!(left(&mut client), "2901-3000");
    if !kind.has_native_xackdel() {
        thousands(&mut client, &[]);
        assert_eq!(client.run("XTRIM s MAXLEN ~ 100 ACKED"), 2900);
        assert_eq!(client.run("XADD s ACKED MAXLEN ~ 1 9999-0 f v"), "9999-0");
        // The new entry is undelivered.
        assert_eq!(left(&mut client), "9999");
    }
    // LIMIT goes with ~, as in the core.
    thousands(&mut client, &[]);
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 100 LIMIT 250"), 200);
    assert_eq!(client.run("EGG.TRIM s MINID ~ 2050-0 LIMIT 0"), 1849);
    assert_eq!(left(&mut client), "2050-3000");
}

/// One stuck message does not switch a bound off. The same on Redis 8.6.2, whose own XTRIM it is there.
fn approximate_trims_pass_over_what_is_needed(kind: Kind) {
    let mut ways = vec![(Server::start(kind), "EGG.TRIM")];
    if !kind.has_native_xackdel() {
        ways.push((Options::new(kind).line("egg.native-names yes").start(), "XTRIM"));
    }
    if Kind::Redis86.is_there() {
        ways.push((Options::new(Kind::Redis86).without_module().start(), "XTRIM"));
    }
    for (server, command) in &ways {
        let mut client = server.connect();
        for (options, removed, remain) in [
            ("ACKED MAXLEN ~ 100", 2900, "1 2902-3000"),
            ("ACKED MINID ~ 2900-0", 2898, "1 2900-3000"),
            ("ACKED MINID ~ 750-0", 748, "1 750-3000"),
            ("ACKED MAXLEN ~ 2450", 550, "1 552-3000"),
            ("ACKED MAXLEN ~ 2450 LIMIT 299", 299, "1 301-3000"),
            ("ACKED MINID ~ 1-0", 0, "1-3000"),
        ] {
            thousands(&mut client, &["1-0"]);
            let call = format!("{command} s {options}");
            assert_eq!(client.run(&call), removed, "{call} on {:?}", server.kind());
            assert_eq!(left(&mut client), remain, "{call} on {:?}", server.kind());
            assert_eq!(client.pending("s", "g"), ["1-0"], "{call} on {:?}", server.kind());
        }
    }
}
