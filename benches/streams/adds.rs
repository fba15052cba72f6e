//! What a bound costs where it removes nothing: a group has not read what the stream holds.

use crate::measure::{self, Bench};
use crate::report::{self, Table, number, thousands};
use crate::settings::Settings;
use crate::statistics::Summary;
use crate::wire::Packed;
use crate::workload;
use egg_testkit::client::Reply;
use egg_testkit::harness::Kind;

/// Calls of one measurement.
const CALLS: usize = 50;

/// A bound, and the `stream-node-max-entries` of the stream it is for.
const BOUNDS: [(&str, usize); 5] =
    [("", 100), ("MAXLEN = 1000", 100), ("MAXLEN = 100000", 100), ("MAXLEN ~ 1000", 100), ("MAXLEN ~ 1000", 10_000)];

/// The ways to add, both with ACKED.
const WAYS: [&str; 2] = ["EGG.ADD", "XADD"];

pub fn run(settings: &Settings) {
    let mut bench = Bench::start(Kind::Redis82);
    let entries = settings.either(250_000, 125_000);
    let mut table = Table::new(&["bound", "entries per node", "EGG.ADD", "native XADD … ACKED"]);
    for (bound, node) in BOUNDS {
        bench.wire.run(&["CONFIG", "SET", "stream-node-max-entries", &node.to_string()]);
        let keys = WAYS.map(|_| {
            let key = bench.fresh_key();
            workload::add(&mut bench.wire, &key, 0..entries, 10);
            bench.wire.run(&["XGROUP", "CREATE", &key, "g", "0"]);
            key
        });
        let mut costs = WAYS.map(|_| Vec::new());
        for round in 0..settings.either(9, 2) {
            for turn in 0..WAYS.len() {
                let index = (turn + round) % WAYS.len();
                costs[index].push(cost(&mut bench, WAYS[index], &keys[index], bound));
            }
        }
        for key in &keys {
            assert!(bench.wire.run(&["XLEN", key]).integer() > entries as i64, "nothing was removed");
            bench.wire.run(&["DEL", key]);
        }
        let summaries = costs.map(|costs| Summary::of(&costs));
        let cells =
            summaries.map(|cost| format!("**{}** ({}–{})", number(cost.median), number(cost.low), number(cost.high)));
        let title = if bound.is_empty() { "none".to_owned() } else { format!("`{bound}`") };
        table.row(&[title, thousands(node as i64), cells[0].clone(), cells[1].clone()]);
        settings.say(&format!("{bound} in nodes of {node}: {:?} µs", summaries.map(|cost| cost.median.round())));
    }
    report::publish(settings, "adds", &[&bench.server], table.text());
}

/// Server time of one call, in microseconds.
fn cost(bench: &mut Bench, command: &str, key: &str, bound: &str) -> f64 {
    let mut packed = Packed::default();
    for _ in 0..CALLS {
        let bound = bound.split_ascii_whitespace();
        packed.add([command, key, "ACKED"].into_iter().chain(bound).chain(["*", "data", "xxxxxxxxxx"]));
    }
    let before = measure::cpu(&mut bench.wire);
    bench.wire.send(&packed, |reply| assert!(matches!(reply, Reply::Text(_)), "{command} {bound}: {reply:?}"));
    (measure::cpu(&mut bench.wire) - before) / CALLS as f64
}
