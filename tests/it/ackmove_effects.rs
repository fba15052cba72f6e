//! EGG.ACKMOVE: what replicas, the append only file, watchers and waiting readers get to see, however the call arrives.

use std::thread;

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};
use egg_testkit::wire::Wire;

each_server! {
    moves_are_propagated_as_core_commands_in_one_transaction,
    what_moves_nothing_is_not_propagated,
    moves_join_the_transaction_of_the_client,
    scripts_and_functions_move_too,
    a_replica_without_the_module_follows,
    a_replica_refuses_to_move,
    a_server_without_the_module_replays_the_append_only_file,
    each_move_is_one_xadd_event_and_the_call_one_xdel_event,
    a_move_aborts_watches_on_both_streams,
    resp2_and_resp3_differ_in_nil_alone,
    readers_that_wait_at_the_destination_wake_up,
}

fn moved(reply: &Reply) -> Vec<String> {
    reply.array().iter().map(Reply::text).collect()
}

fn three(client: &mut Client, groups: &[&str]) {
    client.run("DEL s d");
    client.stream(3, groups);
}

fn moves_are_propagated_as_core_commands_in_one_transaction(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    // `*` stands for the ids of the copies, in order.
    for (setup, options, expected) in [
        (&[][..], "d IDS 1 1-0", &["XADD d * f v", "XACK s g 1-0", "XDEL s 1-0"][..]),
        (
            &["XACK s g 3-0"],
            "d SET 1 a b IDS 5 2-0 9-0 3-0 1-0 2-0",
            &["XADD d * f v a b", "XADD d * f v a b", "XACK s g 2-0 1-0", "XDEL s 2-0 1-0"],
        ),
        (&[], "s IDS 2 2-0 1-0", &["XADD s * f v", "XADD s * f v", "XACK s g 2-0 1-0", "XDEL s 2-0 1-0"]),
        // An id whose entry is gone goes along with the others.
        (&["XDEL s 1-0"], "d IDS 2 1-0 2-0", &["XADD d * f v", "XACK s g 1-0 2-0", "XDEL s 1-0 2-0"]),
        // The last entry that the group has read: its lag is mended.
        (
            &[],
            "d IDS 1 3-0",
            &[
                "XADD d * f v",
                "XACK s g 3-0",
                "XDEL s 3-0",
                "XSETID s 3-0 ENTRIESADDED 3 MAXDELETEDID 2-18446744073709551615",
            ],
        ),
        (&["XGROUP CREATE s h 0"], "d ACKONLY IDS 1 1-0", &["XADD d * f v", "XACK s g 1-0"]),
        (
            &["XGROUP CREATE s h 0", "XREADGROUP GROUP h c STREAMS s >"],
            "d DELREF IDS 1 1-0",
            &["XADD d * f v", "XACK s g 1-0", "XACK s h 1-0", "XDEL s 1-0"],
        ),
    ] {
        three(&mut client, &["g"]);
        client.all(setup);
        let mut ids = Vec::new();
        let commands = server.propagated(|| {
            let reply = client.run(&format!("EGG.ACKMOVE s g {options}"));
            ids = reply.array().iter().filter(|id| **id != Reply::Nil).map(Reply::text).collect();
        });
        let mut ids = ids.into_iter();
        let mut line = |line: &&str| match line.split_once('*') {
            Some((start, end)) => format!("{start}{}{end}", ids.next().expect("a copy")),
            None => (*line).to_owned(),
        };
        let expected: Vec<_> = [&["MULTI"], expected, &["EXEC"]].concat().iter().map(&mut line).collect();
        assert_eq!(commands, expected, "{options}");
        assert_eq!(ids.next(), None, "{options}");
    }
    // A single command goes without a transaction.
    three(&mut client, &["g"]);
    client.all(&["XDEL s 1-0"]);
    let commands = server.propagated(|| drop(client.run("EGG.ACKMOVE s g d MAXLEN 0 IDS 1 1-0")));
    assert_eq!(commands, ["XACK s g 1-0"]);
}

fn what_moves_nothing_is_not_propagated(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    three(&mut client, &["g"]);
    client.all(&["XADD d 5-0 f v", "XADD other 1-0 f v", "XGROUP CREATE other g 0", "XGROUP CREATE other h 0"]);
    let commands = server.propagated(|| {
        for line in [
            "EGG.ACKMOVE s g d MAXLEN 0 IDS 1 9-0",
            "EGG.ACKMOVE s g d OWNER nobody IDS 1 1-0",
            "EGG.ACKMOVE s g d MINDELIVERIES 2 IDS 1 1-0",
            "EGG.ACKMOVE other g d IDS 1 1-0",
            "EGG.ACKMOVE s g d IDS 2 1-0 bad",
            "EGG.PINS s",
            "EGG.GROUPREAP s g IDLE 1 EMPTY FORCE",
            "EGG.GROUPREAP other g IDLE 1 EMPTY FORCE DRYRUN",
        ] {
            client.run(line);
        }
    });
    assert_eq!(commands, [""; 0]);
}

