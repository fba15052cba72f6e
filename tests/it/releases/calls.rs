//! Calls of every command, each on streams of its own, with all that they send to replicas and the append only file.

use std::fmt::Write as _;

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::harness::{Kind, Options};

/// What goes before a call on a stream `s` of six entries, all pending in `g`, and the call. Then `s` and `d` are renamed.
pub const CALLS: [(&[&str], &str); 34] = [
    (&[], "EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"),
    // The lag is mended, too.
    (&[], "EGG.ACKDEL s g IDS 3 6-0 2-0 4-0"),
    (&["XCLAIM s g other 0 2-0"], "EGG.ACKDEL s g OWNER c IDS 2 1-0 2-0"),
    (&["XDEL s 2-0"], "EGG.ACKDEL s g IDS 2 2-0 3-0"),
    (&["XGROUP CREATE s h 0"], "EGG.ACKDEL s g ACKONLY IDS 2 1-0 2-0"),
    (&H_READ, "EGG.ACKDEL s g ACKED IDS 3 1-0 2-0 5-0"),
    (&H_READ, "EGG.ACKDEL s g KEEPREF IDS 2 2-0 3-0"),
    (&H_READ, "EGG.ACKDEL s g DELREF IDS 2 2-0 3-0"),
    (&[], "EGG.ACKMOVE s g d META SET 2 try 1 why x IDS 2 5-0 1-0"),
    (&["XADD d 1-0 f v", "XADD d 2-0 f v"], "EGG.ACKMOVE s g d MAXLEN 2 IDS 1 1-0"),
    (&H_READ, "EGG.ACKMOVE s g d ACKED MINDELIVERIES 1 OWNER c IDS 3 1-0 2-0 3-0"),
    (&H_READ, "EGG.ACKMOVE s g d DELREF IDS 1 2-0"),
    (&[], "EGG.GROUPGUARD s g"),
    (&["XGROUP CREATE s h 0"], "EGG.PINS s"),
    (&[], "EGG.VERSION"),
    (&["XGROUP CREATE s h 0", "XGROUP CREATE s i $"], "EGG.GROUPREAP s g IDLE 1 EMPTY"),
    (&["XGROUP CREATE s h 0", "XREADGROUP GROUP h c COUNT 2 STREAMS s >", IDLE], "EGG.GROUPREAP s g IDLE 1 FORCE"),
    (&["XACK s g 1-0 5-0"], "EGG.DELEX s IDS 2 1-0 5-0"),
    (&["XACK s g 6-0"], "EGG.DELEX s ACKED IDS 2 1-0 6-0"),
    (&[], "EGG.DELEX s KEEPREF IDS 1 3-0"),
    (&H_READ, "EGG.DELEX s DELREF IDS 2 3-0 9-0"),
    (&["XACK s g 1-0 2-0 4-0"], "EGG.TRIM s"),
    (&["XACK s g 1-0 2-0 4-0"], "EGG.TRIM s LIMIT 2"),
    (&["XACK s g 1-0 3-0"], "EGG.TRIM s MAXLEN 3"),
    (&[], "EGG.TRIM s KEEPREF MINID 3-0"),
    (&["CONFIG SET stream-node-max-entries 2"], "EGG.TRIM s KEEPREF MAXLEN ~ 3"),
    (&["CONFIG SET stream-node-max-entries 100"], "EGG.TRIM s DELREF MAXLEN 2"),
    (
        &["XACK s g 1-0 2-0 3-0", "XGROUP CREATE s h 0", "XREADGROUP GROUP h c COUNT 2 STREAMS s >", IDLE, AWAKE],
        IGNOREIDLE,
    ),
    (&["XACK s g 1-0 2-0 4-0"], "EGG.ADD s MAXLEN 2 9-0 f v"),
    (&["XACK s g 1-0 2-0 4-0"], "EGG.ADD s KEEPREF MINID = 3-0 9-0 f v"),
    (&[], "EGG.ADD d NOMKSTREAM 9-0 f v"),
    (&[], "EGG.ADD s DELREF MAXLEN 3 9-0 f v"),
    (&["MULTI", "SET x 1", "EGG.ACKDEL s g IDS 1 1-0", "EGG.ACKMOVE s g s IDS 1 2-0"], "EXEC"),
    (&[], "EVAL return{redis.call('EGG.ACKDEL','s','g','IDS','1','1-0'),redis.call('SET','x','2')} 0"),
];

