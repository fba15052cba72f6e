//! Servers besides those of `each_server!`: the module loads on each, and every command works. They come from Debian's packages,
//! or need them, so they may be missing.

use egg_testkit::harness::{Kind, Server};

#[test]
fn every_command_works_on_valkey_8_1() {
    every_command_works(Kind::Valkey81, "valkey_version", "8.1.");
}

#[test]
fn every_command_works_on_redis_8_6() {
    every_command_works(Kind::Redis86, "redis_version", "8.6.2");
}

fn every_command_works(kind: Kind, field: &str, version: &str) {
    if !kind.is_there() {
        return;
    }
    let server = Server::start(kind);
    let mut client = server.connect();
    assert!(client.info("server", field).starts_with(version));
    assert_eq!(client.run("EGG.VERSION"), env!("CARGO_PKG_VERSION"));

    client.all(&["XGROUP CREATE s g 0 MKSTREAM"]);
    for id in 1..=8 {
        assert_eq!(client.run(&format!("EGG.ADD s MAXLEN 3 {id}-0 task {id}")), format!("{id}-0").as_str());
    }
    assert_eq!(client.run("XLEN s"), 8, "what nobody has read stays");
    client.all(&["XREADGROUP GROUP g c COUNT 6 STREAMS s >"]);
    assert_eq!(client.run("EGG.GROUPGUARD s g"), "OK");
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 1-0 1-0 2-0"), [1, -1, 1]);
    assert_eq!(client.run("EGG.ACKMOVE s g dead SET 1 why late IDS 1 3-0").array().len(), 1);
    let moved = client.run("XRANGE dead - +").array()[0].array()[1].clone();
    assert_eq!(format!("{moved:?}"), r#"["task", "3", "why", "late"]"#);
    assert_eq!(client.run("EGG.DELEX s IDS 3 4-0 7-0 1-0"), [2, 2, -1]);
    client.all(&["XACK s g 4-0 5-0"]);
    assert_eq!(client.run("EGG.DELEX s IDS 1 4-0"), [1]);
    assert_eq!(client.run("EGG.TRIM s"), 1);
    assert_eq!(client.ids("s"), ["6-0", "7-0", "8-0"]);

    client.all(&["XGROUP CREATE s other 0"]);
    let refusal = client.run("EGG.ACKDEL s g IDS 1 6-0");
    assert!(refusal.error().starts_with("FOREIGNGROUP "), "{refusal:?}");
    assert!(client.run("EGG.GROUPGUARD s g").error().starts_with("FOREIGNGROUP "));
    let pins = client.run("EGG.PINS s");
    let rows: Vec<_> = pins
        .array()
        .iter()
        .map(|row| ["name", "lowest-id", "why", "pending"].map(|field| format!("{:?}", row.field(field))).join(" "))
        .collect();
    assert_eq!(rows, [r#""g" "6-0" "pending" 1"#, r#""other" "6-0" "undelivered" 0"#]);
    assert_eq!(
        format!("{:?}", client.run("EGG.GROUPREAP s g IDLE 1 MATCH other EMPTY FORCE")),
        r#"[["other", 0, 3, nil]]"#
    );
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 6-0"), [1]);
    assert_eq!(client.ids("s"), ["7-0", "8-0"]);
}