fn moves_join_the_transaction_of_the_client(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    three(&mut client, &["g"]);
    let mut ids = Vec::new();
    let commands = server.propagated(|| {
        client.all(&["MULTI", "SET before x", "EGG.ACKMOVE s g d IDS 1 1-0", "EGG.ACKMOVE s g d IDS 1 9-0"]);
        client.all(&["EGG.ACKMOVE s none d IDS 1 2-0", "EGG.ACKMOVE s g d IDS 1 2-0", "SET after x"]);
        let replies = client.run("EXEC");
        let replies = replies.array();
        assert_eq!(replies[3].error(), "NOGROUP No such key 's' or consumer group 'none'");
        ids = [&replies[1], &replies[4]].map(|reply| moved(reply).remove(0)).to_vec();
    });
    let add = |index: usize| format!("XADD d {} f v", ids[index]);
    let (first, second) = (add(0), add(1));
    let expected = [
        "MULTI",
        "SET before x",
        &first,
        "XACK s g 1-0",
        "XDEL s 1-0",
        &second,
        "XACK s g 2-0",
        "XDEL s 2-0",
        "SET after x",
        "EXEC",
    ];
    assert_eq!(commands, expected);
}

fn scripts_and_functions_move_too(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    three(&mut client, &["g"]);
    let body = "redis.call('EGG.ACKMOVE', keys[1], 'g', keys[2], unpack(args))";
    let script = format!("local keys, args = KEYS, ARGV return {body}");
    let library = format!("#!lua name=l\nredis.register_function('move', function(keys, args) return {body} end)");
    client.send(&["FUNCTION", "LOAD", &library]);
    let id = "1-0";
    for (call, id) in
        [(vec!["EVAL", &script, "2", "s", "d", "IDS", "1", id], id), (words("FCALL move 2 s d IDS 1 2-0"), "2-0")]
    {
        let mut new = String::new();
        let commands = server.propagated(|| new = moved(&client.send(&call)).remove(0));
        let expected =
            ["MULTI", &format!("XADD d {new} f v"), &format!("XACK s g {id}"), &format!("XDEL s {id}"), "EXEC"];
        assert_eq!(commands, expected);
    }
    let protected = "return redis.pcall('EGG.ACKMOVE', KEYS[1], 'g', KEYS[2], 'SET', '0', 'IDS', '1', '3-0').err";
    assert_eq!(client.send(&["EVAL", protected, "2", "s", "d"]), "ERR Number of pairs must be a positive integer");
    let reply = client.send(&["EVAL_RO", &script, "2", "s", "d", "IDS", "1", "3-0"]);
    assert!(reply.error().starts_with("ERR Write commands are not allowed from read-only scripts."), "{reply:?}");
    // A nil is false in Lua, as in every script.
    let nil = "return redis.call('EGG.ACKMOVE', KEYS[1], 'g', KEYS[2], 'IDS', '1', '9-0')[1] == false";
    assert_eq!(client.send(&["EVAL", nil, "2", "s", "d"]), 1);
    assert_eq!((client.ids("s"), client.ids("d").len()), (vec!["3-0".into()], 2));
}

/// Moves of every kind: to another stream, back to its own, with other groups, holes and trimming.
fn busy_day(client: &mut Client) {
    client.stream(20, &["g", "h"]);
    client.all(&["XDEL s 3-0", "XACK s h 1-0 2-0 5-0", "XADD d 1-0 f v", "XGROUP CREATE d dg 0"]);
    for (policy, id) in [("ACKED", 1), ("ACKONLY", 4), ("KEEPREF", 6), ("DELREF", 8), ("ACKED", 3)] {
        for (destination, id) in [("d", id), ("s", id + 1)] {
            let options = format!("{policy} META SET 1 round {id} MAXLEN 6 IDS 2 {id}-0 {}-0", id + 10);
            assert_eq!(client.run(&format!("EGG.ACKMOVE s g {destination} {options}")).array().len(), 2);
        }
    }
    client.all(&["XGROUP DESTROY s h"]);
    client.read("g", 9);
    client.all(&["EGG.ACKMOVE s g d IDS 1 20-0", "EGG.ACKMOVE s g new MAXLEN ~ 1 IDS 2 19-0 17-0"]);
}

fn picture(client: &mut Client) -> Vec<Reply> {
    let mut all = vec![client.run("XPENDING s g"), client.run("DBSIZE")];
    for key in ["s", "d", "new"] {
        all.extend(["XRANGE", "XINFO"].map(|name| match name {
            "XRANGE" => client.send(&[name, key, "-", "+"]),
            _ => client.send(&[name, "STREAM", key]),
        }));
        all.push(client.send(&["XINFO", "GROUPS", key]));
    }
    all
}

