//! EGG.ACKMOVE: what it refuses, in which order, and that a refused call has changed nothing anywhere.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    errors_come_in_order_and_change_nothing,
    the_guard_refuses_as_a_whole,
    a_destination_without_ids_left_refuses_as_a_whole,
    a_server_out_of_memory_refuses_as_a_whole,
    nothing_is_reported_to_others_of_a_call_that_moves_nothing,
}

const LAST: &str = "18446744073709551615-18446744073709551615";
const LAST_BUT_ONE: &str = "18446744073709551615-18446744073709551614";
const SYNTAX: &str = "ERR syntax error";
const WRONGTYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
const INVALID_ID: &str = "ERR Invalid stream ID specified as stream command argument";
const NUMIDS: &str = "ERR Number of IDs must be a positive integer";
const NUMIDS_MISMATCH: &str = "ERR The `numids` parameter must match the number of arguments";
const NUMPAIRS: &str = "ERR Number of pairs must be a positive integer";
const NUMPAIRS_MISMATCH: &str = "ERR The `numpairs` parameter must match the number of arguments";
const MINDELIVERIES: &str = "ERR MINDELIVERIES must be a positive integer";
const EXHAUSTED: &str = "ERR The destination stream has exhausted the last possible ID, unable to add more items";

/// All that a call could have changed.
fn state(client: &mut Client) -> Vec<Reply> {
    let mut all: Vec<_> = ["s", "d", "last", "text"].iter().flat_map(|key| client.state(key)).collect();
    all.push(client.run("DBSIZE"));
    all
}

fn refused(client: &mut Client, call: &str, expected: &str) {
    let before = state(client);
    assert_eq!(client.run(call), Reply::Error(expected.to_owned()), "{call}");
    assert_eq!(state(client), before, "{call}");
}

