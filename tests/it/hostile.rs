//! Any bytes in any argument: the server answers one clean line, and stays in step.

use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};
use egg_testkit::wire::Wire;

each_server! {
    any_bytes_in_any_argument_of_any_command,
    any_bytes_in_any_argument_of_moving_and_reaping,
    hostile_names_work_as_names,
    hostile_names_of_other_groups_cannot_forge_a_reply,
    hostile_names_cannot_forge_a_line_of_the_log,
}

/// Each with the way in which an error shows it.
fn hostile() -> Vec<(Vec<u8>, String)> {
    let long = |byte: u8, shown: &str| (vec![byte; 1 << 20], shown.repeat(64) + "...");
    let some = |bytes: &[u8], shown: &str| (bytes.to_vec(), shown.to_owned());
    vec![
        some(b"\0", r"\x00"),
        some(b"a\0b", r"a\x00b"),
        some(b"\r\n", r"\r\n"),
        some(b"\r\n-ERR forged\r\n+OK\r\n", r"\r\n-ERR forged\r\n+OK\r\n"),
        some("\u{100}".as_bytes(), r"\xc4\x80"),
        some("一".as_bytes(), r"\xe4\xb8\x80"),
        some(b"%s", "%s"),
        some(b"%n%n%n%s%s%s", "%n%n%n%s%s%s"),
        some(b"\xff", r"\xff"),
        some(b"\x1b[2J\x7f", r"\x1b[2J\x7f"),
        some(b"'\"\\", r#"'\"\\"#),
        some(b"", ""),
        long(b'a', "a"),
        long(0, r"\x00"),
        long(0xff, r"\xff"),
    ]
}

fn any_bytes_in_any_argument_of_any_command(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(2, &["g"]);
    let before = client.state("s");
    let mut wire = Wire::connect(&server);
    let nogroup = |key: &str, group: &str| format!("-NOGROUP No such key '{key}' or consumer group '{group}'\r\n");
    let syntax = || "-ERR syntax error\r\n".to_owned();
    for (bytes, shown) in hostile() {
        let ackdel = ["EGG.ACKDEL", "s", "g", "ACKED", "IDS", "2", "1-0", "2-0"].map(str::as_bytes);
        for (position, expected) in [
            (1, nogroup(&shown, "g")),
            (2, nogroup("s", &shown)),
            (3, syntax()),
            (4, syntax()),
            (5, "-ERR Number of IDs must be a positive integer\r\n".to_owned()),
            (6, "-ERR Invalid stream ID specified as stream command argument\r\n".to_owned()),
            (7, "-ERR Invalid stream ID specified as stream command argument\r\n".to_owned()),
        ] {
            let mut words = ackdel;
            words[position] = &bytes;
            assert_eq!(wire.text(&words), expected, "{shown} at {position}");
        }
        let trailing = [&ackdel[..], &[&bytes[..]]].concat();
        assert_eq!(wire.text(&trailing), syntax(), "{shown} at the end");
        let guard = [&b"EGG.GROUPGUARD"[..], &bytes, b"g"];
        assert_eq!(wire.text(&guard), nogroup(&shown, "g"), "{shown}");
        let guard = [&b"EGG.GROUPGUARD"[..], b"s", &bytes];
        assert_eq!(wire.text(&guard), nogroup("s", &shown), "{shown}");
        let arity = |name: &str| format!("-ERR wrong number of arguments for '{name}' command\r\n");
        assert_eq!(wire.text(&[&b"EGG.VERSION"[..], &bytes]), arity("egg.version"), "{shown}");
        assert_eq!(wire.text(&[&guard[..], &[&bytes[..]]].concat()), arity("egg.groupguard"), "{shown}");
        assert_eq!(wire.text(&[&b"EGG.ACKDEL"[..], &bytes, &bytes]), arity("egg.ackdel"), "{shown}");
        assert_eq!(wire.text(&[&b"EGG.ACKDEL"[..], &bytes[..], &bytes, &bytes, &bytes, &bytes]), syntax(), "{shown}");
    }
    assert_eq!(client.state("s"), before);
}

fn any_bytes_in_any_argument_of_moving_and_reaping(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(2, &["g", "h"]);
    let before = client.state("s");
    let mut wire = Wire::connect(&server);
    let line = |text: &str| format!("-{text}\r\n");
    let nogroup = |key: &str, group: &str| line(&format!("NOGROUP No such key '{key}' or consumer group '{group}'"));
    let (syntax, invalid_id) =
        (line("ERR syntax error"), line("ERR Invalid stream ID specified as stream command argument"));
    // With a bad id at the end, where the others would be in order.
    let ackmove = "EGG.ACKMOVE s g d ACKED OWNER c MINDELIVERIES 1 MAXLEN ~ 9 LIMIT 9 META SET 1 f v IDS 2 1-0 bad";
    let groupreap = "EGG.GROUPREAP s g IDLE 86400000 MATCH x FORCE DRYRUN";
    for (bytes, shown) in hostile() {
        let mut check = |call: &str, position: usize, expected: &str| {
            let mut words: Vec<_> = call.split(' ').map(str::as_bytes).collect();
            if position < words.len() {
                words[position] = &bytes;
            } else {
                words.push(&bytes);
            }
            assert_eq!(wire.text(&words), expected, "{shown} at {position} of {call}");
        };
        let integer = line("ERR value is not an integer or out of range");
        for (position, expected) in [
            (1, &invalid_id),
            (2, &invalid_id),
            (3, &invalid_id),
            (4, &syntax),
            (5, &syntax),
            (6, &invalid_id),
            (7, &syntax),
            (8, &line("ERR MINDELIVERIES must be a positive integer")),
            (9, &syntax),
            (10, &integer),
            (11, &integer),
            (12, &syntax),
            (13, &integer),
            (14, &syntax),
            (15, &syntax),
            (16, &line("ERR Number of pairs must be a positive integer")),
            (17, &invalid_id),
            (18, &invalid_id),
            (19, &syntax),
            (20, &line("ERR Number of IDs must be a positive integer")),
            (21, &invalid_id),
            (22, &invalid_id),
            (23, &syntax),
        ] {
            check(ackmove, position, expected);
        }
        for (position, expected) in [
            (1, &*nogroup(&shown, "g")),
            (2, &nogroup("s", &shown)),
            (3, &syntax),
            (4, &line("ERR IDLE must be a positive integer")),
            (5, &syntax),
            (6, "*0\r\n"),
            (7, &syntax),
            (8, &syntax),
            (9, &syntax),
        ] {
            check(groupreap, position, expected);
        }
        check("EGG.PINS s", 1, "*0\r\n");
        check("EGG.PINS s", 2, &line("ERR wrong number of arguments for 'egg.pins' command"));
        check("EGG.ACKDEL s g OWNER c IDS 2 1-0 bad", 4, &invalid_id);
        check("EGG.ACKMOVE s g d IDS 1 1-0", 1, &nogroup(&shown, "g"));
        check("EGG.ACKMOVE s g d IDS 1 1-0", 2, &nogroup("s", &shown));
    }
    assert_eq!(client.state("s"), before);
    assert_eq!(client.run("DBSIZE"), 1);
}

fn hostile_names_work_as_names(kind: Kind) {
    let server = Server::start(kind);
    let mut wire = Wire::connect(&server);
    for (name, shown) in hostile() {
        let name = &name[..];
        assert_eq!(wire.text(&[&b"XADD"[..], name, b"1-0", b"f", b"v"]), "$3\r\n1-0\r\n");
        assert_eq!(wire.text(&[&b"XGROUP"[..], b"CREATE", name, name, b"0"]), "+OK\r\n");
        wire.send(&[&b"XREADGROUP"[..], b"GROUP", name, name, b"STREAMS", name, b">"]);
        assert_eq!(wire.text(&[&b"EGG.GROUPGUARD"[..], name, name]), "+OK\r\n", "{shown}");
        assert_eq!(
            wire.text(&[&b"EGG.ACKDEL"[..], name, name, b"IDS", b"2", b"1-0", b"2-0"]),
            "*2\r\n:1\r\n:-1\r\n",
            "{shown}"
        );
        assert_eq!(wire.text(&[&b"XLEN"[..], name]), ":0\r\n", "{shown}");
        wire.send(&[&b"XADD"[..], name, b"3-0", name, name]);
        wire.send(&[&b"XREADGROUP"[..], b"GROUP", name, name, b"STREAMS", name, b">"]);
        let field = [&b"moved "[..], name].concat();
        let moving = [&b"EGG.ACKMOVE"[..], name, name, &field, b"META", b"OWNER", name, b"SET", b"1", &field, name];
        let reply = wire.text(&[&moving[..], &[&b"IDS"[..], b"1", b"3-0"]].concat());
        assert!(reply.starts_with("*1\r\n$"), "{shown}: {reply}");
        let entry = wire.send(&[&b"XRANGE"[..], &field, b"-", b"+"]);
        let bulk = |bytes: &[u8]| [format!("${}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
        let copied =
            [bulk(name), bulk(name), bulk(&field), bulk(name), bulk(b"egg-source-stream"), bulk(name)].concat();
        assert!(entry.windows(copied.len()).any(|window| window == copied), "{shown}");
        assert_eq!(wire.text(&[&b"DEL"[..], &field]), ":1\r\n");
    }
}

fn hostile_names_of_other_groups_cannot_forge_a_reply(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g"]);
    let mut wire = Wire::connect(&server);
    for (name, shown) in hostile() {
        let name = &name[..];
        assert_eq!(wire.text(&[&b"XGROUP"[..], b"CREATE", b"s", name, b"0"]), "+OK\r\n");
        for words in [&["EGG.GROUPGUARD", "s", "g"][..], &["EGG.ACKDEL", "s", "g", "IDS", "1", "1-0"]] {
            let reply = wire.text(words);
            let start = format!("-FOREIGNGROUP the stream has other consumer groups: \"{shown}\"; ");
            assert!(reply.starts_with(&start), "{reply}");
            let line = reply.strip_suffix("\r\n").unwrap_or_default();
            assert!(line.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{reply}");
        }
        // The other policies have to call that group by its name.
        assert_eq!(
            wire.text(&[&b"EGG.ACKDEL"[..], b"s", b"g", b"ACKED", b"IDS", b"1", b"9-0"]),
            "*1\r\n:-1\r\n",
            "{shown}"
        );
        wire.send(&[&b"XREADGROUP"[..], b"GROUP", name, b"c", b"STREAMS", b"s", b">"]);
        assert_eq!(
            wire.text(&[&b"EGG.ACKDEL"[..], b"s", b"g", b"DELREF", b"IDS", b"1", b"1-0"]),
            "*1\r\n:1\r\n",
            "{shown}"
        );
        assert!(wire.text(&[&b"XPENDING"[..], b"s", name]).starts_with("*4\r\n:0\r\n"), "{shown}");
        assert_eq!(wire.text(&[&b"XGROUP"[..], b"DESTROY", b"s", name]), ":1\r\n");
        client.run("DEL s");
        client.stream(1, &["g"]);
    }
}

fn hostile_names_cannot_forge_a_line_of_the_log(kind: Kind) {
    for (name, shown) in hostile() {
        // One server each: only the first refusal of ten seconds is logged.
        let server = Server::start(kind);
        let mut wire = Wire::connect(&server);
        let name = &name[..];
        wire.send(&[&b"XGROUP"[..], b"CREATE", name, name, b"0", b"MKSTREAM"]);
        wire.send(&[&b"XGROUP"[..], b"CREATE", name, b"another", b"0", b"MKSTREAM"]);
        assert!(wire.text(&[&b"EGG.ACKDEL"[..], name, name, b"IDS", b"1", b"1-0"]).starts_with("-FOREIGNGROUP "));
        let log = server.log();
        let lines: Vec<_> = log.lines().filter(|line| line.contains("FOREIGNGROUP")).collect();
        assert_eq!(lines.len(), 1, "{log}");
        let end =
            format!("refused a call: stream \"{shown}\", group \"{shown}\", which is not alone: there is \"another\"");
        assert!(lines[0].contains("<egg> ") && lines[0].ends_with(&end), "{lines:?}");
    }
}