fn a_replica_without_the_module_follows(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = Options::new(kind).without_module().start();
    let mut client = master.connect();
    replica.replicate(&master);
    busy_day(&mut client);
    replica.wait_in_step(&master);
    assert_eq!(picture(&mut replica.connect()), picture(&mut client));
    assert_eq!(replica.connect().info("replication", "master_link_status"), "up");
}

fn a_replica_refuses_to_move(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = Server::start(kind);
    master.connect().stream(1, &["g", "h"]);
    replica.replicate(&master);
    let mut client = replica.connect();
    for call in ["EGG.ACKMOVE s g d IDS 1 1-0", "EGG.GROUPREAP s g IDLE 1 FORCE", "EGG.GROUPREAP s g IDLE 1 DRYRUN"] {
        assert_eq!(client.run(call).error(), "READONLY You can't write against a read only replica.", "{call}");
    }
}

fn a_server_without_the_module_replays_the_append_only_file(kind: Kind) {
    let mut server = Options::new(kind).aof().start();
    busy_day(&mut server.connect());
    let before = picture(&mut server.connect());
    server.kill();
    server.restart_without_module();
    assert_eq!(picture(&mut server.connect()), before);
}

fn each_move_is_one_xadd_event_and_the_call_one_xdel_event(kind: Kind) {
    let server = Server::start(kind);
    for (setup, options, expected) in [
        (&[][..], "d IDS 1 1-0", &["d xadd", "s xdel"][..]),
        (&[], "d IDS 2 2-0 1-0", &["d xadd", "d xadd", "s xdel"]),
        (&[], "s META IDS 2 2-0 1-0", &["s xadd", "s xadd", "s xdel"]),
        (&["XDEL s 1-0"], "d IDS 2 1-0 2-0", &["d xadd", "s xdel"]),
        (&["XDEL s 1-0"], "d IDS 1 1-0", &[]),
        (&["XGROUP CREATE s h 0"], "d ACKONLY IDS 1 1-0", &["d xadd"]),
    ] {
        three(&mut server.connect(), &["g"]);
        server.connect().all(setup);
        server.connect().run("XADD d 1-0 f v");
        let events = server.events_of(|client| drop(client.run(&format!("EGG.ACKMOVE s g {options}"))));
        assert_eq!(events, expected, "{options}");
    }
}

fn a_move_aborts_watches_on_both_streams(kind: Kind) {
    let server = Server::start(kind);
    let (mut watcher, mut client) = (server.connect(), server.connect());
    for (watched, aborts) in [("s", true), ("d", true), ("other", false)] {
        three(&mut client, &["g"]);
        watcher.all(&[&format!("WATCH {watched}")]);
        client.run("EGG.ACKMOVE s g d IDS 1 1-0");
        watcher.all(&["MULTI", "PING"]);
        assert_eq!(watcher.run("EXEC") == Reply::Nil, aborts, "{watched}");
    }
}

fn resp2_and_resp3_differ_in_nil_alone(kind: Kind) {
    let server = Server::start(kind);
    let mut wire = Wire::connect(&server);
    for nil in ["$-1\r\n", "_\r\n"] {
        three(&mut server.connect(), &["g"]);
        server.connect().run("XADD d 99999999999999-0 f v");
        let reply = wire.text(&words("EGG.ACKMOVE s g d IDS 3 1-0 9-0 2-0"));
        assert_eq!(reply, format!("*3\r\n$16\r\n99999999999999-1\r\n{nil}$16\r\n99999999999999-2\r\n"));
        wire.send(&["HELLO", "3"]);
    }
}

fn readers_that_wait_at_the_destination_wake_up(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let script = "return redis.call('EGG.ACKMOVE', KEYS[1], 'g', KEYS[2], 'IDS', '1', '1-0')";
    for read in ["XREAD BLOCK 0 STREAMS d 0", "XREADGROUP GROUP dg c BLOCK 0 STREAMS d >"] {
        for way in ["call", "transaction", "script"] {
            three(&mut client, &["g"]);
            client.all(&["XGROUP CREATE d dg 0 MKSTREAM"]);
            let mut reader = server.connect();
            let waiting = thread::spawn(move || reader.run(read));
            wait_until(|| client.info("clients", "blocked_clients") == "1");
            match way {
                "call" => drop(client.run("EGG.ACKMOVE s g d IDS 1 1-0")),
                "script" => drop(client.send(&["EVAL", script, "2", "s", "d"])),
                _ => client.all(&["MULTI", "EGG.ACKMOVE s g d IDS 1 1-0", "EXEC"]),
            }
            let streams = waiting.join().expect("the reader got a reply");
            let entries = streams.array()[0].array()[1].array();
            assert_eq!((entries.len(), entries[0].array()[0].text()), (1, client.ids("d").remove(0)), "{read} {way}");
        }
    }
}
