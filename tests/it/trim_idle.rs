//! EGG.TRIM … IGNOREIDLE: groups that nobody uses any more do not hold a stream back, and groups in use always do.

use std::time::{Duration, Instant};

use crate::native_names::{replica_of, state};
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    an_idle_group_does_not_count,
    what_only_an_idle_group_has_pending_goes_and_leaves_its_list,
    what_a_live_group_has_pending_stays,
    a_group_without_consumers_counts,
    one_live_consumer_keeps_a_group_alive,
    the_only_group_is_never_left_out,
    if_all_are_idle_the_least_idle_one_counts,
    a_threshold_limits_it_too,
    the_lag_of_an_ignored_group_is_what_is_left_for_it,
    without_keep_lag_no_group_is_touched,
    lag_is_never_a_wrong_number,
    a_replica_without_the_module_agrees,
    idleness_begins_anew_at_promotion,
    idleness_begins_anew_at_a_restart,
}

/// How long `old` has been idle, at least, when `idle` returns. Idle times are of the server's own making: the tests wait
/// for them to pass by asking.
const LIMIT: u64 = 250;

/// Waits until all consumers of the groups have been idle for LIMIT, and the server has been up for as long.
fn idle(client: &mut Client, groups: &[&str]) {
    let started = Instant::now();
    wait_until(|| {
        let is_idle = |group: &&str| {
            let consumers = client.send(&["XINFO", "CONSUMERS", "s", group]);
            consumers.array().iter().all(|consumer| consumer.field("idle").integer() >= LIMIT as i64)
        };
        started.elapsed() > Duration::from_millis(LIMIT) && groups.iter().all(is_idle)
    });
}

/// The consumer is seen: it asks for its history, and gets nothing new.
fn touch(client: &mut Client, group: &str) {
    client.run(&format!("XREADGROUP GROUP {group} c STREAMS s 99999"));
}

/// Whatever has been seen since counts as live: far more than a call takes, far less than what was waited for.
fn trim(client: &mut Client, options: &str) -> Reply {
    client.run(&format!("EGG.TRIM s IGNOREIDLE {LIMIT} {options}"))
}

/// Entries 1-0 to 6-0. Group `live` has read four and acknowledged 1 to 3; `old` has read two and acknowledged 1.
fn prepare(client: &mut Client) {
    client.all(&["FLUSHALL"]);
    client.add(1..=6);
    client.all(&["XGROUP CREATE s old 0", "XGROUP CREATE s live 0"]);
    client.read("old", 2);
    client.read("live", 4);
    client.all(&["XACK s old 1-0", "XACK s live 1-0 2-0 3-0"]);
    idle(client, &["old", "live"]);
    touch(client, "live");
}

fn an_idle_group_does_not_count(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    assert_eq!(client.run("EGG.TRIM s IGNOREIDLE 3600000"), 1);
    assert_eq!(client.ids("s"), ["2-0", "3-0", "4-0", "5-0", "6-0"]);
    touch(&mut client, "live");
    assert_eq!(trim(&mut client, ""), 2);
    assert_eq!(client.ids("s"), ["4-0", "5-0", "6-0"]);
}

fn what_only_an_idle_group_has_pending_goes_and_leaves_its_list(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    assert_eq!(client.pending("s", "old"), ["2-0"]);
    assert_eq!(trim(&mut client, ""), 3);
    assert!(client.pending("s", "old").is_empty());
    assert_eq!(client.pending("s", "live"), ["4-0"]);
    // Holes, too: 2-0 lies behind 1-0, which live has pending.
    client.all(&["FLUSHALL"]);
    client.stream(3, &["old", "live"]);
    client.all(&["XACK s live 2-0 3-0"]);
    idle(&mut client, &["old", "live"]);
    touch(&mut client, "live");
    assert_eq!(trim(&mut client, ""), 2);
    assert_eq!((client.ids("s"), client.pending("s", "old")), (vec!["1-0".to_owned()], vec!["1-0".to_owned()]));
}

fn what_a_live_group_has_pending_stays(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(6, &["old", "live"]);
    client.all(&["XACK s old 1-0 2-0 3-0 4-0 5-0 6-0", "XACK s live 1-0 3-0 6-0"]);
    idle(&mut client, &["old", "live"]);
    touch(&mut client, "live");
    assert_eq!(trim(&mut client, ""), 3);
    assert_eq!(client.ids("s"), ["2-0", "4-0", "5-0"]);
    assert_eq!(client.pending("s", "live"), ["2-0", "4-0", "5-0"]);
}

