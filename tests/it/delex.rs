//! EGG.DELEX: replies, and what is left behind.

use crate::native_names::{replica_of, state};
use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::table;

each_server! {
    acked_deletes_what_no_group_needs,
    acked_is_the_default,
    keepref_leaves_references_and_delref_takes_them,
    ids_that_never_existed,
    without_groups_everything_goes,
    errors_have_the_texts_of_8_2_and_change_nothing,
    a_missing_key_answers_for_each_id,
    events_and_watch_follow_deletions,
    effects_are_propagated_as_core_commands,
    a_replica_without_the_module_agrees,
    lag_stays_a_number,
    runs_out_of_memory_and_not_on_replicas,
    many_ids,
}

/// Entries 1-0 to 6-0. `g` has read five and acknowledged 1-0 and 2-0; `h` has read 1-0 to 3-0 and acknowledged 1-0 and 3-0.
fn prepare(client: &mut Client) {
    client.all(&["FLUSHALL"]);
    client.stream(6, &[]);
    client.all(&["XGROUP CREATE s g 0", "XGROUP CREATE s h 0"]);
    client.read("g", 5);
    client.read("h", 3);
    client.all(&["XACK s g 1-0 2-0", "XACK s h 1-0 3-0"]);
}

fn acked_deletes_what_no_group_needs(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    // Done by both; pending in h; pending in g; not delivered to h; not delivered at all.
    assert_eq!(client.run("EGG.DELEX s ACKED IDS 5 1-0 2-0 3-0 4-0 6-0"), [1, 2, 2, 2, 2]);
    assert_eq!(client.ids("s"), ["2-0", "3-0", "4-0", "5-0", "6-0"]);
    assert_eq!((client.pending("s", "g").len(), client.pending("s", "h").len()), (3, 1));
    client.all(&["XGROUP DESTROY s h"]);
    assert_eq!(client.run("EGG.DELEX s ids 4 2-0 2-0 3-0 1-0 acked"), [1, -1, 2, -1]);
}

fn acked_is_the_default(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    // Whatever egg.default-policy says: that is for acknowledging.
    client.all(&["CONFIG SET egg.default-policy ackonly"]);
    assert_eq!(client.run("EGG.DELEX s IDS 3 1-0 2-0 5-0"), [1, 2, 2]);
    assert_eq!(client.ids("s").len(), 5);
}

fn keepref_leaves_references_and_delref_takes_them(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    assert_eq!(client.run("EGG.DELEX s KEEPREF IDS 3 2-0 3-0 3-0"), [1, 1, -1]);
    assert_eq!(client.pending("s", "g"), ["3-0", "4-0", "5-0"]);
    assert_eq!(client.pending("s", "h"), ["2-0"]);
    // 2-0 and 3-0 dangle: -1, since there is nothing to delete, but the references go.
    assert_eq!(client.run("EGG.DELEX s DELREF IDS 3 2-0 3-0 4-0"), [-1, -1, 1]);
    assert_eq!((client.pending("s", "g"), client.pending("s", "h")), (vec!["5-0".to_owned()], vec![]));
    assert_eq!(client.ids("s"), ["1-0", "5-0", "6-0"]);
}

fn ids_that_never_existed(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    // Below every group: -1. Above a group: that group would need it.
    assert_eq!(client.run("EGG.DELEX s IDS 4 0-0 1-5 3-5 9-9"), [-1, -1, 2, 2]);
    assert_eq!(client.run("EGG.DELEX s DELREF IDS 2 3-5 9-9"), [-1, -1]);
    client.all(&["XDEL s 3-0"]);
    assert_eq!(client.run("EGG.DELEX s IDS 1 3-0"), [2]);
}

fn without_groups_everything_goes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for policy in ["", "ACKED", "KEEPREF", "DELREF"] {
        client.all(&["FLUSHALL"]);
        client.add(1..=3);
        assert_eq!(client.run(&format!("EGG.DELEX s {policy} IDS 4 1-0 3-0 3-0 4-0")), [1, 1, -1, -1], "{policy}");
        assert_eq!(client.run("EGG.DELEX s IDS 1 2-0"), [1]);
        assert_eq!(client.run("TYPE s"), "stream");
    }
}

