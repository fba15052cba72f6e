//! EGG.ACKDEL: few ids, many ids, in any order, from many workers.

use std::thread;

use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};
use egg_testkit::random::Random;

each_server! {
    batches_of_any_size_are_done_in_one_call,
    many_ids_that_are_not_pending_are_each_answered,
    duplicates_are_deleted_once,
    workers_may_be_interleaved,
    what_one_look_at_the_pending_list_does_not_show_is_found_all_the_same,
}

const SIZES: [usize; 7] = [1, 8, 9, 100, 1000, 10_000, 100_000];

fn ackdel(client: &mut Client, policy: &str, ids: &[String]) -> Vec<i64> {
    client.run(&format!("EGG.ACKDEL s g {policy} IDS {} {}", ids.len(), ids.join(" "))).integers()
}

/// The numbers from 1 up in an order that is neither ascending nor descending.
fn shuffled(count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (1..=count).collect();
    Random::new(1).shuffle(&mut numbers);
    numbers
}

fn batches_of_any_size_are_done_in_one_call(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for count in SIZES {
        let orders = [(1..=count).collect(), (1..=count).rev().collect(), shuffled(count)];
        for (order, policy) in orders.into_iter().zip(["", "ACKED", "DELREF"]) {
            client.run("DEL s");
            client.stream(count, &["g"]);
            client.add(count + 1..=count + 1);
            let ids: Vec<String> = order.iter().map(|n: &usize| format!("{n}-0")).collect();
            let replies = ackdel(&mut client, policy, &ids);
            assert_eq!(replies.len(), count);
            assert!(replies.iter().all(|reply| *reply == 1), "{count} {policy}");
            assert_eq!(client.ids("s"), [format!("{}-0", count + 1)], "{count} {policy}");
            let group = client.group("s", "g");
            assert_eq!((group.field("pending").integer(), group.field("lag").integer()), (0, 1), "{count} {policy}");
        }
    }
}

fn many_ids_that_are_not_pending_are_each_answered(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(10, &["g", "h"]);
    for (count, policy) in [(9, "ACKED"), (1000, "ACKONLY"), (100_000, "DELREF")] {
        let mut ids: Vec<String> = (11..=count + 10).map(|n| format!("{n}-0")).collect();
        assert_eq!(ackdel(&mut client, policy, &ids), vec![-1; count]);
        assert_eq!(client.run("XLEN s"), 10);
        // A bad one at the very end.
        ids[count - 1] = "foo".to_owned();
        let line = format!("EGG.ACKDEL s g {policy} IDS {count} {}", ids.join(" "));
        assert!(client.run(&line).error().starts_with("ERR Invalid stream ID"));
    }
    assert_eq!(client.pending("s", "h").len(), 10);
}

fn duplicates_are_deleted_once(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for times in [2, 8, 9, 1000] {
        client.run("DEL s");
        client.stream(3, &["g"]);
        let ids: Vec<String> = (0..times).flat_map(|_| ["2-0".to_owned(), "1-0".to_owned()]).collect();
        let mut expected = vec![-1; ids.len()];
        expected[..2].fill(1);
        assert_eq!(ackdel(&mut client, "", &ids), expected, "{times}");
        assert_eq!(client.ids("s"), ["3-0"], "{times}");
    }
    // Written differently, it is the same id.
    client.run("DEL s");
    client.stream(1, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 4 1 1-0 01-0 1-00"), [1, -1, -1, -1]);
}

fn workers_may_be_interleaved(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.add(1..=20_000);
    client.all(&["XGROUP CREATE s g 0"]);
    thread::scope(|scope| {
        for (worker, batch) in [("a", 1), ("b", 3), ("c", 8), ("d", 100)] {
            let mut client = server.connect();
            scope.spawn(move || {
                loop {
                    let read = client.run(&format!("XREADGROUP GROUP g {worker} COUNT {batch} STREAMS s >"));
                    if read == egg_testkit::client::Reply::Nil {
                        return;
                    }
                    let entries = read.array()[0].array()[1].array();
                    let ids: Vec<_> = entries.iter().rev().map(|entry| entry.array()[0].text()).collect();
                    assert_eq!(ackdel(&mut client, "", &ids), vec![1; ids.len()]);
                }
            });
        }
    });
    let group = client.group("s", "g");
    assert_eq!(client.run("XLEN s"), 0);
    for (field, expected) in [("pending", 0), ("lag", 0), ("consumers", 4)] {
        assert_eq!(*group.field(field), expected, "{field}");
    }
}

/// From 32 ids on, in order, most are acknowledged at once: those that the first one's worker has.
fn what_one_look_at_the_pending_list_does_not_show_is_found_all_the_same(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XGROUP CREATE s g 0 MKSTREAM"]);
    client.add(1..=200);
    for worker in ["c", "d"].into_iter().cycle().take(180) {
        client.run(&format!("XREADGROUP GROUP g {worker} COUNT 1 STREAMS s >"));
    }
    // Worker c has the odd ones up to 179-0. Of these, 31-0 is acknowledged already, and 33-0 has lost its entry.
    client.all(&["XACK s g 31-0", "XDEL s 33-0"]);
    let mut numbers: Vec<usize> = (3..=99).step_by(2).collect();
    // The other worker's, two far behind, one not delivered, one that never was.
    numbers.extend([100, 177, 179, 190, 999]);
    let ids: Vec<String> = numbers.iter().map(|n| format!("{n}-0")).collect();
    let expected: Vec<i64> = numbers.iter().map(|n| if [31, 190, 999].contains(n) { -1 } else { 1 }).collect();
    assert_eq!(ackdel(&mut client, "REJECT", &ids), expected);
    let left = 180 - 1 - expected.iter().filter(|reply| **reply == 1).count();
    assert_eq!(client.run("XPENDING s g").array()[0].integer(), left as i64);
    // 33-0 had no entry any more, and 31-0 keeps its own.
    assert_eq!(client.run("XLEN s").integer(), 200 - (expected.iter().sum::<i64>() + 3));
    assert_eq!(client.ids("s").iter().filter(|id| ["31-0", "190-0"].contains(&id.as_str())).count(), 2);
    assert_eq!(client.group("s", "g").field("lag").integer(), 20);
}
