//! EGG.ACKDEL: what replicas and the append only file are told, word by word.

use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    effects_are_propagated_as_core_commands,
    what_changes_nothing_is_not_propagated,
    effects_join_the_transaction_of_the_client,
    effects_of_scripts_and_functions_are_propagated,
    a_mended_lag_is_propagated,
    ids_are_propagated_as_they_were_written,
}

fn server(kind: Kind) -> (Server, Client) {
    let server = Options::new(kind).aof().start();
    let client = server.connect();
    (server, client)
}

const H: &str = "XGROUP CREATE s h 0";
const READ_H: &str = "XREADGROUP GROUP h c STREAMS s >";

fn effects_are_propagated_as_core_commands(kind: Kind) {
    let (server, mut client) = server(kind);
    let h_done = "XACK s h 1-0 3-0";
    for (setup, call, expected) in [
        (&[][..], "EGG.ACKDEL s g IDS 1 1-0", &["MULTI", "XACK s g 1-0", "XDEL s 1-0", "EXEC"][..]),
        (&[], "EGG.ACKDEL s g IDS 3 2-0 3-0 1-0", &["MULTI", "XACK s g 2-0 3-0 1-0", "XDEL s 2-0 3-0 1-0", "EXEC"]),
        // Duplicates, and ids that are not pending, are left out.
        (
            &["XACK s g 3-0"],
            "EGG.ACKDEL s g IDS 5 9-0 1-0 1-0 3-0 2-0",
            &["MULTI", "XACK s g 1-0 2-0", "XDEL s 1-0 2-0", "EXEC"],
        ),
        // A single command goes without a transaction.
        (&[H], "EGG.ACKDEL s g ACKONLY IDS 2 1-0 2-0", &["XACK s g 1-0 2-0"]),
        (&[H], "EGG.ACKDEL s g ACKED IDS 2 1-0 2-0", &["XACK s g 1-0 2-0"]),
        (&["XDEL s 1-0 2-0"], "EGG.ACKDEL s g IDS 2 1-0 2-0", &["XACK s g 1-0 2-0"]),
        (&["XGROUP SETID s g 0"], "EGG.ACKDEL s g IDS 1 1-0", &["XACK s g 1-0"]),
        // Only what goes is deleted.
        (
            &[H, READ_H, h_done],
            "EGG.ACKDEL s g ACKED IDS 2 1-0 2-0",
            &["MULTI", "XACK s g 1-0 2-0", "XDEL s 1-0", "EXEC"],
        ),
        (&[H, READ_H], "EGG.ACKDEL s g KEEPREF IDS 1 1-0", &["MULTI", "XACK s g 1-0", "XDEL s 1-0", "EXEC"]),
        (
            &[H, READ_H],
            "EGG.ACKDEL s g DELREF IDS 3 9-0 1-0 2-0",
            &["MULTI", "XACK s g 1-0 2-0", "XACK s h 1-0 2-0", "XDEL s 1-0 2-0", "EXEC"],
        ),
        (&[H, READ_H, h_done], "EGG.ACKDEL s g DELREF IDS 1 1-0", &["MULTI", "XACK s g 1-0", "XDEL s 1-0", "EXEC"]),
    ] {
        client.run("DEL s");
        client.stream(3, &["g"]);
        client.all(setup);
        assert_eq!(server.propagated(|| client.all(&[call])), expected, "{call} after {setup:?}");
    }
}

