//! EGG.ACKDEL beside the other ways to acknowledge and delete, on the same server, one factor changed at a time.

use crate::bars::{self, Bar, Group};
use crate::latency;
use crate::measure::{Bench, Cost};
use crate::report::{self, Table, number};
use crate::rival::Rival;
use crate::settings::Settings;
use crate::statistics::Summary;
use crate::theme;
use crate::workload::{Order, Workload};
use egg_testkit::harness::Kind;

const BATCHES: [usize; 4] = [1, 10, 100, 1000];

/// What most measurements have in common. `batch` is set later.
const BASE: Workload = Workload { entries: 10_000, payload: 100, node: 100, order: Order::Ascending, batch: 0 };

/// The base is measured more thoroughly: it is what the goals are about.
const OTHER: Workload = Workload { entries: 5_000, ..BASE };

/// What is changed, one at a time.
const SCENARIOS: [(&str, Workload); 6] = [
    ("in order", BASE),
    ("out of order", Workload { order: Order::Shuffled, ..OTHER }),
    ("4 consumers in turn", Workload { order: Order::Consumers(4), ..OTHER }),
    ("50 consumers in turn", Workload { order: Order::Consumers(50), ..OTHER }),
    ("10 KB each", Workload { entries: 2_000, payload: 10_000, ..OTHER }),
    ("10 entries per node", Workload { node: 10, ..OTHER }),
];

/// The measurements of one workload.
pub struct Cell {
    scenario: &'static str,
    workload: Workload,
    results: Vec<(Rival, Vec<Cost>)>,
}

impl Cell {
    fn values(&self, rival: Rival, value: fn(&Cost) -> f64) -> Vec<f64> {
        let (_, costs) = self.results.iter().find(|(measured, _)| *measured == rival).expect("it was measured");
        costs.iter().map(value).collect()
    }

    /// Server time of one entry, in microseconds.
    pub fn cpu(&self, rival: Rival) -> Summary {
        Summary::of(&self.values(rival, |cost| cost.cpu))
    }

    /// Server time of EGG, as a share of a rival's.
    fn ratio(&self, rival: Rival) -> Summary {
        Summary::of_ratios(&self.values(Rival::Egg, |cost| cost.cpu), &self.values(rival, |cost| cost.cpu))
    }
}

/// What EGG is meant to cost at most, as a share of what a rival costs.
fn goal(cell: &Cell, rival: Rival) -> Option<f64> {
    let Workload { order, batch, payload, node, .. } = cell.workload;
    match (order, batch, rival) {
        _ if (payload, node) != (BASE.payload, BASE.node) => None,
        (Order::Ascending, 1, Rival::Lua) => Some(0.75),
        (Order::Ascending, 1, Rival::Native) => Some(1.7),
        (Order::Ascending, 10, Rival::Lua) => Some(0.75),
        (Order::Ascending, 10, Rival::Multi | Rival::Native) => Some(1.15),
        (Order::Ascending, 100, Rival::Lua) => Some(0.5),
        (Order::Ascending, 100, Rival::Multi | Rival::Native) => Some(0.75),
        (Order::Shuffled | Order::Consumers(_), 10 | 100, Rival::Native) => Some(1.3),
        _ => None,
    }
}

pub fn run(settings: &Settings) {
    let names = SCENARIOS.map(|(name, _)| name);
    assert!(names.iter().any(|name| settings.wants_scenario(name)), "there are the scenarios {}", names.join(", "));
    let mut benches = [Kind::Redis74, Kind::Redis82].map(Bench::start);
    let mut text = String::new();
    for bench in &mut benches {
        let server = report::name(&mut bench.server.connect());
        let cells = measure(settings, bench, &server);
        if bench.server.kind().has_native_xackdel() && settings.publishes() {
            report::write_plot(settings, "compare.svg", &plot(&cells, &server, &bench.rivals()));
        }
        let rivals: Vec<Rival> = bench.rivals().into_iter().filter(|rival| *rival != Rival::Egg).collect();
        text += &format!("### {server}\n\nServer time per entry, in µs:\n\n{}\n", costs(&cells, &bench.rivals()));
        text += &format!("EGG's as a share of the others':\n\n{}\n", ratios(&cells, &rivals));
        text +=
            &format!("Entries per second, one connection, calls pipelined:\n\n{}\n", rates(&cells, &bench.rivals()));
        if !settings.publishes() {
            continue;
        }
        text += &format!(
            "Latency in µs, median and 99th percentile, 16 clients that wait for each reply:\n\n{}\n",
            latency::table(settings, bench)
        );
    }
    report::publish(settings, "compare", &benches.each_ref().map(|bench| &bench.server), &text);
}

