//! What holds of the Function library alone: large calls, large ids, memory, replicas, permissions.

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    every_server_takes_the_library_and_shows_the_flags,
    ten_thousand_ids_go_in_one_call,
    ids_above_two_to_the_53_are_told_apart,
    memory_that_is_short_stops_moves_alone,
    a_replica_follows_and_may_be_asked_for_the_guard,
    what_is_replicated_needs_no_library,
    a_user_without_an_inner_command_changes_nothing,
    names_are_bytes,
    an_entry_of_too_many_fields_stays,
    a_number_of_added_entries_that_lua_cannot_hold_is_left_alone,
}

fn with_library(kind: Kind) -> Server {
    Options::new(kind).with_library().start()
}

fn every_server_takes_the_library_and_shows_the_flags(kind: Kind) {
    let server = with_library(kind);
    let list = server.connect().run("FUNCTION LIST LIBRARYNAME egg");
    let mut functions: Vec<(String, Vec<String>)> = list.array()[0]
        .field("functions")
        .array()
        .iter()
        .map(|row| (row.field("name").text(), row.field("flags").array().iter().map(Reply::text).collect()))
        .collect();
    functions.sort();
    let expected = [
        ("egg_ackdel", vec!["allow-oom"]),
        ("egg_ackmove", vec![]),
        ("egg_delex", vec!["allow-oom"]),
        ("egg_groupguard", vec!["no-writes"]),
    ];
    let expected =
        expected.map(|(name, flags)| (name.to_owned(), flags.into_iter().map(str::to_owned).collect::<Vec<_>>()));
    assert_eq!(functions, expected);
    // The module's commands are not there.
    assert!(list.array()[0].field("engine").text().eq_ignore_ascii_case("LUA"));
    assert!(server.connect().send(&["EGG.VERSION"]).error().starts_with("ERR unknown command"));
}

/// A call on the ids `first-0` to `last-0`.
fn call<'a>(start: &'a str, ids: &'a [String]) -> Vec<&'a str> {
    words(start).into_iter().chain(ids.iter().map(String::as_str)).collect()
}

fn ten_thousand_ids_go_in_one_call(kind: Kind) {
    let server = with_library(kind);
    let mut client = server.connect();
    let ids: Vec<String> = (1..=10_000).map(|n| format!("{n}-0")).collect();
    client.stream(10_000, &["g"]);
    assert_eq!(client.send(&call("EGG.ACKDEL s g IDS 10000", &ids)).integers(), [1; 10_000]);
    assert_eq!((client.run("XLEN s"), client.pending("s", "g").len()), (Reply::Integer(0), 0));
    assert_eq!(client.send(&call("EGG.ACKDEL s g IDS 10000", &ids)).integers(), [-1; 10_000]);

    // Another group has the even ones pending.
    client.all(&["DEL s"]);
    client.stream(10_000, &["g", "h"]);
    let odd: Vec<String> = ids.iter().step_by(2).cloned().collect();
    for ids in odd.chunks(1000) {
        client.send(&call("XACK s h", ids));
    }
    let replies = client.send(&call("EGG.ACKDEL s g ACKED IDS 10000", &ids)).integers();
    assert_eq!(replies, (0..10_000).map(|n| 1 + n % 2).collect::<Vec<i64>>());
    assert_eq!((client.run("XLEN s"), client.pending("s", "h").len()), (Reply::Integer(5000), 5000));
    let replies = client.send(&call("EGG.DELEX s DELREF IDS 10000", &ids)).integers();
    assert_eq!(replies, (0..10_000).map(|n| if n % 2 == 1 { 1 } else { -1 }).collect::<Vec<i64>>());
    assert_eq!((client.run("XLEN s"), client.pending("s", "h").len()), (Reply::Integer(0), 0));

    client.all(&["DEL s"]);
    client.stream(10_000, &["g"]);
    let moved = client.send(&call("EGG.ACKMOVE s g d IDS 10000", &ids));
    assert!(moved.array().iter().all(|id| *id != Reply::Nil));
    assert_eq!((client.run("XLEN s"), client.run("XLEN d")), (Reply::Integer(0), Reply::Integer(10_000)));
}

