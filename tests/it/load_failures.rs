//! What a server says of a module that it cannot load: the messages that docs/operations.md explains.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use egg_testkit::client::Reply;
use egg_testkit::each_server;
use egg_testkit::harness::{Directory, Kind, Options, module};

each_server! {
    each_unfit_file_has_its_message,
    a_second_loadmodule_line_stops_the_start,
    a_rewritten_file_repeats_an_included_loadmodule_line,
    configuration_left_behind_stops_the_start,
    a_misspelt_knob_stops_the_start,
    a_rule_left_behind_stops_the_start,
    module_load_is_off_unless_enabled,
    native_names_are_decided_at_load,
}

/// Asserts that a text has this message, and that the operator finds it explained.
fn assert_explained(text: &str, message: &str) {
    assert!(text.contains(message), "no \"{message}\" in:\n{text}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operations.md");
    let explained = fs::read_to_string(path).expect("docs/operations.md");
    assert!(explained.contains(message), "docs/operations.md does not explain \"{message}\"");
}

/// A copy of the module in this directory, with its bytes changed, and this mode.
fn copy(directory: &Directory, mode: u32, change: impl FnOnce(&mut [u8])) -> PathBuf {
    let path = directory.0.join("libegg.so");
    let mut bytes = fs::read(module()).expect("the module");
    change(&mut bytes);
    // Anew: another server may still have the one before mapped.
    let _ = fs::remove_file(&path);
    fs::write(&path, bytes).expect("a copy");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
    path
}

/// Another processor: the field e_machine of the ELF header is 64-bit Arm, or x86-64 there.
fn for_another_processor(bytes: &mut [u8]) {
    let machine = if cfg!(target_arch = "aarch64") { 0x3e } else { 0xb7 };
    bytes[18..20].copy_from_slice(&[machine, 0]);
}

/// A glibc of the future.
fn for_a_newer_glibc(bytes: &mut [u8]) {
    let found: Vec<_> =
        bytes.windows(8).enumerate().filter(|(_, text)| text == b"GLIBC_2.").map(|(at, _)| at).collect();
    assert!(!found.is_empty());
    found.into_iter().for_each(|at| bytes[at + 6] = b'9');
}

fn each_unfit_file_has_its_message(kind: Kind) {
    let directory = Directory::default();
    let missing = "cannot open shared object file: No such file or directory";
    let refused = |path: &Path, message: &str| {
        let log = Options::new(kind).module(path.into()).try_start().expect_err("it does not start");
        assert_explained(&log, message);
        assert!(log.contains(&format!("Can't load module from {}: server aborting", path.display())), "{log}");
        assert!(log.contains("(ended: exit status: 1, signal None)"), "{log}");
        // At run time the server goes on.
        let server = Options::new(kind).without_module().start();
        let reply = server.connect().send(&["MODULE", "LOAD", &path.display().to_string()]);
        assert_explained(reply.error(), "ERR Error loading the extension. Please check the server logs.");
        assert!(server.log().contains(message), "{}", server.log());
        assert_eq!(server.connect().run("PING"), "PONG");
    };
    refused(&copy(&directory, 0o644, |_| ()), "It does not have execute permissions.");
    refused(&copy(&directory, 0o755, for_another_processor), missing);
    refused(&copy(&directory, 0o755, for_a_newer_glibc), "version `GLIBC_");
    refused(&directory.0.join("nowhere.so"), missing);
    // No path: looked for where libraries are. (Cargo puts its own folders there, which have a libegg.so.)
    refused(Path::new("libegg-by-name.so"), missing);
}

/// What a server says that has the module already.
fn loaded_already(kind: Kind) -> &'static str {
    if kind == Kind::Valkey91 { "Module name is busy." } else { "initialization failed. Module not loaded" }
}

fn a_second_loadmodule_line_stops_the_start(kind: Kind) {
    let again = format!("loadmodule {}", module().display());
    let log = Options::new(kind).line(&again).try_start().expect_err("it does not start");
    assert_explained(&log, loaded_already(kind));
}