fn what_changes_nothing_is_not_propagated(kind: Kind) {
    let (server, mut client) = server(kind);
    client.stream(3, &["g", "h"]);
    client.all(&["XADD one 1-0 f v", "XGROUP CREATE one g 0"]);
    let lines = [
        "EGG.ACKDEL s g IDS 1 1-0",
        "EGG.ACKDEL s g ACKED IDS 2 9-0 0-0",
        "EGG.ACKDEL s g DELREF IDS 1 9-0",
        "EGG.ACKDEL s g ACKED IDS 2 1-0 foo",
        "EGG.ACKDEL s none IDS 1 1-0",
        "EGG.ACKDEL none g IDS 1 1-0",
        "EGG.ACKDEL one g IDS 1 1-0",
        "EGG.GROUPGUARD s g",
        "EGG.GROUPGUARD one g",
        "EGG.VERSION",
    ];
    let dirty = client.info("persistence", "rdb_changes_since_last_save");
    let commands = server.propagated(|| {
        for line in lines {
            client.run(line);
        }
        client.all(&["MULTI"]);
        for line in lines {
            client.run(line);
        }
        client.all(&["EXEC"]);
    });
    assert_eq!(commands, [""; 0]);
    assert_eq!(client.info("persistence", "rdb_changes_since_last_save"), dirty);
}

fn effects_join_the_transaction_of_the_client(kind: Kind) {
    let (server, mut client) = server(kind);
    client.stream(3, &["g"]);
    let commands = server.propagated(|| {
        client.all(&["MULTI", "SET before x", "EGG.ACKDEL s g IDS 2 1-0 9-0", "EGG.ACKDEL s g IDS 1 1-0"]);
        client.all(&["EGG.ACKDEL s g IDS 1 2-0", "SET after x", "EXEC"]);
    });
    let expected =
        ["MULTI", "SET before x", "XACK s g 1-0", "XDEL s 1-0", "XACK s g 2-0", "XDEL s 2-0", "SET after x", "EXEC"];
    assert_eq!(commands, expected);
}

fn effects_of_scripts_and_functions_are_propagated(kind: Kind) {
    let (server, mut client) = server(kind);
    client.stream(3, &["g"]);
    let script = "redis.call('SET', 'x', '1') return redis.call('EGG.ACKDEL', KEYS[1], 'g', 'IDS', '1', ARGV[1])";
    let commands = server.propagated(|| {
        assert_eq!(client.send(&["EVAL", script, "1", "s", "1-0"]), [1]);
    });
    assert_eq!(commands, ["MULTI", "SET x 1", "XACK s g 1-0", "XDEL s 1-0", "EXEC"]);
    let library = "#!lua name=l\nredis.register_function('finish', function(keys, ids) \
                   return redis.call('EGG.ACKDEL', keys[1], 'g', 'IDS', '1', ids[1]) end)";
    client.send(&["FUNCTION", "LOAD", library]);
    let commands = server.propagated(|| {
        assert_eq!(client.run("FCALL finish 1 s 2-0"), [1]);
    });
    assert_eq!(commands, ["MULTI", "XACK s g 2-0", "XDEL s 2-0", "EXEC"]);
}

fn a_mended_lag_is_propagated(kind: Kind) {
    let (server, mut client) = server(kind);
    client.stream(5, &["g"]);
    let mut delete = |id: &str| {
        server.propagated(|| {
            assert_eq!(client.run(&format!("EGG.ACKDEL s g IDS 1 {id}")), [1]);
        })
    };
    assert_eq!(delete("2-0"), ["MULTI", "XACK s g 2-0", "XDEL s 2-0", "EXEC"]);
    let mark = "XSETID s 5-0 ENTRIESADDED 5 MAXDELETEDID 4-18446744073709551615";
    assert_eq!(delete("5-0"), ["MULTI", "XACK s g 5-0", "XDEL s 5-0", mark, "EXEC"]);
}

fn ids_are_propagated_as_they_were_written(kind: Kind) {
    let (server, mut client) = server(kind);
    client.stream(3, &["g"]);
    let commands = server.propagated(|| {
        assert_eq!(client.run("egg.ackdel s g IDS 3 1 01-00 2-00"), [1, -1, 1]);
    });
    assert_eq!(commands, ["MULTI", "XACK s g 1 2-00", "XDEL s 1 2-00", "EXEC"]);
}