/// The names of Redis 8.2, on servers that lack them.
const NATIVE_CALLS: [(&[&str], &str); 6] = [
    (&H_READ, "XACKDEL s g ACKED IDS 3 1-0 2-0 5-0"),
    (&H_READ, "XACKDEL s g DELREF IDS 1 2-0"),
    (&["XACK s g 2-0"], "XDELEX s ACKED IDS 2 1-0 2-0"),
    (&["XACK s g 1-0 2-0 4-0"], "XADD s ACKED MAXLEN = 2 9-0 f v"),
    (&["XACK s g 1-0 2-0 4-0"], "XTRIM s MAXLEN = 1 ACKED"),
    (&[], "XTRIM s MAXLEN = 2 DELREF"),
];

const H_READ: [&str; 3] = ["XGROUP CREATE s h 0", "XREADGROUP GROUP h c COUNT 5 STREAMS s >", "XACK s h 1-0 5-0"];
/// Long enough to look dead, and a sign of life from the others.
const IDLE: &str = "DEBUG SLEEP 0.3";
const AWAKE: &str = "XREADGROUP GROUP g c STREAMS s >";
const IGNOREIDLE: &str = "EGG.TRIM s IGNOREIDLE 200";

/// A server on which the calls can be made.
pub fn options(kind: Kind) -> Options {
    Options::new(kind).aof().line("egg.native-names yes")
}

/// Makes the calls. Each is handed to `call` to be made.
pub fn make(client: &mut Client, mut call: impl FnMut(&mut Client, &str)) {
    let native = client.run("COMMAND INFO xackdel").array()[0].array()[2].array().iter().any(|flag| *flag == "module");
    let native_calls = if native { &NATIVE_CALLS[..] } else { &[] };
    for (number, (setup, line)) in CALLS.iter().chain(native_calls).enumerate() {
        client.stream(6, &["g"]);
        client.all(setup);
        call(client, line);
        client.all(&[&format!("RENAME s {number:02}")]);
        if client.run("EXISTS d") == 1 {
            client.all(&[&format!("RENAME d {number:02}d")]);
        }
    }
}

/// All that is in the streams, what changes by itself left out.
pub fn picture(client: &mut Client) -> String {
    let mut text = String::new();
    let mut keys: Vec<_> = client.run("KEYS *").array().iter().map(Reply::text).collect();
    keys.sort();
    for key in keys {
        if client.run(&format!("TYPE {key}")) != "stream" {
            writeln!(text, "{key} {:?}", client.run(&format!("GET {key}"))).expect("a line");
            continue;
        }
        let stream = client.run(&format!("XINFO STREAM {key}"));
        let mut line = |line: String| writeln!(text, "{key} {line}").expect("a line");
        for field in ["last-generated-id", "max-deleted-entry-id", "entries-added", "length"] {
            line(format!("{field} {:?}", stream.field(field)));
        }
        for (id, fields) in client.entries(&key) {
            line(format!("entry {id} {fields}"));
        }
        for group in client.run(&format!("XINFO GROUPS {key}")).array() {
            let name = group.field("name").text();
            let fields =
                ["last-delivered-id", "entries-read", "lag"].map(|name| format!("{name} {:?}", group.field(name)));
            line(format!("group {name} {}", fields.join(" ")));
            for consumer in client.run(&format!("XINFO CONSUMERS {key} {name}")).array() {
                line(format!(
                    "group {name} consumer {:?} pending {:?}",
                    consumer.field("name"),
                    consumer.field("pending")
                ));
            }
            for row in client.run(&format!("XPENDING {key} {name} - + 100")).array() {
                let row = row.array();
                line(format!("group {name} pending {:?} {:?} deliveries {:?}", row[0], row[1], row[3]));
            }
        }
    }
    text
}

/// The commands that are called, their arguments left out.
pub fn names() -> Vec<&'static str> {
    let lines = CALLS.iter().flat_map(|(setup, call)| setup.iter().chain([call]));
    lines.map(|line| words(line)[0]).collect()
}
