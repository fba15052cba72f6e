//! Streams full of pending entries, and the order in which workers finish them.

use crate::wire::Wire;
use egg_testkit::random::Random;

/// Ids are as long as real ones.
const FIRST_ID: u64 = 1_764_500_000_000;

/// The id of the n-th entry.
pub fn id(n: usize) -> String {
    format!("{}-0", FIRST_ID + n as u64)
}

/// Who finishes entries, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Ascending,
    /// Shuffled within a window of four calls, of 64 ids at least.
    Shuffled,
    /// So many consumers take turns in reading, and each acknowledges its own, in order.
    Consumers(usize),
}

/// What is in a stream, and how it is taken out.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    pub entries: usize,
    pub payload: usize,
    /// stream-node-max-entries
    pub node: usize,
    pub order: Order,
    /// Ids per call.
    pub batch: usize,
}

impl Workload {
    /// Makes the stream: all entries are read and pending.
    pub fn fill(&self, wire: &mut Wire, key: &str) {
        wire.run(&["CONFIG", "SET", "stream-node-max-entries", &self.node.to_string()]);
        add(wire, key, 0..self.entries, self.payload);
        wire.run(&["XGROUP", "CREATE", key, "g", "0"]);
        match self.order {
            Order::Consumers(consumers) => {
                let names: Vec<String> = (0..consumers).map(|consumer| format!("consumer-{consumer}")).collect();
                let turns = (0..self.entries).map(|n| names[n % consumers].as_str());
                let read = |name| vec!["XREADGROUP", "GROUP", "g", name, "COUNT", "1", "STREAMS", key, ">"];
                wire.run_all(500, turns.map(read));
            }
            Order::Ascending | Order::Shuffled => read(wire, key, self.entries),
        }
        assert_eq!(wire.run(&["XLEN", key]).integer(), self.entries as i64);
    }

    /// The ids of each call.
    pub fn calls(&self) -> Vec<Vec<String>> {
        let ids = |numbers: &[usize]| numbers.iter().map(|n| id(*n)).collect();
        let mut numbers: Vec<usize> = (0..self.entries).collect();
        match self.order {
            Order::Ascending => {}
            Order::Shuffled => {
                let mut random = Random::new(1);
                numbers.chunks_mut((4 * self.batch).max(64)).for_each(|window| random.shuffle(window));
            }
            Order::Consumers(consumers) => {
                let own = |consumer| (consumer..self.entries).step_by(consumers).collect::<Vec<_>>();
                let own: Vec<Vec<usize>> = (0..consumers).map(own).collect();
                let turns = own[0].len().div_ceil(self.batch);
                let turn = |turn| own.iter().filter_map(move |own| own.chunks(self.batch).nth(turn));
                return (0..turns).flat_map(turn).map(ids).collect();
            }
        }
        numbers.chunks(self.batch).map(ids).collect()
    }
}

/// Adds entries, numbered from 0 up.
pub fn add(wire: &mut Wire, key: &str, numbers: std::ops::Range<usize>, payload: usize) {
    let payload = "x".repeat(payload);
    let window = (1_000_000 / (payload.len() + 100)).max(1);
    let ids: Vec<String> = numbers.map(id).collect();
    wire.run_all(window, ids.iter().map(|id| vec!["XADD", key, id, "data", &payload]));
}

/// Reads so many entries, as one consumer.
pub fn read(wire: &mut Wire, key: &str, entries: usize) {
    for from in (0..entries).step_by(1000) {
        let count = (entries - from).min(1000).to_string();
        wire.run(&["XREADGROUP", "GROUP", "g", "consumer", "COUNT", &count, "STREAMS", key, ">"]);
    }
}
