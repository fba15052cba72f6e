//! Faults of the module itself, made on purpose by EGG.FAULT, which only a build with `--features faults` has: `make test-faults`.

use std::fs;
use std::path::Path;
use std::process::Command;

use egg_testkit::each_server;
use egg_testkit::harness::{Directory, Kind, Options, Server, faults_module};
use egg_testkit::wire::Wire;

use crate::memory::{allowed, growth};

each_server! {
    #[ignore = "needs planted faults: make test-faults"]
    a_panic_becomes_an_error_and_a_line_in_the_log,
    #[ignore = "needs planted faults: make test-faults"]
    a_panic_inside_a_transaction_or_a_script_leaves_the_rest_alone,
    #[ignore = "needs planted faults: make test-faults"]
    backtraces_that_are_asked_for_make_no_difference,
    #[ignore = "needs planted faults: make test-faults"]
    a_module_with_planted_faults_says_so,
}

fn server(kind: Kind) -> Server {
    Options::new(kind).module(faults_module()).start()
}

fn a_panic_becomes_an_error_and_a_line_in_the_log(kind: Kind) {
    let server = server(kind);
    let mut client = server.connect();
    let mut wire = Wire::connect(&server);
    let long = "x".repeat(3000);
    for (text, logged) in [
        ("out of luck", "out of luck"),
        ("", ""),
        ("%s%n%d%s%s", "%s%n%d%s%s"),
        ("a\0b", "a?b"),
        ("two\r\nlines", "two??lines"),
        ("\u{100}一", "?????"),
        (&long, &long[..500]),
    ] {
        let before = server.log();
        assert_eq!(wire.text(&["EGG.FAULT", text]), "-ERR internal error\r\n", "{text:?}");
        let log = server.log();
        let added: Vec<_> = log[before.len()..].lines().collect();
        assert_eq!(added.len(), 1, "{added:?}");
        assert!(added[0].contains("# <egg> egg.fault panicked at src/commands/fault.rs:"), "{added:?}");
        assert!(added[0].contains(&format!(": {logged}")), "{added:?}");
        client.run("DEL s");
        client.stream(2, &["g"]);
        assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [1, 1], "{text:?}");
    }
    assert_eq!(wire.text(&[&b"EGG.FAULT"[..], b"\xff"]), "-ERR internal error\r\n");
    assert_eq!(client.run("EGG.GROUPGUARD s g"), "OK");
}

fn a_panic_inside_a_transaction_or_a_script_leaves_the_rest_alone(kind: Kind) {
    let server = server(kind);
    let mut client = server.connect();
    client.stream(2, &["g"]);
    client.all(&["MULTI", "EGG.ACKDEL s g IDS 1 1-0", "EGG.FAULT x", "EGG.ACKDEL s g IDS 1 2-0"]);
    let replies = client.run("EXEC");
    assert_eq!(replies.array()[0], [1]);
    assert_eq!(replies.array()[1].error(), "ERR internal error");
    assert_eq!(replies.array()[2], [1]);
    let reply = client.send(&["EVAL", "return redis.pcall('EGG.FAULT', 'x').err", "0"]);
    assert_eq!(reply, "ERR internal error");
    assert_eq!(client.run("XLEN s"), 0);
}

/// Debian's Valkey 8.1 loads modules with RTLD_DEEPBIND, and has an allocator of its own: the standard library's way to name the
/// frames of a stack crashes it.
fn backtraces_that_are_asked_for_make_no_difference(kind: Kind) {
    for value in ["1", "full"] {
        let server = Options::new(kind).module(faults_module()).environment("RUST_BACKTRACE", value).start();
        let mut client = server.connect();
        client.stream(1, &["g"]);
        for _ in 0..3 {
            assert_eq!(client.run("EGG.FAULT x").error(), "ERR internal error");
        }
        assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    }
}

#[test]
#[ignore = "needs planted faults: make test-faults"]
fn backtraces_make_no_difference_on_valkey_8_1() {
    if Kind::Valkey81.is_there() {
        backtraces_that_are_asked_for_make_no_difference(Kind::Valkey81);
    }
}

fn a_module_with_planted_faults_says_so(kind: Kind) {
    let expected = concat!(env!("CARGO_PKG_VERSION"), "+faults");
    assert_eq!(server(kind).connect().run("EGG.VERSION"), expected);
    assert_eq!(Server::start(kind).connect().run("EGG.VERSION"), env!("CARGO_PKG_VERSION"));
}

#[test]
#[ignore = "needs planted faults: make test-faults"]
fn a_module_with_planted_faults_is_neither_installed_nor_packed() {
    let directory = Directory::default();
    let faulty = faults_module();
    for tool in ["install", "dist"] {
        let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tools").join(tool));
        if tool == "dist" {
            command.arg(&directory.0);
        }
        let output = command.env("EGG_MODULE", &faulty).env("DESTDIR", &directory.0).output().expect("it can be run");
        assert_eq!(output.status.code(), Some(1), "{tool}");
        let expected =
            format!("{tool}: {} was built with planted faults, for tests alone: make build\n", faulty.display());
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
        assert_eq!(fs::read_dir(&directory.0).expect("a folder").count(), 0, "{tool}");
    }
}

#[test]
#[ignore = "needs planted faults: make test-faults"]
fn a_leak_of_eight_bytes_a_call_is_seen() {
    let server = Options::new(Kind::Redis74).module(faults_module()).start();
    let grown = growth(&server, &[], "EGG.FAULT LEAK", &[], 20_000);
    // 160,000, less what the buffers of the connections take up or give back: some 50,000.
    assert!(grown > allowed(20_000), "{grown}");
}
