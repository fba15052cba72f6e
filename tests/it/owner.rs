//! EGG.ACKDEL with OWNER: what another consumer has is left alone.

use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    a_slow_worker_cannot_finish_what_another_took_over,
    the_owner_finishes_its_own_and_nothing_else,
    an_owner_that_does_not_exist_owns_nothing_and_is_not_made,
    the_policy_holds_for_what_is_owned,
    an_owner_with_much_more_pending_than_was_asked_for,
    an_id_named_twice_is_answered_twice,
    names_of_owners_are_bytes,
    only_what_is_owned_is_propagated,
}

/// Entries 1-0 to `count-0`; the odd ones are pending with `a`, the even ones with `b`.
fn shared(client: &mut Client, count: usize) {
    client.run("DEL s");
    client.add(1..=count);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g a STREAMS s >"]);
    let even: String = (1..=count / 2).map(|n| format!(" {}-0", 2 * n)).collect();
    client.all(&[&format!("XCLAIM s g b 0{even} JUSTID")]);
}

/// The ids pending with a consumer.
fn pending_of(client: &mut Client, consumer: &str) -> Vec<String> {
    let rows = client.run(&format!("XPENDING s g - + 100000 {consumer}"));
    rows.array().iter().map(|row| row.array()[0].text()).collect()
}

fn consumers(client: &mut Client) -> Vec<String> {
    client.run("XINFO CONSUMERS s g").array().iter().map(|row| row.field("name").text()).collect()
}

fn a_slow_worker_cannot_finish_what_another_took_over(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&[
        "XADD s 1-0 f v",
        "XGROUP CREATE s g 0",
        "XREADGROUP GROUP g slow STREAMS s >",
        "XCLAIM s g quick 0 1-0",
    ]);
    let before = client.state("s");
    for policy in ["", "ACKONLY", "ACKED", "KEEPREF", "DELREF"] {
        assert_eq!(client.run(&format!("EGG.ACKDEL s g {policy} OWNER slow IDS 1 1-0")), [0], "{policy}");
        assert_eq!(client.run(&format!("EGG.ACKDEL s g IDS 1 1-0 {policy} owner slow")), [0], "{policy}");
        assert_eq!(client.state("s"), before, "{policy}");
    }
    assert_eq!(pending_of(&mut client, "quick"), ["1-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g OWNER quick IDS 1 1-0"), [1]);
    assert_eq!(client.run("EGG.ACKDEL s g OWNER slow IDS 1 1-0"), [-1]);
}

fn the_owner_finishes_its_own_and_nothing_else(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    shared(&mut client, 6);
    client.all(&["XACK s g 5-0", "XADD s 7-0 f v"]);
    assert_eq!(client.run("EGG.ACKDEL s g OWNER a IDS 7 1-0 2-0 4-0 5-0 3-0 7-0 9-0"), [1, 0, 0, -1, 1, -1, -1]);
    assert_eq!(client.ids("s"), ["2-0", "4-0", "5-0", "6-0", "7-0"]);
    assert_eq!((pending_of(&mut client, "a"), pending_of(&mut client, "b").len()), (Vec::new(), 3));
    assert_eq!(client.info("egg", "egg_not_owner"), "2");
    // Without OWNER anybody may.
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 2-0 6-0"), [1, 1]);
}

fn an_owner_that_does_not_exist_owns_nothing_and_is_not_made(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    shared(&mut client, 4);
    let before = client.state("s");
    for owner in ["nobody", "A", "ACKED", "g", "-", "+", ">"] {
        assert_eq!(client.run(&format!("EGG.ACKDEL s g OWNER {owner} IDS 3 1-0 2-0 9-0")), [0, 0, -1], "{owner}");
    }
    assert_eq!(client.run("EGG.ACKMOVE s g d OWNER nobody IDS 1 1-0").array().len(), 1);
    assert_eq!(client.state("s"), before);
    assert_eq!(consumers(&mut client), ["a", "b"]);
}

