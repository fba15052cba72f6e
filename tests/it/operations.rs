//! What docs/operations.md tells whoever is on duty, beside its transcripts and the messages of loading.

use std::fs;
use std::path::Path;

use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    every_counter_is_explained,
    inner_commands_show_in_monitor_and_slowlog,
    whole_calls_have_a_latency_histogram,
    memory_comes_back_when_a_node_is_empty,
    a_failover_keeps_what_was_acknowledged,
    a_renamed_handler_goes_on_where_the_old_one_stood,
    a_master_without_the_module_knows_no_command_of_it,
    out_of_memory_refuses_what_adds_and_nothing_that_frees,
}

fn every_counter_is_explained(kind: Kind) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operations.md");
    let explained = fs::read_to_string(path).expect("docs/operations.md");
    let server = Server::start(kind);
    let text = server.connect().send(&["INFO", "egg"]).text();
    let names: Vec<_> = text.lines().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    assert!(names.len() >= 25, "{text}");
    for name in names {
        assert!(explained.contains(&format!("`{name}`")), "docs/operations.md lacks {name}");
    }
}

fn inner_commands_show_in_monitor_and_slowlog(kind: Kind) {
    let server = Server::start(kind);
    let (mut client, mut monitor) = (server.connect(), server.connect());
    client.stream(2, &["g"]);
    client.all(&["CONFIG SET slowlog-log-slower-than 0", "SLOWLOG RESET"]);
    monitor.all(&["MONITOR"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [1, 1]);
    client.all(&["PING"]);
    let mut seen = Vec::new();
    while !seen.last().is_some_and(|line: &String| line.contains("\"PING\"")) {
        seen.push(monitor.collect(1)[0].text());
    }
    let slowlog = client.run("SLOWLOG GET -1");
    let slow: Vec<_> = slowlog.array().iter().map(|row| row.array()[3].array()[0].text()).collect();
    for name in ["XINFO", "XACK", "XDEL", "EGG.ACKDEL"] {
        let line = seen.iter().find(|line| line.contains(&format!("\"{name}\"")));
        let line = line.unwrap_or_else(|| panic!("no {name} in {seen:#?}"));
        assert_eq!(line.contains("[0 unix:"), name == "EGG.ACKDEL", "{line}");
        assert!(slow.iter().any(|known| known == name), "no {name} in {slow:?}");
    }
}

fn whole_calls_have_a_latency_histogram(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    let histogram = client.run("LATENCY HISTOGRAM egg.ackdel");
    assert_eq!(*histogram.field("egg.ackdel").field("calls"), 1);
}

fn memory_comes_back_when_a_node_is_empty(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let mut sizes = |entries_per_node: usize| {
        client.all(&["FLUSHALL", &format!("CONFIG SET stream-node-max-entries {entries_per_node}")]);
        client.add(1..=100);
        let full = client.run("MEMORY USAGE s").integer();
        // All but the first, then the first too.
        let ids: Vec<_> = (2..=100).map(|n| format!("{n}-0")).collect();
        client.run(&format!("EGG.DELEX s IDS 99 {}", ids.join(" ")));
        assert_eq!(client.run("XLEN s"), 1);
        let first_left = client.run("MEMORY USAGE s").integer();
        assert_eq!(client.run("EGG.DELEX s IDS 1 1-0"), [1]);
        (full, first_left, client.run("MEMORY USAGE s").integer())
    };
    let (full, first_left, empty) = sizes(100);
    assert!(first_left * 10 > full * 9, "{full} {first_left}");
    assert!(empty * 2 < full, "{full} {empty}");
    let (full, first_left, _) = sizes(10);
    assert!(first_left * 2 < full, "{full} {first_left}");
}

fn a_failover_keeps_what_was_acknowledged(kind: Kind) {
    let old = Options::new(kind).tcp().start();
    let mut new = Options::new(kind).tcp().start();
    let mut client = old.connect();
    client.stream(2, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    new.restart();
    new.replicate(&old);
    client.all(&["FAILOVER"]);
    let role = |server: &Server| server.connect().info("replication", "role");
    wait_until(|| role(&old) == "slave" && role(&new) == "master");
    let mut client = new.connect();
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [-1, 1]);
    old.wait_in_step(&new);
    assert_eq!(old.connect().run("XLEN s"), 0);
    assert_eq!(old.connect().pending("s", "g"), [""; 0]);
    assert!(old.connect().run("EGG.ACKDEL s g IDS 1 2-0").error().starts_with("READONLY "));
}

fn a_renamed_handler_goes_on_where_the_old_one_stood(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.add(1..=4);
    client.all(&["XGROUP CREATE s old 0"]);
    assert_eq!(client.read("old", 2), ["1-0", "2-0"]);
    assert_eq!(client.run("EGG.ACKDEL s old IDS 1 1-0"), [1]);
    let stands = client.group("s", "old").field("last-delivered-id").text();
    client.all(&[&format!("XGROUP CREATE s new {stands}")]);
    assert_eq!(client.read("new", 9), ["3-0", "4-0"]);
    assert!(client.run("EGG.ACKDEL s new IDS 1 3-0").error().starts_with("FOREIGNGROUP "));
    let reap = "EGG.GROUPREAP s new IDLE 1";
    // Idle by now, but for what it has pending: that is not lost silently.
    wait_until(|| client.run("EGG.GROUPREAP s new IDLE 1 FORCE DRYRUN").array().len() == 1);
    assert_eq!(client.run(reap).array().len(), 0);
    assert_eq!(client.run("EGG.ACKDEL s old ACKED IDS 1 2-0"), [1]);
    wait_until(|| client.run(reap).array().len() == 1);
    assert_eq!(client.run("EGG.ACKDEL s new IDS 2 3-0 4-0"), [1, 1]);
    assert_eq!(client.run("XLEN s"), 0);
}

fn a_master_without_the_module_knows_no_command_of_it(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = Options::new(kind).tcp().without_module().start();
    let mut client = master.connect();
    client.stream(2, &["g"]);
    replica.replicate(&master);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    replica.wait_in_step(&master);
    let mut client = replica.connect();
    assert_eq!(client.ids("s"), ["2-0"]);
    client.all(&["REPLICAOF NO ONE"]);
    assert!(client.run("EGG.ACKDEL s g IDS 1 2-0").error().starts_with("ERR unknown command"));
}

fn out_of_memory_refuses_what_adds_and_nothing_that_frees(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    client.all(&["CONFIG SET maxmemory 1"]);
    for call in ["XADD s * f v", "EGG.ADD s * f v", "EGG.ACKMOVE s g dead IDS 1 1-0"] {
        assert!(client.run(call).error().starts_with("OOM "), "{call}");
    }
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    assert_eq!(client.run("XACK s g 2-0"), 1);
    assert_eq!(client.run("EGG.DELEX s IDS 1 2-0"), [1]);
    assert_eq!(client.run("XACK s g 3-0"), 1);
    assert_eq!(client.run("EGG.TRIM s"), 1);
}
