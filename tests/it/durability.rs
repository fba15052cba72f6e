//! EGG.ACKDEL: replicas and restarts, all without the module: its effects are ordinary commands.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    a_replica_without_the_module_follows,
    a_replica_without_the_module_joins_while_workers_are_busy,
    a_server_without_the_module_replays_the_append_only_file,
    a_rewritten_append_only_file_holds_the_same_stream,
    an_rdb_file_holds_the_same_stream,
    a_crash_among_thousands_of_calls_leaves_no_entry_half_finished,
    a_torn_append_only_file_leaves_no_entry_half_finished,
}

/// Calls of every kind, on a stream of its own each; many streams end up with holes, pending ids and mended lags.
fn busy_day(client: &mut Client) -> Vec<String> {
    let mut keys = Vec::new();
    for (policy, groups) in [
        ("REJECT", &["g"][..]),
        ("ACKONLY", &["g", "h"]),
        ("ACKED", &["g", "h"]),
        ("KEEPREF", &["g", "h"]),
        ("DELREF", &["g", "h", "i"]),
    ] {
        for order in ["5-0 3-0 1-0", "1-0 2-0 3-0 4-0", "6-0", "6-0 6-0 5-0 9-0"] {
            client.run("DEL s");
            client.stream(6, groups);
            client.run("XACK s h 1-0 2-0 5-0 6-0");
            let ids = words(order);
            assert_eq!(
                client.run(&format!("EGG.ACKDEL s g {policy} IDS {} {order}", ids.len())).array().len(),
                ids.len()
            );
            client.run("EGG.ACKDEL s g REJECT IDS 1 2-0");
            let key = format!("{policy}:{}", keys.len());
            client.all(&[&format!("RENAME s {key}")]);
            keys.push(key);
        }
    }
    keys
}

/// What must be the same on two servers.
fn picture(client: &mut Client, keys: &[String]) -> Vec<Reply> {
    let mut all = Vec::new();
    for key in keys {
        all.push(client.send(&["XRANGE", key, "-", "+"]));
        all.push(client.send(&["XINFO", "STREAM", key]));
        let groups = client.send(&["XINFO", "GROUPS", key]);
        for group in groups.array().iter().map(|group| group.field("name").text()) {
            all.push(client.send(&["XPENDING", key, &group]));
            all.push(Reply::Array(client.pending(key, &group).into_iter().map(|id| Reply::Text(id.into())).collect()));
        }
        all.push(groups);
    }
    assert!(all.len() >= keys.len() * 5);
    all
}

fn a_replica_without_the_module_follows(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = Options::new(kind).without_module().start();
    let mut client = master.connect();
    client.all(&["SET x 1"]);
    replica.replicate(&master);
    let keys = busy_day(&mut client);
    replica.wait_in_step(&master);
    assert_eq!(picture(&mut replica.connect(), &keys), picture(&mut client, &keys));
    assert_eq!(replica.connect().info("replication", "master_link_status"), "up");
}

fn a_replica_without_the_module_joins_while_workers_are_busy(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = Options::new(kind).without_module().start();
    let mut client = master.connect();
    client.all(&["XGROUP CREATE s g 0 MKSTREAM"]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for consumer in ["a", "b"] {
            let (mut worker, done) = (master.connect(), &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    worker.pipeline(&vec![words("XADD s * f v"); 7]);
                    let ids = read_new(&mut worker, consumer);
                    let reply = worker.run(&format!("EGG.ACKDEL s g IDS {} {}", ids.len(), ids.join(" ")));
                    assert!(reply.integers().iter().all(|reply| *reply == 1), "{reply:?}");
                }
            });
        }
        let _stop = Stop(&done);
        let mut other = replica.connect();
        other.send(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
        wait_until(|| other.info("replication", "master_link_status") == "up");
        let mut calls = || client.info("egg", "egg_ackdel_calls").parse::<u64>().expect("a number");
        let joined = calls();
        wait_until(|| calls() > joined + 100);
    });
    replica.wait_in_step(&master);
    assert_eq!(client.info("stats", "sync_full"), "1");
    let picture = |client: &mut Client| {
        ["XRANGE s - +", "XINFO STREAM s", "XINFO GROUPS s", "XPENDING s g"].map(|line| client.run(line))
    };
    assert_eq!(picture(&mut replica.connect()), picture(&mut client));
    assert_eq!(client.pending("s", "g"), [""; 0]);
}

/// Stops the workers, also when a test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads seven new entries, the latest first, so that the last one read is deleted before the others.
fn read_new(worker: &mut Client, consumer: &str) -> Vec<String> {
    let streams = worker.run(&format!("XREADGROUP GROUP g {consumer} COUNT 7 STREAMS s >"));
    streams.array()[0].array()[1].array().iter().rev().map(|entry| entry.array()[0].text()).collect()
}

