//! `repl-diskless-load swapdb`: a replica that answers from its old data while a full sync is loaded beside it.

use egg_testkit::client::words;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    a_replica_answers_from_its_old_data_while_it_loads,
}

/// Has the replica lose its place in a history that it shares with the master: the next sync is a full one.
fn force_a_full_sync(master: &Server) {
    let mut client = master.connect();
    client.all(&["MULTI", "CLIENT KILL TYPE replica"]);
    client.send(&["SET", "filler", &"x".repeat(100_000)]);
    client.all(&["DEL filler", "EXEC"]);
}

fn a_replica_answers_from_its_old_data_while_it_loads(kind: Kind) {
    let master = Options::new(kind).tcp().line("repl-diskless-sync yes").line("repl-backlog-size 16kb").start();
    let replica = Options::new(kind).line("repl-diskless-load swapdb").line("dbfilename replica.rdb").start();
    let mut client = master.connect();
    client.stream(2, &["g"]);
    let keys: Vec<_> = (0..2_000).map(|n| vec!["SET".to_owned(), format!("key {n}"), "v".to_owned()]).collect();
    client.pipeline(&keys);
    replica.replicate(&master);

    let before = replica.log();
    let mut reader = replica.connect();
    // Half a second for all keys, and the server looks at its clients every few of them.
    reader.all(&["CONFIG SET key-load-delay 250", "CONFIG SET loading-process-events-interval-bytes 1024"]);
    client.all(&["XGROUP CREATE s late 0"]);
    force_a_full_sync(&master);
    assert_eq!(client.run("EGG.ACKDEL s g ACKONLY IDS 1 1-0"), [2]);
    wait_until(|| reader.info("persistence", "async_loading") == "1");
    // The old data: it may or may not have got the second group before the link broke, but not the acknowledgement.
    assert_eq!(reader.pending("s", "g"), ["1-0", "2-0"]);
    assert_eq!(*reader.run("EGG.PINS s").array()[0].field("pending"), 2);
    assert_eq!(reader.info("persistence", "async_loading"), "1");
    reader.all(&["CONFIG SET key-load-delay 0"]);
    replica.wait_in_step(&master);
    assert_eq!(reader.pending("s", "g"), ["2-0"]);
    assert!(reader.send(&words("EGG.GROUPGUARD s g")).error().starts_with("FOREIGNGROUP "));
    assert_eq!(replica.connect().run("EGG.PINS s").array().len(), 2);
    let log = replica.log();
    let added = log[before.len()..].lines().filter(|line| line.to_lowercase().contains("module")).count();
    assert_eq!(added, 0, "{log}");
}
