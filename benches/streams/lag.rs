//! Lag while four workers finish out of order: how often it is a number, and the right one.

use std::ops::Range;

use plotters::prelude::RGBColor;
use plotters::style::text_anchor::HPos;

use crate::bars::draw_text;
use crate::lines::{Axis, Chart, Line};
use crate::measure::Bench;
use crate::report::{self, Table};
use crate::rival::Rival;
use crate::settings::Settings;
use crate::theme::{self, INK};
use crate::workload::{self, id};
use egg_testkit::client::Reply;
use egg_testkit::harness::Kind;
use egg_testkit::random::Random;

const WORKERS: usize = 4;
/// Steps that are plotted.
const SHOWN: usize = 200;

/// One thing that happens.
enum Event {
    Add,
    /// A worker that has nothing to do takes the next message.
    Read,
    /// A worker finishes what it took.
    Finish(usize),
}

/// What happens, and the right lag after each step.
fn history(steps: usize) -> Vec<(Event, i64)> {
    let mut random = Random::new(4);
    let (mut added, mut read, mut taken) = (0, 0, Vec::new());
    let mut next = || {
        let may_read = taken.len() < WORKERS && read < added;
        let event = match random.below(100) {
            // Now more comes in than is done, now less.
            _ if added < 3 => Event::Add,
            choice if choice < if (added / 30) % 2 == 0 { 42 } else { 22 } => Event::Add,
            choice if may_read && (choice < 70 || taken.is_empty()) => Event::Read,
            _ if !taken.is_empty() => Event::Finish(taken.swap_remove(random.below(taken.len()))),
            _ => Event::Add,
        };
        match event {
            Event::Add => added += 1,
            Event::Read => {
                taken.push(read);
                read += 1;
            }
            Event::Finish(_) => {}
        }
        (event, (added - read) as i64)
    };
    (0..steps).map(|_| next()).collect()
}

pub fn run(settings: &Settings) {
    let history = history(settings.either(10_000, 1000));
    let benches = [Kind::Redis74, Kind::Redis82].map(Bench::start);
    let mut table = Table::new(&["", "null", "wrong", "right"]);
    let mut charts = Vec::new();
    let mut benches = benches.into_iter().collect::<Vec<_>>();
    for bench in &mut benches {
        let server = report::name(&mut bench.server.connect());
        for rival in bench.rivals().into_iter().filter(|rival| *rival != Rival::Lua) {
            let lags = lags(bench, rival, &history);
            settings.say(&format!("lag on {server}, {}", rival.name()));
            let share = |matches: &dyn Fn(Option<i64>, i64) -> bool| {
                let found = lags.iter().zip(&history).filter(|(lag, (_, right))| matches(**lag, *right)).count();
                format!("{:.1} %", 100.0 * found as f64 / lags.len() as f64)
            };
            let null = share(&|lag, _| lag.is_none());
            let wrong = share(&|lag, right| lag.is_some_and(|lag| lag != right));
            let right = share(&|lag, right| lag == Some(right));
            table.row(&[&format!("{} on {server}", rival.name()), &null, &wrong, &right]);
            if bench.server.kind() == Kind::Redis82 && rival != Rival::Multi {
                charts.push(chart(rival, &null, &lags[..SHOWN], theme::colour(rival)));
            }
        }
    }
    charts.reverse();
    let plot = theme::svg((760, 470), |area| {
        let title = "Lag that XINFO GROUPS tells, four workers finishing out of order (Redis 8.2)";
        draw_text(area, title, (16, 22), 16, INK, HPos::Left);
        let (_, below) = area.split_vertically(36);
        let (upper, lower) = below.split_vertically(216);
        charts.iter().zip([upper, lower]).for_each(|(chart, area)| chart.draw(&area));
    });
    report::write_plot(settings, "lag.svg", &plot);
    let servers: Vec<_> = benches.iter().map(|bench| &bench.server).collect();
    report::publish(settings, "lag", &servers, table.text());
}

/// What the server says after each step.
fn lags(bench: &mut Bench, rival: Rival, history: &[(Event, i64)]) -> Vec<Option<i64>> {
    let key = bench.fresh_key();
    let mut added = 0;
    bench.wire.run(&["XGROUP", "CREATE", &key, "g", "0", "MKSTREAM"]);
    let lag = |(event, _): &(Event, i64)| {
        match event {
            Event::Add => {
                workload::add(&mut bench.wire, &key, added..added + 1, 100);
                added += 1;
            }
            Event::Read => {
                bench.wire.run(&["XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS", &key, ">"]);
            }
            Event::Finish(number) => {
                let packed = bench.pack(rival, &key, &[vec![id(*number)]]);
                bench.wire.send(&packed, |reply| assert!(!matches!(reply, Reply::Error(_)), "{reply:?}"));
            }
        }
        match bench.wire.run(&["XINFO", "GROUPS", &key]).array()[0].field("lag") {
            Reply::Integer(lag) => Some(*lag),
            _ => None,
        }
    };
    history.iter().map(lag).collect()
}

/// Steps of lag; where it is null, a gap on red.
fn chart(rival: Rival, null: &str, lags: &[Option<i64>], colour: RGBColor) -> Chart {
    let top = lags.iter().flatten().max().copied().unwrap_or_default() as f64;
    let mut lines: Vec<Line> = Vec::new();
    let mut bad: Vec<Range<f64>> = Vec::new();
    let mut before = None;
    for (step, lag) in lags.iter().enumerate() {
        let (from, to) = (step as f64, step as f64 + 1.0);
        match (lag.map(|lag| lag as f64), before) {
            (None, None) if step > 0 => bad.last_mut().expect("a stretch").end = to,
            (None, _) => bad.push(from..to),
            (Some(lag), Some(_)) => lines.last_mut().expect("a line").points.extend([(from, lag), (to, lag)]),
            (Some(lag), None) => {
                let points = vec![(from, lag), (to, lag)];
                lines.push(Line { name: String::new(), colour, points, width: 2, dots: false, shift: 0 });
            }
        }
        before = *lag;
    }
    let whole = |value: f64| format!("{value:.0}");
    Chart {
        title: format!("{}: null in {null} of the steps{}", rival.name(), if bad.is_empty() { "" } else { " (red)" }),
        x: Axis { name: "step".to_owned(), range: 0.0..lags.len() as f64, labels: 6, format: whole },
        y: Axis { name: "entries".to_owned(), range: 0.0..top + 1.0, labels: 5, format: whole },
        lines,
        bad,
        margin: 20,
    }
}
