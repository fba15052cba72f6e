//! EGG.GROUPREAP: which groups go, and what is said of them.

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};
use egg_testkit::random::Random;
use egg_testkit::wire::Wire;

each_server! {
    a_group_goes_when_its_consumers_are_idle_and_nothing_is_pending,
    the_group_of_the_caller_never_goes,
    one_consumer_seen_of_late_keeps_its_group,
    the_rows_in_both_protocols,
    match_picks_by_name_as_keys_does,
    a_dry_run_tells_the_same_and_changes_nothing,
    each_destroyed_group_is_logged_with_what_it_had_pending,
    groups_are_destroyed_as_by_the_core,
    readers_that_wait_in_a_destroyed_group_are_told,
    errors_come_in_order_and_change_nothing,
}

/// The names in a reply.
fn names(reply: &Reply) -> Vec<String> {
    reply.array().iter().map(|row| row.array()[0].text()).collect()
}

/// Waits until consumers that were seen last before this call have been idle for so many milliseconds, and the server has
/// been up for as long. Idle time is counted in whole milliseconds.
fn pass(client: &mut Client, milliseconds: usize) {
    client.all(&["XGROUP CREATE clock own $ MKSTREAM", "XGROUP CREATE clock g $", "XGROUP CREATECONSUMER clock g c"]);
    let call = format!("EGG.GROUPREAP clock own IDLE {milliseconds} DRYRUN");
    wait_until(|| !client.run(&call).array().is_empty());
    client.run("DEL clock");
}

const READ: &str = "XREADGROUP GROUP o c STREAMS s >";
const ACK: &str = "XACK s o 1-0 2-0 3-0";

/// Entries 1-0 to 3-0 that the caller's group `g` has read, and what these lines make of group `o`.
fn prepare(client: &mut Client, lines: &[&str]) {
    client.run("DEL s");
    client.stream(3, &["g"]);
    client.all(lines);
}

fn a_group_goes_when_its_consumers_are_idle_and_nothing_is_pending(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let all = ["", "EMPTY", "FORCE", "EMPTY FORCE"];
    for (lines, goes_with) in [
        // It read everything, and is done.
        (&["XGROUP CREATE s o 0", READ, ACK][..], &all[..]),
        // Idle, and behind: it will not catch up by itself.
        (&["XGROUP CREATE s o 0", "XGROUP CREATECONSUMER s o c"], &all),
        // Just made: nothing tells since when.
        (&["XGROUP CREATE s o $"], &["EMPTY", "EMPTY FORCE"]),
        // Made for a worker to come: it is not told from one that nobody will ever use.
        (&["XGROUP CREATE s o 0"], &[]),
        (&["XGROUP CREATE s o 0-1"], &["EMPTY", "EMPTY FORCE"]),
        (&["XGROUP CREATE s o 0", READ, "XGROUP DELCONSUMER s o c"], &["EMPTY", "EMPTY FORCE"]),
        // Somebody may still be at work.
        (&["XGROUP CREATE s o 0", READ], &["FORCE", "EMPTY FORCE"]),
        (&["XGROUP CREATE s o 0", READ, "XACK s o 1-0 2-0"], &["FORCE", "EMPTY FORCE"]),
        (&["XGROUP CREATE s o 0", READ, "XDEL s 1-0 2-0 3-0"], &["FORCE", "EMPTY FORCE"]),
    ] {
        for options in all {
            prepare(&mut client, lines);
            pass(&mut client, 2);
            let goes = goes_with.contains(&options);
            let expected: &[&str] = if goes { &["o"] } else { &[] };
            assert_eq!(
                names(&client.run(&format!("EGG.GROUPREAP s g IDLE 2 {options}"))),
                expected,
                "{lines:?} {options}"
            );
            let left = client.run("XINFO GROUPS s").array().len();
            assert_eq!(left, if goes { 1 } else { 2 }, "{lines:?} {options}");
            // Nobody has been idle for a day since the server was started.
            let day = client.run(&format!("EGG.GROUPREAP s g IDLE 86400000 MATCH nobody {options}"));
            assert_eq!(day, Reply::Array(Vec::new()), "{lines:?} {options}");
        }
    }
    // Only by force, and by its name.
    for (options, goes) in [
        ("EMPTY MATCH o", false),
        ("FORCE MATCH o", false),
        ("EMPTY FORCE MATCH p", false),
        ("EMPTY FORCE MATCH o DRYRUN", true),
        ("EMPTY FORCE MATCH o", true),
    ] {
        prepare(&mut client, &["XGROUP CREATE s o 0"]);
        let expected: &[&str] = if goes { &["o"] } else { &[] };
        assert_eq!(names(&client.run(&format!("EGG.GROUPREAP s g IDLE 1 {options}"))), expected, "{options}");
    }
    prepare(&mut client, &["XGROUP CREATE s o 0", READ, ACK]);
    for idle in ["60000", "9223372036854775807"] {
        assert_eq!(client.run(&format!("EGG.GROUPREAP s g IDLE {idle} FORCE")), Reply::Array(Vec::new()));
    }
    assert_eq!(client.ids("s").len(), 3);
}

