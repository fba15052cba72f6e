//! EGG.ADD: how far a call walks through a stream that cannot be trimmed, or not at once.

use crate::client::{Reply, words};
use crate::each_server;
use crate::harness::{Kind, Options, Server};

each_server! {
    unread_entries_are_not_walked,
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
    // The last node of the old entries has new ones in it, which nobody has read.
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 1000 LIMIT 0"), 249_990);
    assert_eq!(client.run("XLEN s"), 4010);
    // Nodes that are larger than that go as well.
    client.all(&["FLUSHALL", "CONFIG SET stream-node-max-entries 20000", "CONFIG SET stream-node-max-bytes 0"]);
    client.send(&["EVAL", &fill.replace("300000", "50000"), "1", "s"]);
    client.all(&["XGROUP CREATE s g $"]);
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 1000"), 40_000);
}

/// One call walks past 1,000 pending entries; what is acknowledged behind them is left to EGG.TRIM.
fn patience_ends_a_walk_past_pending_entries(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (pending, left) in [(999, 1_000), (1_000, 1_006)] {
        client.all(&["FLUSHALL"]);
        client.add(1..=pending + 5);
        client.all(&["XGROUP CREATE s g 0"]);
        let mut ack = vec!["XACK".to_owned(), "s".to_owned(), "g".to_owned()];
        ack.extend(client.read("g", pending + 5).split_off(pending));
        client.send(&ack);
        assert_eq!(client.run("EGG.ADD s MAXLEN 10 20000-0 f v"), "20000-0");
        assert_eq!(client.run("XLEN s"), left, "{pending} pending");
        assert_eq!(client.run("EGG.TRIM s MAXLEN 10"), left - pending as i64 - 1, "{pending} pending");
        assert_eq!(client.pending("s", "g").len(), pending);
    }
}
