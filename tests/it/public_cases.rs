//! What people have reported of streams, in the order in which they meet it: each test is named after the symptom.

use std::thread;

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server, wait_until};

each_server! {
    acked_entries_never_leave,
    a_backlog_acked_long_ago_is_not_cleaned_by_ackdel,
    entries_read_with_noack_are_not_pending,
    an_entry_must_wait_for_all_groups,
    memory_of_scattered_survivors_comes_back_with_the_last_ones,
    the_first_group_starves_the_second,
    a_leftover_group_blocks_everything,
    a_plain_reader_is_not_seen,
    a_group_made_after_the_entry,
    an_ack_to_the_wrong_group_is_silent,
    two_workers_finish_the_same_entry,
    a_worker_that_lost_the_entry_acks_late,
    minus_one_means_several_things,
    an_unread_entry_is_deleted,
    a_batch_of_everything,
    a_short_id_is_not_recognised,
}

fn server(kind: Kind) -> (Server, Client) {
    let server = Server::start(kind);
    let client = server.connect();
    (server, client)
}

fn acked_entries_never_leave(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(3, &["g"]);
    client.run("XACK s g 1-0");
    assert_eq!(client.run("XLEN s"), 3);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 2-0 3-0"), [1, 1]);
    assert_eq!(client.ids("s"), ["1-0"]);
    assert_eq!(client.pending("s", "g"), [""; 0]);
    assert_eq!(*client.group("s", "g").field("lag"), 0);
}

fn a_backlog_acked_long_ago_is_not_cleaned_by_ackdel(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(3, &["g"]);
    client.run("XACK s g 1-0 2-0 3-0");
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"), [-1, -1, -1]);
    assert_eq!(client.run("XLEN s"), 3);
}

fn entries_read_with_noack_are_not_pending(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.add(1..=1);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c NOACK STREAMS s >"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [-1]);
    assert_eq!(client.ids("s"), ["1-0"]);
}

fn an_entry_must_wait_for_all_groups(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(1, &["g", "h"]);
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 1 1-0"), [2]);
    assert_eq!(client.run("XLEN s"), 1);
    assert_eq!(client.run("EGG.ACKDEL s h ACKED IDS 1 1-0"), [1]);
    assert_eq!(client.run("XLEN s"), 0);
}

fn memory_of_scattered_survivors_comes_back_with_the_last_ones(kind: Kind) {
    let (_server, mut client) = server(kind);
    let value = "x".repeat(100);
    let adds: Vec<_> =
        (1..=10_000).map(|n| ["XADD", "s", &format!("{n}-0"), "f", &value].map(str::to_owned).to_vec()).collect();
    client.pipeline(&adds);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 10000 STREAMS s >"]);
    let mut ack_delete = |keep: fn(usize) -> bool| {
        let ids: Vec<_> = (1..=10_000).filter(|n| keep(*n)).map(|n| n.to_string()).collect();
        let line = format!("EGG.ACKDEL s g IDS {} {}", ids.len(), ids.join(" "));
        assert!(client.run(&line).integers().iter().all(|reply| *reply == 1));
        (client.run("XLEN s").integer(), client.run("MEMORY USAGE s SAMPLES 0").integer())
    };
    let (length, scattered) = ack_delete(|n| n % 50 != 0);
    assert_eq!(length, 200);
    // A node of the stream is freed when its last entry goes, not before.
    assert!(scattered > 500_000, "{scattered}");
    let (length, empty) = ack_delete(|n| n % 50 == 0);
    assert_eq!(length, 0);
    assert!(empty < 2_000, "{empty}");
}

fn the_first_group_starves_the_second(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(2, &["g"]);
    client.all(&["XGROUP CREATE s h 0"]);
    assert!(client.run("EGG.ACKDEL s g IDS 1 1-0").error().starts_with("FOREIGNGROUP "));
    assert_eq!(client.pending("s", "g"), ["1-0", "2-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g ACKONLY IDS 1 1-0"), [2]);
    assert_eq!(client.read("h", 10), ["1-0", "2-0"]);
}

