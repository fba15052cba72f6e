//! Memory stays level however often a command is called: 20,000 calls of each, or `EGG_MEMORY_CALLS`.

use std::time::{Duration, Instant};

use crate::native_names::{each_old_server, native};
use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};
use egg_testkit::resp::packed;
use egg_testkit::wire::Wire;

each_server!(used_memory_is_level_after_many_calls_of_each_command);
each_old_server!(used_memory_is_level_after_many_calls_by_8_2s_names);

/// What is there before each call that changes something, and gone after it.
const PREPARE: &[&str] =
    &["XADD s 1-0 f v", "XADD s 2-0 f v", "XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 9 STREAMS s >"];
const CLEAR: &[&str] = &["DEL s d"];

const CHANGING: &[&str] = &[
    "EGG.ACKDEL s g IDS 2 1-0 2-0",
    "EGG.ACKDEL s g DELREF OWNER c IDS 1 2-0",
    "EGG.ACKMOVE s g d META SET 1 f w MAXLEN 1 IDS 2 1-0 2-0",
    "EGG.DELEX s KEEPREF IDS 2 1-0 2-0",
    "EGG.TRIM s DELREF MAXLEN 0",
    "EGG.ADD s MAXLEN 1 3-0 f v",
    "EGG.GROUPREAP s other IDLE 1 EMPTY FORCE",
];

/// They change nothing: those that only read, and those that are refused at each step of the way.
const IDLE: &[&str] = &[
    "EGG.VERSION",
    "EGG.PINS s",
    "EGG.GROUPGUARD s g",
    "EGG.GROUPREAP s g IDLE 1 MATCH h EMPTY DRYRUN",
    "EGG.TRIM s",
    "EGG.ACKDEL s g IDS 1 1-0",
    "EGG.ACKDEL s g ACKED IDS 2 1-0 bad",
    "EGG.ACKDEL s none IDS 1 1-0",
    "EGG.ACKMOVE s g w ACKED IDS 1 1-0",
    "EGG.ACKMOVE s g d MINDELIVERIES 9 ACKED IDS 1 1-0",
    "EGG.DELEX s IDS 1 9-0",
    "EGG.ADD s ACKED MAXLEN 0 0-0 f v",
];

const NATIVE: &[&str] = &[
    "XACKDEL s g DELREF IDS 2 1-0 2-0",
    "XDELEX s DELREF IDS 2 1-0 2-0",
    "XADD s ACKED MAXLEN 1 3-0 f v",
    "XADD s KEEPREF MAXLEN 1 3-0 f v",
    "XTRIM s DELREF MAXLEN 0",
];

fn calls() -> usize {
    let text = std::env::var("EGG_MEMORY_CALLS").ok().filter(|text| !text.is_empty());
    text.map_or(20_000, |text| text.parse().expect("EGG_MEMORY_CALLS is a number"))
}

fn used_memory(client: &mut Client) -> i64 {
    client.info("memory", "used_memory").parse().expect("a number")
}

/// Makes a call so many times, between the lines before and behind it, and answers by how many bytes memory has grown.
pub fn growth(server: &Server, before: &[&str], call: &str, behind: &[&str], calls: usize) -> i64 {
    const BATCH: usize = 100;
    let (mut admin, mut wire) = (server.connect(), Wire::connect(server));
    let cycle: Vec<u8> = [before, &[call], behind]
        .concat()
        .into_iter()
        .flat_map(|line| packed(&egg_testkit::client::words(line)))
        .collect();
    let batch = cycle.repeat(BATCH);
    // All that the server allocates once, it has by then.
    (0..10).for_each(|_| drop(wire.exchange(batch.clone())));
    let base = used_memory(&mut admin);
    (0..calls.div_ceil(BATCH)).for_each(|_| drop(wire.exchange(batch.clone())));
    // Some servers free in the background.
    let end = Instant::now() + Duration::from_secs(5);
    loop {
        let grown = used_memory(&mut admin) - base;
        if grown < allowed(calls) || Instant::now() > end {
            return grown;
        }
    }
}

/// Less than one of the smallest blocks (8 bytes) in every second call: a call that leaks is above.
pub fn allowed(calls: usize) -> i64 {
    i64::try_from(calls).expect("some millions") * 4
}

fn assert_level(server: &Server, before: &[&str], calls: &[&str], behind: &[&str]) {
    server.connect().all(&["CONFIG SET slowlog-max-len 0"]);
    for call in calls {
        let grown = growth(server, before, call, behind, self::calls());
        println!("memory: {} calls of {call} on {:?}: {grown} bytes", self::calls(), server.kind());
        assert!(grown < allowed(self::calls()), "{call}: {grown} bytes");
    }
}

fn used_memory_is_level_after_many_calls_of_each_command(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    // A group to reap, and one that stays: XGROUP DESTROY of the last one is another way through the core.
    let reaped = [PREPARE, &["XGROUP CREATE s other 0"]].concat();
    let (reaping, others): (Vec<&str>, Vec<&str>) = CHANGING.iter().partition(|call| call.contains("GROUPREAP"));
    assert_level(&server, PREPARE, &others, CLEAR);
    assert_level(&server, &reaped, &reaping, CLEAR);
    admin.all(PREPARE);
    admin.all(&["XGROUP CREATE s h 0", "SET w string"]);
    let before = admin.state("s");
    assert_level(&server, &[], IDLE, &[]);
    assert_eq!(admin.state("s"), before);
}

fn used_memory_is_level_after_many_calls_by_8_2s_names(kind: Kind) {
    assert_level(&native(kind).start(), PREPARE, NATIVE, CLEAR);
}
