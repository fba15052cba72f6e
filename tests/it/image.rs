//! The entry point of the container image: every way to start a server loads the module. (`make test-image` does it for real.)

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output};

use egg_testkit::harness::Directory;

const LOAD: [&str; 2] = ["--loadmodule", "/usr/local/lib/redis/modules/libegg.so"];

/// What the entry point hands to the base image's own, where this server is the one that is installed.
fn started(server: &str, words: &[&str]) -> Vec<String> {
    let output = run(&[("docker-entrypoint.sh", "printf '%s\\n' \"$@\""), (server, "exit 1")], words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    lines(&output.stdout)
}

fn lines(output: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(output).lines().map(str::to_owned).collect()
}

/// Runs the entry point in an image that has these scripts.
fn run(scripts: &[(&str, &str)], words: &[&str]) -> Output {
    let directory = Directory::default();
    for (name, script) in scripts {
        let path = directory.0.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
    let grep = ["/usr/bin/grep", "/bin/grep"].into_iter().find(|path| Path::new(path).exists()).expect("grep");
    symlink(grep, directory.0.join("grep")).expect("a link");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("image/entrypoint");
    Command::new("/bin/sh").arg(script).args(words).env("PATH", &directory.0).output().expect("sh")
}

#[test]
fn whatever_starts_a_server_loads_the_module() {
    for (words, server_words) in [
        (&[][..], &["redis-server"][..]),
        (&["redis-server"], &["redis-server"]),
        (&["/usr/local/bin/redis-server"], &["/usr/local/bin/redis-server"]),
        (&["--appendonly", "yes"], &["redis-server", "--appendonly", "yes"]),
        (&["--save", "", "--dir", "/a b"], &["redis-server", "--save", "", "--dir", "/a b"]),
        (&["/my.conf"], &["redis-server", "/my.conf"]),
        (&["redis-server", "/my.conf", "--port", "7000"], &["redis-server", "/my.conf", "--port", "7000"]),
        (&["redis-server", "-"], &["redis-server", "-"]),
        (&["redis-server", "--loadmodule", "/other.so"], &["redis-server", "--loadmodule", "/other.so"]),
    ] {
        assert_eq!(started("redis-server", words), [server_words, &LOAD].concat(), "{words:?}");
    }
    assert_eq!(started("valkey-server", &["--port", "1"]), [&["valkey-server", "--port", "1"], &LOAD[..]].concat());
}

#[test]
fn what_starts_no_server_is_left_as_it_is() {
    for words in [
        &["redis-cli", "PING"][..],
        &["sh", "-c", "redis-server --version"],
        &["redis-sentinel", "/sentinel.conf"],
        &["redis-server", "/sentinel.conf", "--sentinel"],
        &["redis-server", "--version"],
        &["redis-server", "--test-memory", "10"],
    ] {
        assert_eq!(started("redis-server", words), words);
    }
    assert_eq!(started("redis-server", &["--help"]), ["redis-server", "--help"]);
}

#[test]
fn a_module_that_is_named_already_is_not_loaded_twice() {
    let words = ["redis-server", "--loadmodule", "/mine/libegg.so"];
    assert_eq!(started("redis-server", &words), words);
    let directory = Directory::default();
    let config = directory.0.join("my.conf");
    let config = config.to_str().expect("a path");
    for (line, is_loaded) in [
        ("loadmodule /mine/libegg.so", true),
        ("\tLoadModule  \"/mine/libegg.so\"", true),
        ("# loadmodule /mine/libegg.so", false),
        ("loadmodule /mine/other.so", false),
    ] {
        fs::write(config, format!("port 7000\n{line}\n")).expect("a file");
        let added = if is_loaded { &[][..] } else { &LOAD };
        assert_eq!(started("redis-server", &[config]), [&["redis-server", config], added].concat(), "{line}");
    }
}

#[test]
fn an_image_without_an_entry_point_of_its_own_will_do() {
    for server in ["redis-server", "valkey-server"] {
        let run = |words: &[&str]| run(&[(server, "printf '%s\\n' \"${0##*/}\" \"$@\"")], words);
        for (words, expected) in [
            (&[][..], &[&[server], &LOAD[..]].concat()),
            (&["--port", "1"], &[&[server, "--port", "1"], &LOAD[..]].concat()),
            (&[server, "/my.conf"], &[&[server, "/my.conf"], &LOAD[..]].concat()),
            (&[server, "--version"], &vec![server, "--version"]),
        ] {
            let output = run(words);
            assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(lines(&output.stdout), *expected, "{words:?}");
        }
    }
}

#[test]
fn an_image_without_a_server_is_told_so() {
    for words in [&[][..], &["--port", "1"]] {
        let output = run(&[], words);
        assert_eq!(output.status.code(), Some(127));
        let expected = ["egg-entrypoint: this image has neither redis-server nor valkey-server"];
        assert_eq!(lines(&output.stderr), expected);
    }
}

/// Debian's podman and buildah look nowhere for a short name.
#[test]
fn base_images_are_named_in_full() {
    let dockerfile =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Dockerfile")).expect("a Dockerfile");
    let defaults: Vec<_> = dockerfile.lines().filter(|line| line.starts_with("ARG ") && line.contains(":")).collect();
    assert_eq!(
        defaults,
        ["ARG BUILDER=docker.io/library/rust:1-bookworm", "ARG SERVER=docker.io/library/redis:7.4-bookworm"]
    );
    let from: Vec<_> = dockerfile.lines().filter(|line| line.starts_with("FROM ")).collect();
    assert_eq!(from, ["FROM ${BUILDER} AS build", "FROM ${SERVER}"]);
}