fn errors_come_in_order_and_change_nothing(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g", "h"]);
    client.all(&["SET text x", &format!("XADD last {LAST} f v"), "XADD d 5-0 f v", "XGROUP CREATE d dg 0"]);
    let arity = "ERR wrong number of arguments for 'egg.ackmove' command";
    for call in ["EGG.ACKMOVE", "EGG.ACKMOVE s g", "EGG.ACKMOVE text g d IDS 1", "EGG.ACKMOVE s g d IDS 1"] {
        refused(&mut client, call, arity);
    }
    let form = "ERR syntax error, ids are given as IDS numids id [id ...]";
    for call in ["EGG.ACKMOVE s g d 1-0", "EGG.ACKMOVE text g d META 1-0", "EGG.ACKMOVE s g d META 1-0 2-0 3-0"] {
        refused(&mut client, call, form);
    }
    // Everything behind the first error is wrong, too.
    for call in
        ["text none last FOO IDS 0 bad", "s none text FOO IDS 0 bad", "text g text IDS 1 1-0", "s g text IDS 1 1-0"]
    {
        refused(&mut client, &format!("EGG.ACKMOVE {call}"), WRONGTYPE);
    }
    for (options, error) in [
        ("FOO IDS 0 bad", SYNTAX),
        ("META META IDS 0 bad", SYNTAX),
        ("ACKED DELREF IDS 0 bad", SYNTAX),
        ("OWNER c OWNER c IDS 0 bad", SYNTAX),
        ("MINDELIVERIES 1 MINDELIVERIES 1 IDS 0 bad", SYNTAX),
        ("SET 1 a b SET 1 a b IDS 0 bad", SYNTAX),
        ("IGNOREIDLE 5 IDS 1 bad", SYNTAX),
        ("IDS 1 bad OWNER", SYNTAX),
        ("IDS 1 bad SET", SYNTAX),
        ("IDS 1 bad MINDELIVERIES", SYNTAX),
        ("IDS 1 bad MAXLEN", SYNTAX),
        ("IDS 1 bad 2-0", SYNTAX),
        ("META OWNER c", SYNTAX),
        ("IDS 0 bad", NUMIDS),
        ("IDS -1 bad FOO", NUMIDS),
        ("IDS 2 bad", NUMIDS_MISMATCH),
        ("SET 0 IDS 0 bad", NUMPAIRS),
        ("SET x a b IDS 0 bad", NUMPAIRS),
        ("SET 9223372036854775807 a b IDS 0 bad", NUMPAIRS_MISMATCH),
        ("SET 3 a b IDS 0", NUMPAIRS_MISMATCH),
        ("SET 1 a b c IDS 0 bad", SYNTAX),
        ("MINDELIVERIES 0 IDS 0 bad", MINDELIVERIES),
        ("MINDELIVERIES -1 IDS 0 bad", MINDELIVERIES),
        ("MINDELIVERIES 9223372036854775808 IDS 0 bad", MINDELIVERIES),
        ("MAXLEN x IDS 0 bad", "ERR value is not an integer or out of range"),
        ("MAXLEN -1 IDS 0 bad", "ERR The MAXLEN argument must be >= 0."),
        ("MINID ~ x IDS 0 bad", INVALID_ID),
        (
            "MAXLEN 1 MINID 1 IDS 0 bad",
            "ERR syntax error, MAXLEN and MINID options at the same time are not compatible",
        ),
        ("MAXLEN 1 LIMIT 5 IDS 1 bad", "ERR syntax error, LIMIT cannot be used without the special ~ option"),
        ("LIMIT 5 IDS 1 bad", "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy"),
        ("MAXLEN ~ 1 LIMIT -1 IDS 1 bad", "ERR The LIMIT argument must be >= 0."),
        ("IDS 1 bad", INVALID_ID),
        ("IDS 2 1-0 -", INVALID_ID),
        ("MAXLEN 0 META IDS 3 1-0 2-0 1-0-0", INVALID_ID),
    ] {
        for names in ["s none last", "none g last", "s g last"] {
            refused(&mut client, &format!("EGG.ACKMOVE {names} {options}"), error);
        }
    }
    let nogroup = |key: &str, group: &str| format!("NOGROUP No such key '{key}' or consumer group '{group}'");
    for (key, group) in [("s", "none"), ("none", "g"), ("last", "g"), ("d", "g")] {
        refused(&mut client, &format!("EGG.ACKMOVE {key} {group} last IDS 1 1-0"), &nogroup(key, group));
    }
    let reply = client.run("EGG.ACKMOVE s g last IDS 1 1-0");
    assert!(reply.error().starts_with("FOREIGNGROUP "), "{reply:?}");
    refused(&mut client, "EGG.ACKMOVE s g last ACKED IDS 1 1-0", EXHAUSTED);
    // What cannot be moved needs no room.
    assert_eq!(client.run("EGG.ACKMOVE s g last ACKED IDS 1 9-0"), Reply::Array(vec![Reply::Nil]));
}

fn the_guard_refuses_as_a_whole(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g", "h"]);
    client.all(&["XADD d 5-0 f v"]);
    let expected = "FOREIGNGROUP the stream has other consumer groups: \"h\"; nothing was acknowledged or deleted. Repeat the \
                    call with ACKONLY (acknowledge, keep the entry) or ACKED (delete it once no group needs it). EGG.PINS shows \
                    what each group needs, EGG.GROUPREAP destroys groups that nobody uses. Last, XGROUP DESTROY a group that \
                    you know to be left over";
    for destination in ["d", "new", "s"] {
        for options in ["", "REJECT", "META MAXLEN 0 SET 1 a b OWNER c"] {
            refused(&mut client, &format!("EGG.ACKMOVE s g {destination} {options} IDS 2 1-0 2-0"), expected);
        }
    }
    let warning = "FOREIGNGROUP: refused a call: stream \"s\", group \"g\", which is not alone: there is \"h\"";
    assert_eq!(server.log().lines().filter(|line| line.ends_with(warning)).count(), 1);
    assert_eq!(client.info("egg", "egg_ackmove_refused"), "9");
    // The groups of the destination are nobody's concern, and one by the name of the caller's is another one.
    client.all(&["XGROUP DESTROY s h", "XGROUP CREATE d h 0", "XGROUP CREATE d g 0"]);
    assert_ne!(client.run("EGG.ACKMOVE s g d IDS 1 1-0").array()[0], Reply::Nil);
    assert_eq!((client.ids("s").len(), client.ids("d").len()), (2, 2));
}