fn the_policy_holds_for_what_is_owned(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (policy, expected, left) in [
        ("ACKONLY", [2, 0], &["1-0", "2-0"][..]),
        ("ACKED", [2, 0], &["1-0", "2-0"]),
        ("KEEPREF", [1, 0], &["2-0"]),
        ("DELREF", [1, 0], &["2-0"]),
    ] {
        shared(&mut client, 2);
        client.all(&["XGROUP CREATE s h 0", "XREADGROUP GROUP h a STREAMS s >"]);
        assert_eq!(client.run(&format!("EGG.ACKDEL s g {policy} OWNER a IDS 2 1-0 2-0")), expected, "{policy}");
        assert_eq!(client.ids("s"), left, "{policy}");
        assert_eq!(client.pending("s", "g"), ["2-0"], "{policy}");
        let in_h = client.pending("s", "h");
        assert_eq!(in_h, if policy == "DELREF" { &["2-0"][..] } else { &["1-0", "2-0"] }, "{policy}");
    }
    // Under REJECT the guard comes first.
    let reply = client.run("EGG.ACKDEL s g OWNER nobody IDS 1 1-0");
    assert!(reply.error().starts_with("FOREIGNGROUP "), "{reply:?}");
}

fn an_owner_with_much_more_pending_than_was_asked_for(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    shared(&mut client, 20_000);
    // Among the first and the last id the owner has thousands.
    assert_eq!(client.run("EGG.ACKDEL s g OWNER a IDS 5 19999-0 20000-0 1-0 2-0 77-0"), [1, 0, 1, 0, 1]);
    assert_eq!(client.run("EGG.ACKMOVE s g d OWNER b IDS 4 19997-0 20000-0 3-0 2-0").array().len(), 4);
    assert_eq!(client.run("XLEN d"), 2);
    let (a, b) = (pending_of(&mut client, "a"), pending_of(&mut client, "b"));
    assert_eq!((a.len(), b.len()), (9_997, 9_998));
    assert_eq!((&*a[0], &*a[9_996], &*b[0], &*b[9_997]), ("3-0", "19997-0", "4-0", "19998-0"));
    // As many as were asked for, and none more: the bounded question answers it.
    assert_eq!(client.run("EGG.ACKDEL s g OWNER a IDS 3 3-0 4-0 5-0"), [1, 0, 1]);
    let ids: String = (3..=1002).map(|n| format!(" {}-0", 2 * n)).collect();
    let replies = client.run(&format!("EGG.ACKDEL s g OWNER b IDS 1000{ids}")).integers();
    assert_eq!(replies, vec![1; 1000]);
    assert_eq!(client.run("XPENDING s g").array()[0], 9_995 + 9_998 - 1_000);
}

fn an_id_named_twice_is_answered_twice(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    shared(&mut client, 4);
    // Finished once; and what is another's is so each time.
    assert_eq!(client.run("EGG.ACKDEL s g OWNER a IDS 6 1-0 2-0 1-0 2-0 9-0 1-0"), [1, 0, -1, 0, -1, -1]);
    assert_eq!(client.pending("s", "g"), ["2-0", "3-0", "4-0"]);
}

fn names_of_owners_are_bytes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for owner in [&b""[..], b"\0", b"a\0b", b"\xff\xfe", b"\r\n", "\u{100}".as_bytes(), b"OWNER"] {
        client.run("DEL s");
        client.stream(2, &["g"]);
        client.send(&[&b"XCLAIM"[..], b"s", b"g", owner, b"0", b"2-0"]);
        let words = [&b"EGG.ACKDEL"[..], b"s", b"g", b"OWNER", owner, b"IDS", b"2", b"1-0", b"2-0"];
        assert_eq!(client.send(&words), [0, 1], "{owner:?}");
        assert_eq!(client.pending("s", "g"), ["1-0"], "{owner:?}");
    }
    // A count of deliveries that the server shows as a number below zero is no obstacle.
    client.all(&["XCLAIM s g c 0 1-0 RETRYCOUNT 9223372036854775807", "XCLAIM s g c 0 1-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g OWNER other IDS 1 1-0"), [0]);
}

fn only_what_is_owned_is_propagated(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    shared(&mut client, 4);
    let commands = server.propagated(|| {
        client.all(&["EGG.ACKDEL s g OWNER a IDS 2 2-0 4-0", "EGG.ACKDEL s g OWNER a IDS 4 4-0 3-0 2-0 1-0"]);
    });
    assert_eq!(commands, ["MULTI", "XACK s g 3-0 1-0", "XDEL s 3-0 1-0", "EXEC"]);
}
