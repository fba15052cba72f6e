//! How long a call takes for a client that waits for each reply, while others do the same.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crate::measure::Bench;
use crate::report::{Table, number};
use crate::rival::{Rival, acknowledged};
use crate::settings::Settings;
use crate::statistics::{Summary, quantile};
use crate::wire::{Packed, Wire};
use crate::workload::{Order, Workload};

const CLIENTS: usize = 16;

/// Median and 99th percentile of the calls of one round, in microseconds.
struct Latency {
    median: f64,
    high: f64,
}

/// Latencies of all rivals on a server.
pub fn table(settings: &Settings, bench: &mut Bench) -> String {
    let mut heads = vec!["ids per call".to_owned()];
    heads.extend(bench.rivals().iter().map(|rival| rival.name().to_owned()));
    let mut table = Table::new(&heads);
    for batch in [1, 10, 100] {
        let calls = settings.either(if batch == 100 { 20 } else { 100 }, 10) * CLIENTS;
        let workload = Workload { entries: calls * batch, payload: 100, node: 100, order: Order::Ascending, batch };
        let results = bench.rounds(settings.either(9, 1), |bench, rival| measure(bench, rival, &workload));
        settings.say(&format!("latency of {CLIENTS} clients, {batch} ids"));
        let mut row = vec![batch.to_string()];
        row.extend(results.iter().map(|(_, rounds)| {
            let median = |value: fn(&Latency) -> f64| Summary::of(&rounds.iter().map(value).collect::<Vec<_>>()).median;
            format!("{} / {}", number(median(|round| round.median)), number(median(|round| round.high)))
        }));
        table.row(&row);
    }
    table.text().to_owned()
}

/// The clients take calls in turn, so that together they empty the stream about in order.
fn measure(bench: &mut Bench, rival: Rival, workload: &Workload) -> Latency {
    let key = bench.fresh_key();
    workload.fill(&mut bench.wire, &key);
    let calls: Vec<Packed> = workload.calls().chunks(1).map(|call| bench.pack(rival, &key, call)).collect();
    let start = Barrier::new(CLIENTS);
    let mut times: Vec<f64> = thread::scope(|scope| {
        let client = |number| {
            let (mut wire, start) = (Wire::connect(&bench.server), &start);
            let own = calls.iter().skip(number).step_by(CLIENTS);
            scope.spawn(move || {
                start.wait();
                own.map(|call| time(&mut wire, rival, call)).collect::<Vec<_>>()
            })
        };
        let clients: Vec<_> = (0..CLIENTS).map(client).collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    assert_eq!(bench.wire.run(&["XLEN", &key]).integer(), 0);
    bench.wire.run(&["DEL", &key]);
    times.sort_by(f64::total_cmp);
    Latency { median: quantile(&times, 0.5), high: quantile(&times, 0.99) }
}

/// Of one call, in microseconds.
fn time(wire: &mut Wire, rival: Rival, call: &Packed) -> f64 {
    let start = Instant::now();
    let mut done = 0;
    wire.send(call, |reply| done += acknowledged(rival, &reply));
    assert!(done > 0);
    start.elapsed().as_secs_f64() * 1e6
}
