//! Servers that take no writes, or only such as free memory; and a reload between any two calls.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    writes_that_too_few_replicas_would_see_change_nothing,
    a_full_server_still_acknowledges_and_deletes,
    a_reload_between_any_two_calls_changes_no_reply,
}

/// Every call that writes, for a stream `s` with the groups g and, beside it, the forgotten group `old`.
const ADDING: [&str; 4] = [
    "EGG.ADD s 99-0 f v",
    "EGG.ADD s MAXLEN 1 99-0 f v",
    "EGG.ACKMOVE s g d ACKED IDS 1 1-0",
    "EGG.ACKMOVE s g s ACKED META IDS 1 1-0",
];
const FREEING: [&str; 8] = [
    "EGG.ACKDEL s g ACKONLY IDS 1 1-0",
    "EGG.ACKDEL s g ACKED IDS 1 2-0",
    "EGG.ACKDEL s g KEEPREF IDS 1 3-0",
    "EGG.ACKDEL s g DELREF IDS 1 4-0",
    "EGG.GROUPREAP s g IDLE 1 EMPTY",
    "EGG.DELEX s IDS 1 1-0",
    "EGG.TRIM s",
    "EGG.TRIM s KEEPREF MAXLEN 1",
];

fn setting(client: &mut Client) {
    client.run("DEL s d");
    client.stream(6, &["g"]);
    client.all(&["XGROUP CREATE s old 6-0"]);
}

fn refused(client: &mut Client, call: &str, error: &str) {
    let before = [client.state("s"), client.state("d")];
    assert_eq!(client.run(call).error(), error, "{call}");
    let script = "return redis.pcall(unpack(ARGV)).err";
    let words: Vec<&str> = call.split(' ').collect();
    let reply = client.send(&[&["EVAL", script, "0"][..], &words].concat());
    let code = error.split(' ').next().unwrap_or_default();
    let text = match &reply {
        Reply::Error(text) => text.clone(),
        text => text.text(),
    };
    assert!(text.starts_with(code), "{call} in a script: {text}");
    assert_eq!([client.state("s"), client.state("d")], before, "{call}");
}

fn writes_that_too_few_replicas_would_see_change_nothing(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    setting(&mut client);
    client.all(&["CONFIG SET min-replicas-to-write 1"]);
    for call in ADDING.into_iter().chain(FREEING) {
        refused(&mut client, call, "NOREPLICAS Not enough good replicas to write.");
    }
    assert!(client.run("EGG.GROUPGUARD s g").error().starts_with("FOREIGNGROUP "));
    assert_eq!(client.run("EGG.PINS s").array().len(), 2);
    client.all(&["CONFIG SET min-replicas-to-write 0"]);
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 1 1-0"), [1]);
}

fn a_full_server_still_acknowledges_and_deletes(kind: Kind) {
    let server = Options::new(kind).line("maxmemory-policy noeviction").start();
    let mut client = server.connect();
    setting(&mut client);
    client.all(&["CONFIG SET maxmemory 1"]);
    for call in ADDING {
        refused(&mut client, call, "OOM command not allowed when used memory > 'maxmemory'.");
    }
    // 1-0 stays until the janitor comes; the group `old` has been delivered everything.
    for (call, expected) in FREEING.into_iter().zip(["[2]", "[1]", "[1]", "[1]", "", "[1]", "0", "1"]) {
        let reply = client.run(call);
        assert!(!matches!(reply, Reply::Error(_)), "{call}: {reply:?}");
        assert!(expected.is_empty() || format!("{reply:?}") == expected, "{call}: {reply:?}");
    }
    assert_eq!(client.ids("s"), ["6-0"]);
    client.all(&["MULTI", "EGG.ACKDEL s g KEEPREF IDS 1 6-0"]);
    assert_eq!(client.run("EXEC").array()[0], [1]);
}

fn a_reload_between_any_two_calls_changes_no_reply(kind: Kind) {
    let [plain, reloaded] = [(), ()].map(|()| Server::start(kind));
    let mut clients = [plain.connect(), reloaded.connect()];
    // An id that no clock reaches: ids of moved entries are the same on both servers.
    let far = "XADD d 99999999999999-0 f v";
    let start = ["XGROUP CREATE s g 0 MKSTREAM", "XGROUP CREATE s h 0", far];
    let adds: Vec<String> = (1..=20).map(|n| format!("XADD s {n}-0 f {n}")).collect();
    let calls = [
        "XREADGROUP GROUP g c COUNT 15 STREAMS s >",
        "XREADGROUP GROUP h c COUNT 8 STREAMS s >",
        "EGG.ACKDEL s g IDS 1 1-0",
        "EGG.ACKDEL s g ACKONLY IDS 2 1-0 1-0",
        "EGG.ACKDEL s g ACKED IDS 3 15-0 14-0 2-0",
        "EGG.ACKDEL s h ACKED IDS 4 2-0 1-0 9-0 8-0",
        "EGG.ACKDEL s g OWNER d ACKED IDS 1 3-0",
        "EGG.PINS s",
        "EGG.TRIM s LIMIT 1",
        "EGG.ACKMOVE s g d ACKED MINDELIVERIES 2 IDS 1 4-0",
        "EGG.ACKMOVE s g d ACKED SET 1 f x IDS 2 4-0 5-0",
        "EGG.ACKDEL s g KEEPREF IDS 1 6-0",
        "EGG.ACKDEL s g DELREF IDS 1 7-0",
        "EGG.DELEX s IDS 3 7-0 6-0 20-0",
        "EGG.ADD s MAXLEN 5 21-0 f 21",
        "EGG.TRIM s MAXLEN ~ 1",
        "EGG.TRIM s",
        "XREADGROUP GROUP h c STREAMS s >",
        "EGG.GROUPREAP s g IDLE 9999999",
        "XGROUP DESTROY s h",
        "EGG.GROUPGUARD s g",
        "EGG.ACKDEL s g IDS 3 13-0 8-0 9-0",
        "EGG.TRIM s",
        "EGG.PINS s",
        "XINFO GROUPS s",
    ];
    let lines = start.into_iter().map(str::to_owned).chain(adds).chain(calls.map(str::to_owned));
    for line in lines {
        clients[1].all(&["DEBUG RELOAD"]);
        let [plain, reloaded] = clients.each_mut().map(|client| client.run(&line));
        assert_eq!(plain, reloaded, "{line}");
        assert!(line.contains("GUARD") || !matches!(&plain, Reply::Error(e) if !e.starts_with("FOREIGN")), "{plain:?}");
    }
    let [plain, reloaded] = clients.each_mut().map(|client| {
        let keys = ["s", "d"].map(|key| (client.entries(key), client.send(&["XINFO", "GROUPS", key])));
        (keys, client.pending("s", "g"))
    });
    assert_eq!(plain, reloaded);
}
