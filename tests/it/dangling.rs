//! Pending ids without an entry, and the lag of groups: the reports about what ack-deleting leaves behind.

use egg_testkit::client::Reply;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    delref_takes_the_entry_from_a_group_that_holds_it,
    keepref_leaves_the_other_groups_reference,
    deleted_before_it_was_acknowledged,
    trimmed_while_it_was_pending,
    ghosts_in_xclaim_and_xautoclaim,
    lag_turns_null_when_entries_are_finished_out_of_order,
    lag_of_the_other_group_stays_a_number_under_the_safe_policies,
    lag_of_an_unread_hole_is_left_to_the_core,
    lag_is_right_for_groups_created_moved_or_destroyed_on_the_way,
}

fn delref_takes_the_entry_from_a_group_that_holds_it(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g", "h"]);
    assert_eq!(client.run("EGG.ACKDEL s g DELREF IDS 1 1-0"), [1]);
    assert_eq!(client.run("XPENDING s h").array()[0], 0);
    assert_eq!(client.run("XLEN s"), 0);
}

fn keepref_leaves_the_other_groups_reference(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g", "h"]);
    assert_eq!(client.run("EGG.ACKDEL s g KEEPREF IDS 1 1-0"), [1]);
    assert_eq!(client.pending("s", "h"), ["1-0"]);
    let claimed = client.run("XAUTOCLAIM s h x 0 0");
    assert_eq!(claimed.array()[0], "0-0");
    assert_eq!(claimed.array()[1], [0; 0]);
    assert_eq!(claimed.array()[2].array()[0], "1-0");
    assert_eq!(client.pending("s", "h"), [""; 0]);
}

fn deleted_before_it_was_acknowledged(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(2, &["g"]);
    client.run("XDEL s 1-0 2-0");
    assert_eq!(client.pending("s", "g"), ["1-0", "2-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [1, 1]);
    assert_eq!(client.run("XPENDING s g").array()[0], 0);
    assert_eq!(client.run("XREADGROUP GROUP g c STREAMS s 0").array()[0].array()[1], [0; 0]);
}

fn trimmed_while_it_was_pending(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    client.run("XTRIM s MAXLEN 1");
    assert_eq!(client.pending("s", "g"), ["1-0", "2-0", "3-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"), [1, 1, 1]);
    assert_eq!(client.run("XPENDING s g").array()[0], 0);
    assert_eq!(client.run("XLEN s"), 0);
}

fn ghosts_in_xclaim_and_xautoclaim(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (groups, call) in
        [(&["g"][..], "EGG.ACKDEL s g IDS 2 1-0 3-0"), (&["g", "h"], "EGG.ACKDEL s g DELREF IDS 2 1-0 3-0")]
    {
        client.run("DEL s");
        client.stream(3, groups);
        assert_eq!(client.run(call), [1, 1]);
        for group in groups {
            let claimed = client.run(&format!("XAUTOCLAIM s {group} x 0 0"));
            assert_eq!(claimed.array()[0], "0-0", "{call}");
            let ids: Vec<_> = claimed.array()[1].array().iter().map(|entry| entry.array()[0].text()).collect();
            assert_eq!(ids, ["2-0"], "{call}");
            assert_eq!(claimed.array()[2], [0; 0], "{call}");
            assert_eq!(client.run(&format!("XCLAIM s {group} x 0 1-0 3-0")), [0; 0], "{call}");
        }
    }
}

fn lag_turns_null_when_entries_are_finished_out_of_order(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for order in [[3, 1, 2], [3, 2, 1], [2, 1, 3], [2, 3, 1], [1, 2, 3], [1, 3, 2]] {
        client.run("DEL s");
        client.add(1..=5);
        client.all(&["XGROUP CREATE s g 0"]);
        client.read("g", 3);
        for id in order {
            assert_eq!(client.run(&format!("EGG.ACKDEL s g IDS 1 {id}-0")), [1]);
            assert_eq!(*client.group("s", "g").field("lag"), 2, "after {id} of {order:?}");
        }
        assert_eq!(client.read("g", 1), ["4-0"]);
        assert_eq!(*client.group("s", "g").field("lag"), 1);
        assert_eq!(client.read("g", 9), ["5-0"]);
        assert_eq!(*client.group("s", "g").field("lag"), 0);
    }
}

fn lag_of_the_other_group_stays_a_number_under_the_safe_policies(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(5, &["g"]);
    client.all(&["XGROUP CREATE s h 0"]);
    client.read("h", 3);
    client.run("XACK s h 3-0");
    // h has read 3-0 last, and is done with it; 4-0 and 5-0 are still to be read by h.
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 3 5-0 3-0 1-0"), [2, 1, 2]);
    assert_eq!(client.ids("s"), ["1-0", "2-0", "4-0", "5-0"]);
    assert_eq!(*client.group("s", "h").field("lag"), 2);
    assert_eq!(*client.group("s", "g").field("lag"), 0);
    client.run("EGG.ACKDEL s g ACKONLY IDS 2 2-0 4-0");
    assert_eq!(
        (client.group("s", "h").field("lag"), client.group("s", "g").field("lag")),
        (&Reply::Integer(2), &Reply::Integer(0))
    );
}

fn lag_of_an_unread_hole_is_left_to_the_core(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(5, &["g"]);
    client.all(&["XGROUP CREATE s h 0"]);
    client.read("h", 2);
    assert_eq!(client.run("EGG.ACKDEL s g KEEPREF IDS 1 4-0"), [1]);
    // h has yet to pass the hole: a number would be wrong.
    assert_eq!(*client.group("s", "h").field("lag"), Reply::Nil);
    assert_eq!(client.read("h", 9), ["3-0", "5-0"]);
    assert_eq!(*client.group("s", "h").field("lag"), 0);
}

fn lag_is_right_for_groups_created_moved_or_destroyed_on_the_way(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(6, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 6-0 4-0"), [1, 1]);
    client.add(7..=8);
    assert_eq!(*client.group("s", "g").field("lag"), 2);
    for (make, unread) in [
        ("XGROUP CREATE s h 0", &["1-0", "2-0", "3-0", "5-0", "7-0", "8-0"][..]),
        ("XGROUP CREATE s h $", &[]),
        ("XGROUP CREATE s h 3-0", &["5-0", "7-0", "8-0"]),
        ("XGROUP CREATE s h 6-0", &["7-0", "8-0"]),
        ("XGROUP CREATE s h 4-0", &["5-0", "7-0", "8-0"]),
    ] {
        client.run("XGROUP DESTROY s h");
        client.all(&[make]);
        let lag = client.group("s", "h").field("lag").clone();
        let known = i64::try_from(unread.len()).expect("a small number");
        assert!(lag == Reply::Nil || lag == known, "{make}: lag {lag:?}, unread {unread:?}");
        assert_eq!(client.read("h", 99), unread, "{make}");
        assert_eq!(*client.group("s", "h").field("lag"), 0, "{make}");
    }
    client.run("XGROUP DESTROY s h");
    client.all(&["XGROUP SETID s g 5-0"]);
    let lag = client.group("s", "g").field("lag").clone();
    assert!(lag == Reply::Nil || lag == 2, "{lag:?}");
    assert_eq!(client.read("g", 99), ["7-0", "8-0"]);
    assert_eq!(*client.group("s", "g").field("lag"), 0);
}
