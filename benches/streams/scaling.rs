//! What one call costs, as the stream, the pending list, the consumers and the groups grow.

use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use crate::bars::draw_text;
use crate::client::Reply;
use crate::harness::Kind;
use crate::lines::{self, Axis, Chart, Line};
use crate::measure::{self, Bench};
use crate::report::{self, Table, number, thousands};
use crate::settings::Settings;
use crate::statistics::Summary;
use crate::theme::{self, BLUE, GREY, INK, PURPLE, YOLK};
use crate::wire::Packed;
use crate::workload::{self, Order, Workload};

/// Ids per call.
const BATCH: usize = 10;
/// Calls of one measurement.
const CALLS: usize = 50;
const KEY: &str = "stream";

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

const BASE: Shape = Shape { entries: 1000, pending: 1000, order: Order::InOrder, idle: 0, others: 0, lagging: false };

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
        let mut lines = Vec::new();
        for series in &panel.series {
            let mut points = Vec::new();
            for (size, row) in sizes().zip(&mut rows) {
                let cost = cost(&mut bench, series, size, settings.either(9, 2));
                settings.say(&format!("{size} {}, {}: {:.1} µs", panel.title, series.name, cost.median));
                row.push(format!("**{}** ({}–{})", number(cost.median), number(cost.low), number(cost.high)));
                points.push(((size as f64).log10(), cost.median.log10()));
            }
            let (name, colour) = (String::new(), series.colour);
            lines.push(Line { name, colour, points, width: 2, dots: true, shift: 0 });
        }
        let mut table = Table::new(&heads);
        rows.iter().for_each(|row| table.row(row));
        text += &format!("{}\n", table.text());
        charts.push((chart(&panel, lines), panel));
    }
    report::write_plot(settings, "scaling.svg", &plot(&charts));
    report::publish(settings, "scaling", &[&bench.server], &text);
}

/// Server time of one call, in microseconds.
fn cost(bench: &mut Bench, series: &Series, size: usize, rounds: usize) -> Summary {
    let shape = (series.shape)(size);
    let workload = Workload { entries: shape.pending, payload: 10, node: 100, order: shape.order, batch: BATCH };
    let calls = workload.calls();
    let mut left: &[Vec<String>] = &[];
    let mut values = Vec::new();
    for _ in 0..rounds {
        if left.is_empty() {
            fill(bench, &shape, &workload);
            left = &calls;
        }
        let (now, later) = left.split_at(left.len().min(CALLS));
        left = later;
        let mut packed = Packed::default();
        let count = BATCH.to_string();
        for ids in now {
            let words = [series.command[0], KEY, "g", series.command[1], "IDS", &count];
            packed.add(words.into_iter().chain(ids.iter().map(String::as_str)));
        }
        let before = measure::cpu(&mut bench.wire);
        bench.wire.send(&packed, |reply| {
            let done = |reply: &Reply| *reply == 1 || *reply == 2;
            assert!(reply.array().iter().all(done), "{}: {reply:?}", series.name);
        });
        values.push((measure::cpu(&mut bench.wire) - before) / now.len() as f64);
    }
    bench.wire.run(&["DEL", KEY]);
    Summary::of(&values)
}

fn fill(bench: &mut Bench, shape: &Shape, workload: &Workload) {
    bench.wire.run(&["DEL", KEY]);
    workload.fill(&mut bench.wire, KEY);
    workload::add(&mut bench.wire, KEY, shape.pending..shape.entries, workload.payload);
    let names: Vec<String> = (0..shape.idle).map(|number| format!("idle-{number}")).collect();
    let idle = names.iter().map(|name| vec!["XGROUP", "CREATECONSUMER", KEY, "g", name]);
    bench.wire.run_all(1000, idle);
    let names: Vec<String> = (0..shape.others).map(|number| format!("other-{number}")).collect();
    let place = if shape.lagging { "0" } else { "$" };
    bench.wire.run_all(1000, names.iter().map(|name| vec!["XGROUP", "CREATE", KEY, name, place]));
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
