//! How much memory a stream takes while messages pass through it, and what comes back when entries are deleted.

use std::collections::VecDeque;

use plotters::style::RGBColor;

use crate::lines::{Axis, Chart, Line};
use crate::report::{self, Table, number, thousands};
use crate::settings::Settings;
use crate::theme::{self, BLUE, GREY, RED, YOLK};
use crate::wire::Wire;
use crate::workload::{self, id};
use egg_testkit::harness::{Kind, Server};
use egg_testkit::random::Random;

const MESSAGES: usize = 10_000;
const STEP: usize = 100;
/// The slow worker takes one message of each step, and has so many of them in hand before it finishes the first.
const SLOW: usize = 20;

/// What workers do with what they have finished.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Ack,
    MaxLen,
    AckDel,
    Egg,
}

const WAYS: [(Way, &str, RGBColor); 4] = [
    (Way::Ack, "XACK only", RED),
    (Way::MaxLen, "XACK, MAXLEN ~ 1000", BLUE),
    (Way::AckDel, "XACK and XDEL", GREY),
    (Way::Egg, "EGG.ACKDEL", YOLK),
];

/// What became of a stream.
struct Course {
    /// Messages processed so far, and bytes.
    points: Vec<(f64, f64)>,
    /// Messages that were gone before their worker had finished with them.
    lost: usize,
    left: i64,
}

pub fn run(settings: &Settings) {
    let server = Server::start(Kind::Redis74);
    let mut wire = Wire::connect(&server);
    let mut table = Table::new(&["", "at the end", "at most", "entries left", "trimmed while a worker had them"]);
    let mut lines = Vec::new();
    for (way, name, colour) in WAYS {
        let course = course(&mut wire, way);
        settings.say(&format!("memory, {name}"));
        let bytes = || course.points.iter().map(|(_, bytes)| *bytes);
        let (end, top) = (bytes().next_back().unwrap_or_default(), bytes().fold(0.0, f64::max));
        table.row(&[name, &kilobytes(end), &kilobytes(top), &thousands(course.left), &course.lost.to_string()]);
        let points = course.points.iter().map(|(done, bytes)| (*done, bytes / 1024.0)).collect();
        let name = if course.lost > 0 { format!("{name}: {} lost", course.lost) } else { name.to_owned() };
        // The last two lines are one: the wider one shows beside the other.
        let (width, shift) = match way {
            Way::Ack => (2, 0),
            Way::MaxLen => (2, -10),
            Way::AckDel => (6, 2),
            Way::Egg => (2, 18),
        };
        lines.push(Line { name, colour, points, width, dots: false, shift });
    }
    report::write_plot(settings, "memory.svg", &plot(lines));
    let text = format!("{}\n{}", table.text(), scattered(&mut wire));
    report::publish(settings, "memory", &[&server], &text);
}

fn kilobytes(bytes: f64) -> String {
    format!("{} KB", number(bytes / 1024.0))
}

/// 10,000 messages in steps: a step's are added and read, one of them by a slow worker.
fn course(wire: &mut Wire, way: Way) -> Course {
    let key = "stream";
    wire.run(&["DEL", key]);
    wire.run(&["CONFIG", "SET", "stream-node-max-entries", "100"]);
    wire.run(&["XGROUP", "CREATE", key, "g", "0", "MKSTREAM"]);
    let mut course = Course { points: vec![(0.0, 0.0)], lost: 0, left: 0 };
    let mut slow = VecDeque::new();
    for first in (0..MESSAGES).step_by(STEP) {
        workload::add(wire, key, first..first + STEP, 100);
        if way == Way::MaxLen {
            wire.run(&["XTRIM", key, "MAXLEN", "~", "1000"]);
        }
        wire.run(&["XREADGROUP", "GROUP", "g", "slow", "COUNT", "1", "STREAMS", key, ">"]);
        wire.run(&["XREADGROUP", "GROUP", "g", "fast", "COUNT", "1000", "STREAMS", key, ">"]);
        let done: Vec<String> = (first + 1..first + STEP).map(id).collect();
        finish(wire, key, way, &done);
        slow.push_back(id(first));
        if slow.len() == SLOW {
            let id = slow.pop_front().expect("a message");
            let there = wire.run(&["XRANGE", key, &id, &id]);
            course.lost += usize::from(there.array().is_empty());
            finish(wire, key, way, &[id]);
        }
        let bytes = wire.run(&["MEMORY", "USAGE", key, "SAMPLES", "0"]).integer();
        course.points.push(((first + STEP) as f64, bytes as f64));
    }
    course.left = wire.run(&["XLEN", key]).integer();
    course
}

fn finish(wire: &mut Wire, key: &str, way: Way, ids: &[String]) {
    let ids = || ids.iter().map(String::as_str);
    let count = ids().count().to_string();
    if way == Way::Egg {
        wire.run(&["EGG.ACKDEL", key, "g", "IDS", &count].into_iter().chain(ids()).collect::<Vec<_>>());
        return;
    }
    wire.run(&["XACK", key, "g"].into_iter().chain(ids()).collect::<Vec<_>>());
    if way == Way::AckDel {
        wire.run(&["XDEL", key].into_iter().chain(ids()).collect::<Vec<_>>());
    }
}

fn plot(lines: Vec<Line>) -> String {
    let top = lines.iter().flat_map(|line| &line.points).map(|(_, y)| *y).fold(0.0, f64::max);
    let whole = |value: f64| thousands(value as i64);
    let chart = Chart {
        title: "Memory of a stream while 10,000 messages pass through it".to_owned(),
        x: Axis { name: "messages processed".to_owned(), range: 0.0..MESSAGES as f64, labels: 6, format: whole },
        y: Axis { name: "KB (MEMORY USAGE)".to_owned(), range: 0.0..top * 1.05, labels: 6, format: whole },
        lines,
        bad: Vec::new(),
        margin: 210,
    };
    theme::svg((760, 360), |area| chart.draw(area))
}

/// Memory left when entries are deleted at random: a node goes only when all its entries are gone.
fn scattered(wire: &mut Wire) -> String {
    let mut table = Table::new(&[
        "entries per node",
        "10,000 entries",
        "1 of 2 deleted",
        "9 of 10 deleted",
        "49 of 50 deleted",
        "99 of 100 deleted",
    ]);
    for node in [100, 50, 10] {
        wire.run(&["CONFIG", "SET", "stream-node-max-entries", &node.to_string()]);
        let mut row = vec![node.to_string()];
        let (mut full, mut random) = (0.0, Random::new(7));
        for keep in [1, 2, 10, 50, 100] {
            wire.run(&["DEL", "stream"]);
            workload::add(wire, "stream", 0..MESSAGES, 100);
            let gone: Vec<String> = (0..MESSAGES).filter(|_| random.below(keep) != 0).map(id).collect();
            wire.run_all(500, gone.iter().map(|id| vec!["XDEL", "stream", id]));
            let bytes = wire.run(&["MEMORY", "USAGE", "stream", "SAMPLES", "0"]).integer() as f64;
            if keep == 1 {
                full = bytes;
            }
            row.push(format!("{} ({:.0} %)", kilobytes(bytes), 100.0 * bytes / full));
        }
        table.row(&row);
    }
    format!(
        "Memory after scattered deletes, whoever deletes (entries of 100 bytes, chosen at random):\n\n{}",
        table.text()
    )
}
