//! EGG.GROUPREAP: nobody is idle for longer than this server has been there to see. A server that was down, a replica that
//! was promoted and a module that was just loaded know nothing of the time before.

use std::time::{Duration, Instant};

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, module, wait_until};

each_server! {
    after_a_restart_nothing_live_is_reaped,
    after_a_failover_nothing_live_is_reaped,
    after_loading_the_module_nothing_live_is_reaped,
    after_reloading_the_data_nothing_live_is_reaped,
}

const DAY: i64 = 86_400_000;

/// A stream with groups `g`, `done` and `busy`, whose consumers were seen last a day ago.
fn old_groups(client: &mut Client) {
    client.stream(3, &["g", "done", "busy"]);
    client.all(&["XACK s done 1-0 2-0 3-0", "DEBUG SET-SKIP-CHECKSUM-VALIDATION 1"]);
    let Reply::Text(mut dump) = client.run("DUMP s") else { panic!("no dump") };
    let full = client.run("XINFO STREAM s FULL");
    for group in full.field("groups").array() {
        for consumer in group.field("consumers").array() {
            for field in ["seen-time", "active-time"] {
                let time = consumer.field(field).integer();
                // Wherever it stands: deliveries have it, too.
                while let Some(place) = dump.windows(8).position(|bytes| bytes == time.to_le_bytes()) {
                    dump[place..place + 8].copy_from_slice(&(time - DAY).to_le_bytes());
                }
            }
        }
    }
    client.run("DEL s");
    assert_eq!(client.send(&[&b"RESTORE"[..], b"s", b"0", &dump]), "OK");
    assert_eq!(idle(client).len(), 3);
    assert!(idle(client).iter().all(|idle| *idle >= DAY));
}

/// How long the server thinks that each group has been idle.
fn idle(client: &mut Client) -> Vec<i64> {
    ["g", "done", "busy"]
        .iter()
        .map(|group| client.run(&format!("XINFO CONSUMERS s {group}")).array()[0].field("idle").integer())
        .collect()
}

/// Nothing is reaped yet; later it is, and has been idle since `start` at the longest.
fn nothing_is_idle_since_before(client: &mut Client, start: Instant) {
    assert!(idle(client).iter().all(|idle| *idle >= DAY));
    for limit in ["60000", "86400000"] {
        let call = format!("EGG.GROUPREAP s g IDLE {limit} EMPTY FORCE");
        assert_eq!(client.run(&call), Reply::Array(Vec::new()), "{call}");
    }
    let call = "EGG.GROUPREAP s g IDLE 1 FORCE DRYRUN";
    wait_until(|| client.run(call).array().len() == 2);
    let rows = client.run(call);
    // Servers count whole milliseconds of a clock, so that of 2.9 passed ones they can see 3.
    let passed = i64::try_from(start.elapsed().as_millis()).expect("no long time") + 1;
    assert!(rows.array().iter().all(|row| row.array()[3].integer() <= passed), "{rows:?} in {passed}");
    assert_eq!(client.run("XINFO GROUPS s").array().len(), 3);
    wait_until(|| client.run("EGG.GROUPREAP s g IDLE 20").array().len() == 1);
    assert_eq!(client.run("XINFO GROUPS s").array().len(), 2);
}

fn after_a_restart_nothing_live_is_reaped(kind: Kind) {
    for lines in [&[][..], &["appendonly yes"]] {
        let mut server = lines.iter().fold(Options::new(kind), |options, line| options.line(line)).start();
        let mut client = server.connect();
        old_groups(&mut client);
        if lines.is_empty() {
            client.all(&["SAVE"]);
        } else {
            client.all(&["BGREWRITEAOF"]);
            let mut is = |field: &str, value: &str| client.info("persistence", field) == value;
            wait_until(|| is("aof_rewrite_scheduled", "0") && is("aof_rewrite_in_progress", "0"));
        }
        server.kill();
        let start = Instant::now();
        server.restart();
        nothing_is_idle_since_before(&mut server.connect(), start);
    }
}

fn after_a_failover_nothing_live_is_reaped(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = Server::start(kind);
    old_groups(&mut master.connect());
    replica.replicate(&master);
    // The replica has been up for some time, and has not seen anybody: workers talk to the master.
    let joined = Instant::now();
    wait_until(|| joined.elapsed() > Duration::from_millis(1500));
    let start = Instant::now();
    let mut client = replica.connect();
    client.all(&["REPLICAOF NO ONE"]);
    nothing_is_idle_since_before(&mut client, start);
}

fn after_loading_the_module_nothing_live_is_reaped(kind: Kind) {
    let server = Options::new(kind).without_module().start();
    let mut client = server.connect();
    old_groups(&mut client);
    let start = Instant::now();
    client.all(&[&format!("MODULE LOAD {}", module().display())]);
    nothing_is_idle_since_before(&mut client, start);
}

fn after_reloading_the_data_nothing_live_is_reaped(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    old_groups(&mut client);
    let up = Instant::now();
    wait_until(|| up.elapsed() > Duration::from_millis(1500));
    let start = Instant::now();
    client.all(&["DEBUG RELOAD"]);
    nothing_is_idle_since_before(&mut client, start);
}