fn a_destination_without_ids_left_refuses_as_a_whole(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    client.all(&[&format!("XADD last {LAST_BUT_ONE} f v")]);
    refused(&mut client, "EGG.ACKMOVE s g last MAXLEN 0 IDS 2 1-0 2-0", EXHAUSTED);
    // Only what goes needs an id.
    let one = client.run("EGG.ACKMOVE s g last IDS 3 9-0 1-0 1-0");
    assert_eq!(one, Reply::Array(vec![Reply::Nil, Reply::Text(LAST.into()), Reply::Nil]));
    refused(&mut client, "EGG.ACKMOVE s g last IDS 1 2-0", EXHAUSTED);
    // Deleting the last entry gives no id back, and neither does requeueing.
    client.all(&["XTRIM last MAXLEN 0", &format!("XADD s {LAST} f v")]);
    client.read("g", 1);
    refused(&mut client, "EGG.ACKMOVE s g last IDS 1 2-0", EXHAUSTED);
    refused(&mut client, &format!("EGG.ACKMOVE s g s IDS 1 {LAST}"), EXHAUSTED);
    client.all(&["XADD d 18446744073709551614-18446744073709551615 f v"]);
    let ids: Vec<_> = client.run("EGG.ACKMOVE s g d IDS 2 2-0 3-0").array().iter().map(Reply::text).collect();
    assert_eq!(ids, ["18446744073709551615-0", "18446744073709551615-1"]);
}

fn a_server_out_of_memory_refuses_as_a_whole(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    client.all(&["CONFIG SET maxmemory-policy noeviction", "CONFIG SET maxmemory 1"]);
    let oom = "OOM command not allowed when used memory > 'maxmemory'.";
    for call in
        ["EGG.ACKMOVE s g d IDS 1 1-0", "EGG.ACKMOVE s g s META IDS 1 1-0", "EGG.ACKMOVE s none d FOO IDS 1 1-0"]
    {
        refused(&mut client, call, oom);
    }
    let script = "return redis.pcall('EGG.ACKMOVE', KEYS[1], 'g', KEYS[2], 'IDS', '1', '1-0').err";
    assert!(client.send(&["EVAL", script, "2", "s", "d"]).text().starts_with("OOM "));
    assert_eq!((client.pending("s", "g").len(), client.run("EXISTS d")), (3, Reply::Integer(0)));
    client.all(&["CONFIG SET maxmemory 0"]);
    assert_ne!(client.run("EGG.ACKMOVE s g d IDS 1 1-0").array()[0], Reply::Nil);
}

fn nothing_is_reported_to_others_of_a_call_that_moves_nothing(kind: Kind) {
    let server = Server::start(kind);
    let (mut watcher, mut client) = (server.connect(), server.connect());
    client.stream(3, &["g"]);
    client.all(&["XADD d 5-0 f v", "SET text x"]);
    for call in [
        "EGG.ACKMOVE s g d META MAXLEN 0 IDS 2 9-0 0-1",
        "EGG.ACKMOVE s g d OWNER other MAXLEN 0 IDS 1 1-0",
        "EGG.ACKMOVE s g d MINDELIVERIES 2 IDS 1 1-0",
        "EGG.ACKMOVE s g s IDS 1 9-0",
        "EGG.ACKMOVE s g text IDS 1 1-0",
        "EGG.ACKMOVE s none d IDS 1 1-0",
        "EGG.ACKMOVE s g d IDS 1 bad",
    ] {
        let dirty = client.info("persistence", "rdb_changes_since_last_save");
        watcher.all(&["WATCH s d text"]);
        let events = server.events_of(|client| {
            client.run(call);
        });
        assert_eq!(events, [""; 0], "{call}");
        watcher.all(&["MULTI", "PING"]);
        assert_eq!(watcher.run("EXEC").array()[0], "PONG", "{call}");
        assert_eq!(client.info("persistence", "rdb_changes_since_last_save"), dirty, "{call}");
    }
}