fn the_group_of_the_caller_never_goes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client, &["XGROUP CREATE s o 0", "XGROUP CREATE s p 0-1", READ]);
    client.all(&["XACK s g 1-0 2-0 3-0"]);
    pass(&mut client, 2);
    assert_eq!(client.run("EGG.GROUPREAP s g IDLE 1 EMPTY FORCE MATCH g"), Reply::Array(Vec::new()));
    assert_eq!(names(&client.run("EGG.GROUPREAP s g IDLE 1 EMPTY FORCE")), ["o", "p"]);
    assert_eq!(client.run("EGG.GROUPREAP s g IDLE 1 EMPTY FORCE"), Reply::Array(Vec::new()));
    assert_eq!(client.run("EGG.GROUPGUARD s g"), "OK");
    assert_eq!(client.info("egg", "egg_reaped"), "2");
}

fn one_consumer_seen_of_late_keeps_its_group(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client, &["XGROUP CREATE s o 0", READ, ACK, "XGROUP CREATE s p 0"]);
    client.all(&["XGROUP CREATECONSUMER s p c", "XGROUP CREATECONSUMER s o other"]);
    pass(&mut client, 300);
    // In one step, so that no time passes: a read that finds nothing is a sign of life, too.
    client.all(&["MULTI", "XREADGROUP GROUP o c STREAMS s >", "EGG.GROUPREAP s g IDLE 300 FORCE EMPTY"]);
    let replies = client.run("EXEC");
    assert_eq!(replies.array()[0], Reply::Nil);
    assert_eq!(names(&replies.array()[1]), ["p"]);
    assert_eq!(client.run("XINFO GROUPS s").array().len(), 2);
}

fn the_rows_in_both_protocols(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client, &["XGROUP CREATE s o 0", READ, "XGROUP CREATE s p 0-1", "XGROUP CREATE s q 1-0"]);
    client.all(&["XACK s o 1-0", "XADD s 4-0 f v", "XDEL s 2-0"]);
    pass(&mut client, 5);
    let mut wire = Wire::connect(&server);
    for nil in ["$-1", "_"] {
        let reply = wire.text(&words("EGG.GROUPREAP s g IDLE 5 EMPTY FORCE DRYRUN"));
        let idle = reply.lines().filter_map(|line| line.strip_prefix(':')).nth(2).expect("an idle time");
        assert!((5..60_000).contains(&idle.parse().expect("a number")), "{reply}");
        // The lag of `p` and `q`, which have a hole before them, is unknown.
        let expected = format!(
            "*3\r\n*4\r\n$1\r\no\r\n:2\r\n:1\r\n:{idle}\r\n*4\r\n$1\r\np\r\n:0\r\n{nil}\r\n{nil}\r\n*4\r\n$1\r\nq\r\n:0\r\n{nil}\r\n{nil}\r\n"
        );
        assert_eq!(reply, expected);
        assert_eq!(wire.text(&words("EGG.GROUPREAP s g IDLE 9223372036854775807")), "*0\r\n");
        wire.send(&["HELLO", "3"]);
    }
}

