//! What a server spends on commands.

use std::time::Instant;

use crate::rival::{Prepared, Rival, acknowledged};
use crate::wire::{Packed, Wire};
use crate::workload::Workload;
use egg_testkit::harness::{Kind, Server};
use egg_testkit::random::Random;

/// Ids on their way at once. Calls are pipelined, so that the server does not sleep between them.
const IDS_ON_THE_WAY: usize = 1000;

/// What the server's main thread has spent, in microseconds.
pub fn cpu(wire: &mut Wire) -> f64 {
    let info = wire.run(&["INFO", "cpu"]).text();
    let field = |name: &str| -> f64 {
        let value = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.expect("a server that tells the time of its main thread").parse().expect("seconds")
    };
    (field("used_cpu_user_main_thread") + field("used_cpu_sys_main_thread")) * 1e6
}

/// The cost of one entry.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Microseconds of the server's main thread.
    pub cpu: f64,
    /// Microseconds on the clock, the client's part included.
    pub time: f64,
}

/// A server, and a connection to it.
pub struct Bench {
    pub server: Server,
    pub wire: Wire,
    pub prepared: Prepared,
    keys: usize,
}

impl Bench {
    pub fn start(kind: Kind) -> Self {
        let server = Server::start(kind);
        let mut wire = Wire::connect(&server);
        let prepared = Prepared::on(&mut wire);
        Self { server, wire, prepared, keys: 0 }
    }

    /// What can be compared on this server.
    pub fn rivals(&self) -> Vec<Rival> {
        let is_there = |rival: &Rival| *rival != Rival::Native || self.server.kind().has_native_xackdel();
        Rival::ALL.into_iter().filter(is_there).collect()
    }

    /// A key that was not used before.
    pub fn fresh_key(&mut self) -> String {
        self.keys += 1;
        format!("stream-{}", self.keys)
    }

    /// Fills a stream, and measures how it is emptied.
    pub fn cost(&mut self, rival: Rival, workload: &Workload) -> Cost {
        let key = self.fresh_key();
        workload.fill(&mut self.wire, &key);
        let calls = workload.calls();
        let windows = calls.chunks((IDS_ON_THE_WAY / workload.batch).max(1));
        let windows: Vec<Packed> = windows.map(|calls| self.pack(rival, &key, calls)).collect();
        let (cpu_before, start, mut done) = (cpu(&mut self.wire), Instant::now(), 0);
        for window in &windows {
            self.wire.send(window, |reply| done += acknowledged(rival, &reply));
        }
        let time = start.elapsed().as_secs_f64() * 1e6;
        let spent = cpu(&mut self.wire) - cpu_before;
        assert_eq!((done, self.wire.run(&["XLEN", &key]).integer()), (workload.entries, 0), "{rival:?} {workload:?}");
        self.wire.run(&["DEL", &key]);
        Cost { cpu: spent / workload.entries as f64, time: time / workload.entries as f64 }
    }

    /// Commands that are sent at once.
    pub fn pack(&self, rival: Rival, key: &str, calls: &[Vec<String>]) -> Packed {
        let mut packed = Packed::default();
        calls.iter().for_each(|ids| self.prepared.pack(&mut packed, rival, key, ids));
        packed
    }

    /// Measures all rivals in turn, in another order in each round: what disturbs the machine for a while hits them all.
    pub fn rounds<T>(&mut self, rounds: usize, mut measure: impl FnMut(&mut Self, Rival) -> T) -> Vec<(Rival, Vec<T>)> {
        let rivals = self.rivals();
        let mut results: Vec<(Rival, Vec<T>)> = rivals.iter().map(|rival| (*rival, Vec::new())).collect();
        let mut random = Random::new(rounds as u64);
        let mut order: Vec<usize> = (0..rivals.len()).collect();
        for _ in 0..rounds {
            random.shuffle(&mut order);
            for index in &order {
                let (rival, values) = &mut results[*index];
                values.push(measure(self, *rival));
            }
        }
        results
    }
}
