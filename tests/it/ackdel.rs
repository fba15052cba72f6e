//! EGG.ACKDEL: the reply for each id, and what is left in the stream and in the groups.

use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    acknowledges_and_deletes_whatever_the_policy_if_the_group_is_alone,
    refuses_as_a_whole_while_another_group_exists,
    ackonly_acknowledges_and_keeps_while_another_group_exists,
    acked_deletes_when_the_last_group_is_done,
    acked_keeps_what_another_group_has_yet_to_read_or_to_acknowledge,
    keepref_and_delref_delete_what_another_group_needs,
    a_group_set_back_keeps_what_it_will_read_again,
    entries_that_are_gone_already_are_acknowledged,
    the_reply_is_one_integer_per_id_in_the_order_given,
    options_come_in_any_order_and_case,
    several_id_blocks_are_an_error,
    consumers_and_counters_are_left_as_xack_and_xdel_leave_them,
}

const POLICIES: [&str; 6] = ["", "REJECT", "ACKONLY", "ACKED", "KEEPREF", "DELREF"];

/// A fresh stream of three entries, which these groups have read.
fn three(client: &mut Client, groups: &[&str]) {
    client.run("DEL s");
    client.stream(3, groups);
}

fn acknowledges_and_deletes_whatever_the_policy_if_the_group_is_alone(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for policy in POLICIES {
        three(&mut client, &["g"]);
        assert_eq!(client.run(&format!("EGG.ACKDEL s g {policy} IDS 3 1-0 2-0 3-0")), [1, 1, 1], "{policy}");
        assert_eq!(client.run("XLEN s"), 0, "{policy}");
        let group = client.group("s", "g");
        for (field, expected) in [("lag", 0), ("pending", 0), ("entries-read", 3), ("consumers", 1)] {
            assert_eq!(*group.field(field), expected, "{policy} {field}");
        }
    }
}

fn refuses_as_a_whole_while_another_group_exists(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for policy in ["", "REJECT", "reject"] {
        three(&mut client, &["g", "h"]);
        let before = client.state("s");
        let reply = client.run(&format!("EGG.ACKDEL s g {policy} IDS 2 1-0 2-0"));
        assert!(reply.error().starts_with("FOREIGNGROUP "), "{reply:?}");
        assert_eq!(client.state("s"), before);
    }
    // Even what nobody holds: 9-0 was never there, and the other group has nothing to lose.
    client.run("XACK s h 1-0 2-0 3-0");
    assert!(client.run("EGG.ACKDEL s g IDS 1 9-0").error().starts_with("FOREIGNGROUP "));
    client.run("XGROUP DESTROY s h");
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 1-0 2-0 9-0"), [1, 1, -1]);
}

fn ackonly_acknowledges_and_keeps_while_another_group_exists(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    three(&mut client, &["g", "h"]);
    assert_eq!(client.run("EGG.ACKDEL s g ACKONLY IDS 3 1-0 2-0 9-0"), [2, 2, -1]);
    assert_eq!(client.ids("s"), ["1-0", "2-0", "3-0"]);
    assert_eq!(client.pending("s", "g"), ["3-0"]);
    assert_eq!(client.pending("s", "h"), ["1-0", "2-0", "3-0"]);
    // Also when nobody needs the entry any more: that is for ACKED to find out.
    client.run("XACK s h 3-0");
    assert_eq!(client.run("EGG.ACKDEL s g ACKONLY IDS 1 3-0"), [2]);
    assert_eq!(client.ids("s"), ["1-0", "2-0", "3-0"]);
}

fn acked_deletes_when_the_last_group_is_done(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    three(&mut client, &["g", "h", "i"]);
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 2 1-0 2-0"), [2, 2]);
    assert_eq!(client.run("EGG.ACKDEL s h ACKED IDS 2 2-0 1-0"), [2, 2]);
    assert_eq!(client.run("EGG.ACKDEL s i ACKED IDS 1 1-0"), [1]);
    assert_eq!(client.ids("s"), ["2-0", "3-0"]);
    assert_eq!(client.pending("s", "i"), ["2-0", "3-0"]);
}

fn acked_keeps_what_another_group_has_yet_to_read_or_to_acknowledge(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    // What the other group `h` is made to do before, and the reply for 2-0 then.
    for (other, expected) in [
        (&["XGROUP CREATE s h 0"][..], 2),
        (&["XGROUP CREATE s h 1-9"], 2),
        (&["XGROUP CREATE s h 2-0"], 1),
        (&["XGROUP CREATE s h $"], 1),
        (&["XGROUP CREATE s h 99-0"], 1),
        (&["XGROUP CREATE s h 0", "XREADGROUP GROUP h c STREAMS s >"], 2),
        (&["XGROUP CREATE s h 0", "XREADGROUP GROUP h c STREAMS s >", "XACK s h 1-0 3-0"], 2),
        (&["XGROUP CREATE s h 0", "XREADGROUP GROUP h c STREAMS s >", "XACK s h 2-0"], 1),
        (&["XGROUP CREATE s h 0", "XREADGROUP GROUP h c NOACK STREAMS s >"], 1),
        (&["XGROUP CREATE s h 0", "XREADGROUP GROUP h c STREAMS s >", "XACK s h 2-0", "XGROUP SETID s h 0"], 2),
        (&["XGROUP CREATE s h 0", "XREADGROUP GROUP h c STREAMS s >", "XGROUP DELCONSUMER s h c"], 1),
        (&["XGROUP CREATE s h 0", "XGROUP DESTROY s h"], 1),
    ] {
        three(&mut client, &["g"]);
        client.all(other);
        assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 1 2-0"), [expected], "{other:?}");
        let kept = client.ids("s").contains(&"2-0".to_owned());
        assert_eq!(kept, expected == 2, "{other:?}");
        assert_eq!(client.pending("s", "g"), ["1-0", "3-0"], "{other:?}");
    }
}