fn match_picks_by_name_as_keys_does(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let mut random = Random::new(9);
    // The core takes no pattern but `*` for one of the empty name.
    let mut word = |alphabet: &[u8], limit: usize| -> Vec<u8> {
        (0..=random.below(limit)).map(|_| alphabet[random.below(alphabet.len())]).collect()
    };
    client.all(&["SELECT 1", "XGROUP CREATE s own 0 MKSTREAM", "SELECT 0"]);
    for _ in 0..200 {
        let name = word(b"abc-]*\\", 4);
        client.send(&[&b"SET"[..], &name, b"x"]);
        client.all(&["SELECT 1"]);
        client.send(&[&b"XGROUP"[..], b"CREATE", b"s", &name, b"0-1"]);
        client.all(&["SELECT 0"]);
    }
    let mut found = 0;
    for _ in 0..1500 {
        let pattern = word(b"abc[]^-*?\\", 6);
        let keys = client.send(&[&b"KEYS"[..], &pattern]);
        client.all(&["SELECT 1"]);
        let words = [&b"EGG.GROUPREAP"[..], b"s", b"own", b"IDLE", b"1", b"EMPTY", b"DRYRUN", b"MATCH", &pattern];
        let reaped = names(&client.send(&words));
        client.all(&["SELECT 0"]);
        let mut keys: Vec<_> = keys.array().iter().map(Reply::text).collect();
        keys.sort();
        found += keys.len();
        assert_eq!(reaped, keys, "{}", pattern.escape_ascii());
    }
    assert!(found > 1000, "{found}");
}

fn a_dry_run_tells_the_same_and_changes_nothing(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let (mut watcher, mut client) = (server.connect(), server.connect());
    prepare(&mut client, &["XGROUP CREATE s o 0", READ, "XGROUP CREATE s p 0-1"]);
    pass(&mut client, 2);
    let call = "EGG.GROUPREAP s g IDLE 1 EMPTY FORCE";
    let (before, written) = (client.state("s"), server.aof().len());
    watcher.all(&["WATCH s"]);
    let mut dry = Reply::Nil;
    let events = server.events_of(|client| dry = client.run(&format!("{call} DRYRUN")));
    assert_eq!(events, [""; 0]);
    watcher.all(&["MULTI", "PING"]);
    assert_eq!(watcher.run("EXEC").array()[0], "PONG");
    assert_eq!((client.state("s"), server.aof().len()), (before, written));
    assert!(!server.log().contains("destroyed group"));
    assert_eq!(client.info("egg", "egg_reaped"), "0");
    let reaped = client.run(call);
    let without_idle = |reply: &Reply| reply.array().iter().map(|row| row.array()[..3].to_vec()).collect::<Vec<_>>();
    assert_eq!((without_idle(&reaped), names(&reaped)), (without_idle(&dry), vec!["o".into(), "p".into()]));
}

fn each_destroyed_group_is_logged_with_what_it_had_pending(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let name = b"a\r\n\0\xff%s%n\"";
    client.send(&[&b"XADD"[..], name, b"1-0", b"f", b"v"]);
    for group in [&b"own"[..], name, b"plain"] {
        client.send(&[&b"XGROUP"[..], b"CREATE", name, group, b"0-1"]);
    }
    client.send(&[&b"XREADGROUP"[..], b"GROUP", name, b"c", b"STREAMS", name, b">"]);
    pass(&mut client, 2);
    client.send(&[&b"EGG.GROUPREAP"[..], name, b"own", b"IDLE", b"1", b"EMPTY", b"FORCE"]);
    let log = server.log();
    let lines = log.lines().filter_map(|line| line.split_once("* <egg> ").map(|(_, text)| text));
    let lines: Vec<_> = lines.filter(|line| line.starts_with("destroyed")).collect();
    let shown = r#"a\r\n\x00\xff%s%n\""#;
    let line = |group: &str, pending: usize| {
        format!("destroyed group \"{group}\" of stream \"{shown}\", with {pending} pending entries")
    };
    assert_eq!(lines, [line(shown, 1), line("plain", 0)], "{log}");
}