fn a_group_without_consumers_counts(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["XGROUP CREATE s new $", "XADD s 7-0 f v"]);
    // `new` is done with everything up to 6-0, and needs 7-0.
    assert_eq!(trim(&mut client, ""), 3);
    prepare(&mut client);
    client.all(&["XGROUP CREATE s new 1-0"]);
    assert_eq!(trim(&mut client, ""), 1);
    assert_eq!(client.ids("s").len(), 5);
    // Beside one without consumers, all the others may be too idle to count.
    idle(&mut client, &["old", "live"]);
    client.all(&["XGROUP SETID s new 5-0"]);
    assert_eq!(trim(&mut client, ""), 4);
    assert_eq!(client.ids("s"), ["6-0"]);
    assert_eq!((client.pending("s", "old").len(), client.pending("s", "live").len()), (0, 0));
}

fn one_live_consumer_keeps_a_group_alive(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["XGROUP CREATECONSUMER s old fresh"]);
    assert_eq!(trim(&mut client, ""), 1);
    assert_eq!(client.ids("s").len(), 5);
}

fn the_only_group_is_never_left_out(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(4, &["g"]);
    client.all(&["XACK s g 1-0 3-0"]);
    client.add(5..=6);
    idle(&mut client, &["g"]);
    assert_eq!(trim(&mut client, ""), 2);
    assert_eq!(client.ids("s"), ["2-0", "4-0", "5-0", "6-0"]);
    assert_eq!(client.pending("s", "g"), ["2-0", "4-0"]);
}

fn if_all_are_idle_the_least_idle_one_counts(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    // `live` was seen last; then nobody comes any more.
    idle(&mut client, &["old", "live"]);
    assert_eq!(trim(&mut client, ""), 3);
    assert_eq!(client.ids("s"), ["4-0", "5-0", "6-0"]);
    assert_eq!(client.pending("s", "live"), ["4-0"]);
}

fn a_threshold_limits_it_too(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (options, removed) in [("MAXLEN 5", 1), ("MAXLEN 4", 2), ("MINID 2", 1), ("MAXLEN 0", 3), ("LIMIT 2", 2)] {
        prepare(&mut client);
        assert_eq!(trim(&mut client, options), removed, "{options}");
        assert_eq!(client.ids("s").len() as i64, 6 - removed, "{options}");
        let is_gone = client.ids("s")[0] != "1-0" && !client.ids("s").contains(&"2-0".to_owned());
        assert_eq!(client.pending("s", "old").is_empty(), is_gone, "{options}");
    }
}

/// What `old` will never get is not counted: its lag is what is there for it, now and as it reads on.
fn the_lag_of_an_ignored_group_is_what_is_left_for_it(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (options, left) in
        [("", 3), ("MAXLEN 5", 5), ("MAXLEN ~ 5", 5), ("MINID 9", 5), ("LIMIT 7", 6), ("LIMIT 1", 12)]
    {
        client.all(&["FLUSHALL"]);
        client.add(1..=10);
        client.all(&["XGROUP CREATE s old 0", "XGROUP CREATE s live 0"]);
        client.read("old", 2);
        client.read("live", 10);
        client.all(&["XACK s live 1-0 2-0 3-0 4-0 5-0 6-0 7-0 8-0 9-0 10-0"]);
        client.add(11..=13);
        idle(&mut client, &["old", "live"]);
        touch(&mut client, "live");
        let events = server.events_of(|client| assert_eq!(trim(client, options), 13 - left, "{options}"));
        // One entry that is left was read, where only the first one went.
        let lag = left.min(11);
        for group in ["old", "live"] {
            let expected = if group == "old" { lag } else { 3 };
            assert_eq!(*client.group("s", group).field("lag"), expected, "{group} {options}: {events:?}");
        }
        let is_old_core = kind != Kind::Redis82;
        let mended: &[&str] = if is_old_core && lag < 11 { &["s xtrim", "s xgroup-setid"] } else { &["s xtrim"] };
        assert_eq!(events, mended, "{options}");
        assert_eq!(client.group("s", "old").field("last-delivered-id").text(), "2-0", "{options}");
        for left in (0..lag).rev() {
            assert_eq!(client.read("old", 1).len(), 1, "{options}");
            assert_eq!(*client.group("s", "old").field("lag"), left, "{options}");
        }
    }
}