fn keepref_and_delref_delete_what_another_group_needs(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    three(&mut client, &["g", "h", "i"]);
    client.run("XACK s i 1-0");
    assert_eq!(client.run("EGG.ACKDEL s g KEEPREF IDS 2 1-0 2-0"), [1, 1]);
    assert_eq!(client.ids("s"), ["3-0"]);
    assert_eq!(client.pending("s", "h"), ["1-0", "2-0", "3-0"]);
    three(&mut client, &["g", "h", "i"]);
    client.run("XACK s g 3-0");
    // 3-0 is not pending in the calling group, and so is nobody's business.
    assert_eq!(client.run("EGG.ACKDEL s g DELREF IDS 3 1-0 2-0 3-0"), [1, 1, -1]);
    assert_eq!(client.ids("s"), ["3-0"]);
    assert_eq!((client.pending("s", "h"), client.pending("s", "i")), (vec!["3-0".into()], vec!["3-0".into()]));
}

fn a_group_set_back_keeps_what_it_will_read_again(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (policy, expected) in [("", 2), ("REJECT", 2), ("ACKONLY", 2), ("ACKED", 2), ("KEEPREF", 1), ("DELREF", 1)] {
        three(&mut client, &["g"]);
        client.run("XGROUP SETID s g 1-0");
        assert_eq!(client.run(&format!("EGG.ACKDEL s g {policy} IDS 2 1-0 2-0")), [1, expected], "{policy}");
        assert_eq!(client.pending("s", "g"), ["3-0"]);
        assert_eq!(client.read("g", 1), [if expected == 2 { "2-0" } else { "3-0" }], "{policy}");
    }
}

fn entries_that_are_gone_already_are_acknowledged(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for policy in POLICIES {
        three(&mut client, &["g"]);
        client.run("XDEL s 1-0 3-0");
        assert_eq!(client.run(&format!("EGG.ACKDEL s g {policy} IDS 3 1-0 2-0 3-0")), [1, 1, 1], "{policy}");
        assert_eq!(client.run("XPENDING s g").array()[0], 0, "{policy}");
        assert_eq!(client.run("XLEN s"), 0, "{policy}");
    }
    for (policy, expected) in [("ACKONLY", 2), ("ACKED", 2), ("KEEPREF", 1), ("DELREF", 1)] {
        three(&mut client, &["g", "h"]);
        client.run("XDEL s 1-0");
        assert_eq!(client.run(&format!("EGG.ACKDEL s g {policy} IDS 1 1-0")), [expected], "{policy}");
        assert_eq!(client.pending("s", "h").contains(&"1-0".to_owned()), policy != "DELREF", "{policy}");
    }
}

fn the_reply_is_one_integer_per_id_in_the_order_given(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    three(&mut client, &["g"]);
    client.run("XACK s g 2-0");
    assert_eq!(client.run("EGG.ACKDEL s g IDS 6 9-0 3-0 2-0 1-0 3-0 0-0"), [-1, 1, -1, 1, -1, -1]);
    assert_eq!(client.ids("s"), ["2-0"]);
}

fn options_come_in_any_order_and_case(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for options in ["ACKONLY IDS 1 1-0", "ackonly ids 1 1-0", "IDS 1 1-0 ACKONLY", "iDs 1 1-0 aCKoNLY"] {
        three(&mut client, &["g", "h"]);
        assert_eq!(client.run(&format!("eGG.ackDEL s g {options}")), [2], "{options}");
        assert_eq!(client.pending("s", "g"), ["2-0", "3-0"], "{options}");
    }
}

/// 8.2's XACKDEL drops the ids of the first block unseen.
fn several_id_blocks_are_an_error(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    three(&mut client, &["g"]);
    for blocks in ["IDS 1 1-0 ACKED IDS 1 2-0", "IDS 2 1-0 bad IDS 1 2-0"] {
        assert_eq!(client.run(&format!("EGG.ACKDEL s g {blocks}")).error(), "ERR syntax error", "{blocks}");
    }
    assert_eq!(client.ids("s"), ["1-0", "2-0", "3-0"]);
    assert_eq!(client.pending("s", "g"), ["1-0", "2-0", "3-0"]);
}

fn consumers_and_counters_are_left_as_xack_and_xdel_leave_them(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let calls = [&["EGG.ACKDEL s g IDS 2 1-0 2-0"][..], &["XACK s g 1-0 2-0", "XDEL s 1-0 2-0"]];
    let outcomes = calls.map(|lines| {
        client.run("DEL s");
        client.add(1..=5);
        client.all(&["XGROUP CREATE s g 0", "XGROUP CREATECONSUMER s g idle", "XREADGROUP GROUP g c STREAMS s >"]);
        client.all(lines);
        let consumers = client.run("XINFO CONSUMERS s g");
        let consumers: Vec<_> =
            consumers.array().iter().map(|row| (row.field("name").text(), row.field("pending").integer())).collect();
        (consumers, client.run("XINFO STREAM s"), client.run("XINFO GROUPS s"), client.pending("s", "g"))
    });
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0].0, [("c".to_owned(), 3), ("idle".to_owned(), 0)]);
}
