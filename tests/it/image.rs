//! The entry point of the container image: every way to start a server loads the module. (`make test-image` does it for real.)

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use crate::harness::Directory;

const LOAD: [&str; 2] = ["--loadmodule", "/usr/local/lib/redis/modules/libegg.so"];

/// What the entry point hands to the base image's own, where this server is the one that is installed.
fn started(server: &str, words: &[&str]) -> Vec<String> {
    let directory = Directory::new();
    for name in ["docker-entrypoint.sh", server] {
        let path = directory.0.join(name);
        fs::write(&path, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n").expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
    let grep = ["/usr/bin/grep", "/bin/grep"].into_iter().find(|path| Path::new(path).exists()).expect("grep");
    symlink(grep, directory.0.join("grep")).expect("a link");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("image/entrypoint");
    let output = Command::new("/bin/sh").arg(script).args(words).env("PATH", &directory.0).output().expect("sh");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
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
    let directory = Directory::new();
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
