//! EGG.TRIM: errors, events, what is propagated, and where it runs.

use crate::native_names::{replica_of, state};
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::table;

each_server! {
    errors_have_the_texts_of_8_2_and_change_nothing,
    events_and_watch_follow_removals,
    effects_are_propagated_as_core_commands,
    no_node_is_left_behind_empty,
    the_largest_id_is_an_id_like_any_other,
    a_replica_without_the_module_agrees,
    an_append_only_file_is_replayed_without_the_module,
    runs_out_of_memory_and_not_on_replicas,
    works_in_transactions_scripts_and_resp3,
}

/// Entries 1-0 to 8-0. Group g has read six; 2-0 and 5-0 are pending.
fn prepare(client: &mut Client) {
    client.all(&["FLUSHALL"]);
    client.add(1..=8);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 6 STREAMS s >", "XACK s g 1-0 3-0 4-0 6-0"]);
}

const SYNTAX: &str = "ERR syntax error";
const INTEGER: &str = "ERR value is not an integer or out of range";
const NO_TILDE: &str = "ERR syntax error, LIMIT cannot be used without the special ~ option";
const IDLE: &str = "ERR IGNOREIDLE must be a positive integer";
const TWO: &str = "ERR syntax error, MAXLEN and MINID options at the same time are not compatible";
const INVALID: &str = "ERR Invalid stream ID specified as stream command argument";

const ERRORS: &[(&str, &str)] = &[
    ("KEEPREF", SYNTAX),
    ("DELREF", SYNTAX),
    ("KEEPREF LIMIT 3", SYNTAX),
    ("FOO", SYNTAX),
    ("ACKED ACKED", SYNTAX),
    ("ACKED MAXLEN 3 DELREF", SYNTAX),
    ("REJECT MAXLEN 3", SYNTAX),
    ("ACKONLY MAXLEN 3", SYNTAX),
    ("MAXLEN", SYNTAX),
    ("MINID", SYNTAX),
    ("LIMIT", SYNTAX),
    ("IGNOREIDLE", SYNTAX),
    ("MAXLEN 3 FOO", SYNTAX),
    ("NOMKSTREAM MAXLEN 3", SYNTAX),
    ("MAXLEN 3 3", SYNTAX),
    ("LIMIT 3 LIMIT 3", SYNTAX),
    ("IGNOREIDLE 3 IGNOREIDLE 3", SYNTAX),
    ("DELREF MAXLEN 3 IGNOREIDLE 3", SYNTAX),
    ("KEEPREF MAXLEN 3 IGNOREIDLE 3", SYNTAX),
    ("MAXLEN DELREF 3", INTEGER),
    ("MAXLEN x", INTEGER),
    ("MAXLEN ~", INTEGER),
    ("MAXLEN 1.5", INTEGER),
    ("MAXLEN 9223372036854775808", INTEGER),
    ("LIMIT x", INTEGER),
    ("MAXLEN -1", "ERR The MAXLEN argument must be >= 0."),
    ("MAXLEN ~ 3 LIMIT -1", "ERR The LIMIT argument must be >= 0."),
    ("LIMIT -1", "ERR The LIMIT argument must be >= 0."),
    ("MAXLEN 3 MINID 3", TWO),
    ("MAXLEN 3 MAXLEN 3", TWO),
    ("MINID 3 MINID bad", TWO),
    ("MAXLEN 3 LIMIT 5", NO_TILDE),
    ("LIMIT 0 MINID = 3", NO_TILDE),
    ("MINID bad", INVALID),
    ("MINID ~ +", INVALID),
    ("MINID -", INVALID),
    ("IGNOREIDLE 0", IDLE),
    ("IGNOREIDLE -1", IDLE),
    ("MAXLEN 3 IGNOREIDLE 1.5", IDLE),
    ("IGNOREIDLE 99999999999999999999", IDLE),
    // The first fault from the left.
    ("FOO MAXLEN x", SYNTAX),
    ("MAXLEN x FOO", INTEGER),
];

fn errors_have_the_texts_of_8_2_and_change_nothing(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["SET str x"]);
    let before = client.state("s");
    table::each(ERRORS, |(options, error)| {
        assert_eq!(client.run(&format!("EGG.TRIM s {options}")).error(), *error, "{options}");
        assert_eq!(client.run(&format!("EGG.TRIM none {options}")).error(), *error, "{options}");
        let wrong_type = client.run(&format!("EGG.TRIM str {options}"));
        assert_eq!(
            wrong_type.error(),
            "WRONGTYPE Operation against a key holding the wrong kind of value",
            "{options}"
        );
    });
    assert_eq!(client.run("EGG.TRIM").error(), "ERR wrong number of arguments for 'egg.trim' command");
    assert!(client.run("EGG.TRIM str").error().starts_with("WRONGTYPE "));
    assert_eq!(client.state("s"), before);
}