fn ids_above_two_to_the_53_are_told_apart(kind: Kind) {
    let server = with_library(kind);
    let mut client = server.connect();
    // As doubles, neighbours would be the same number.
    let ids = [
        "9007199254740992-9007199254740992",
        "9007199254740992-9007199254740993",
        "9007199254740993-0",
        "18446744073709551614-18446744073709551615",
        "18446744073709551615-0",
    ];
    for id in ids {
        client.send(&["XADD", "s", id, "f", "v"]);
    }
    client.all(&["XGROUP CREATE s g 0"]);
    client.read("g", 4);
    let call = format!("EGG.ACKDEL s g ACKED IDS 3 {} {} {}", ids[0], ids[2], ids[4]);
    assert_eq!(client.run(&call), [1, 1, -1]);
    assert_eq!(client.ids("s"), [ids[1], ids[3], ids[4]]);
    assert_eq!(client.pending("s", "g"), [ids[1], ids[3]]);
    // Read last, with an older one left: the mark goes to the id just below, and lag stays a number.
    assert_eq!(client.run(&format!("EGG.ACKDEL s g IDS 1 {}", ids[3])), [1]);
    let mark = client.run("XINFO STREAM s").field("max-deleted-entry-id").text();
    assert_eq!(mark, "18446744073709551614-18446744073709551614");
    assert_eq!(*client.group("s", "g").field("lag"), 1);
    // Not delivered yet, or pending: needed.
    assert_eq!(client.run(&format!("EGG.DELEX s IDS 2 {} {}", ids[1], ids[4])), [2, 2]);

    client.all(&["XADD d 18446744073709551615-18446744073709551613 f v"]);
    client.read("g", 1);
    let call = format!("EGG.ACKMOVE s g d IDS 2 {} {}", ids[1], ids[4]);
    let moved: Vec<String> = client.run(&call).array().iter().map(Reply::text).collect();
    assert_eq!(
        moved,
        ["18446744073709551614", "18446744073709551615"].map(|seq| format!("18446744073709551615-{seq}"))
    );
}

fn memory_that_is_short_stops_moves_alone(kind: Kind) {
    let server = with_library(kind);
    let mut client = server.connect();
    client.stream(4, &["g"]);
    client.all(&["XADD d 1-0 f v", "CONFIG SET maxmemory-policy noeviction", "CONFIG SET maxmemory 1"]);
    let before = (client.state("s"), client.state("d"));
    assert!(client.run("EGG.ACKMOVE s g d META IDS 1 1-0").error().starts_with("OOM "));
    assert_eq!((client.state("s"), client.state("d")), before);
    // The last one read, with an older one left: mends the lag by XSETID, which would be refused by itself.
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 4-0"), [1]);
    assert_eq!(*client.group("s", "g").field("lag"), 0);
    assert_eq!(client.run("EGG.DELEX s KEEPREF IDS 1 1-0"), [1]);
    assert_eq!(client.run("EGG.GROUPGUARD s g"), "OK");
}

fn a_replica_follows_and_may_be_asked_for_the_guard(kind: Kind) {
    let master = Options::new(kind).with_library().tcp().start();
    let replica = Options::new(kind).without_module().tcp().start();
    replica.replicate(&master);
    let mut client = master.connect();
    client.stream(6, &["g", "h"]);
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 2 1-0 2-0"), [2, 2]);
    assert_eq!(client.run("EGG.ACKDEL s h DELREF IDS 2 5-0 6-0"), [1, 1]);
    client.run("EGG.ACKMOVE s h d ACKED META IDS 2 3-0 4-0");
    assert_eq!(client.run("EGG.DELEX s IDS 6 1-0 2-0 3-0 4-0 5-0 6-0"), [2, 2, 2, 2, -1, -1]);
    replica.wait_in_step(&master);
    let mut other = replica.connect();
    for key in ["s", "d"] {
        assert_eq!(other.entries(key), client.entries(key), "{key}");
        assert_eq!(other.send(&["XINFO", "GROUPS", key]), client.send(&["XINFO", "GROUPS", key]), "{key}");
    }
    // Functions come with the data.
    assert!(other.run("FCALL_RO egg_groupguard 1 s g").error().starts_with("FOREIGNGROUP "));
    assert!(other.run("FCALL egg_ackdel 1 s g ACKED IDS 1 1-0").error().starts_with("READONLY "));
    client.run("XGROUP DESTROY s h");
    replica.wait_in_step(&master);
    assert_eq!(other.run("FCALL_RO egg_groupguard 1 s g"), "OK");
}

