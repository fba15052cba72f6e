//! What one call costs, as the stream, the pending list, the consumers and the groups grow.

use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use crate::bars::draw_text;
use crate::lines::{self, Axis, Chart, Line};
use crate::measure::{self, Bench};
use crate::report::{self, Table, number, thousands};
use crate::settings::Settings;
use crate::statistics::Summary;
use crate::theme::{self, BLUE, GREY, INK, PURPLE, YOLK};
use crate::wire::Packed;
use crate::workload::{self, Order, Workload};
use egg_testkit::client::Reply;
use egg_testkit::harness::Kind;

/// Ids per call.
const BATCH: usize = 10;
/// Calls of one measurement.
const CALLS: usize = 50;

/// A stream, and a way to acknowledge and delete that is measured on it.
#[derive(Clone, Copy)]
struct Shape {
    entries: usize,
    pending: usize,
    order: Order,
    /// Consumers that have nothing pending.
    idle: usize,
    /// Groups other than the one that acknowledges.
    others: usize,
    /// Whether they have read nothing, or all.
    lagging: bool,
}

const BASE: Shape = Shape { entries: 1000, pending: 1000, order: Order::Ascending, idle: 0, others: 0, lagging: false };

/// A line of a panel.
struct Series {
    name: &'static str,
    colour: RGBColor,
    /// The command, up to `IDS`.
    command: [&'static str; 2],
    shape: fn(usize) -> Shape,
}

const EGG: [&str; 2] = ["EGG.ACKDEL", "REJECT"];
const NATIVE: [&str; 2] = ["XACKDEL", "ACKED"];

/// What grows.
struct Panel {
    title: &'static str,
    sizes: &'static [usize],
    /// The largest of a smoke test.
    quick: usize,
    series: Vec<Series>,
}

fn panels() -> [Panel; 4] {
    let both = |shape| {
        vec![
            Series { name: "EGG.ACKDEL", colour: YOLK, command: EGG, shape },
            Series { name: "native XACKDEL", colour: BLUE, command: NATIVE, shape },
        ]
    };
    let mut pending = both(|pending| Shape { entries: pending, pending, ..BASE });
    let in_turn = |pending| Shape { entries: pending, pending, order: Order::Consumers(10), ..BASE };
    pending.push(Series { name: "EGG.ACKDEL, 10 consumers in turn", colour: GREY, command: EGG, shape: in_turn });
    let groups = |name, colour, command, shape| Series { name, colour, command, shape };
    let (acked, ackonly) = (["EGG.ACKDEL", "ACKED"], ["EGG.ACKDEL", "ACKONLY"]);
    let read: fn(usize) -> Shape = |groups| Shape { others: groups - 1, ..BASE };
    let unread: fn(usize) -> Shape = |groups| Shape { others: groups - 1, lagging: true, ..BASE };
    [
        Panel {
            title: "entries in the stream",
            sizes: &[1000, 10_000, 100_000, 1_000_000],
            quick: 10_000,
            series: both(|entries| Shape { entries, ..BASE }),
        },
        Panel {
            title: "entries pending",
            sizes: &[100, 1000, 10_000, 100_000, 1_000_000],
            quick: 10_000,
            series: pending,
        },
        Panel {
            title: "consumers in the group",
            sizes: &[1, 10, 100, 1000, 10_000, 100_000],
            quick: 1000,
            series: both(|consumers| Shape { idle: consumers - 1, ..BASE }),
        },
        Panel {
            title: "groups of the stream",
            sizes: &[1, 10, 100, 1000],
            quick: 100,
            series: vec![
                groups("EGG.ACKDEL ACKED", YOLK, acked, read),
                groups("EGG.ACKDEL ACKED, others lag", GREY, acked, unread),
                groups("EGG.ACKDEL ACKONLY", PURPLE, ackonly, read),
                groups("native XACKDEL ACKED", BLUE, NATIVE, read),
            ],
        },
    ]
}

pub fn run(settings: &Settings) {
    let mut bench = Bench::start(Kind::Redis82);
    let mut text = String::new();
    let mut charts = Vec::new();
    for panel in panels() {
        let sizes = || panel.sizes.iter().copied().filter(|size| !settings.quick || *size <= panel.quick);
        let mut heads = vec![panel.title.to_owned()];
        heads.extend(panel.series.iter().map(|series| series.name.to_owned()));
        let mut rows: Vec<Vec<String>> = sizes().map(|size| vec![thousands(size as i64)]).collect();
        let mut lines: Vec<Line> = panel.series.iter().map(line).collect();
        for (size, row) in sizes().zip(&mut rows) {
            let costs = costs(&mut bench, &panel.series, size, settings.either(9, 2));
            for (cost, line) in costs.iter().zip(&mut lines) {
                row.push(format!("**{}** ({}–{})", number(cost.median), number(cost.low), number(cost.high)));
                line.points.push(((size as f64).log10(), cost.median.log10()));
            }
            let told: Vec<String> = costs.iter().map(|cost| format!("{:.1}", cost.median)).collect();
            settings.say(&format!("{size} {}: {} µs", panel.title, told.join(", ")));
        }
        let mut table = Table::new(&heads);
        rows.iter().for_each(|row| table.row(row));
        text += &format!("{}\n", table.text());
        charts.push((chart(&panel, lines), panel));
    }
    report::write_plot(settings, "scaling.svg", &plot(&charts));
    report::publish(settings, "scaling", &[&bench.server], &text);
}

fn line(series: &Series) -> Line {
    Line { name: String::new(), colour: series.colour, points: Vec::new(), width: 2, dots: true, shift: 0 }
}

/// A stream that a series is measured on, and how much of it is left.
struct Track {
    key: String,
    calls: Vec<Vec<String>>,
    done: usize,
}

/// Server time of one call of each series, in microseconds. They take turns, each on a stream of its own.
fn costs(bench: &mut Bench, series: &[Series], size: usize, rounds: usize) -> Vec<Summary> {
    let mut tracks: Vec<Track> = series.iter().map(|series| prepare(bench, &(series.shape)(size))).collect();
    let mut values = vec![Vec::new(); series.len()];
    for round in 0..rounds {
        for turn in 0..series.len() {
            let index = (turn + round) % series.len();
            values[index].push(cost(bench, &series[index], &mut tracks[index], size));
        }
    }
    tracks.iter().for_each(|track| drop(bench.wire.run(&["DEL", &track.key])));
    values.iter().map(|values| Summary::of(values)).collect()
}

/// Of the next calls on a stream, and on further ones if that is used up: a few calls alone would measure how a server wakes.
fn cost(bench: &mut Bench, series: &Series, track: &mut Track, size: usize) -> f64 {
    let mut packed = Packed::default();
    let mut used = Vec::new();
    let count = BATCH.to_string();
    while packed.commands < CALLS {
        if track.done == track.calls.len() {
            let next = prepare(bench, &(series.shape)(size));
            used.push(std::mem::replace(track, next).key);
        }
        for ids in track.calls.iter().skip(track.done).take(CALLS - packed.commands) {
            let words = [series.command[0], &track.key, "g", series.command[1], "IDS", &count];
            packed.add(words.into_iter().chain(ids.iter().map(String::as_str)));
            track.done += 1;
        }
    }
    let before = measure::cpu(&mut bench.wire);
    bench.wire.send(&packed, |reply| {
        let done = |reply: &Reply| *reply == 1 || *reply == 2;
        assert!(reply.array().iter().all(done), "{}: {reply:?}", series.name);
    });
    let spent = measure::cpu(&mut bench.wire) - before;
    used.iter().for_each(|key| drop(bench.wire.run(&["DEL", key])));
    spent / packed.commands as f64
}

fn prepare(bench: &mut Bench, shape: &Shape) -> Track {
    let key = bench.fresh_key();
    let workload = Workload { entries: shape.pending, payload: 10, node: 100, order: shape.order, batch: BATCH };
    workload.fill(&mut bench.wire, &key);
    workload::add(&mut bench.wire, &key, shape.pending..shape.entries, workload.payload);
    let names: Vec<String> = (0..shape.idle).map(|number| format!("idle-{number}")).collect();
    let idle = names.iter().map(|name| vec!["XGROUP", "CREATECONSUMER", &key, "g", name]);
    bench.wire.run_all(1000, idle);
    let names: Vec<String> = (0..shape.others).map(|number| format!("other-{number}")).collect();
    let place = if shape.lagging { "0" } else { "$" };
    bench.wire.run_all(1000, names.iter().map(|name| vec!["XGROUP", "CREATE", &key, name, place]));
    // No more than what is measured: the ids of a million entries are many.
    let mut calls = workload.calls();
    calls.truncate(CALLS * 20);
    Track { key, calls, done: 0 }
}

fn chart(panel: &Panel, lines: Vec<Line>) -> Chart {
    let ends = |values: Vec<f64>| {
        let low = values.iter().copied().fold(f64::MAX, f64::min).floor();
        low..values.iter().copied().fold(low + 1.0, f64::max).ceil()
    };
    let power = |value: f64| thousands(10_f64.powf(value).round() as i64);
    let points = || lines.iter().flat_map(|line| &line.points);
    let x = ends(points().map(|(x, _)| *x).collect());
    // The same for all panels, unless one leaves it.
    let y = 1.0..ends(points().map(|(_, y)| *y).collect()).end.max(3.0);
    let labels = |range: &std::ops::Range<f64>| (range.end - range.start) as usize + 1;
    Chart {
        title: panel.title.to_owned(),
        x: Axis { name: String::new(), labels: labels(&x), range: x, format: power },
        y: Axis { name: String::new(), labels: labels(&y), range: y, format: power },
        lines,
        bad: Vec::new(),
        margin: 30,
    }
}

fn plot(charts: &[(Chart, Panel)]) -> String {
    const KEY_HEIGHT: i32 = 22;
    theme::svg((760, 700), |area| {
        let title = "Server time of a call with 10 ids, in µs (both axes are logarithmic)";
        draw_text(area, title, (16, 22), 16, INK, HPos::Left);
        let (_, below) = area.split_vertically(36);
        for ((chart, panel), area) in charts.iter().zip(below.split_evenly((2, 2))) {
            let (upper, lower) = area.split_vertically(240);
            chart.draw(&upper);
            for (row, series) in panel.series.iter().enumerate() {
                lines::key(&lower, (60, 8 + KEY_HEIGHT * row as i32), series.name, series.colour);
            }
        }
    })
}