fn a_leftover_group_blocks_everything(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(2, &["g"]);
    client.all(&["XGROUP CREATE s old 0"]);
    let reply = client.run("EGG.ACKDEL s g IDS 1 1-0");
    assert!(reply.error().contains("\"old\"") && reply.error().contains("XGROUP DESTROY"), "{reply:?}");
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 1 1-0"), [2]);
    client.all(&["XGROUP DESTROY s old"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [-1, 1]);
    assert_eq!(client.ids("s"), ["1-0"]);
}

fn a_plain_reader_is_not_seen(kind: Kind) {
    let (server, mut client) = server(kind);
    client.add(1..=2);
    client.all(&["XGROUP CREATE s g 0"]);
    client.read("g", 2);
    let mut reader = server.connect();
    let blocked = thread::spawn(move || reader.run("XREAD BLOCK 0 STREAMS s $"));
    wait_until(|| client.info("clients", "blocked_clients") == "1");
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    assert_eq!(client.run("XREAD STREAMS s 0").array()[0].array()[1].array().len(), 1);
    client.add(3..=3);
    let reply = blocked.join().expect("the reader wakes up");
    assert_eq!(reply.array()[0].array()[1].array()[0].array()[0], "3-0");
}

fn a_group_made_after_the_entry(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(1, &["g"]);
    client.all(&["XGROUP CREATE s h $"]);
    assert!(client.run("EGG.ACKDEL s g IDS 1 1-0").error().starts_with("FOREIGNGROUP "));
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 1 1-0"), [1]);
    assert_eq!(client.run("XLEN s"), 0);
}

fn an_ack_to_the_wrong_group_is_silent(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(1, &["g"]);
    let nogroup = Reply::Error("NOGROUP No such key 's' or consumer group 'gg'".to_owned());
    assert_eq!(client.run("EGG.ACKDEL s gg IDS 1 1-0"), nogroup);
    assert_eq!(client.pending("s", "g"), ["1-0"]);
    assert_eq!(client.run("XLEN s"), 1);
}

fn two_workers_finish_the_same_entry(kind: Kind) {
    let (server, mut client) = server(kind);
    client.stream(500, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 1-0"), [1, -1]);
    let finish = || {
        let mut worker = server.connect();
        let calls: Vec<_> = (2..=500).map(|n| format!("EGG.ACKDEL s g IDS 1 {n}-0")).collect();
        calls.iter().map(|call| worker.send(&words(call)).integers()[0]).collect::<Vec<_>>()
    };
    let (one, other) = thread::scope(|scope| {
        let (one, other) = (scope.spawn(finish), scope.spawn(finish));
        (one.join().expect("no error"), other.join().expect("no error"))
    });
    for (n, pair) in one.iter().zip(&other).enumerate() {
        assert!(matches!(pair, (1, -1) | (-1, 1)), "id {}: {pair:?}", n + 2);
    }
    assert_eq!(client.run("XLEN s"), 0);
}

fn a_worker_that_lost_the_entry_acks_late(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(1, &["g"]);
    client.all(&["XCLAIM s g other 0 1-0"]);
    // A stream has no owners to check without OWNER: whoever is first finishes the entry.
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [-1]);
}

fn minus_one_means_several_things(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(2, &["g", "h"]);
    client.all(&["XACK s g 1-0", "XADD s 3-0 f v"]);
    for (id, what) in [("9-0", "absent"), ("1-0", "acknowledged"), ("3-0", "never read"), ("0-0", "no entry at all")] {
        assert_eq!(client.run(&format!("EGG.ACKDEL s g ACKED IDS 1 {id}")), [-1], "{what}");
        assert_eq!(client.run(&format!("EGG.ACKDEL s g DELREF IDS 1 {id}")), [-1], "{what}");
    }
    assert_eq!(client.ids("s"), ["1-0", "2-0", "3-0"]);
    assert_eq!(client.pending("s", "h"), ["1-0", "2-0"]);
    assert!(client.run("EGG.ACKDEL none g IDS 1 1-0").error().starts_with("NOGROUP "));
    assert!(client.run("EGG.ACKDEL s none IDS 1 1-0").error().starts_with("NOGROUP "));
}

fn an_unread_entry_is_deleted(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.add(1..=1);
    client.all(&["XGROUP CREATE s g 0"]);
    for policy in ["REJECT", "ACKONLY", "ACKED", "KEEPREF", "DELREF"] {
        assert_eq!(client.run(&format!("EGG.ACKDEL s g {policy} IDS 1 1-0")), [-1], "{policy}");
    }
    assert_eq!(client.read("g", 1), ["1-0"]);
}

fn a_batch_of_everything(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(3, &["g"]);
    client.all(&["XGROUP CREATE s h 0"]);
    client.read("h", 1);
    client.all(&["XACK s h 1-0"]);
    let before = client.state("s");
    assert!(client.run("EGG.ACKDEL s g ACKED IDS 4 1-0 foo 2-0 1-0").error().starts_with("ERR Invalid stream ID"));
    assert_eq!(client.state("s"), before);
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 4 1-0 2-0 9-0 1-0"), [1, 2, -1, -1]);
    assert_eq!(client.ids("s"), ["2-0", "3-0"]);
}

fn a_short_id_is_not_recognised(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.stream(5, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 5 04-0"), [1, 1]);
    assert_eq!(client.ids("s"), ["1-0", "2-0", "3-0"]);
}
