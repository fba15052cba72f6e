//! What 0.1.0 wrote, kept in tests/fixtures: any server replays it, with the module of today and without.
//!
//! Recorded once, by `EGG_OLD_MODULE=/path/to/libegg.so cargo test --test it -- --ignored recorded`: for each server the
//! append only file after calls of every command (`.aof`), which replicas were sent byte for byte, and what the master then
//! held (`.state`).

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{calls, old_module};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::wire::Wire;

each_server! { an_append_only_file_is_replayed, a_replication_stream_is_replayed }

const RECORDED: [(Kind, &str); 3] =
    [(Kind::Redis74, "redis-7.4"), (Kind::Redis82, "redis-8.2"), (Kind::Valkey91, "valkey-9.1")];

fn fixture(server: &str, kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/0.1.0/{server}.{kind}"))
}

fn read(server: &str, kind: &str) -> Vec<u8> {
    let path = fixture(server, kind);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Holds a server against what the master of this name held.
fn assert_same(server: &Server, recorded: &str) {
    let mut expected = String::from_utf8(read(recorded, "state")).expect("text");
    // The one thing that is not in the data: Redis 8.2 knows better what a group has left that lost entries unread.
    let [right, wrong] = [3, 4].map(|lag| format!("27 group h last-delivered-id \"2-0\" entries-read 2 lag {lag}\n"));
    let [from, to] = if server.kind() == Kind::Redis82 { [wrong, right] } else { [right, wrong] };
    expected = expected.replace(&from, &to);
    let state = calls::picture(&mut server.connect());
    let differs = expected.lines().zip(state.lines()).find(|(expected, line)| expected != line);
    assert_eq!(differs, None, "{recorded} on {:?}", server.kind());
    assert_eq!(state, expected, "{recorded} on {:?}", server.kind());
    // Both sides are there: it is no comparison of nothing.
    assert!(state.lines().count() > 300 && state.contains(" lag "), "{state}");
}

fn an_append_only_file_is_replayed(kind: Kind) {
    for (_, recorded) in RECORDED {
        let mut server = calls::options(kind).start();
        server.kill();
        fs::write(server.aof_file(), read(recorded, "aof")).expect("it can be written");
        server.restart();
        assert_same(&server, recorded);
        let mut server = Options::new(kind).without_module().aof().start();
        server.kill();
        fs::write(server.aof_file(), read(recorded, "aof")).expect("it can be written");
        server.restart();
        assert_same(&server, recorded);
    }
}

fn a_replication_stream_is_replayed(kind: Kind) {
    for (_, recorded) in RECORDED {
        for options in [calls::options(kind), Options::new(kind).without_module()] {
            let server = options.start();
            let replies = Wire::connect(&server).exchange(read(recorded, "aof"));
            let replies = String::from_utf8_lossy(&replies);
            let error = replies.lines().find(|line| line.starts_with('-'));
            assert_eq!(error, None, "{recorded} on {kind:?}");
            assert_same(&server, recorded);
        }
    }
}

/// A connection that is sent what replicas are sent, from now on.
fn follow(server: &Server) -> UnixStream {
    let mut stream = UnixStream::connect(server.path("socket")).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout can be set");
    stream.write_all(b"SYNC\r\n").expect("it takes the command");
    let line = loop {
        let line = read_line(&mut stream);
        // Empty lines keep the connection alive until the data set comes.
        if !line.is_empty() {
            break line;
        }
    };
    let length = line.strip_prefix('$').and_then(|length| length.parse().ok()).unwrap_or_else(|| panic!("{line}"));
    stream.read_exact(&mut vec![0; length]).expect("the data set");
    stream
}

fn read_line(stream: &mut UnixStream) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") {
        stream.read_exact(&mut byte).expect("a line");
        line.push(byte[0]);
    }
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

#[test]
#[ignore = "records the files in tests/fixtures, with the module that EGG_OLD_MODULE names"]
fn record() {
    assert!(std::env::var_os("EGG_OLD_MODULE").is_some(), "EGG_OLD_MODULE names no module");
    const END: &[u8] = b"*3\r\n$3\r\nSET\r\n$3\r\nend\r\n$1\r\n1\r\n";
    for (kind, name) in RECORDED {
        let options = calls::options(kind).module(old_module()).line("repl-diskless-sync no");
        let server = options.start();
        let mut client = server.connect();
        let mut replica = follow(&server);
        calls::make(&mut client, |client, call| client.all(&[call]));
        client.all(&["SET end 1"]);
        let mut stream = Vec::new();
        let mut piece = [0; 65536];
        while !stream.ends_with(END) {
            let length = replica.read(&mut piece).expect("the server sends");
            stream.extend(&piece[..length]);
        }
        fs::create_dir_all(fixture(name, "aof").parent().expect("a folder")).expect("a folder");
        let file = fs::read(server.aof_file()).expect("it can be read");
        // A replica may be pinged in between.
        let sent = String::from_utf8(stream).expect("text").replace("*1\r\n$4\r\nping\r\n", "");
        assert_eq!(sent.replace("*1\r\n$4\r\nPING\r\n", "").into_bytes(), file);
        fs::write(fixture(name, "aof"), file).expect("a file");
        fs::write(fixture(name, "state"), calls::picture(&mut client)).expect("a file");
    }
}