fn groups_are_destroyed_as_by_the_core(kind: Kind) {
    let master = Options::new(kind).aof().tcp().start();
    let replica = Options::new(kind).without_module().start();
    replica.replicate(&master);
    let mut client = master.connect();
    let script = "return redis.call('EGG.GROUPREAP', KEYS[1], 'g', 'IDLE', '1', 'FORCE', 'EMPTY')";
    for (lines, destroyed) in [
        (&["XGROUP CREATE s o 0", READ][..], &["XGROUP DESTROY s o"][..]),
        (
            &["XGROUP CREATE s o 0-1", "XGROUP CREATE s p 0-1"],
            &["MULTI", "XGROUP DESTROY s o", "XGROUP DESTROY s p", "EXEC"],
        ),
        (&[], &[]),
    ] {
        for call in [words("EGG.GROUPREAP s g IDLE 1 FORCE EMPTY"), vec!["EVAL", script, "1", "s"]] {
            prepare(&mut client, lines);
            pass(&mut client, 2);
            let mut events = Vec::new();
            let commands = master.propagated(|| events = master.events_of(|client| drop(client.send(&call))));
            assert_eq!(commands, destroyed);
            let groups = destroyed.iter().filter(|line| line.starts_with("XGROUP"));
            assert_eq!(events, groups.map(|_| "s xgroup-destroy").collect::<Vec<_>>());
            replica.wait_in_step(&master);
            assert_eq!(replica.connect().run("XINFO GROUPS s"), client.run("XINFO GROUPS s"));
        }
    }
}

fn readers_that_wait_in_a_destroyed_group_are_told(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client, &["XGROUP CREATE s o $"]);
    let mut reader = server.connect();
    let waiting = std::thread::spawn(move || reader.run("XREADGROUP GROUP o c BLOCK 0 STREAMS s >"));
    wait_until(|| client.info("clients", "blocked_clients") == "1");
    pass(&mut client, 2);
    assert_eq!(names(&client.run("EGG.GROUPREAP s g IDLE 1")), ["o"]);
    let reply = waiting.join().expect("the reader got a reply");
    assert!(reply.error().starts_with("NOGROUP ") || reply.error().starts_with("UNBLOCKED "), "{reply:?}");
}

fn errors_come_in_order_and_change_nothing(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client, &["XGROUP CREATE s o 0", READ, ACK]);
    client.all(&["SET text x"]);
    pass(&mut client, 2);
    let before = client.state("s");
    let idle = "ERR IDLE must be a positive integer";
    let syntax = "ERR syntax error";
    let nogroup = |key: &str, group: &str| format!("NOGROUP No such key '{key}' or consumer group '{group}'");
    for (call, expected) in [
        ("", "ERR wrong number of arguments for 'egg.groupreap' command".to_owned()),
        ("text g IDLE", "ERR wrong number of arguments for 'egg.groupreap' command".to_owned()),
        ("text none IDLE 0 FOO", "WRONGTYPE Operation against a key holding the wrong kind of value".to_owned()),
        ("s none FOO IDLE 0", syntax.to_owned()),
        ("s none IDLE 0 FOO", idle.to_owned()),
        ("s none IDLE -1", idle.to_owned()),
        ("s none IDLE 1.5", idle.to_owned()),
        ("none g IDLE 9223372036854775808", idle.to_owned()),
        ("s none IDLE 1 IDLE 1", syntax.to_owned()),
        ("s none IDLE 1 FORCE FORCE", syntax.to_owned()),
        ("s none IDLE 1 EMPTY empty", syntax.to_owned()),
        ("s none IDLE 1 DRYRUN DRYRUN", syntax.to_owned()),
        ("s none IDLE 1 MATCH a MATCH a", syntax.to_owned()),
        ("s none IDLE 1 MATCH", syntax.to_owned()),
        ("s none FORCE EMPTY", syntax.to_owned()),
        ("s none IDLE 1", nogroup("s", "none")),
        ("none g IDLE 1", nogroup("none", "g")),
        ("s o* IDLE 1 MATCH *", nogroup("s", "o*")),
    ] {
        assert_eq!(client.run(&format!("EGG.GROUPREAP {call}")), Reply::Error(expected), "{call}");
    }
    assert_eq!(client.state("s"), before);
    assert_eq!(client.info("egg", "egg_reaped"), "0");
}
