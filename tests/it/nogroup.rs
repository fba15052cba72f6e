//! A stream or a group that is gone: what takes it away, who is told, and how docs/operations.md heals it.

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    allkeys_lru_evicts_a_stream,
    no_other_policy_evicts_a_stream_without_a_ttl,
    a_restart_without_persistence_takes_it_away,
    a_reader_that_blocks_is_told,
    only_what_was_not_finished_comes_again,
}

const READ: &str = "XREADGROUP GROUP g c STREAMS s >";

fn assert_gone(client: &mut Client) {
    let gone = "NOGROUP No such key 's' or consumer group 'g'";
    assert_eq!(client.run(READ).error(), format!("{gone} in XREADGROUP with GROUP option"));
    for call in [
        "EGG.ACKDEL s g IDS 1 1-0",
        "EGG.ACKMOVE s g d IDS 1 1-0",
        "EGG.GROUPGUARD s g",
        "EGG.GROUPREAP s g IDLE 1",
        "XAUTOCLAIM s g c 0 0",
    ] {
        assert_eq!(client.run(call).error(), gone, "{call}");
    }
    assert_eq!(client.run("XACK s g 1-0"), 0);
}

/// What a worker sends: the first time it creates the group, later others have done so.
fn heal(client: &mut Client) {
    client.add(5..=5);
    assert_eq!(client.run("XGROUP CREATE s g 0 MKSTREAM"), "OK");
    assert_eq!(client.run("XGROUP CREATE s g 0 MKSTREAM").error(), "BUSYGROUP Consumer Group name already exists");
    assert_eq!(client.read("g", 9), ["5-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 5-0"), [-1, 1]);
    assert_eq!(client.run("XLEN s"), 0);
}

/// Lets the server have two megabytes more, under this policy.
fn limit_memory(client: &mut Client, policy: &str) {
    let used: u64 = client.info("memory", "used_memory").parse().expect("a number");
    let limit = used + 2_000_000;
    client.all(&[&format!("CONFIG SET maxmemory-policy {policy} maxmemory {limit} maxmemory-samples 64")]);
}

/// Adds up to 30 MB of keys, in pipelines of a hundred, as long as `go_on` says so: the last reply.
fn fill(client: &mut Client, options: &str, mut go_on: impl FnMut(&mut Client) -> bool) -> Reply {
    let value = "x".repeat(1000);
    let mut last = Reply::Nil;
    for round in 0..300 {
        let lines: Vec<_> = (0..100).map(|n| format!("SET k{round}:{n} {value} {options}")).collect();
        last = client.pipeline(&lines.iter().map(|line| words(line)).collect::<Vec<_>>()).pop().expect("a reply");
        if !go_on(client) {
            break;
        }
    }
    last
}

fn allkeys_lru_evicts_a_stream(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    limit_memory(&mut client, "allkeys-lru");
    // What has not been used for longest goes first; the clock of it has seconds.
    wait_until(|| client.run("OBJECT IDLETIME s").integer() >= 1);
    fill(&mut client, "", |client| client.run("EXISTS s") == 1);
    assert_ne!(client.info("stats", "evicted_keys"), "0");
    assert_gone(&mut client);
    heal(&mut client);
}

fn no_other_policy_evicts_a_stream_without_a_ttl(kind: Kind) {
    for policy in ["noeviction", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"] {
        let server = Server::start(kind);
        let mut client = server.connect();
        client.stream(4, &["g"]);
        limit_memory(&mut client, policy);
        // There is something that may go, and it goes; but for noeviction.
        let last = fill(&mut client, "EX 1000", |_| true);
        let evicted = client.info("stats", "evicted_keys").parse::<u64>().expect("a number");
        assert_eq!(evicted > 1000, policy != "noeviction", "{policy}: {evicted}");
        assert_eq!(
            matches!(&last, Reply::Error(error) if error.starts_with("OOM ")),
            policy == "noeviction",
            "{last:?}"
        );
        assert_eq!(client.ids("s"), ["1-0", "2-0", "3-0", "4-0"], "{policy}");
        assert_eq!(client.pending("s", "g"), ["1-0", "2-0", "3-0", "4-0"], "{policy}");
        assert_eq!(client.run("EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"), [1, 1, 1], "{policy}");
        // Nothing that has a TTL is left: then producers are refused, and the stream stays.
        let last = fill(&mut client, "", |_| true);
        assert!(last.error().starts_with("OOM "), "{policy}: {last:?}");
        client.all(&["CONFIG SET maxmemory 1"]);
        assert!(client.run("XADD s * f v").error().starts_with("OOM "), "{policy}");
        assert_eq!(client.ids("s"), ["4-0"], "{policy}");
    }
}

fn a_restart_without_persistence_takes_it_away(kind: Kind) {
    let mut server = Server::start(kind);
    server.connect().stream(3, &["g"]);
    server.restart();
    let mut client = server.connect();
    assert_gone(&mut client);
    heal(&mut client);
    let mut server = Options::new(kind).aof().start();
    server.connect().stream(3, &["g"]);
    server.restart();
    assert_eq!(server.connect().run("EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"), [1, 1, 1]);
}

fn a_reader_that_blocks_is_told(kind: Kind) {
    let server = Server::start(kind);
    let [mut client, mut reader] = [(), ()].map(|()| server.connect());
    for takes_away in ["FLUSHALL", "DEL s", "XGROUP DESTROY s g", "EGG.GROUPREAP s h IDLE 1 EMPTY FORCE MATCH g"] {
        client.all(&["DEL s", "XGROUP CREATE s g $ MKSTREAM", "XGROUP CREATE s h $"]);
        reader.submit(&[words("XREADGROUP GROUP g c BLOCK 100000 STREAMS s >")]);
        wait_until(|| client.info("clients", "blocked_clients") == "1");
        if takes_away.starts_with("EGG.") {
            // What blocks has a consumer.
            client.all(&["XGROUP DELCONSUMER s g c"]);
        }
        client.all(&[takes_away]);
        let reply = reader.collect(1).remove(0);
        assert!(reply.error().starts_with("NOGROUP "), "{takes_away}: {reply:?}");
    }
}

fn only_what_was_not_finished_comes_again(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(4, &["g"]);
    client.all(&["XACK s g 1-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 2-0"), [1]);
    client.all(&["XGROUP DESTROY s g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 3-0").error(), "NOGROUP No such key 's' or consumer group 'g'");
    client.all(&["XGROUP CREATE s g 0 MKSTREAM"]);
    // 1-0 was done, too, but with XACK alone.
    assert_eq!(client.read("g", 9), ["1-0", "3-0", "4-0"]);
}
