//! Work goes on while the server is rewritten, reloaded, synced, paused and promoted: what was reported stays so.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::work::{Ledger, Site, Violation};
use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    rewrites_syncs_and_reloads,
    connections_that_are_killed_and_writes_that_are_paused,
    a_replica_that_takes_over_has_what_it_confirmed,
}

const REFUSALS: [&str; 2] = ["FOREIGNGROUP", "BUSYGROUP"];
const ROUNDS: u64 = 3;

fn check(ledger: &mut Ledger, server: &Server, when: &str) {
    ledger.check(&mut server.connect()).unwrap_or_else(|error| panic!("{when}: {error:?}"));
}

fn rewrites_syncs_and_reloads(kind: Kind) {
    let mut master = Options::new(kind).tcp().aof().line("auto-aof-rewrite-percentage 0").start();
    let replica = Options::new(kind).without_module().start();
    let socket = master.path("socket");
    let connect = || Client::try_connect(&socket, false);
    let site = Site::new(&connect, &["FOREIGNGROUP", "BUSYGROUP", "LOADING"]);
    site.prepare();
    let mut ledger = Ledger::default();
    for round in 0..ROUNDS {
        let mut client = master.connect();
        site.work(&mut ledger, round, 3, || {
            site.wait_for_calls(100);
            client.all(&["BGREWRITEAOF"]);
            // A replica that has none of the history takes all of it.
            replica.connect().all(&["REPLICAOF NO ONE", "DEBUG CHANGE-REPL-ID"]);
            replica.connect().send(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
            site.wait_for_calls(100);
            client.all(&["DEBUG RELOAD"]);
            site.wait_for_calls(100);
            wait_until(|| replica.connect().info("replication", "master_link_status") == "up");
            wait_until(|| client.info("persistence", "aof_rewrite_in_progress") == "0");
            site.wait_for_calls(50);
        });
        assert_eq!(client.info("persistence", "aof_last_bgrewrite_status"), "ok");
        assert_ne!(client.info("stats", "sync_full"), "0");
        check(&mut ledger, &master, "the master");
        replica.wait_in_step(&master);
        check(&mut ledger, &replica, "the replica");
        master.restart();
        check(&mut ledger, &master, "the restarted master");
    }
    site.finish(&mut ledger);
}

fn connections_that_are_killed_and_writes_that_are_paused(kind: Kind) {
    let server = Server::start(kind);
    let socket = server.path("socket");
    let connect = || Client::try_connect(&socket, false);
    let site = Site::new(&connect, &REFUSALS);
    site.prepare();
    let mut ledger = Ledger::default();
    for round in 0..ROUNDS {
        let mut client = server.connect();
        site.work(&mut ledger, round, 3, || {
            for _ in 0..5 {
                site.wait_for_calls(40);
                client.all(&["CLIENT KILL TYPE normal SKIPME yes"]);
                site.wait_for_calls(40);
                client.all(&["CLIENT PAUSE 20 WRITE"]);
            }
            site.wait_for_calls(20);
        });
        check(&mut ledger, &server, "after the kills");
    }
    // A call that waits has done nothing.
    let mut client = server.connect();
    client.stream(2, &["g"]);
    client.all(&["CLIENT PAUSE 60000 WRITE"]);
    let mut paused = server.connect();
    paused.submit(&[vec!["EGG.ACKDEL", "s", "g", "IDS", "1", "1-0"]]);
    wait_until(|| client.info("clients", "blocked_clients") == "1");
    assert_eq!(client.run("EGG.GROUPGUARD s g"), "OK");
    assert_eq!(client.run("EGG.PINS s").array().len(), 1);
    assert_eq!(client.pending("s", "g"), ["1-0", "2-0"]);
    assert_eq!(client.ids("s"), ["1-0", "2-0"]);
    client.all(&["CLIENT UNPAUSE"]);
    assert_eq!(paused.collect(1)[0], [1]);
    assert_eq!(client.ids("s"), ["2-0"]);
    site.finish(&mut ledger);
}

/// The master is killed in mid-stream, and its replica promoted by hand, once with workers that wait for the replica to
/// confirm each write, and once with such as do not.
fn a_replica_that_takes_over_has_what_it_confirmed(kind: Kind) {
    for wait in [true, false] {
        let mut master = Options::new(kind).tcp().start();
        let replica = Options::new(kind).start();
        let sockets = [master.path("socket"), replica.path("socket")];
        let promoted = AtomicBool::new(false);
        let connect = || Client::try_connect(&sockets[usize::from(promoted.load(Ordering::SeqCst))], false);
        let mut site = Site::new(&connect, &REFUSALS);
        site.prepare();
        replica.replicate(&master);
        site.wait = wait;
        let mut ledger = Ledger::default();
        site.work(&mut ledger, 5, 3, || {
            site.wait_for_calls(400);
            master.kill();
        });
        replica.connect().all(&["REPLICAOF NO ONE"]);
        promoted.store(true, Ordering::SeqCst);
        let violations = ledger.violations(&mut replica.connect());
        println!("{kind:?}, wait {wait}: {} violations: {:?}", violations.len(), violations.first());
        let is_half_done = |violation: &&Violation| matches!(violation, Violation::HalfDone(_));
        let wrong: Vec<_> = violations.iter().filter(|violation| wait || is_half_done(violation)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        site.wait = false;
        site.work(&mut ledger, 6, 3, || site.wait_for_calls(400));
        check(&mut ledger, &replica, "the promoted replica");
        site.finish(&mut ledger);
    }
}