fn what_is_replicated_needs_no_library(kind: Kind) {
    let server = Options::new(kind).with_library().aof().start();
    let mut client = server.connect();
    client.stream(3, &["g"]);
    let commands = server.propagated(|| assert_eq!(client.run("EGG.ACKDEL s g IDS 2 3-0 9-0"), [1, -1]));
    let mended = "XSETID s 3-0 ENTRIESADDED 3 MAXDELETEDID 2-18446744073709551615";
    assert_eq!(commands, ["MULTI", "XACK s g 3-0", "XDEL s 3-0", mended, "EXEC"]);
    let commands = server.propagated(|| assert_eq!(client.run("EGG.ACKDEL s g IDS 1 9-0"), [-1]));
    assert_eq!(commands, [""; 0]);
}

fn a_user_without_an_inner_command_changes_nothing(kind: Kind) {
    let server = with_library(kind);
    let mut client = server.connect();
    client.stream(3, &["g", "h"]);
    client.all(&["XADD d 1-0 f v", "XGROUP CREATE d g 0"]);
    let before = (client.state("s"), client.state("d"));
    let mut user = server.connect();
    let mut refused = |without: &str, call: &str, text: &str| {
        client.all(&[&format!("ACL SETUSER u reset on nopass ~* +@all -{without}")]);
        user.all(&["AUTH u x"]);
        assert_eq!(user.run(call), Reply::Error(text.to_owned()), "{call} without {without}");
        assert_eq!((client.state("s"), client.state("d")), before, "{call} without {without}");
    };
    let ackdel = "EGG.ACKDEL s g DELREF IDS 2 1-0 2-0";
    let delex = "EGG.DELEX s DELREF IDS 2 1-0 2-0";
    let ackmove = "EGG.ACKMOVE s g d ACKED META MAXLEN 1 IDS 2 1-0 2-0";
    for command in ["xack", "xdel", "xsetid", "xpending", "xrange", "xinfo|groups", "xinfo|stream"] {
        let text = format!("NOPERM User u has no permissions to run the '{command}' command");
        for call in [ackdel, delex, ackmove] {
            refused(command, call, &text);
        }
    }
    for command in ["xadd", "xtrim", "xlen", "time"] {
        let text = format!("NOPERM User u has no permissions to run the '{command}' command");
        refused(command, ackmove, &text);
    }
    refused("fcall", ackdel, "NOPERM User u has no permissions to run the 'fcall' command");
    client.all(&["ACL SETUSER u reset on nopass ~s +@all"]);
    user.all(&["AUTH u x"]);
    assert_eq!(user.run(ackmove).error(), "NOPERM No permissions to access a key");
    assert_eq!((client.state("s"), client.state("d")), before);
    assert_eq!(user.run(ackdel), [1, 1]);
}

