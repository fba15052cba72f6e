//! EGG.PINS: who holds a stream, and by what.

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::wire::Wire;

each_server! {
    each_group_is_held_by_the_lowest_id_that_it_needs,
    there_is_a_row_for_each_group,
    a_stream_without_groups_and_a_missing_key_have_no_rows,
    errors_are_those_of_the_server,
    the_bytes_in_both_protocols,
    names_are_bytes,
    asking_changes_nothing,
    replicas_and_read_only_scripts_answer,
    the_way_from_a_refusal_to_the_group_that_is_in_the_way,
}

/// The rows of a stream, one line each.
fn pins(client: &mut Client) -> Vec<String> {
    let rows = client.run("EGG.PINS s");
    let row = |row: &Reply| {
        let text = |name: &str| match row.field(name) {
            Reply::Nil => "nil".to_owned(),
            other => other.text(),
        };
        let [name, id, why, consumer] = ["name", "lowest-id", "why", "consumer"].map(text);
        format!("{name}: {id} {why} {consumer} {}", row.field("pending").integer())
    };
    rows.array().iter().map(row).collect()
}

const READ: &str = "XREADGROUP GROUP g c STREAMS s >";

fn each_group_is_held_by_the_lowest_id_that_it_needs(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    // Entries 2-0 to 5-0, and a group made by the first line.
    for (lines, expected) in [
        (&["XGROUP CREATE s g 0"][..], "2-0 undelivered nil 0"),
        (&["XGROUP CREATE s g 3-0"], "4-0 undelivered nil 0"),
        (&["XGROUP CREATE s g 3-5"], "4-0 undelivered nil 0"),
        (&["XGROUP CREATE s g $"], "nil nothing nil 0"),
        (&["XGROUP CREATE s g 99-0"], "nil nothing nil 0"),
        (&["XGROUP CREATE s g 18446744073709551615-18446744073709551615"], "nil nothing nil 0"),
        (&["XGROUP CREATE s g 0", READ], "2-0 pending c 4"),
        (&["XGROUP CREATE s g 0", READ, "XACK s g 2-0 4-0"], "3-0 pending c 2"),
        (&["XGROUP CREATE s g 0", READ, "XCLAIM s g other 0 2-0"], "2-0 pending other 4"),
        (&["XGROUP CREATE s g 0", READ, "XACK s g 2-0 3-0 4-0 5-0"], "nil nothing nil 0"),
        (&["XGROUP CREATE s g 0", READ, "XACK s g 2-0 3-0 4-0 5-0", "XADD s 6-0 f v"], "6-0 undelivered nil 0"),
        (&["XGROUP CREATE s g 0", READ, "XADD s 6-0 f v"], "2-0 pending c 4"),
        (&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c NOACK STREAMS s >"], "nil nothing nil 0"),
        // What was delivered, deleted and not acknowledged still stands in the list.
        (&["XGROUP CREATE s g 0", READ, "XDEL s 2-0"], "2-0 pending c 4"),
        (&["XGROUP CREATE s g 0", READ, "XTRIM s MAXLEN 0"], "2-0 pending c 4"),
        // Undelivered, and gone: nobody will get it.
        (&["XGROUP CREATE s g 0", "XDEL s 2-0"], "3-0 undelivered nil 0"),
        (&["XGROUP CREATE s g 0", "XTRIM s MAXLEN 0"], "nil nothing nil 0"),
        // Set back: what it will read again comes before what it has pending, and after.
        (&["XGROUP CREATE s g 0", READ, "XACK s g 2-0 3-0", "XGROUP SETID s g 0"], "2-0 undelivered nil 2"),
        (&["XGROUP CREATE s g 0", READ, "XACK s g 2-0 3-0", "XGROUP SETID s g 3-0"], "4-0 pending c 2"),
        (&["XGROUP CREATE s g 0", READ, "XGROUP SETID s g 0"], "2-0 pending c 4"),
        (&["XGROUP CREATE s g 0", READ, "XDEL s 2-0", "XGROUP SETID s g 0"], "2-0 pending c 4"),
        (&["XGROUP CREATE s g 0", READ, "XGROUP DELCONSUMER s g c"], "nil nothing nil 0"),
        // A count of deliveries that the server shows as a number below zero.
        (
            &["XGROUP CREATE s g 0", READ, "XCLAIM s g c 0 2-0 RETRYCOUNT 9223372036854775807", "XCLAIM s g c 0 2-0"],
            "2-0 pending c 4",
        ),
    ] {
        client.run("DEL s");
        client.add(2..=5);
        client.all(lines);
        assert_eq!(pins(&mut client), [format!("g: {expected}")], "{lines:?}");
    }
}

fn there_is_a_row_for_each_group(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(4, &["busy", "done"]);
    client.all(&["XACK s done 1-0 2-0 3-0 4-0", "XACK s busy 1-0", "XGROUP CREATE s behind 2-0"]);
    let expected = ["behind: 3-0 undelivered nil 0", "busy: 2-0 pending c 3", "done: nil nothing nil 0"];
    assert_eq!(pins(&mut client), expected);
    client.all(&["XGROUP DESTROY s busy"]);
    assert_eq!(pins(&mut client), [expected[0], expected[2]]);
    for n in 0..100 {
        client.all(&[&format!("XGROUP CREATE s many{n} 0")]);
    }
    let rows = pins(&mut client);
    assert_eq!(rows.len(), 102);
    assert_eq!(rows.iter().filter(|row| row.ends_with(": 1-0 undelivered nil 0")).count(), 100);
    let listed = client.run("XINFO GROUPS s").array().iter().map(|row| row.field("name").text()).collect::<Vec<_>>();
    assert_eq!(rows.iter().filter_map(|row| row.split(':').next()).collect::<Vec<_>>(), listed);
}

fn a_stream_without_groups_and_a_missing_key_have_no_rows(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    assert_eq!(client.run("EGG.PINS s"), Reply::Array(Vec::new()));
    assert_eq!(client.run("EXISTS s"), 0);
    client.add(1..=2);
    assert_eq!(client.run("EGG.PINS s"), Reply::Array(Vec::new()));
}

fn errors_are_those_of_the_server(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["SET text x", "RPUSH list x"]);
    for key in ["text", "list"] {
        let expected = "WRONGTYPE Operation against a key holding the wrong kind of value";
        assert_eq!(client.run(&format!("EGG.PINS {key}")).error(), expected);
    }
    for call in ["EGG.PINS", "EGG.PINS s g"] {
        assert_eq!(client.run(call).error(), "ERR wrong number of arguments for 'egg.pins' command");
    }
}

