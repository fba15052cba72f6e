//! EGG.ADD: how far a call walks through a stream that cannot be trimmed, or not at once.

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    unread_entries_are_not_walked,
    a_large_threshold_costs_no_more_than_a_small_one,
    a_backlog_is_not_walked_for_what_the_limit_allows,
    patience_ends_a_walk_past_pending_entries,
}

/// 200,000 entries that nobody has read: the walk ends where the group stands. Were each of them looked at, the connection would
/// give up waiting.
fn unread_entries_are_not_walked(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let fill = "for i = 1, 200000 do redis.call('XADD', KEYS[1], i .. '-0', 'f', 'v') end";
    client.send(&["EVAL", fill, "1", "s"]);
    client.all(&["XGROUP CREATE s g 0"]);
    client.read("g", 3);
    client.all(&["XACK s g 1-0 3-0"]);
    let calls: Vec<Vec<String>> = (0..5000)
        .map(|n| {
            words(&format!("EGG.ADD s ACKED MAXLEN = 1000 {}-0 f v", 300_000 + n))
                .into_iter()
                .map(str::to_owned)
                .collect()
        })
        .collect();
    let replies = client.pipeline(&calls);
    assert!(replies.iter().all(|reply| matches!(reply, Reply::Text(_))), "{:?}", replies[0]);
    assert_eq!(client.run("XLEN s"), 200_000 - 2 + 5000);
    assert_eq!(client.pending("s", "g"), ["2-0"]);
}

/// Entries are counted to tell whether a long front has as many as are to go: never more than the call can remove, however
/// large the threshold is. Were the entries behind the group counted each time, the connection would give up waiting.
fn a_large_threshold_costs_no_more_than_a_small_one(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let fill = "for i = 1, 250000 do redis.call('XADD', KEYS[1], i .. '-0', 'f', 'v') end";
    client.send(&["EVAL", fill, "1", "s"]);
    client.all(&["XGROUP CREATE s g 0"]);
    client.read("g", 3);
    client.all(&["XACK s g 1-0"]);
    let calls: Vec<Vec<String>> = (0..20_000)
        .map(|n| format!("EGG.ADD s MAXLEN 100000 {}-0 f v", 300_000 + n))
        .map(|line| words(&line).into_iter().map(str::to_owned).collect())
        .collect();
    client.pipeline(&calls);
    assert_eq!(client.run("XLEN s"), 250_000 - 1 + 20_000);
    // All of it done: one call takes what is above the threshold.
    client.all(&["XGROUP SETID s g $", "XACK s g 2-0 3-0"]);
    client.all(&["EGG.ADD s MAXLEN 100000 400000-0 f v"]);
    assert_eq!(client.run("XLEN s"), 100_000);
}

/// 300,000 acknowledged entries, of which each call may remove 10 and needs to look at no more. Were all of them looked at, the
/// connection would give up waiting.
fn a_backlog_is_not_walked_for_what_the_limit_allows(kind: Kind) {
    let server = Options::new(kind).line("stream-node-max-entries 10").start();
    let mut client = server.connect();
    let fill = "for i = 1, 300000 do redis.call('XADD', KEYS[1], i .. '-0', 'f', 'v') end";
    client.send(&["EVAL", fill, "1", "s"]);
    client.all(&["XGROUP CREATE s g $", "CONFIG SET stream-node-max-entries 100"]);
    let calls: Vec<Vec<String>> = (1..=4000)
        .map(|n| format!("EGG.ADD s MAXLEN ~ 1000 LIMIT 10 {}-0 f v", 300_000 + n))
        .map(|line| words(&line).into_iter().map(str::to_owned).collect())
        .collect();
    client.pipeline(&calls);
    assert_eq!(client.run("XLEN s"), 300_000 + 4000 - 4000 * 10);
    // Without a LIMIT, ten thousand at a time.
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 1000"), 10_000);
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 1000 LIMIT 0"), 250_000);
    assert_eq!(client.run("XLEN s"), 4000);
    // Of nodes that are larger than that, a part goes.
    client.all(&["FLUSHALL", "CONFIG SET stream-node-max-entries 20000", "CONFIG SET stream-node-max-bytes 0"]);
    client.send(&["EVAL", &fill.replace("300000", "50000"), "1", "s"]);
    client.all(&["XGROUP CREATE s g $"]);
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 1000"), 10_000);
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 45000"), 0);
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 35000"), 5_000);
}

/// One call walks past 1,000 pending entries; what is acknowledged behind them is left to EGG.TRIM.
fn patience_ends_a_walk_past_pending_entries(kind: Kind) {
    let server = Options::new(kind).line("egg.native-names yes").start();
    let mut client = server.connect();
    for (pending, left) in [(999, 1_000), (1_000, 1_006)] {
        let mut calls = vec!["EGG.ADD s MAXLEN 10", "EGG.ADD s MAXLEN ~ 10", "EGG.ADD s MINID ~ 19999"];
        if !kind.has_native_xackdel() {
            calls.extend(["XADD s ACKED MAXLEN 10", "XADD s MINID ~ 19999 ACKED"]);
        }
        for call in calls {
            client.all(&["FLUSHALL"]);
            client.add(1..=pending + 5);
            client.all(&["XGROUP CREATE s g 0"]);
            let mut ack = vec!["XACK".to_owned(), "s".to_owned(), "g".to_owned()];
            ack.extend(client.read("g", pending + 5).split_off(pending));
            client.send(&ack);
            let stopped =
                |client: &mut Client| -> i64 { client.info("egg", "egg_add_trims_stopped").parse().expect("a number") };
            let before = stopped(&mut client);
            assert_eq!(client.run(&format!("{call} 20000-0 f v")), "20000-0");
            assert_eq!(client.run("XLEN s"), left, "{call}: {pending} pending");
            assert_eq!(stopped(&mut client) - before, i64::from(left == 1_006), "{call}");
            assert_eq!(client.run("EGG.TRIM s MAXLEN 10"), left - pending as i64 - 1, "{call}: {pending} pending");
            assert_eq!(client.pending("s", "g").len(), pending);
        }
    }
}
