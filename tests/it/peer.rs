//! Beside another module (`tests/peer`), which writes when it is notified, or has one of 8.2's names of its own.

use crate::native_names::state;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, module};

each_server! {
    a_group_that_appears_while_entries_are_moved_gets_them,
    a_group_that_appears_when_an_entry_is_added_gets_its_backlog,
    what_a_peer_adds_while_lag_is_mended_stays,
}

/// A server with the other module, and then with this one.
fn beside_a_peer(kind: Kind, argument: &str) -> Options {
    let test = std::env::current_exe().expect("a path");
    let peer = test.ancestors().nth(2).expect("target/debug").join("examples").join("libpeer.so");
    assert!(peer.exists(), "{} is missing: it is built with `cargo build --example peer`", peer.display());
    Options::new(kind).module(peer).module_argument(argument).line(&format!("loadmodule {}", module().display()))
}

/// The policy, what is left of the three entries that are moved, and whether the calling group has them pending still.
fn a_group_that_appears_while_entries_are_moved_gets_them(kind: Kind) {
    for (policy, left) in [("", 3), ("REJECT", 3), ("ACKONLY", 3), ("ACKED", 3), ("KEEPREF", 0), ("DELREF", 0)] {
        let server = beside_a_peer(kind, "group-on-xadd").start();
        let mut client = server.connect();
        client.all(&["XGROUP CREATE s g 0 MKSTREAM"]);
        client.add(1..=3);
        client.all(&["XGROUP DESTROY s late"]);
        client.read("g", 3);
        let replies = client.run(&format!("EGG.ACKMOVE s g dead {policy} IDS 3 1-0 2-0 3-0"));
        assert_eq!(replies.array().len(), 3);
        let copies = client.ids("dead");
        assert_eq!(
            replies.array().iter().map(egg_testkit::client::Reply::text).collect::<Vec<_>>(),
            copies,
            "{policy}"
        );
        assert_eq!(client.read("late", 9).len(), left, "{policy}");
        assert_eq!(client.pending("s", "g"), [""; 0], "{policy}");
    }
}

fn a_group_that_appears_when_an_entry_is_added_gets_its_backlog(kind: Kind) {
    let native = !kind.has_native_xackdel();
    let server = beside_a_peer(kind, "group-on-xadd").line("egg.native-names yes").start();
    let mut client = server.connect();
    for call in ["EGG.ADD s MAXLEN 0 4-0 f v", "XADD s ACKED MAXLEN 0 4-0 f v"] {
        if !native && call.starts_with("XADD") {
            continue;
        }
        client.all(&["DEL s", "XGROUP CREATE s g 0 MKSTREAM"]);
        client.add(1..=3);
        client.all(&["XGROUP DESTROY s late"]);
        client.read("g", 3);
        client.all(&["XACK s g 1-0 2-0 3-0", call]);
        assert_eq!(client.read("late", 9), ["1-0", "2-0", "3-0", "4-0"], "{call}");
    }
}

/// The deletion of what the group has read last, of which the peer hears, and adds an entry.
fn what_a_peer_adds_while_lag_is_mended_stays(kind: Kind) {
    let server = beside_a_peer(kind, "append-on-xdel").aof().start();
    let mut client = server.connect();
    client.stream(3, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 3-0"), [1]);
    let stream = client.run("XINFO STREAM s");
    assert_eq!(*stream.field("last-generated-id"), "1000-0");
    assert_eq!(*stream.field("entries-added"), 4);
    assert_eq!(client.ids("s"), ["1-0", "2-0", "1000-0"]);
    assert_eq!(*client.group("s", "g").field("lag"), 1);
    let before = state(&mut client, "s");
    let mut server: Server = server;
    server.restart();
    assert_eq!(state(&mut server.connect(), "s"), before);
}

#[test]
fn of_two_names_the_one_that_is_missing_is_added() {
    for kind in [Kind::Redis74, Kind::Valkey91] {
        let server = beside_a_peer(kind, "xackdel").line("egg.native-names yes").start();
        let mut client = server.connect();
        client.stream(2, &["g"]);
        assert_eq!(client.run("XACKDEL s g IDS 1 1-0"), "peer");
        assert_eq!(client.run("XDELEX s ACKED IDS 1 1-0"), [2]);
        assert_eq!(client.run("XTRIM s MAXLEN 0 ACKED"), 0);
        assert_eq!(client.run("XADD s ACKED MAXLEN 0 3-0 f v"), "3-0");
        assert_eq!(client.ids("s"), ["1-0", "2-0", "3-0"]);
        let line = "egg.native-names: XDELEX; XADD with KEEPREF, DELREF, ACKED; XTRIM with KEEPREF, DELREF, ACKED.";
        assert!(server.log().contains(line), "{}", server.log());
    }
}