fn the_bytes_in_both_protocols(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(2, &["g"]);
    client.all(&["XGROUP CREATE s h $"]);
    let mut wire = Wire::connect(&server);
    for (head, nil) in [("*10", "$-1"), ("%5", "_")] {
        let row = |name: &str, id: &str, why: &str, consumer: &str, pending: usize| {
            let (length, why_length) = (name.len(), why.len());
            format!(
                "{head}\r\n$4\r\nname\r\n${length}\r\n{name}\r\n$9\r\nlowest-id\r\n{id}\r\n$3\r\nwhy\r\n${why_length}\r\n\
                 {why}\r\n$8\r\nconsumer\r\n{consumer}\r\n$7\r\npending\r\n:{pending}\r\n"
            )
        };
        let pending = row("g", "$3\r\n1-0", "pending", "$1\r\nc", 2);
        let nothing = row("h", nil, "nothing", nil, 0);
        assert_eq!(wire.text(&words("EGG.PINS s")), format!("*2\r\n{pending}{nothing}"));
        assert_eq!(wire.text(&words("EGG.PINS none")), "*0\r\n");
        wire.send(&["HELLO", "3"]);
    }
}

fn names_are_bytes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let name = b"\r\n\0\xff%s \x01";
    client.send(&[&b"XADD"[..], name, b"1-0", b"f", b"v"]);
    client.send(&[&b"XGROUP"[..], b"CREATE", name, name, b"0"]);
    client.send(&[&b"XREADGROUP"[..], b"GROUP", name, name, b"STREAMS", name, b">"]);
    let rows = client.send(&[&b"EGG.PINS"[..], name]);
    let bytes = Reply::Text(name.to_vec());
    assert_eq!((rows.array()[0].field("name"), rows.array()[0].field("consumer")), (&bytes, &bytes));
}

fn asking_changes_nothing(kind: Kind) {
    let server = Server::start(kind);
    let (mut watcher, mut client) = (server.connect(), server.connect());
    client.stream(3, &["g", "h"]);
    client.all(&["XGROUP CREATE s i 0", "XGROUP SETID s h 0", "XDEL s 1-0"]);
    let before = client.state("s");
    watcher.all(&["WATCH s none"]);
    let events = server.events_of(|client| client.all(&["EGG.PINS s", "EGG.PINS none"]));
    assert_eq!(events, [""; 0]);
    watcher.all(&["MULTI", "PING"]);
    assert_eq!(watcher.run("EXEC").array()[0], "PONG");
    assert_eq!(client.state("s"), before);
}

fn replicas_and_read_only_scripts_answer(kind: Kind) {
    let master = Options::new(kind).tcp().start();
    let replica = Server::start(kind);
    master.connect().stream(2, &["g"]);
    replica.replicate(&master);
    let mut client = replica.connect();
    assert_eq!(pins(&mut client), ["g: 1-0 pending c 2"]);
    let script = "return redis.call('EGG.PINS', KEYS[1])[1][4]";
    for eval in ["EVAL", "EVAL_RO"] {
        assert_eq!(client.send(&[eval, script, "1", "s"]), "1-0");
    }
    client.all(&["MULTI", "EGG.PINS s"]);
    assert_eq!(client.run("EXEC").array()[0].array().len(), 1);
}

fn the_way_from_a_refusal_to_the_group_that_is_in_the_way(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g", "renamed"]);
    assert!(client.run("EGG.ACKDEL s g IDS 1 1-0").error().contains("\"renamed\""));
    assert_eq!(pins(&mut client)[1], "renamed: 1-0 pending c 1");
    let idle = || server.connect().run("EGG.GROUPREAP s g IDLE 1 FORCE DRYRUN");
    egg_testkit::harness::wait_until(|| !idle().array().is_empty());
    assert_eq!(client.run("EGG.GROUPREAP s g IDLE 1 FORCE").array()[0].array()[0], "renamed");
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
}
