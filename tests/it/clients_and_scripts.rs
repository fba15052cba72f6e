//! However a call arrives: in either protocol, in a transaction, from a script, in another database, on a full server.

use egg_testkit::client::{Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server, wait_until};
use egg_testkit::wire::Wire;

each_server! {
    resp2_and_resp3_are_the_same_bytes,
    an_error_inside_exec_does_not_stop_the_rest,
    a_call_of_the_wrong_length_aborts_the_transaction,
    scripts_get_the_same_replies_and_errors,
    functions_get_the_same_replies,
    read_only_scripts_may_guard_but_not_delete,
    databases_are_separate,
    an_expired_key_is_missing,
    a_server_out_of_memory_still_deletes,
    a_thousand_calls_in_a_pipeline_get_a_thousand_replies,
}

fn resp2_and_resp3_are_the_same_bytes(kind: Kind) {
    let server = Server::start(kind);
    let (mut resp2, mut resp3) = (Wire::connect(&server), Wire::connect(&server));
    resp3.send(&["HELLO", "3"]);
    let mut admin = server.connect();
    for (line, expected) in [
        ("EGG.ACKDEL s g IDS 1 1-0", "*1\r\n:1\r\n"),
        ("EGG.ACKDEL s g IDS 3 1-0 9-0 2-0", "*3\r\n:1\r\n:-1\r\n:1\r\n"),
        ("EGG.ACKDEL s g IDS 1 foo", "-ERR Invalid stream ID specified as stream command argument\r\n"),
        ("EGG.ACKDEL s none IDS 1 1-0", "-NOGROUP No such key 's' or consumer group 'none'\r\n"),
        ("EGG.GROUPGUARD s g", "+OK\r\n"),
        ("EGG.VERSION", concat!("$5\r\n", env!("CARGO_PKG_VERSION"), "\r\n")),
    ] {
        for wire in [&mut resp2, &mut resp3] {
            admin.run("DEL s");
            admin.stream(3, &["g"]);
            assert_eq!(wire.text(&words(line)), expected, "{line}");
        }
    }
    admin.run("DEL s");
    admin.stream(2, &["g"]);
    let mut client = server.connect_resp3();
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [1, 1]);
}

fn an_error_inside_exec_does_not_stop_the_rest(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let mut other = server.connect();
    client.stream(3, &["g"]);
    client.all(&[
        "SET string x",
        "MULTI",
        "EGG.ACKDEL s g IDS 1 1-0",
        "EGG.ACKDEL s g IDS 1 foo",
        "EGG.ACKDEL string g IDS 1 1-0",
    ]);
    client.all(&[
        "EGG.ACKDEL s none IDS 1 1-0",
        "XGROUP CREATE s h $",
        "EGG.ACKDEL s g IDS 1 2-0",
        "EGG.GROUPGUARD s g",
    ]);
    client.all(&["XGROUP DESTROY s h", "EGG.ACKDEL s g IDS 1 2-0", "EGG.VERSION", "SET done x"]);
    assert_eq!(other.run("XLEN s"), 3);
    let replies = client.run("EXEC");
    let replies = replies.array();
    assert_eq!(replies.len(), 11);
    assert_eq!(replies[0], [1]);
    let codes = [(1, "ERR"), (2, "WRONGTYPE"), (3, "NOGROUP"), (5, "FOREIGNGROUP"), (6, "FOREIGNGROUP")];
    for (index, code) in codes {
        assert_eq!(replies[index].error().split(' ').next(), Some(code), "{index}");
    }
    assert_eq!(replies[8], [1]);
    assert_eq!(replies[9], env!("CARGO_PKG_VERSION"));
    assert_eq!(replies[10], "OK");
    assert_eq!(other.ids("s"), ["3-0"]);
}

fn a_call_of_the_wrong_length_aborts_the_transaction(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g"]);
    client.all(&["MULTI", "EGG.ACKDEL s g IDS 1 1-0"]);
    assert!(client.run("EGG.ACKDEL s g").error().contains("wrong number of arguments"));
    assert!(client.run("EXEC").error().starts_with("EXECABORT "));
    assert_eq!(client.ids("s"), ["1-0"]);
}

const SCRIPT: &str = "return redis.call('EGG.ACKDEL', KEYS[1], unpack(ARGV))";
const PROTECTED: &str = "return redis.pcall('EGG.ACKDEL', KEYS[1], unpack(ARGV)).err";