fn names_are_bytes(kind: Kind) {
    let server = with_library(kind);
    let mut client = server.connect();
    let (key, group, consumer) = (&b"k\0\r\n\xff"[..], &b"g\0\"\\\x1b"[..], &b"c\xfe\0"[..]);
    client.send::<&[u8]>(&[b"XADD", key, b"1-0", b"f\0", b"v\xff\r\n"]);
    client.send::<&[u8]>(&[b"XGROUP", b"CREATE", key, group, b"0"]);
    client.send::<&[u8]>(&[b"XREADGROUP", b"GROUP", group, consumer, b"STREAMS", key, b">"]);
    assert_eq!(client.send::<&[u8]>(&[b"EGG.GROUPGUARD", key, group]), "OK");
    let error = client.send::<&[u8]>(&[b"EGG.GROUPGUARD", key, b"\r\n-ERR %s\xff"]);
    let shown = r#"NOGROUP No such key 'k\x00\r\n\xff' or consumer group '\r\n-ERR %s\xff'"#;
    assert_eq!(error, Reply::Error(shown.to_owned()));
    assert_eq!(client.send::<&[u8]>(&[b"EGG.ACKDEL", key, group, b"OWNER", b"c", b"IDS", b"1", b"1-0"]), [0]);
    client.send::<&[u8]>(&[b"XGROUP", b"CREATE", key, b"other\0\r\n", b"$"]);
    let refused = client.send::<&[u8]>(&[b"EGG.ACKDEL", key, group, b"IDS", b"1", b"1-0"]);
    assert!(refused.error().starts_with(r#"FOREIGNGROUP the stream has other consumer groups: "other\x00\r\n"; "#));
    let words: [&[u8]; 10] = [b"EGG.ACKMOVE", key, group, b"d\xff", b"ACKED", b"OWNER", consumer, b"IDS", b"1", b"1-0"];
    assert_eq!(client.send(&words).array().len(), 1);
    let copies = client.send::<&[u8]>(&[b"XRANGE", &b"d\xff"[..], b"-", b"+"]);
    let fields = copies.array()[0].array()[1].clone();
    assert_eq!(fields, Reply::Array([&b"f\0"[..], b"v\xff\r\n"].map(|text| Reply::Text(text.to_vec())).into()));
    assert_eq!(client.send::<&[u8]>(&[&b"XLEN"[..], key]), 0);
}

/// Adds an entry of so many fields, read by `g`.
fn wide(client: &mut Client, fields: usize) {
    client.all(&["DEL s", "XGROUP CREATE s g 0 MKSTREAM", "XADD s 1-0 f v"]);
    let mut words = words("XADD s 2-0");
    words.extend(["f", "v"].repeat(fields));
    client.send(&words);
    client.read("g", 2);
}

fn an_entry_of_too_many_fields_stays(kind: Kind) {
    let server = with_library(kind);
    let mut client = server.connect();
    wide(&mut client, 3501);
    let before = client.state("s");
    assert_eq!(
        client.run("EGG.ACKMOVE s g d IDS 2 1-0 2-0"),
        Reply::Error("ERR Elements are too large to be stored".to_owned())
    );
    assert_eq!((client.state("s"), client.run("EXISTS d")), (before, Reply::Integer(0)));
    assert_eq!(client.run("EGG.ACKDEL s g IDS 2 1-0 2-0"), [1, 1]);
    wide(&mut client, 3500);
    assert_eq!(client.run("EGG.ACKMOVE s g d IDS 2 1-0 2-0").array().len(), 2);
    assert_eq!((client.run("XLEN s"), client.run("XLEN d")), (Reply::Integer(0), Reply::Integer(2)));
}

fn a_number_of_added_entries_that_lua_cannot_hold_is_left_alone(kind: Kind) {
    let server = with_library(kind);
    let mut client = server.connect();
    for (added, mark) in [("9007199254740991", "1-18446744073709551615"), ("9007199254740993", "2-0")] {
        client.all(&["DEL s"]);
        client.stream(2, &["g"]);
        client.all(&[&format!("XSETID s 2-0 ENTRIESADDED {added} MAXDELETEDID 0-0")]);
        assert_eq!(client.run("EGG.ACKDEL s g IDS 1 2-0"), [1]);
        let info = client.run("XINFO STREAM s");
        assert_eq!(info.field("entries-added").integer().to_string(), added);
        assert_eq!(info.field("max-deleted-entry-id").text(), mark);
    }
}
