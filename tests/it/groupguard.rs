//! EGG.GROUPGUARD and EGG.VERSION.

use egg_testkit::client::Reply;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    is_ok_for_a_group_that_is_alone,
    refuses_while_other_groups_exist_and_names_them,
    refuses_a_missing_group_and_a_missing_key,
    refuses_what_is_no_stream,
    takes_group_names_of_any_bytes,
    changes_nothing,
    runs_on_a_replica,
    version_answers_the_version_of_the_package,
}

fn is_ok_for_a_group_that_is_alone(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XGROUP CREATE s g $ MKSTREAM"]);
    assert_eq!(client.run("EGG.GROUPGUARD s g"), "OK");
    client.stream(3, &[]);
    assert_eq!(client.run("egg.groupguard s g"), "OK");
    client.all(&["XGROUP CREATE s h $", "XGROUP DESTROY s h"]);
    assert_eq!(client.run("EGG.GROUPGUARD s g"), "OK");
}

fn refuses_while_other_groups_exist_and_names_them(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g", "h"]);
    let refusal = |own: &str, names: &str, first: &str| {
        Reply::Error(format!(
            "FOREIGNGROUP the stream has other consumer groups: {names}; EGG.ACKDEL would refuse the workers of \"{own}\". If \
             \"{first}\" is what a renamed handler left behind, let it finish (EGG.PINS shows what it needs), then XGROUP \
             DESTROY \"s\" \"{first}\". If all are to stay, the workers name ACKED or ACKONLY, or egg.default-policy does"
        ))
    };
    assert_eq!(client.run("EGG.GROUPGUARD s g"), refusal("g", r#""h""#, "h"));
    assert_eq!(client.run("EGG.GROUPGUARD s h"), refusal("h", r#""g""#, "g"));
    client.all(&["XGROUP CREATE s i $", "XGROUP CREATE s j $", "XGROUP CREATE s k $"]);
    assert_eq!(client.run("EGG.GROUPGUARD s g"), refusal("g", r#""h", "i", "j" and 1 more"#, "h"));
}

fn refuses_a_missing_group_and_a_missing_key(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let refusal = |key, group| Reply::Error(format!("NOGROUP No such key '{key}' or consumer group '{group}'"));
    assert_eq!(client.run("EGG.GROUPGUARD none g"), refusal("none", "g"));
    assert_eq!(client.run("EXISTS none"), 0);
    client.stream(1, &[]);
    assert_eq!(client.run("EGG.GROUPGUARD s g"), refusal("s", "g"));
    // Another group that is alone does not make it better.
    client.all(&["XGROUP CREATE s h 0"]);
    assert_eq!(client.run("EGG.GROUPGUARD s g"), refusal("s", "g"));
}

fn refuses_what_is_no_stream(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let wrong_type = Reply::Error("WRONGTYPE Operation against a key holding the wrong kind of value".to_owned());
    client.all(&["SET string x", "RPUSH list x", "SADD set x", "HSET hash f v", "ZADD zset 1 x"]);
    for key in ["string", "list", "set", "hash", "zset"] {
        assert_eq!(client.send(&["EGG.GROUPGUARD", key, "g"]), wrong_type, "{key}");
        assert_eq!(client.send(&["EGG.ACKDEL", key, "g", "IDS", "1", "1-0"]), wrong_type, "{key}");
    }
    for line in ["EGG.GROUPGUARD", "EGG.GROUPGUARD s", "EGG.GROUPGUARD s g x"] {
        let expected = "ERR wrong number of arguments for 'egg.groupguard' command";
        assert_eq!(client.run(line), Reply::Error(expected.to_owned()), "{line}");
    }
}

fn takes_group_names_of_any_bytes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for name in [&b"two words"[..], b"line\nline", b"", b"\0", b"\r\n", b"\xff\xfe", b"%s%n", &vec![b'x'; 1 << 20]] {
        client.all(&["DEL s", "XADD s 1-0 f v"]);
        client.send(&[b"XGROUP", &b"CREATE"[..], b"s", name, b"0"]);
        assert_eq!(client.send(&[b"EGG.GROUPGUARD", &b"s"[..], name]), "OK");
        client.all(&["XGROUP CREATE s other $"]);
        assert!(client.send(&[b"EGG.GROUPGUARD", &b"s"[..], name]).error().contains(": \"other\"; "));
    }
}

fn changes_nothing(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    let before = client.state("s");
    let dirty = client.info("persistence", "rdb_changes_since_last_save");
    client.run("EGG.GROUPGUARD s g");
    client.run("EGG.GROUPGUARD s none");
    assert_eq!(client.state("s"), before);
    assert_eq!(client.info("persistence", "rdb_changes_since_last_save"), dirty);
}

fn runs_on_a_replica(kind: Kind) {
    let master = egg_testkit::harness::Options::new(kind).tcp().start();
    let replica = Server::start(kind);
    let mut client = master.connect();
    client.stream(1, &["g"]);
    replica.replicate(&master);
    let mut reader = replica.connect();
    assert_eq!(reader.run("EGG.GROUPGUARD s g"), "OK");
    client.all(&["XGROUP CREATE s h 0"]);
    replica.wait_in_step(&master);
    assert!(reader.run("EGG.GROUPGUARD s g").error().starts_with("FOREIGNGROUP "));
    let read_only = Reply::Error("READONLY You can't write against a read only replica.".to_owned());
    assert_eq!(reader.run("EGG.ACKDEL s g IDS 1 1-0"), read_only);
    assert_eq!(reader.run("EGG.ACKDEL none g IDS 0 foo"), read_only);
    assert_eq!(reader.ids("s"), ["1-0"]);
}

fn version_answers_the_version_of_the_package(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    assert_eq!(client.run("EGG.VERSION"), env!("CARGO_PKG_VERSION"));
    let arity = "ERR wrong number of arguments for 'egg.version' command";
    assert_eq!(client.run("EGG.VERSION x"), Reply::Error(arity.to_owned()));
}