/// Every row of spec-8.2, part 1.3, as words behind `EGG.DELEX s`.
const ERRORS: &[(&str, &str)] = &[
    ("IDS 1", "ERR wrong number of arguments for 'egg.delex' command"),
    ("", "ERR wrong number of arguments for 'egg.delex' command"),
    ("IDS 0 1-0", "ERR Number of IDs must be a positive integer"),
    ("IDS -1 1-0", "ERR Number of IDs must be a positive integer"),
    ("IDS abc 1-0", "ERR Number of IDs must be a positive integer"),
    ("IDS 1.5 1-0", "ERR Number of IDs must be a positive integer"),
    ("IDS +1 1-0", "ERR Number of IDs must be a positive integer"),
    ("IDS 01 1-0", "ERR Number of IDs must be a positive integer"),
    ("IDS 9223372036854775808 1-0", "ERR Number of IDs must be a positive integer"),
    ("IDS IDS 1 1-0", "ERR Number of IDs must be a positive integer"),
    ("IDS 2 1-0", "ERR The `numids` parameter must match the number of arguments"),
    ("IDS 4294967297 1-0", "ERR The `numids` parameter must match the number of arguments"),
    ("IDS 9223372036854775807 1-0", "ERR The `numids` parameter must match the number of arguments"),
    ("KEEPREF IDS 1", "ERR The `numids` parameter must match the number of arguments"),
    ("IDS 1 1-0 2-0", "ERR syntax error"),
    ("1-0 2-0 3-0", IDS_FORM),
    ("1-0", IDS_FORM),
    ("ACKED 1-0", IDS_FORM),
    ("ACKED", "ERR wrong number of arguments for 'egg.delex' command"),
    ("IDS 1", "ERR wrong number of arguments for 'egg.delex' command"),
    ("FOO IDS 1 1-0", "ERR syntax error"),
    ("IDS 1 1-0 FOO", "ERR syntax error"),
    ("IDS 1 1-0 IDS", "ERR syntax error"),
    ("ACKED ACKED IDS 1 1-0", "ERR syntax error"),
    ("ACKED IDS 1 1-0 DELREF", "ERR syntax error"),
    ("REJECT IDS 1 1-0", "ERR syntax error"),
    ("ACKONLY IDS 1 1-0", "ERR syntax error"),
    ("OWNER c IDS 1 1-0", "ERR syntax error"),
    ("IDS 2 1-0 foo", INVALID),
    ("IDS 1 -", INVALID),
    ("IDS 1 +", INVALID),
    ("IDS 1 $", INVALID),
    ("IDS 1 >", INVALID),
    ("IDS 1 *", INVALID),
    ("IDS 1 1-*", INVALID),
    ("IDS 1 (1-0", INVALID),
    ("IDS 1 1-", INVALID),
    ("IDS 1 -1", INVALID),
    ("IDS 1 1-1-1", INVALID),
    ("IDS 1 1--1", INVALID),
    ("IDS 1 18446744073709551616-0", INVALID),
    ("IDS 1 0-18446744073709551616", INVALID),
    ("IDS 9 1-0 1-0 1-0 1-0 1-0 1-0 1-0 1-0 bad", INVALID),
    ("IDS 2 1-0 ACKED", INVALID),
    // The first fault from the left, then the ids.
    ("FOO IDS 0 1-0", "ERR syntax error"),
    ("IDS 0 FOO FOO", "ERR Number of IDs must be a positive integer"),
    ("IDS 1 bad FOO", "ERR syntax error"),
];
const IDS_FORM: &str = "ERR syntax error, ids are given as IDS numids id [id ...]";
const INVALID: &str = "ERR Invalid stream ID specified as stream command argument";
const WRONGTYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";

fn errors_have_the_texts_of_8_2_and_change_nothing(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["SET str x"]);
    let before = client.state("s");
    table::each(ERRORS, |(rest, error)| {
        assert_eq!(client.run(&format!("EGG.DELEX s {rest}")).error(), *error, "{rest}");
        let of_a_string = if rest.split(' ').count() < 3 { error } else { WRONGTYPE };
        assert_eq!(client.run(&format!("EGG.DELEX str {rest}")).error(), of_a_string, "{rest}");
        // A missing key hides no error; nor, unlike in 8.2, a bad id.
        assert_eq!(client.run(&format!("EGG.DELEX none {rest}")).error(), *error, "{rest}");
    });
    for (numids, id) in [("", "1-0"), (" 1", "1-0"), ("1\0", "1-0")] {
        assert_eq!(
            client.send(&["EGG.DELEX", "s", "IDS", numids, id]).error(),
            "ERR Number of IDs must be a positive integer"
        );
    }
    for id in ["", "1-0 ", " ", &("0".repeat(126) + "-1")] {
        assert_eq!(client.send(&["EGG.DELEX", "s", "IDS", "1", id]).error(), INVALID, "{id:?}");
    }
    assert_eq!(client.state("s"), before);
    assert_eq!(client.run("EXISTS none"), 0);
    // What the core's own parser takes, odd as it is.
    for id in ["1", "01-00", " 1-0", "\t1-0", "+1-0", "1-+0", "1- 0", "1-0\0junk"] {
        prepare(&mut client);
        assert_eq!(client.send(&["EGG.DELEX", "s", "IDS", "1", id]), [1], "{id:?}");
    }
}

fn a_missing_key_answers_for_each_id(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    assert_eq!(client.run("EGG.DELEX none DELREF IDS 3 1-0 2-0 1-0"), [-1, -1, -1]);
    assert_eq!(client.run("EXISTS none"), 0);
}