fn events_and_watch_follow_removals(kind: Kind) {
    let server = Server::start(kind);
    for (call, events, aborts) in [
        // The front by XTRIM, holes by XDEL.
        ("EGG.TRIM s MAXLEN 7", &["s xtrim"][..], true),
        ("EGG.TRIM s MINID 4", &["s xtrim", "s xdel"], true),
        // 6-0 was read last: XSETID mends the lag.
        ("EGG.TRIM s MAXLEN 0", &["s xtrim", "s xdel", "s xsetid"], true),
        ("EGG.TRIM s DELREF MAXLEN 3", &["s xtrim"], true),
        ("EGG.TRIM s KEEPREF MAXLEN 3", &["s xtrim"], true),
        ("EGG.TRIM s MAXLEN 8", &[], false),
        ("EGG.TRIM s DELREF MAXLEN 8", &[], false),
        ("EGG.TRIM s MINID 1", &[], false),
        ("EGG.TRIM s FOO", &[], false),
        ("EGG.TRIM none", &[], false),
    ] {
        server.assert_traces(prepare, call, events, aborts);
    }
}

fn effects_are_propagated_as_core_commands(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    client.all(&["CONFIG SET stream-node-max-entries 2"]);
    let mut effect = |call: &str| {
        prepare(&mut client);
        server.propagated(|| client.all(&[call])).join("; ")
    };
    assert_eq!(effect("EGG.TRIM s MAXLEN 7"), "XTRIM s MINID = 2-0");
    // 6-0 was read last: the lag that its deletion turns null is mended, on replicas too.
    assert_eq!(
        effect("EGG.TRIM s"),
        "MULTI; XTRIM s MINID = 2-0; XDEL s 3-0 4-0 6-0; XSETID s 8-0 ENTRIESADDED 8 MAXDELETEDID 5-18446744073709551615; EXEC"
    );
    assert_eq!(effect("EGG.TRIM s MINID 4"), "MULTI; XTRIM s MINID = 2-0; XDEL s 3-0; EXEC");
    assert_eq!(effect("EGG.TRIM s DELREF MAXLEN 5"), "MULTI; XTRIM s MAXLEN = 5; XACK s g 2-0; EXEC");
    assert_eq!(effect("EGG.TRIM s KEEPREF MAXLEN 5"), "XTRIM s MAXLEN = 5");
    // Whole nodes here, an exact cut there, whatever the size of its nodes.
    assert_eq!(effect("EGG.TRIM s KEEPREF MAXLEN ~ 5"), "XTRIM s MAXLEN = 6");
    assert_eq!(
        effect("EGG.TRIM s DELREF MAXLEN ~ 5 LIMIT 2"),
        "MULTI; XTRIM s MINID = 3-0 LIMIT 0; XACK s g 2-0; EXEC"
    );
    assert_eq!(effect("EGG.TRIM s DELREF MAXLEN ~ 5 LIMIT 1"), "");
    assert_eq!(effect("EGG.TRIM s DELREF MAXLEN ~ 5"), "MULTI; XTRIM s MAXLEN = 5; XACK s g 2-0; EXEC");
    assert_eq!(effect("EGG.TRIM s MAXLEN ~ 5"), "MULTI; XTRIM s MINID = 2-0; XDEL s 3-0 4-0; EXEC");
    assert_eq!(effect("EGG.TRIM s MAXLEN 8"), "");
}

const CALLS: [&str; 8] = [
    "EGG.TRIM s",
    "EGG.TRIM s LIMIT 3",
    "EGG.TRIM s MAXLEN 5",
    "EGG.TRIM s MINID 6",
    "EGG.TRIM s MAXLEN ~ 2",
    "EGG.TRIM s DELREF MAXLEN ~ 2",
    "EGG.TRIM s DELREF MAXLEN 4",
    "EGG.TRIM s KEEPREF MAXLEN 4",
];

/// Entries that were deleted before, behind the last one that goes, keep its node alive in the eyes of the core.
fn no_node_is_left_behind_empty(kind: Kind) {
    let server = Options::new(kind).tcp().start();
    let replica = Options::new(kind).without_module().start();
    replica.replicate(&server);
    for server in [&server, &replica] {
        server.connect().all(&["CONFIG SET stream-node-max-entries 3"]);
    }
    let mut client = server.connect();
    for (delivered, call, left) in [
        ("1-0", "EGG.TRIM s", 2),
        ("1-0", "EGG.TRIM s LIMIT 1", 2),
        ("1-0", "EGG.TRIM s MINID 2", 2),
        ("1-0", "EGG.TRIM s MAXLEN 2", 2),
        ("1-0", "EGG.TRIM s DELREF MINID 2", 2),
        ("5-0", "EGG.TRIM s LIMIT 3", 0),
        ("5-0", "EGG.TRIM s MINID 6", 0),
    ] {
        client.all(&["FLUSHALL"]);
        client.add(1..=6);
        client.all(&["XDEL s 2-0 3-0 6-0", &format!("XGROUP CREATE s g {delivered}")]);
        client.run(call);
        let nodes = (left + 2) / 3;
        assert_eq!((client.run("XLEN s").integer(), nodes_of(&mut client)), (left, nodes), "{call}");
        replica.wait_in_step(&server);
        assert_eq!(replica.connect().run("XINFO STREAM s"), client.run("XINFO STREAM s"), "{call}");
    }
}

