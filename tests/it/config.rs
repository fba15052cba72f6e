//! `egg.default-policy` and `egg.keep-lag`.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    the_defaults_are_the_safe_ones,
    the_default_policy_is_that_of_calls_that_name_none,
    unsafe_and_unknown_values_are_refused,
    a_rewritten_configuration_file_keeps_the_values,
    values_of_the_configuration_file_are_taken,
    a_wrong_value_in_the_configuration_file_stops_the_start,
    configuration_without_the_module_stops_the_start,
    lag_is_left_to_the_core_where_it_is_not_to_be_kept,
}

fn values(client: &mut Client) -> (String, String) {
    let reply = client.run("CONFIG GET egg.*");
    assert_eq!(reply.array().len(), 6, "{reply:?}");
    (reply.field("egg.default-policy").text(), reply.field("egg.keep-lag").text())
}

fn pair(policy: &str, keep_lag: &str) -> (String, String) {
    (policy.to_owned(), keep_lag.to_owned())
}

fn the_defaults_are_the_safe_ones(kind: Kind) {
    let server = Server::start(kind);
    assert_eq!(values(&mut server.connect()), pair("reject", "yes"));
}

fn the_default_policy_is_that_of_calls_that_name_none(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (value, stored) in [
        ("ackonly", "ackonly"),
        ("acked", "acked"),
        ("reject", "reject"),
        ("ACKED", "acked"),
        ("AckOnly", "ackonly"),
        ("REJECT", "reject"),
    ] {
        client.all(&[&format!("CONFIG SET egg.default-policy {value}")]);
        assert_eq!(values(&mut client).0, stored);
        client.run("DEL s");
        client.stream(3, &["g", "h"]);
        client.run("XACK s h 1-0");
        let call = "EGG.ACKDEL s g IDS 2 1-0 2-0";
        match stored {
            "ackonly" => assert_eq!(client.run(call), [2, 2]),
            "acked" => assert_eq!(client.run(call), [1, 2]),
            _ => assert!(client.run(call).error().starts_with("FOREIGNGROUP ")),
        }
        // A policy that is named goes first.
        assert!(client.run("EGG.ACKDEL s g REJECT IDS 1 3-0").error().starts_with("FOREIGNGROUP "));
        assert_eq!(client.run("EGG.ACKDEL s g ACKONLY IDS 1 3-0"), [2]);
    }
}

const CHOICES: &str = "argument(s) must be one of the following: reject, ackonly, acked";

fn unsafe_and_unknown_values_are_refused(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["CONFIG SET egg.default-policy acked egg.keep-lag no"]);
    for value in ["keepref", "delref", "KEEPREF", "", "0", "1", "accked", "acked ", "reject acked", "\u{100}", "%s\r\n"]
    {
        let reply = client.send(&["CONFIG", "SET", "egg.default-policy", value]);
        assert!(reply.error().contains(CHOICES), "{value:?}: {reply:?}");
    }
    for value in ["", "maybe", "1", "true", "\u{100}"] {
        let reply = client.send(&["CONFIG", "SET", "egg.keep-lag", value]);
        assert!(reply.error().contains("argument must be 'yes' or 'no'"), "{value:?}: {reply:?}");
    }
    assert!(matches!(client.run("CONFIG SET egg.default-policy reject egg.keep-lag maybe"), Reply::Error(_)));
    assert!(matches!(client.run("CONFIG SET egg.nonsense x"), Reply::Error(_)));
    assert_eq!(values(&mut client), pair("acked", "no"));
}

fn a_rewritten_configuration_file_keeps_the_values(kind: Kind) {
    let mut server = Server::start(kind);
    for (policy, keep_lag) in [("acked", "no"), ("ackonly", "yes"), ("reject", "no"), ("reject", "yes")] {
        server
            .connect()
            .all(&[&format!("CONFIG SET egg.default-policy {policy} egg.keep-lag {keep_lag}"), "CONFIG REWRITE"]);
        server.restart();
        assert_eq!(values(&mut server.connect()), pair(policy, keep_lag));
    }
}

fn values_of_the_configuration_file_are_taken(kind: Kind) {
    let server = Options::new(kind).line("egg.default-policy ackonly").line("egg.keep-lag no").start();
    let mut client = server.connect();
    assert_eq!(values(&mut client), pair("ackonly", "no"));
    client.stream(1, &["g", "h"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [2]);
}

fn a_wrong_value_in_the_configuration_file_stops_the_start(kind: Kind) {
    for (line, reason) in [
        ("egg.default-policy keepref", CHOICES),
        ("egg.default-policy nonsense", CHOICES),
        ("egg.keep-lag maybe", "argument must be 'yes' or 'no'"),
    ] {
        let log = Options::new(kind).line(line).try_start().expect_err("it does not start");
        let name = line.split(' ').next().unwrap_or_default();
        assert!(log.contains(&format!("Issue during loading of configuration {name} : {reason}")), "{log}");
        assert!(log.contains("EGG was not loaded: an egg.* configuration value is wrong"), "{log}");
        assert!(log.contains("(ended: exit status: 1, signal None)"), "{log}");
    }
    let log = Options::new(kind).line("egg.nonsense 1").try_start().expect_err("it does not start");
    assert!(log.contains("Module Configuration detected without loadmodule directive"), "{log}");
}

fn configuration_without_the_module_stops_the_start(kind: Kind) {
    let options = Options::new(kind).without_module().line("egg.keep-lag no");
    let log = options.try_start().expect_err("it does not start");
    assert!(log.contains("Module Configuration detected without loadmodule directive"), "{log}");
}

fn lag_is_left_to_the_core_where_it_is_not_to_be_kept(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let mut outcome = |setting: &str, call: &[&str]| {
        client.run("DEL s");
        client.add(1..=5);
        client.all(&["XGROUP CREATE s g 0", &format!("CONFIG SET egg.keep-lag {setting}")]);
        client.read("g", 3);
        client.all(call);
        let max_deleted = client.run("XINFO STREAM s").field("max-deleted-entry-id").text();
        (client.group("s", "g").field("lag").clone(), max_deleted)
    };
    let core = outcome("yes", &["XACK s g 3-0", "XDEL s 3-0"]);
    assert_eq!(core, (Reply::Nil, "3-0".to_owned()));
    assert_eq!(outcome("no", &["EGG.ACKDEL s g IDS 1 3-0"]), core);
    assert_eq!(outcome("yes", &["EGG.ACKDEL s g IDS 1 3-0"]), (Reply::Integer(2), format!("2-{}", u64::MAX)));
    // The policies of 8.2 that may lose entries leave what the core leaves.
    assert_eq!(outcome("yes", &["EGG.ACKDEL s g KEEPREF IDS 1 3-0"]), core);
    assert_eq!(outcome("yes", &["EGG.ACKDEL s g DELREF IDS 1 3-0"]), core);
}