fn scripts_get_the_same_replies_and_errors(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g", "h"]);
    let mut eval = |script: &str, rest: &str| client.send(&[&["EVAL", script, "1", "s"][..], &words(rest)].concat());
    assert_eq!(eval(SCRIPT, "g ACKED IDS 2 1-0 9-0"), [2, -1]);
    assert_eq!(eval(SCRIPT, "h ACKED IDS 1 1-0"), [1]);
    assert!(eval(SCRIPT, "g IDS 1 2-0").error().starts_with("FOREIGNGROUP the stream has other consumer groups"));
    assert!(eval(SCRIPT, "none IDS 1 2-0").error().starts_with("NOGROUP No such key 's' or consumer group 'none'"));
    assert_eq!(eval(PROTECTED, "g IDS 0 2-0"), "ERR Number of IDs must be a positive integer");
    assert_eq!(eval(PROTECTED, "g IDS 1 foo"), "ERR Invalid stream ID specified as stream command argument");
    assert_eq!(eval(PROTECTED, "none IDS 1 2-0"), "NOGROUP No such key 's' or consumer group 'none'");
    let reply = eval(PROTECTED, "g IDS 1 2-0").text();
    assert!(reply.starts_with("FOREIGNGROUP ") && reply.ends_with("a group that you know to be left over"), "{reply}");
    assert_eq!(client.ids("s"), ["2-0", "3-0"]);
}

fn functions_get_the_same_replies(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    let library = "#!lua name=l\nredis.register_function('finish', function(keys, args) \
                   return redis.call('EGG.ACKDEL', keys[1], unpack(args)) end)";
    assert_eq!(client.send(&["FUNCTION", "LOAD", library]), "l");
    assert_eq!(client.run("FCALL finish 1 s g IDS 3 1-0 1-0 2-0"), [1, -1, 1]);
    assert!(client.run("FCALL finish 1 s none IDS 1 3-0").error().starts_with("NOGROUP "));
    assert_eq!(client.ids("s"), ["3-0"]);
}

fn read_only_scripts_may_guard_but_not_delete(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g"]);
    let reply = client.send(&["EVAL_RO", SCRIPT, "1", "s", "g", "IDS", "1", "1-0"]);
    assert!(reply.error().starts_with("ERR Write commands are not allowed from read-only scripts."), "{reply:?}");
    assert_eq!(client.ids("s"), ["1-0"]);
    let guard = "return redis.call('EGG.GROUPGUARD', KEYS[1], ARGV[1])";
    assert_eq!(client.send(&["EVAL_RO", guard, "1", "s", "g"]), "OK");
    assert!(client.send(&["EVAL_RO", guard, "1", "s", "none"]).error().starts_with("NOGROUP "));
    assert_eq!(client.send(&["EVAL_RO", "return redis.call('EGG.VERSION')", "0"]), env!("CARGO_PKG_VERSION"));
}

fn databases_are_separate(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g"]);
    client.all(&["SELECT 9"]);
    assert!(client.run("EGG.ACKDEL s g IDS 1 1-0").error().starts_with("NOGROUP "));
    client.stream(2, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [1, 1]);
    assert_eq!(client.run("XLEN s"), 0);
    client.all(&["SELECT 0"]);
    assert_eq!(client.ids("s"), ["1-0"]);
}

fn an_expired_key_is_missing(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["DEBUG SET-ACTIVE-EXPIRE 0"]);
    for line in ["EGG.ACKDEL s g IDS 1 1-0", "EGG.ACKDEL s g DELREF IDS 1 1-0", "EGG.GROUPGUARD s g"] {
        client.stream(1, &["g"]);
        client.all(&["PEXPIRE s 2"]);
        let time = client.run("PEXPIRETIME s");
        // Either it is gone already, or it will be.
        let end = time.integer();
        wait_until(|| {
            let now = client.run("TIME");
            let part = |index: usize| now.array()[index].text().parse::<i64>().expect("a number");
            part(0) * 1000 + part(1) / 1000 > end
        });
        let missing = Reply::Error("NOGROUP No such key 's' or consumer group 'g'".to_owned());
        assert_eq!(client.run(line), missing, "{line}");
        assert_eq!(client.run("EXISTS s"), 0);
    }
}

fn a_server_out_of_memory_still_deletes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(5, &["g"]);
    client.all(&["CONFIG SET maxmemory-policy noeviction", "CONFIG SET maxmemory 1"]);
    assert!(client.run("XADD s 9-0 f v").error().starts_with("OOM "));
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 5-0"), [1, 1]);
    assert_eq!(client.run("EGG.GROUPGUARD s g"), "OK");
    assert_eq!(client.run("EGG.VERSION"), env!("CARGO_PKG_VERSION"));
    client.all(&["MULTI", "EGG.ACKDEL s g IDS 1 2-0"]);
    assert_eq!(client.run("EXEC").array()[0], [1]);
    assert_eq!(client.ids("s"), ["3-0", "4-0"]);
    assert_eq!(*client.group("s", "g").field("lag"), 0);
}

fn a_thousand_calls_in_a_pipeline_get_a_thousand_replies(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1000, &["g"]);
    let calls: Vec<_> = (1..=1000).map(|n| format!("EGG.ACKDEL s g IDS 1 {n}-0")).collect();
    let replies = client.pipeline(&calls.iter().map(|call| words(call)).collect::<Vec<_>>());
    assert_eq!(replies.len(), 1000);
    assert!(replies.iter().all(|reply| *reply == [1]));
    assert_eq!(client.run("XLEN s"), 0);
}
