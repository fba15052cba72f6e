//! No client can flood the log, or an error, by what it names or by how much there is to name.

use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};
use egg_testkit::wire::Wire;

each_server! {
    reaping_ten_thousand_groups_writes_eleven_lines,
    an_error_about_a_thousand_groups_with_long_names_is_one_short_line,
    errors_write_nothing_into_the_log,
}

/// A name of 10 KB, different in its first bytes.
fn long_name(number: usize) -> Vec<u8> {
    let mut name = format!("{number:05}\r\n\0%n\u{1b}").into_bytes();
    name.resize(10_240, 0xff);
    name
}

fn reaping_ten_thousand_groups_writes_eleven_lines(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XGROUP CREATE s g 0 MKSTREAM"]);
    let hostile = |n: usize| if n < 20 { long_name(n) } else { format!("{n}\nforged line").into_bytes() };
    let create = |n: usize| [&b"XGROUP"[..], b"CREATE", b"s", &hostile(n), b"0-1"].map(<[u8]>::to_vec).to_vec();
    client.pipeline(&(0..10_000).map(create).collect::<Vec<_>>());
    let before = server.log().len();
    assert_eq!(client.run("EGG.GROUPREAP s g IDLE 1 EMPTY").array().len(), 10_000);
    let log = server.log();
    let lines: Vec<&str> = log[before..].lines().collect();
    assert_eq!(lines.len(), 11, "{lines:?}");
    assert!(lines[..10].iter().all(|line| line.contains("<egg> destroyed group \"")), "{lines:?}");
    assert!(lines[10].ends_with("<egg> destroyed 9990 more groups of stream \"s\""), "{lines:?}");
    assert!(lines.iter().all(|line| line.len() < 500 && line.bytes().all(|byte| matches!(byte, b' '..=b'~'))));
    // Up to eleven are all named.
    client.pipeline(&(0..10).map(create).collect::<Vec<_>>());
    let before = server.log().len();
    client.run("EGG.GROUPREAP s g IDLE 1 EMPTY");
    assert_eq!(server.log()[before..].lines().filter(|line| line.contains("destroyed group \"")).count(), 10);
    assert_eq!(server.log()[before..].lines().count(), 10);
}

fn an_error_about_a_thousand_groups_with_long_names_is_one_short_line(kind: Kind) {
    let server = Server::start(kind);
    let mut wire = Wire::connect(&server);
    wire.send(&["XGROUP", "CREATE", "s", "g", "0", "MKSTREAM"]);
    for number in 0..1000 {
        assert_eq!(wire.text(&[&b"XGROUP"[..], b"CREATE", b"s", &long_name(number), b"0"]), "+OK\r\n");
    }
    let shown = |number: usize| format!(r#""{number:05}\r\n\x00%n\x1b{}...""#, r"\xff".repeat(53));
    let groups = format!("{}, {}, {} and 997 more; ", shown(0), shown(1), shown(2));
    for call in ["EGG.GROUPGUARD s g", "EGG.ACKDEL s g IDS 1 1-0", "EGG.ACKMOVE s g d IDS 1 1-0"] {
        let reply = wire.text(&egg_testkit::client::words(call));
        assert!(reply.starts_with("-FOREIGNGROUP ") && reply.contains(&groups) && reply.len() < 1600, "{reply}");
        assert_eq!(reply.find("\r\n"), Some(reply.len() - 2), "{reply:?}");
    }
    let nogroup = wire.text(&[&b"EGG.ACKDEL"[..], &long_name(1), &long_name(2), b"IDS", b"1", b"1-0"]);
    assert!(nogroup.starts_with("-NOGROUP ") && nogroup.len() < 700, "{nogroup}");
}

fn errors_write_nothing_into_the_log(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g"]);
    client.all(&["SET w x", "ACL SETUSER u on nopass ~* +@all -xadd -xtrim -xgroup"]);
    let mut user = server.connect();
    user.all(&["AUTH u p"]);
    let before = server.log();
    for call in [
        "EGG.ACKDEL s none IDS 1 1-0",
        "EGG.ACKDEL s g IDS 1 bad",
        "EGG.ACKMOVE s g w IDS 1 1-0",
        "EGG.GROUPREAP s g IDLE 0",
        "EGG.TRIM w",
        "EGG.TRIM s",
        "EGG.ADD s * f v",
        "EGG.GROUPREAP s g IDLE 1",
        "EGG.PINS w",
    ] {
        for _ in 0..100 {
            assert!(matches!(user.run(call), egg_testkit::client::Reply::Error(_)), "{call}");
        }
    }
    assert_eq!(server.log(), before);
}
