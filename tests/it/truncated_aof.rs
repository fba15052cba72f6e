//! The append only file, cut off at any byte of what a call wrote: after a restart the call has happened or it has not.
//!
//! `EGG_TRUNCATED_AOF=1` cuts every kind of call, at every byte on Redis 7.4, at every seventh on those whose loader is the same;
//! else it is a move, at some.

use std::fs;

use crate::work::amount;
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options};

each_server! {
    a_call_has_happened_whole_or_not_at_all,
}

const H_DONE: [&str; 3] = ["XGROUP CREATE s h 0", "XREADGROUP GROUP h c STREAMS s >", "XACK s h 1-0 5-0"];

/// What goes before, and the call.
const CALLS: [(&[&str], &str); 12] = [
    (&[], "EGG.ACKMOVE s g d META MAXLEN 1 IDS 2 5-0 1-0"),
    (&[], "EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"),
    // The lag is mended, too.
    (&[], "EGG.ACKDEL s g IDS 2 5-0 3-0"),
    (&["XGROUP CREATE s h 0"], "EGG.ACKDEL s g ACKONLY IDS 2 1-0 2-0"),
    (&H_DONE, "EGG.ACKDEL s g ACKED IDS 3 1-0 2-0 5-0"),
    (&H_DONE, "EGG.ACKDEL s g KEEPREF IDS 2 1-0 2-0"),
    (&H_DONE, "EGG.ACKDEL s g DELREF IDS 2 1-0 2-0"),
    (&["XACK s g 1-0 2-0 4-0"], "EGG.TRIM s"),
    (&["XACK s g 1-0 5-0"], "EGG.DELEX s IDS 2 1-0 5-0"),
    (&["XACK s g 1-0 2-0 4-0"], "EGG.ADD s MAXLEN 2 9-0 f v"),
    (&["XGROUP CREATE s old 0-1", "XGROUP CREATE s older 0-1"], "EGG.GROUPREAP s g IDLE 1 EMPTY"),
    (&["MULTI", "SET x 1", "EGG.ACKDEL s g IDS 1 1-0", "EGG.ACKMOVE s g s IDS 1 2-0"], "EXEC"),
];

fn a_call_has_happened_whole_or_not_at_all(kind: Kind) {
    let all = amount("EGG_TRUNCATED_AOF", 0) > 0;
    let (calls, step) = match (all, kind) {
        (true, Kind::Redis74) => (&CALLS[..], 1),
        (true, _) => (&CALLS[..], 7),
        (false, _) => (&CALLS[..1], 23),
    };
    let mut server = Options::new(kind).aof().line("aof-load-truncated yes").start();
    let mut restarts = 0;
    for (setup, call) in calls {
        server.restart();
        let mut client = server.connect();
        client.all(&["FLUSHALL"]);
        client.stream(5, &["g"]);
        client.all(&["XADD d 1-0 f v", "XADD d 2-0 f v"]);
        client.all(setup);
        // Seen from outside: the setup may have begun a transaction.
        let before = picture(&mut server.connect());
        let start = fs::read(server.aof_file()).expect("it can be read").len();
        client.all(&[call]);
        let after = picture(&mut server.connect());
        assert_ne!(before, after, "{call}");
        server.kill();
        let bytes = fs::read(server.aof_file()).expect("it can be read");
        assert!(bytes.len() > start + 20, "{call}");
        for end in (start..bytes.len()).step_by(step).chain([bytes.len()]) {
            server.kill();
            fs::write(server.aof_file(), &bytes[..end]).expect("it can be written");
            server.restart();
            let expected = if end == bytes.len() { &after } else { &before };
            assert_eq!(
                picture(&mut server.connect()),
                *expected,
                "{call}, cut at {} of {}",
                end - start,
                bytes.len() - start
            );
            restarts += 1;
        }
    }
    println!("{kind:?}: {restarts} truncated files");
}

/// What is in both streams and who has it, idle times left out.
fn picture(client: &mut Client) -> String {
    let mut lines = vec![format!("{:?}", client.run("GET x"))];
    for key in ["s", "d"] {
        lines.push(format!("{:?}", client.entries(key)));
        lines.push(format!("{:?}", client.send(&["XINFO", "STREAM", key]).field("max-deleted-entry-id")));
        let groups = client.send(&["XINFO", "GROUPS", key]);
        for group in groups.array() {
            let pending = match client.send(&["XPENDING", key, &group.field("name").text(), "-", "+", "100"]) {
                Reply::Array(rows) => rows.iter().map(|row| format!("{:?}", &row.array()[..2])).collect::<String>(),
                other => panic!("{other:?}"),
            };
            lines.push(format!("{:?} {:?} {pending}", group.field("name"), group.field("lag")));
        }
    }
    lines.join("\n")
}