fn events_and_watch_follow_deletions(kind: Kind) {
    let server = Server::start(kind);
    for (call, events, aborts) in [
        ("EGG.DELEX s IDS 2 1-0 2-0", &["s xdel"][..], true),
        ("EGG.DELEX s DELREF IDS 3 2-0 3-0 4-0", &["s xdel"], true),
        ("EGG.DELEX s IDS 2 2-0 9-0", &[], false),
        ("EGG.DELEX s DELREF IDS 1 9-0", &[], false),
        ("EGG.DELEX none IDS 1 9-0", &[], false),
        ("EGG.DELEX s IDS 0 9-0", &[], false),
    ] {
        server.assert_traces(prepare, call, events, aborts);
    }
    // References alone: nobody's WATCH, no event.
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["XDEL s 3-0", "WATCH s"]);
    let found = server.events_of(|client| assert_eq!(client.run("EGG.DELEX s DELREF IDS 1 3-0"), [-1]));
    client.all(&["MULTI", "PING"]);
    assert!(found.is_empty() && client.run("EXEC") != Reply::Nil, "{found:?}");
}

fn effects_are_propagated_as_core_commands(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    let mut effect = |call: &str| {
        prepare(&mut client);
        server.propagated(|| client.all(&[call])).join("; ")
    };
    assert_eq!(effect("EGG.DELEX s IDS 3 01-00 2-0 1"), "XDEL s 01-00");
    assert_eq!(effect("EGG.DELEX s KEEPREF IDS 2 2-0 3-0"), "XDEL s 2-0 3-0");
    assert_eq!(effect("EGG.DELEX s DELREF IDS 1 3-0"), "MULTI; XACK s g 3-0; XDEL s 3-0; EXEC");
    assert_eq!(effect("EGG.DELEX s DELREF IDS 1 2-0"), "MULTI; XACK s h 2-0; XDEL s 2-0; EXEC");
    assert_eq!(effect("EGG.DELEX s IDS 2 2-0 9-0"), "");
    assert_eq!(effect("EGG.DELEX s DELREF IDS 1 0-1"), "");
}

fn a_replica_without_the_module_agrees(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = replica_of(&master);
    let (mut client, mut on_replica) = (master.connect(), replica.connect());
    for call in [
        "EGG.DELEX s IDS 3 1-0 2-0 6-0",
        "EGG.DELEX s KEEPREF IDS 3 2-0 3-0 6-0",
        "EGG.DELEX s DELREF IDS 3 2-0 3-0 6-0",
        "EGG.DELEX s DELREF IDS 6 1-0 2-0 3-0 4-0 5-0 6-0",
    ] {
        prepare(&mut client);
        client.all(&["XGROUP SETID s h 5-0", call]);
        replica.wait_in_step(&master);
        assert_eq!(state(&mut on_replica, "s"), state(&mut client, "s"), "{call}");
        prepare(&mut client);
        client.all(&["XDEL s 3-0", call]);
        replica.wait_in_step(&master);
        assert_eq!(state(&mut on_replica, "s"), state(&mut client, "s"), "{call}, 3-0 gone");
    }
}

fn lag_stays_a_number(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (keep_lag, policy, lag) in [
        ("yes", "ACKED", Reply::Integer(2)),
        ("no", "ACKED", Reply::Nil),
        // These leave what the core leaves.
        ("yes", "KEEPREF", Reply::Nil),
        ("yes", "DELREF", Reply::Nil),
    ] {
        client.all(&["FLUSHALL", &format!("CONFIG SET egg.keep-lag {keep_lag}")]);
        client.add(1..=5);
        client.all(&["XGROUP CREATE s g 0"]);
        client.read("g", 3);
        client.all(&["XACK s g 3-0"]);
        assert_eq!(client.run(&format!("EGG.DELEX s {policy} IDS 1 3-0")), [1]);
        assert_eq!(*client.group("s", "g").field("lag"), lag, "{keep_lag} {policy}");
    }
}

fn runs_out_of_memory_and_not_on_replicas(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["CONFIG SET maxmemory 1"]);
    assert_eq!(client.run("EGG.DELEX s IDS 1 1-0"), [1]);
    client.all(&["CONFIG SET maxmemory 0", "REPLICAOF 127.0.0.1 1"]);
    let read_only = "READONLY You can't write against a read only replica.";
    for call in ["EGG.DELEX s IDS 1 4-0", "EGG.DELEX none IDS 1 4-0", "EGG.DELEX s FOO IDS 1 bad"] {
        assert_eq!(client.run(call).error(), read_only, "{call}");
    }
    assert!(client.run("EGG.DELEX s").error().starts_with("ERR wrong number of arguments"));
    client.all(&["REPLICAOF NO ONE"]);
    assert_eq!(client.ids("s").len(), 5);
}

fn many_ids(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for count in [1, 8, 9, 1000, 10_000] {
        client.all(&["FLUSHALL"]);
        client.stream(count, &["g"]);
        let ids: Vec<String> = (1..=count).map(|n| format!("{n}-0")).collect();
        let mut all = words("EGG.DELEX s IDS");
        let numids = count.to_string();
        all.push(&numids);
        all.extend(ids.iter().map(String::as_str));
        assert_eq!(client.send(&all).integers(), vec![2; count], "{count} pending");
        let mut ack = vec!["XACK", "s", "g"];
        ack.extend(ids.iter().map(String::as_str));
        client.send(&ack);
        assert_eq!(client.send(&all).integers(), vec![1; count], "{count} acknowledged");
        assert_eq!(client.run("XLEN s"), 0);
    }
}