fn measure(settings: &Settings, bench: &mut Bench, server: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (scenario, workload) in SCENARIOS.into_iter().filter(|(name, _)| settings.wants_scenario(name)) {
        for batch in BATCHES {
            let consumers = if let Order::Consumers(consumers) = workload.order { consumers } else { 1 };
            if batch * consumers > workload.entries {
                continue;
            }
            let entries = settings.either(workload.entries, workload.entries / 10).max(batch * consumers);
            let workload = Workload { entries, batch, ..workload };
            let results = bench
                .rounds(settings.either(if workload.entries == BASE.entries { 9 } else { 7 }, 1), |bench, rival| {
                    bench.cost(rival, &workload)
                });
            let cell = Cell { scenario, workload, results };
            let told = cell.results.iter().map(|(rival, _)| format!("{} {:.2}", rival.name(), cell.cpu(*rival).median));
            settings.say(&format!("{server}, {scenario}, {batch} ids: {}", told.collect::<Vec<_>>().join(", ")));
            cells.push(cell);
        }
    }
    cells
}

fn rows(cells: &[Cell], mut heads: Vec<String>, rivals: &[Rival], text: impl Fn(&Cell, Rival) -> String) -> String {
    heads.splice(0..0, ["".to_owned(), "ids per call".to_owned()]);
    let mut table = Table::new(&heads);
    for cell in cells {
        let mut row = vec![cell.scenario.to_owned(), cell.workload.batch.to_string()];
        row.extend(rivals.iter().map(|rival| text(cell, *rival)));
        table.row(&row);
    }
    table.text().to_owned()
}

fn names(rivals: &[Rival]) -> Vec<String> {
    rivals.iter().map(|rival| rival.name().to_owned()).collect()
}

fn costs(cells: &[Cell], rivals: &[Rival]) -> String {
    rows(cells, names(rivals), rivals, |cell, rival| {
        let Summary { low, median, high } = cell.cpu(rival);
        format!("**{}** ({}–{})", number(median), number(low), number(high))
    })
}

fn ratios(cells: &[Cell], rivals: &[Rival]) -> String {
    let heads = names(rivals).iter().flat_map(|name| [format!("of {name}"), "goal".to_owned()]).collect();
    rows(cells, heads, rivals, |cell, rival| {
        let ratio = cell.ratio(rival);
        let goal =
            goal(cell, rival).map(|goal| format!("{} {goal}", if ratio.median <= goal { "≤" } else { "missed:" }));
        format!("**{:.2}** ({:.2}–{:.2}) | {}", ratio.median, ratio.low, ratio.high, goal.unwrap_or_default())
    })
}

fn rates(cells: &[Cell], rivals: &[Rival]) -> String {
    rows(cells, names(rivals), rivals, |cell, rival| {
        let time = Summary::of(&cell.values(rival, |cost| cost.time));
        report::thousands((1e4 / time.median).round() as i64 * 100)
    })
}

/// The base, with few and many ids in a call.
fn plot(cells: &[Cell], server: &str, rivals: &[Rival]) -> String {
    let base = cells.iter().filter(|cell| cell.scenario == SCENARIOS[0].0 && cell.workload.batch <= 100);
    let bar = |cell: &Cell, rival: &Rival| Bar {
        name: rival.name().to_owned(),
        colour: theme::colour(*rival),
        value: cell.cpu(*rival),
    };
    let group = |cell: &Cell| {
        let batch = cell.workload.batch;
        let title = if batch == 1 { "1 id per call".to_owned() } else { format!("{batch} ids per call") };
        Group { title, bars: rivals.iter().map(|rival| bar(cell, rival)).collect() }
    };
    let groups: Vec<Group> = base.map(group).collect();
    let title = "What it costs to acknowledge and delete one entry";
    let note = format!("µs of server time per entry, {server}; less is better; median, line: middle half");
    bars::plot(title, &note, &groups)
}