fn a_server_without_the_module_replays_the_append_only_file(kind: Kind) {
    let mut server = Options::new(kind).aof().start();
    let mut client = server.connect();
    let keys = busy_day(&mut client);
    let before = picture(&mut client, &keys);
    server.kill();
    server.restart_without_module();
    let mut client = server.connect();
    assert!(client.run("EGG.VERSION").error().starts_with("ERR unknown command"));
    assert_eq!(picture(&mut client, &keys), before);
}

fn a_rewritten_append_only_file_holds_the_same_stream(kind: Kind) {
    for preamble in ["yes", "no"] {
        let mut server = Options::new(kind).aof().line(&format!("aof-use-rdb-preamble {preamble}")).start();
        let mut client = server.connect();
        let mut keys = busy_day(&mut client);
        if preamble == "no" {
            // The core rewrites pending ids as XCLAIM, which lets go of those without an entry.
            keys.retain(|key| !key.starts_with("KEEPREF"));
        }
        client.all(&["BGREWRITEAOF"]);
        wait_until(|| client.info("persistence", "aof_rewrite_in_progress") == "0");
        assert_eq!(client.info("persistence", "aof_last_bgrewrite_status"), "ok");
        client.all(&["SET after x"]);
        let before = picture(&mut client, &keys);
        server.kill();
        server.restart_without_module();
        assert_eq!(server.aof(), [["SET", "after", "x"]]);
        for (after, before) in picture(&mut server.connect(), &keys).iter().zip(&before) {
            assert_eq!(without_layout(after), without_layout(before), "rdb preamble: {preamble}");
        }
    }
}

/// A rewritten stream is packed anew: the number of its nodes is the one thing that may differ.
fn without_layout(reply: &Reply) -> Reply {
    match reply {
        Reply::Array(items) if items.iter().any(|item| *item == "radix-tree-keys") => {
            let pairs = items.chunks_exact(2).filter(|pair| !pair[0].text().starts_with("radix-tree"));
            Reply::Array(pairs.flatten().cloned().collect())
        }
        other => other.clone(),
    }
}

fn an_rdb_file_holds_the_same_stream(kind: Kind) {
    let mut server = Server::start(kind);
    let mut client = server.connect();
    let keys = busy_day(&mut client);
    let before = picture(&mut client, &keys);
    client.all(&["SAVE"]);
    server.kill();
    server.restart_without_module();
    assert_eq!(picture(&mut server.connect(), &keys), before);
}

fn a_crash_among_thousands_of_calls_leaves_no_entry_half_finished(kind: Kind) {
    const ENTRIES: usize = 20_000;
    let mut server = Options::new(kind).aof().start();
    let mut client = server.connect();
    client.stream(ENTRIES, &["g"]);
    let mut worker = server.connect();
    thread::scope(|scope| {
        scope.spawn(move || {
            // Until the server is gone.
            for n in 1..=ENTRIES {
                if worker.try_send(&words(&format!("EGG.ACKDEL s g IDS 1 {n}-0"))).is_err() {
                    return;
                }
            }
            panic!("the server was to be killed before the end");
        });
        wait_until(|| client.run("XLEN s").integer() <= 19_000);
        server.kill();
    });
    server.restart_without_module();
    let mut client = server.connect();
    let left = client.ids("s");
    assert!(!left.is_empty() && left.len() <= 19_000, "{}", left.len());
    assert_eq!(client.pending("s", "g"), left);
}

fn a_torn_append_only_file_leaves_no_entry_half_finished(kind: Kind) {
    let mut server = Options::new(kind).aof().line("aof-load-truncated yes").start();
    let mut client = server.connect();
    client.stream(3, &["g"]);
    let whole_before = fs::read(server.aof_file()).expect("it can be read").len();
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [1, 1]);
    server.kill();
    let file = server.aof_file();
    let bytes = fs::read(&file).expect("it can be read");
    assert!(bytes.len() > whole_before + 100);
    server.restart_without_module();
    // Every byte on one server, and every seventh on those whose loader is the same.
    let step = if kind == Kind::Redis74 { 1 } else { 7 };
    for end in (whole_before..bytes.len()).step_by(step).chain([bytes.len()]) {
        server.kill();
        fs::write(&file, &bytes[..end]).expect("it can be written");
        server.restart();
        let mut client = server.connect();
        let expected: &[&str] = if end == bytes.len() { &["3-0"] } else { &["1-0", "2-0", "3-0"] };
        assert_eq!(client.ids("s"), expected, "{end}");
        assert_eq!(client.pending("s", "g"), expected, "{end}");
    }
}
