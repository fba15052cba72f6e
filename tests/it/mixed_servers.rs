//! A master with the module and a replica of another make without it: what it takes to follow.

use crate::work::{Ledger, Site};
use egg_testkit::client::{Client, Reply};
use egg_testkit::harness::{Kind, Options, wait_until};

/// Work goes on while the replica joins, and after; then it holds what the master holds.
fn follows(master: Kind, replica: Kind) {
    let master = Options::new(master).tcp().start();
    let replica = Options::new(replica).without_module().start();
    let socket = master.path("socket");
    let connect = || Client::try_connect(&socket, false);
    let site = Site::new(&connect, &["FOREIGNGROUP", "BUSYGROUP"]);
    site.prepare();
    let mut ledger = Ledger::default();
    site.work(&mut ledger, 3, 3, || {
        site.wait_for_calls(200);
        replica.connect().send(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
        wait_until(|| replica.connect().info("replication", "master_link_status") == "up");
        site.wait_for_calls(400);
    });
    replica.wait_in_step(&master);
    for server in [&master, &replica] {
        ledger.check(&mut server.connect()).unwrap_or_else(|error| panic!("{error:?}"));
    }
    site.finish(&mut ledger);
    assert_eq!(master.connect().info("stats", "sync_full"), "1");
}

#[test]
fn redis_7_4_follows_redis_8_2() {
    follows(Kind::Redis82, Kind::Redis74);
}

#[test]
fn redis_8_2_follows_redis_7_4() {
    follows(Kind::Redis74, Kind::Redis82);
}

#[test]
fn redis_7_4_follows_valkey_9_1() {
    follows(Kind::Valkey91, Kind::Redis74);
}

/// It does not read the RDB format of Redis 7.4 and newer, module or not.
#[test]
fn valkey_9_1_follows_no_newer_redis() {
    for kind in [Kind::Redis74, Kind::Redis82] {
        let master = Options::new(kind).tcp().start();
        let replica = Options::new(Kind::Valkey91).without_module().start();
        master.connect().stream(1, &["g"]);
        replica.connect().send(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
        wait_until(|| replica.log().contains("RDB format version 12"));
        assert_eq!(replica.connect().info("replication", "master_link_status"), "down");
        assert_eq!(replica.connect().run("DBSIZE"), 0);
    }
}

/// What then works: the append only file, without an RDB preamble, which holds nothing but core commands.
#[test]
fn any_server_replays_what_the_module_wrote_on_any_other() {
    let kinds = [Kind::Redis74, Kind::Redis82, Kind::Valkey91];
    for from in kinds {
        let old = Options::new(from).aof().line("aof-use-rdb-preamble no").start();
        let mut client = old.connect();
        client.stream(9, &["g", "h"]);
        client.all(&[
            "EGG.ACKDEL s g ACKED IDS 3 9-0 1-0 2-0",
            "EGG.ACKDEL s h ACKED IDS 3 9-0 1-0 5-0",
            "EGG.ACKMOVE s g d ACKED META IDS 1 3-0",
            "EGG.ACKDEL s g DELREF IDS 1 4-0",
            "EGG.TRIM s",
            "EGG.ADD s MAXLEN 2 10-0 f v",
        ]);
        let log = old.aof();
        for to in kinds {
            let new = Options::new(to).without_module().start();
            let mut other = new.connect();
            for words in &log {
                let reply = other.send(words);
                assert!(!matches!(reply, Reply::Error(_)), "{from:?} to {to:?}, {words:?}: {reply:?}");
            }
            for key in ["s", "d"] {
                assert_eq!(other.entries(key), client.entries(key), "{from:?} to {to:?}");
            }
            for group in ["g", "h"] {
                assert_eq!(other.pending("s", group), client.pending("s", group), "{from:?} to {to:?}");
                assert_eq!(other.group("s", group).field("lag"), client.group("s", group).field("lag"), "{group}");
            }
        }
    }
}