fn the_largest_id_is_an_id_like_any_other(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let largest = format!("{0}-{0}", u64::MAX);
    // Deleted, it holds no node.
    for call in ["EGG.TRIM s", "EGG.TRIM s LIMIT 5", "EGG.TRIM s MINID 9", "EGG.TRIM s DELREF MINID 9"] {
        client.all(&["DEL s", "XADD s 1-0 f v", &format!("XADD s {largest} f v"), &format!("XDEL s {largest}")]);
        client.all(&["XGROUP CREATE s g $"]);
        assert_eq!((client.run(call).integer(), nodes_of(&mut client)), (1, 0), "{call}");
    }
    // Not needed any more, it counts and goes.
    for (limit, removed) in [(1, [1, 1, 0]), (2, [2, 0, 0])] {
        client.all(&["DEL s", "XADD s 1-0 f v", &format!("XADD s {largest} f v"), "XGROUP CREATE s g $"]);
        let trim = |_| client.run(&format!("EGG.TRIM s LIMIT {limit}")).integer();
        assert_eq!([0, 1, 2].map(trim), removed, "LIMIT {limit}");
    }
}

fn nodes_of(client: &mut Client) -> i64 {
    client.run("XINFO STREAM s").field("radix-tree-keys").integer()
}

fn a_replica_without_the_module_agrees(kind: Kind) {
    let master = Options::new(kind).tcp().line("stream-node-max-entries 2").start();
    let replica = replica_of(&master);
    let (mut client, mut on_replica) = (master.connect(), replica.connect());
    for call in CALLS {
        for more in [&[][..], &["XDEL s 2-0"], &["XACK s g 2-0 5-0"], &["XACK s g 2-0", "XGROUP CREATE s h 4-0"]] {
            prepare(&mut client);
            client.all(more);
            client.all(&[call]);
            replica.wait_in_step(&master);
            assert_eq!(state(&mut on_replica, "s"), state(&mut client, "s"), "{more:?} {call}");
        }
    }
}

fn an_append_only_file_is_replayed_without_the_module(kind: Kind) {
    let mut server = Options::new(kind).aof().start();
    let mut client = server.connect();
    let keys: Vec<String> = (0..CALLS.len()).map(|index| format!("s{index}")).collect();
    for (call, key) in CALLS.iter().zip(&keys) {
        client.all(&["DEL s"]);
        client.add(1..=8);
        client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 6 STREAMS s >", "XACK s g 1-0 2-0 4-0 6-0"]);
        client.all(&[call, &format!("RENAME s {key}")]);
    }
    let before: Vec<_> = keys.iter().map(|key| state(&mut client, key)).collect();
    server.restart_without_module();
    let mut client = server.connect();
    for ((call, key), before) in CALLS.iter().zip(&keys).zip(before) {
        assert_eq!(state(&mut client, key), before, "{call}");
    }
}

fn runs_out_of_memory_and_not_on_replicas(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["CONFIG SET maxmemory 1"]);
    assert_eq!(client.run("EGG.TRIM s MAXLEN 7"), 1);
    assert_eq!(client.run("EGG.TRIM s"), 3);
    client.all(&["CONFIG SET maxmemory 0", "REPLICAOF 127.0.0.1 1"]);
    for call in ["EGG.TRIM s", "EGG.TRIM none", "EGG.TRIM s FOO"] {
        assert_eq!(client.run(call).error(), "READONLY You can't write against a read only replica.", "{call}");
    }
    assert_eq!(client.run("XLEN s"), 4);
}

fn works_in_transactions_scripts_and_resp3(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect_resp3();
    prepare(&mut client);
    assert_eq!(client.run("EGG.TRIM s MAXLEN 6"), 2);
    client.all(&["MULTI", "EGG.TRIM s LIMIT 1", "EGG.TRIM s FOO", "EGG.TRIM s"]);
    let replies = client.run("EXEC");
    assert_eq!(replies.array(), [Reply::Integer(1), Reply::Error(SYNTAX.to_owned()), Reply::Integer(1)]);
    prepare(&mut client);
    assert_eq!(client.send(&["EVAL", "return redis.call('EGG.TRIM', KEYS[1])", "1", "s"]), 4);
    let text = client.send(&["EVAL", "return redis.pcall('EGG.TRIM', KEYS[1], 'FOO').err", "1", "s"]);
    assert_eq!(text, SYNTAX);
}
