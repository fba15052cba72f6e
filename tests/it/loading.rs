//! Loading the module, and the servers that it refuses.

use egg_testkit::client::Reply;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, module};

each_server! {
    the_module_that_people_load_has_no_planted_faults,
    the_module_is_listed,
    module_arguments_are_refused_with_the_way_to_configure,
    it_can_be_loaded_at_run_time_with_configuration,
    it_is_not_loaded_twice,
    a_server_without_a_command_that_it_needs_is_refused,
    a_server_whose_command_command_is_renamed_will_do,
}

const LOAD_ERROR: &str = "ERR Error loading the extension. Please check the server logs.";

fn load(server: &Server, words: &[&str]) -> Reply {
    let path = module().display().to_string();
    server.connect().send(&[&["MODULE", words[0], &path][..], &words[1..]].concat())
}

fn the_module_is_listed(kind: Kind) {
    let server = Server::start(kind);
    let modules = server.connect().run("MODULE LIST");
    let egg = modules.array().iter().find(|row| *row.field("name") == "egg").expect("it is listed");
    assert_eq!(*egg.field("ver"), 200);
    assert_eq!(*egg.field("path"), module().display().to_string().as_str());
    assert_eq!(*egg.field("args"), [0; 0]);
}

const ADVICE: &str = "EGG was not loaded: it takes no module arguments. Use configuration lines such as \
                      \"egg.default-policy acked\", or MODULE LOADEX with CONFIG egg.default-policy acked";

fn module_arguments_are_refused_with_the_way_to_configure(kind: Kind) {
    for argument in ["acked", "egg.default-policy acked", "default-policy acked"] {
        let log = Options::new(kind).module_argument(argument).try_start().expect_err("it does not start");
        assert!(log.contains(ADVICE), "{log}");
        assert!(log.contains("(ended: exit status: 1, signal None)"), "{log}");
    }
    let server = Options::new(kind).without_module().start();
    for words in [&["LOAD", "acked"][..], &["LOADEX", "ARGS", "acked"], &["LOAD", "\u{100}%s\r\n"], &["LOAD", ""]] {
        assert_eq!(load(&server, words), Reply::Error(LOAD_ERROR.to_owned()), "{words:?}");
    }
    assert_eq!(server.log().matches(ADVICE).count(), 4);
    assert_eq!(load(&server, &["LOAD"]), "OK");
    assert_eq!(server.connect().run("EGG.VERSION"), env!("CARGO_PKG_VERSION"));
}

fn it_can_be_loaded_at_run_time_with_configuration(kind: Kind) {
    let server = Options::new(kind).without_module().start();
    let mut client = server.connect();
    let wrong = ["LOADEX", "CONFIG", "egg.default-policy", "keepref"];
    assert!(matches!(load(&server, &wrong), Reply::Error(_)));
    assert_eq!(
        load(&server, &["LOADEX", "CONFIG", "egg.default-policy", "acked", "CONFIG", "egg.keep-lag", "no"]),
        "OK"
    );
    assert_eq!(client.run("CONFIG GET egg.default-policy").array()[1], "acked");
    assert_eq!(client.run("CONFIG GET egg.keep-lag").array()[1], "no");
    client.stream(2, &["g", "h"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [2]);
}

fn it_is_not_loaded_twice(kind: Kind) {
    let server = Server::start(kind);
    assert_eq!(load(&server, &["LOAD"]), Reply::Error(LOAD_ERROR.to_owned()));
    let mut client = server.connect();
    assert_eq!(client.run("EGG.VERSION"), env!("CARGO_PKG_VERSION"));
    client.stream(1, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    let again = format!("loadmodule {}", module().display());
    let log = Options::new(kind).line(&again).try_start().expect_err("it does not start");
    assert!(log.contains("(ended: exit status: 1, signal None)"), "{log}");
}

fn a_server_without_a_command_that_it_needs_is_refused(kind: Kind) {
    for name in ["XINFO", "XACK", "XDEL", "XPENDING", "XSETID"] {
        for new_name in ["\"\"", "hidden"] {
            let rename = format!("rename-command {name} {new_name}");
            let log = Options::new(kind).line(&rename).try_start().expect_err("it does not start");
            let reason = format!("EGG was not loaded: this server has no command {name}. Was it renamed?");
            assert!(log.contains(&reason), "{log}");
            assert!(log.contains("(ended: exit status: 1, signal None)"), "{log}");
        }
    }
}

fn a_server_whose_command_command_is_renamed_will_do(kind: Kind) {
    let server = Options::new(kind).line("rename-command COMMAND \"\"").start();
    let mut client = server.connect();
    client.stream(1, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
}

#[test]
fn redis_7_0_ends_with_a_reason() {
    if !Kind::Redis70.is_there() {
        return;
    }
    let log = Options::new(Kind::Redis70).try_start().expect_err("it does not start");
    let reason = "EGG was not loaded: this server is too old: it lacks RedisModule_CachedMicroseconds. \
                  It takes Redis 7.2 or newer, or Valkey";
    assert!(log.contains(reason), "{log}");
    assert!(log.contains("(ended: exit status: 1, signal None)"), "{log}");
    assert!(!log.contains("BUG REPORT") && !log.contains("crashed by signal"), "{log}");
}

#[test]
fn redis_7_0_refuses_it_at_run_time_and_goes_on() {
    if !Kind::Redis70.is_there() {
        return;
    }
    let server = Options::new(Kind::Redis70).without_module().start();
    let mut client = server.connect();
    for words in [&["LOAD"][..], &["LOAD", "argument"], &["LOADEX", "CONFIG", "egg.keep-lag", "no"]] {
        assert_eq!(load(&server, words), Reply::Error(LOAD_ERROR.to_owned()), "{words:?}");
        assert_eq!(client.run("PING"), "PONG");
    }
    assert!(server.log().contains("EGG was not loaded: this server is too old: it lacks RedisModule_"));
    assert_eq!(client.run("MODULE LIST"), [0; 0]);
    assert!(client.run("EGG.VERSION").error().starts_with("ERR unknown command"));
}

fn the_module_that_people_load_has_no_planted_faults(kind: Kind) {
    let server = Server::start(kind);
    assert!(server.connect().send(&["EGG.FAULT", "x"]).error().starts_with("ERR unknown command"));
}