fn a_rewritten_file_repeats_an_included_loadmodule_line(kind: Kind) {
    let directory = Directory::default();
    let included = directory.0.join("egg.conf");
    fs::write(&included, format!("loadmodule {}\n", module().display())).expect("a file");
    let include = format!("include {}", included.display());
    let mut server = Options::new(kind).without_module().line(&include).start();
    server.connect().all(&["EGG.VERSION", "CONFIG REWRITE"]);
    let rewritten = fs::read_to_string(server.path("redis.conf")).expect("redis.conf");
    assert_eq!(rewritten.lines().filter(|line| line.starts_with("loadmodule ")).count(), 1, "{rewritten}");
    server.shut_down();
    let log = server.try_restart().expect_err("it does not start");
    assert_explained(&log, loaded_already(kind));
}

fn configuration_left_behind_stops_the_start(kind: Kind) {
    let log = Options::new(kind).without_module().line("egg.keep-lag yes").try_start().expect_err("it does not start");
    assert_explained(&log, "Module Configuration detected without loadmodule directive");
}

fn a_misspelt_knob_stops_the_start(kind: Kind) {
    let log = Options::new(kind).line("egg.default_policy acked").try_start().expect_err("it does not start");
    assert_explained(&log, "Module 'egg' loaded");
    assert_explained(&log, "Module Configuration detected without loadmodule directive");
    assert!(log.contains("(ended: exit status: 1, signal None)"), "{log}");
    let line = match kind {
        Kind::Redis82 => Some(">>> 'egg.default_policy acked'"),
        Kind::Valkey91 => Some("Unused Module Configuration: egg.default_policy"),
        _ => None,
    };
    assert_eq!(log.contains("egg.default_policy"), line.is_some(), "{log}");
    assert!(log.contains(line.unwrap_or_default()), "{log}");
    let server = Options::new(kind).without_module().start();
    let path = module().display().to_string();
    let mut client = server.connect();
    let reply = client.send(&["MODULE", "LOADEX", &path, "CONFIG", "egg.default_policy", "acked"]);
    assert_explained(reply.error(), "ERR Error loading the extension. Please check the server logs.");
    assert_explained(&server.log(), "Loadex configurations were not applied");
    assert!(client.run("EGG.VERSION").error().starts_with("ERR unknown command"));
}

fn a_rule_left_behind_stops_the_start(kind: Kind) {
    let rule = "user worker on nopass ~* +egg.trim";
    let server = Options::new(kind).line(rule).start();
    assert_eq!(server.connect().run("ACL DRYRUN worker EGG.TRIM s"), "OK");
    let log = Options::new(kind).without_module().line(rule).try_start().expect_err("it does not start");
    assert!(log.contains("(ended: exit status: 1, signal None)"), "{log}");
}

fn module_load_is_off_unless_enabled(kind: Kind) {
    let server = Options::new(kind).without_module().line("enable-module-command no").start();
    let path = module().display().to_string();
    let reply = server.connect().send(&["MODULE", "LOAD", &path]);
    assert_explained(reply.error(), "ERR MODULE command not allowed.");
    // Tests connect through a unix socket, which is local.
    let server = Options::new(kind).without_module().line("enable-module-command local").start();
    assert_eq!(server.connect().send(&["MODULE", "LOAD", &path]), "OK");
}

fn native_names_are_decided_at_load(kind: Kind) {
    let server = Options::new(kind).without_module().start();
    let mut client = server.connect();
    let path = module().display().to_string();
    assert_eq!(client.send(&["MODULE", "LOAD", &path]), "OK");
    let refused = client.run("CONFIG SET egg.native-names yes");
    assert_explained(refused.error(), "can't set immutable config");
    let server = Options::new(kind).without_module().start();
    let mut client = server.connect();
    assert_eq!(client.send(&["MODULE", "LOADEX", &path, "CONFIG", "egg.native-names", "yes"]), "OK");
    client.stream(1, &["g"]);
    assert_eq!(client.run("XACKDEL s g IDS 1 1-0"), [1]);
    assert!(!matches!(client.run("CONFIG GET egg.native-names"), Reply::Error(_)));
}
