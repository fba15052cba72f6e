//! What is asked of Redis 8.6 about `~`, and about `=` beside it: streams in nodes of a known size, and calls on each.

use super::{question, words};
use crate::vectors::Vector;

/// Entries 1-1 to n-1 in nodes of so many entries, what these lines make of them, and the calls. An XADD adds the next entry.
/// What follows a # is a tag: the answer depends on where nodes end, in a way that shows on no server that cannot see them.
type Case = (&'static str, usize, usize, &'static [&'static str], &'static [&'static str]);

const READ: &str = "XREADGROUP GROUP a ca COUNT 1000 STREAMS s >";
const A: &str = "XGROUP CREATE s a 0";
const ACK_10: &str = "XACK s a 1-1 2-1 3-1 4-1 5-1 6-1 7-1 8-1 9-1 10-1";
const DONE: &[&str] = &[A, READ, ACK_10];
/// 2-1, 5-1 and 8-1 are pending, 9-1 to 12-1 not delivered.
const HOLES: &[&str] = &[A, "XREADGROUP GROUP a ca COUNT 8 STREAMS s >", "XACK s a 1-1 3-1 4-1 6-1 7-1"];
const HOLES_CALLS: &[&str] = &[
    "XTRIM s MAXLEN ~ 0 ACKED",
    "XTRIM s MAXLEN ~ 9 ACKED",
    "XTRIM s MAXLEN ~ 0 LIMIT 2 ACKED",
    "XTRIM s MAXLEN ~ 0 LIMIT 3 ACKED",
    "XTRIM s MINID ~ 6-1 ACKED",
    "XTRIM s MINID ~ 9-1 LIMIT 5 ACKED",
    "XTRIM s MAXLEN ~ 3 LIMIT 5 DELREF",
    "XADD s ACKED MAXLEN ~ 7",
    "XADD s ACKED MINID ~ 8-1 LIMIT 3",
];

const CASES: &[Case] = &[
    (
        "done-node2",
        2,
        10,
        DONE,
        &[
            "XTRIM s MAXLEN ~ 3 ACKED",
            "XTRIM s MAXLEN = 3 ACKED",
            "XTRIM s MAXLEN ~ 3 DELREF",
            "XTRIM s MAXLEN ~ 3 KEEPREF",
            "XTRIM s MAXLEN ~ 0 ACKED",
            "XTRIM s MAXLEN ~ 10 ACKED",
            "XTRIM s MAXLEN ~ 11 ACKED",
            "XTRIM s MINID ~ 4-1 ACKED",
            "XTRIM s MINID = 4-1 ACKED",
            "XTRIM s MINID ~ 4-1 DELREF",
            "XTRIM s MINID ~ 0 ACKED",
            "XTRIM s MINID ~ 99-1 ACKED",
            "XTRIM s MINID ~ 99-1 LIMIT 5 ACKED",
            "XTRIM s MINID ~ 4-1 LIMIT 3 DELREF",
            "XTRIM s MINID ~ 4-1 LIMIT 2 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 0 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 1 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 2 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 3 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 5 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 10 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 100 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 5 DELREF",
            "XADD s ACKED MAXLEN ~ 3",
            "XADD s DELREF MAXLEN ~ 3",
            "XADD s ACKED MAXLEN ~ 0",
            "XADD s DELREF MAXLEN ~ 0",
            "XADD s ACKED MINID ~ 4-1",
            "XADD s ACKED MAXLEN ~ 3 LIMIT 1",
            "XADD s ACKED MAXLEN ~ 3 LIMIT 5",
            "XADD s ACKED MAXLEN ~ 11",
        ],
    ),
    (
        "done-node1",
        1,
        10,
        DONE,
        &[
            "XTRIM s MAXLEN ~ 3 ACKED",
            "XTRIM s MINID ~ 4-1 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 1 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 5 ACKED",
            "XTRIM s MINID ~ 4-1 LIMIT 2 DELREF",
            "XADD s ACKED MAXLEN ~ 3 LIMIT 2",
        ],
    ),
    (
        "done-node3",
        3,
        10,
        DONE,
        &[
            "XTRIM s MAXLEN ~ 3 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 2 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 3 ACKED",
            "XTRIM s MINID ~ 2-1 LIMIT 2 ACKED",
            "XTRIM s MINID ~ 2-1 LIMIT 3 ACKED",
            "XTRIM s MINID ~ 9-1 LIMIT 10 DELREF",
        ],
    ),
    (
        "done-node5",
        5,
        10,
        DONE,
        &["XTRIM s MAXLEN ~ 4 ACKED", "XTRIM s MAXLEN ~ 4 LIMIT 5 ACKED", "XTRIM s MINID ~ 8-1 LIMIT 3 ACKED"],
    ),
    (
        "done-node100",
        100,
        10,
        DONE,
        &[
            "XTRIM s MAXLEN ~ 3 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 5 ACKED",
            "XTRIM s MAXLEN ~ 3 LIMIT 10 ACKED",
            "XTRIM s MINID ~ 4-1 LIMIT 100 DELREF",
            "XADD s ACKED MAXLEN ~ 3 LIMIT 10",
            "XADD s ACKED MAXLEN ~ 3 LIMIT 100",
        ],
    ),
    (
        "no-groups-node2",
        2,
        10,
        &[],
        &[
            "XTRIM s MAXLEN ~ 3 ACKED",
            "XTRIM s MINID ~ 4-1 DELREF",
            "XTRIM s MAXLEN ~ 3 LIMIT 3 ACKED",
            "XADD s ACKED MAXLEN ~ 0",
            "XADD s DELREF MAXLEN ~ 4 LIMIT 2",
        ],
    ),
    ("holes-node1", 1, 12, HOLES, HOLES_CALLS),
    ("holes-node3", 3, 12, HOLES, HOLES_CALLS),
    ("holes-node5", 5, 12, HOLES, HOLES_CALLS),
    (
        "first-pending-node2",
        2,
        10,
        &[A, READ, "XACK s a 2-1 3-1 4-1 5-1 6-1 7-1 8-1 9-1 10-1"],
        &[
            "XTRIM s MAXLEN ~ 4 ACKED",
            "XTRIM s MAXLEN ~ 4 LIMIT 2 ACKED",
            "XTRIM s MINID ~ 8-1 ACKED",
            "XTRIM s MINID ~ 8-1 DELREF",
        ],
    ),
    (
        "six-pending-node3",
        3,
        12,
        &[A, READ, "XACK s a 7-1 8-1 9-1 10-1 11-1 12-1"],
        &["XTRIM s MINID ~ 12-1 LIMIT 2 ACKED", "XTRIM s MINID ~ 12-1 LIMIT 3 ACKED", "XTRIM s MAXLEN ~ 8 ACKED"],
    ),
    (
        "two-pending-node3",
        3,
        6,
        &[A, READ, "XACK s a 3-1 4-1 5-1 6-1"],
        &[
            "XTRIM s MAXLEN ~ 4 ACKED # quirk-node-stop",
            "XTRIM s MAXLEN = 4 ACKED # quirk-node-stop",
            "XTRIM s MAXLEN ~ 3 ACKED",
            "XADD s ACKED MAXLEN ~ 5 # quirk-node-stop",
        ],
    ),
    (
        "undelivered-node2",
        2,
        10,
        &[A],
        &["XTRIM s MAXLEN ~ 0 ACKED", "XTRIM s MAXLEN ~ 3 DELREF", "XADD s ACKED MAXLEN ~ 3"],
    ),
    (
        "two-groups-node2",
        2,
        10,
        &[A, READ, ACK_10, "XGROUP CREATE s b 0", "XREADGROUP GROUP b cb COUNT 5 STREAMS s >", "XACK s b 1-1 3-1 4-1"],
        &[
            "XTRIM s MAXLEN ~ 3 ACKED",
            "XTRIM s MAXLEN ~ 3 DELREF",
            "XTRIM s MINID ~ 5-1 LIMIT 3 ACKED",
            "XADD s ACKED MAXLEN ~ 8",
            "XADD s DELREF MINID ~ 3-1",
        ],
    ),
    (
        "rewound-node3",
        3,
        10,
        &[A, READ, ACK_10, "XGROUP SETID s a 4-1"],
        &["XTRIM s MAXLEN ~ 2 ACKED", "XTRIM s MINID ~ 4-1 ACKED", "XTRIM s MAXLEN ~ 2 DELREF"],
    ),
    (
        "dangling-node3",
        3,
        10,
        &[A, READ, "XACK s a 1-1 3-1 6-1 7-1 8-1", "XDEL s 2-1 5-1"],
        &[
            "XTRIM s MAXLEN ~ 3 ACKED",
            "XTRIM s MINID ~ 9-1 DELREF",
            "XTRIM s MAXLEN ~ 3 LIMIT 2 ACKED # limit-by-nodes",
            "XTRIM s MAXLEN ~ 3 LIMIT 2 DELREF # limit-by-nodes",
        ],
    ),
    (
        "deleted-inside-node3",
        3,
        10,
        &[A, READ, ACK_10, "XDEL s 1-1 3-1 5-1"],
        &[
            "XTRIM s MAXLEN ~ 2 ACKED",
            "XTRIM s MAXLEN ~ 0 LIMIT 1 ACKED # limit-by-nodes",
            "XTRIM s MAXLEN ~ 0 LIMIT 2 ACKED # limit-by-nodes",
            "XTRIM s MAXLEN ~ 0 LIMIT 3 ACKED",
            "XTRIM s MINID ~ 9-1 LIMIT 3 DELREF",
            "XADD s ACKED MAXLEN ~ 2 LIMIT 1 # limit-by-nodes",
        ],
    ),
    // Without LIMIT at most 100 nodes' worth goes.
    (
        "hundred-nodes",
        1,
        103,
        &["XGROUP CREATE s a $"],
        &[
            "XTRIM s MAXLEN ~ 0 ACKED",
            "XTRIM s MINID ~ 103-1 DELREF",
            "XTRIM s MAXLEN ~ 0 LIMIT 0 ACKED",
            "XADD s ACKED MAXLEN ~ 1",
        ],
    ),
];

/// All of them, not asked yet.
pub fn all() -> Vec<Vector> {
    CASES.iter().flat_map(|case| case.4.iter().map(|call| vector(case, call))).collect()
}

fn vector(&(title, node, entries, lines, _): &Case, line: &str) -> Vector {
    let (call, tag) = line.split_once(" # ").map_or((line, None), |(call, tag)| (call, Some(tag)));
    let mut setup = vec![words("FLUSHALL"), words(&format!("CONFIG SET stream-node-max-entries {node}"))];
    setup.extend((1..=entries).map(|id| words(&format!("XADD s {id}-1 f v{id}"))));
    setup.extend(lines.iter().map(|line| words(line)));
    let groups: Vec<&str> =
        lines.iter().filter_map(|line| line.strip_prefix("XGROUP CREATE s ")?.split(' ').next()).collect();

    let (verb, options) = call.split_once(" s ").expect("calls are about s");
    let (kind, verb) = (if options.contains('~') { "approx" } else { "exact" }, verb.to_lowercase());
    let name = format!("{verb}/{kind}/{title}/{}", options.replace(' ', "_"));
    let next = entries + 1;
    let call = if verb == "xadd" { format!("{call} {next}-1 f v{next}") } else { call.to_owned() };
    let mut vector = question(name, setup, words(&call), &groups);
    vector.tags.extend(tag.map(str::to_owned));
    vector
}
