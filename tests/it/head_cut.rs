//! The front of a stream is cut off at once: what else than the entries of the call could go wrong there.

use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    only_the_front_is_cut_and_the_rest_deleted_one_by_one,
    ids_without_an_entry_are_neither_cut_nor_counted,
    a_cut_is_one_event_and_aborts_a_watch,
    a_cut_reaches_replicas_as_one_xdel,
    a_cut_mends_lag,
    deleting_by_id_cuts_too,
}

fn cuts(client: &mut Client) -> String {
    client.info("egg", "egg_head_cuts")
}

/// Entries 1-0 to 12-0, in nodes of 5, all read.
fn stream(server: &Server) -> Client {
    let mut client = server.connect();
    client.all(&["CONFIG SET stream-node-max-entries 5", "DEL s"]);
    client.stream(12, &["g"]);
    client
}

fn only_the_front_is_cut_and_the_rest_deleted_one_by_one(kind: Kind) {
    let server = Server::start(kind);
    let mut client = stream(&server);
    let reply = client.run("EGG.ACKDEL s g IDS 6 10-0 3-0 1-0 12-0 2-0 7-0");
    assert_eq!(reply.integers(), [1, 1, 1, 1, 1, 1]);
    assert_eq!(client.ids("s"), ["4-0", "5-0", "6-0", "8-0", "9-0", "11-0"]);
    assert_eq!(client.pending("s", "g"), ["4-0", "5-0", "6-0", "8-0", "9-0", "11-0"]);
    assert_eq!((cuts(&mut client), client.info("egg", "egg_deleted")), ("1".into(), "6".into()));
    // Nothing at the front: nothing is cut.
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 5-0 6-0 8-0").integers(), [1, 1, 1]);
    assert_eq!((client.ids("s").join(" "), cuts(&mut client)), ("4-0 9-0 11-0".into(), "1".into()));
    // All that is left.
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 4-0 9-0 11-0").integers(), [1, 1, 1]);
    assert_eq!((client.run("XLEN s").integer(), cuts(&mut client)), (0, "2".into()));
    assert_eq!(client.run("XINFO STREAM s").field("radix-tree-keys").integer(), 0);
    let info = client.run("XINFO STREAM s");
    let field = |name| info.field(name).text();
    // 12-0 was read last, and went while older ones stayed: the lag was mended.
    let mark = format!("11-{}", u64::MAX);
    assert_eq!((field("last-generated-id"), field("max-deleted-entry-id")), ("12-0".into(), mark));
    assert_eq!(info.field("entries-added").integer(), 12);
}

fn ids_without_an_entry_are_neither_cut_nor_counted(kind: Kind) {
    let server = Server::start(kind);
    let mut client = stream(&server);
    client.all(&["XDEL s 2-0 4-0", "XACK s g 5-0"]);
    // 2-0 and 4-0 are pending without an entry; 5-0 is acknowledged, and stays; 99-0 never was.
    let reply = client.run("EGG.ACKDEL s g IDS 8 1-0 2-0 3-0 4-0 5-0 6-0 99-0 1-0");
    assert_eq!(reply.integers(), [1, 1, 1, 1, -1, 1, -1, -1]);
    assert_eq!(client.ids("s").first().map(String::as_str), Some("5-0"));
    assert_eq!(client.info("egg", "egg_deleted"), "3");
    assert_eq!(client.run("XLEN s").integer(), 7);
}

fn a_cut_is_one_event_and_aborts_a_watch(kind: Kind) {
    let server = Server::start(kind);
    let prepare = |client: &mut Client| {
        client.all(&["DEL s"]);
        client.stream(12, &["g"]);
    };
    // 12-0 was read last; no older entry is left when all go.
    server.assert_traces(prepare, "EGG.ACKDEL s g IDS 4 1-0 2-0 3-0 4-0", &["s xdel"], true);
    let ids: Vec<String> = (1..=12).map(|n| format!("{n}-0")).collect();
    server.assert_traces(prepare, &format!("EGG.ACKDEL s g IDS 12 {}", ids.join(" ")), &["s xdel"], true);
    assert_eq!(server.connect().info("egg", "egg_lag_repairs"), "0");
}

fn a_cut_reaches_replicas_as_one_xdel(kind: Kind) {
    let server = Options::new(kind).tcp().start();
    let replica = Options::new(kind).without_module().start();
    replica.replicate(&server);
    replica.connect().all(&["CONFIG SET stream-node-max-entries 5"]);
    let mut client = stream(&server);
    replica.wait_in_step(&server);
    let calls = |command: &str| {
        let text = replica.connect().send(&["INFO", "commandstats"]).text();
        let line = text.lines().find(|line| line.starts_with(&format!("cmdstat_{command}:"))).unwrap_or("calls=0,");
        line.split("calls=").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or("0").to_owned()
    };
    let before = (calls("xdel"), calls("xtrim"));
    assert_eq!(before, ("0".to_owned(), "0".to_owned()));
    client.run("EGG.ACKDEL s g IDS 6 1-0 2-0 3-0 4-0 9-0 6-0");
    replica.wait_in_step(&server);
    assert_eq!(
        (cuts(&mut client), calls("xdel"), calls("xack"), calls("xtrim")),
        ("1".into(), "1".into(), "1".into(), "0".into())
    );
    let mut other = replica.connect();
    assert_eq!(other.ids("s"), ["5-0", "7-0", "8-0", "10-0", "11-0", "12-0"]);
    assert_eq!(other.run("XINFO STREAM s"), client.run("XINFO STREAM s"));
}

fn a_cut_mends_lag(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XGROUP CREATE s g 0 MKSTREAM"]);
    client.add(1..=12);
    client.read("g", 8);
    // The entry read last goes with the front, and 5-0 stays below it.
    assert_eq!(client.run("EGG.ACKDEL s g IDS 7 1-0 2-0 3-0 4-0 6-0 7-0 8-0").integers(), [1; 7]);
    assert_eq!(client.group("s", "g").field("lag").integer(), 4);
    assert_eq!((cuts(&mut client), client.info("egg", "egg_lag_repairs")), ("1".into(), "1".into()));
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 5-0").integers(), [1]);
    assert_eq!(client.group("s", "g").field("lag").integer(), 4);
}

fn deleting_by_id_cuts_too(kind: Kind) {
    let server = Server::start(kind);
    let mut client = stream(&server);
    client.all(&["XACK s g 1-0 2-0 3-0 4-0"]);
    assert_eq!(client.run("EGG.DELEX s IDS 5 4-0 3-0 2-0 1-0 5-0").integers(), [1, 1, 1, 1, 2]);
    assert_eq!((client.ids("s").first().cloned(), cuts(&mut client)), (Some("5-0".into()), "1".into()));
}