fn without_keep_lag_no_group_is_touched(kind: Kind) {
    let server = Options::new(kind).line("egg.keep-lag no").start();
    let mut client = server.connect();
    prepare(&mut client);
    let events = server.events_of(|client| assert_eq!(trim(client, ""), 3));
    assert_eq!(events, ["s xtrim"]);
}

/// A hole above where a group stands makes its lag null, as ever: rather no number than a wrong one.
fn lag_is_never_a_wrong_number(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.add(1..=5);
    client.all(&["XGROUP CREATE s old 0", "XGROUP CREATE s live 0"]);
    client.read("old", 2);
    client.read("live", 4);
    client.all(&["XACK s old 1-0 2-0", "XACK s live 2-0 3-0 4-0"]);
    idle(&mut client, &["old", "live"]);
    touch(&mut client, "live");
    assert_eq!(trim(&mut client, ""), 3);
    assert_eq!(client.ids("s"), ["1-0", "5-0"]);
    assert_eq!(*client.group("s", "live").field("lag"), 1);
    assert_eq!(*client.group("s", "old").field("lag"), Reply::Nil);
}

fn a_replica_without_the_module_agrees(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = replica_of(&master);
    let (mut client, mut on_replica) = (master.connect(), replica.connect());
    for more in [&[][..], &["XDEL s 2-0"], &["XACK s live 4-0", "XCLAIM s live c 0 1-0 FORCE JUSTID"]] {
        prepare(&mut client);
        client.all(more);
        touch(&mut client, "live");
        assert!(trim(&mut client, "").integer() > 0, "{more:?}");
        replica.wait_in_step(&master);
        assert_eq!(state(&mut on_replica, "s"), state(&mut client, "s"), "{more:?}");
    }
}

/// A replica does not see the reads that find nothing: to it, live groups look idle.
fn idleness_begins_anew_at_promotion(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = Options::new(kind).tcp().start();
    replica.replicate(&master);
    let mut client = master.connect();
    prepare(&mut client);
    replica.wait_in_step(&master);
    let mut promoted = replica.connect();
    // The server has been up for longer than the limit, and its consumers look idle for longer.
    let limit = 2000;
    wait_until(|| {
        ["old", "live"].iter().all(|group| {
            let consumers = promoted.send(&["XINFO", "CONSUMERS", "s", group]);
            consumers.array().iter().all(|consumer| consumer.field("idle").integer() >= limit)
        })
    });
    promoted.all(&["REPLICAOF NO ONE"]);
    touch(&mut promoted, "live");
    assert_eq!(promoted.run(&format!("EGG.TRIM s IGNOREIDLE {limit}")), 1);
    assert_eq!((promoted.ids("s").len(), promoted.pending("s", "old")), (5, vec!["2-0".to_owned()]));
    // On the master, nothing began anew.
    touch(&mut client, "live");
    assert_eq!(client.run(&format!("EGG.TRIM s IGNOREIDLE {limit}")), 3);
}

fn idleness_begins_anew_at_a_restart(kind: Kind) {
    let limit = 2000;
    for line in ["appendonly yes", "appendonly no"] {
        let mut server = Options::new(kind).line(line).line("appendfsync always").start();
        let mut client = server.connect();
        prepare(&mut client);
        wait_until(|| {
            let consumers = client.run("XINFO CONSUMERS s old");
            consumers.array().iter().all(|consumer| consumer.field("idle").integer() >= limit)
        });
        if line == "appendonly no" {
            client.all(&["SAVE"]);
        }
        server.restart();
        let mut client = server.connect();
        touch(&mut client, "live");
        assert_eq!(client.run(&format!("EGG.TRIM s IGNOREIDLE {limit}")), 1, "{line}");
        assert_eq!(client.pending("s", "old"), ["2-0"], "{line}");
        // And it does pass.
        wait_until(|| {
            touch(&mut client, "live");
            client.run(&format!("EGG.TRIM s IGNOREIDLE {limit}")) != 0
        });
        assert_eq!(client.ids("s"), ["4-0", "5-0", "6-0"], "{line}");
    }
}
