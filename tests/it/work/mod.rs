//! Work as people do it, by several workers at once, with every call of EGG in it, and a ledger of what came of each message.
//!
//! Proofs run it on a server that is killed, filled up, failed over or simply left alone for half an hour, and
//! then hold the server against the ledger.

mod ledger;
mod worker;

pub use ledger::{Ledger, Violation};

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use egg_testkit::client::Client;
use egg_testkit::random::Random;
use worker::Worker;

/// A stream, and the groups that work on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub key: &'static str,
    pub groups: &'static [&'static str],
}

/// New work of one group; what it puts off; what it gives up. Messages move between these three.
pub const SOLO: Place = Place { key: "{q}solo", groups: &["g"] };
pub const RETRY: Place = Place { key: "{q}retry", groups: &["g"] };
pub const DEAD: Place = Place { key: "{q}dead", groups: &["g"] };
/// Two groups that both need every message.
pub const PAIR: Place = Place { key: "{q}pair", groups: &["g", "h"] };
/// Two groups that take messages away from each other, with KEEPREF and DELREF: here alone may a pending id have no entry.
pub const LOOSE: Place = Place { key: "{q}loose", groups: &["g", "h"] };
/// All streams: the hash tag keeps them in one slot of a cluster.
pub const PLACES: [Place; 5] = [SOLO, RETRY, DEAD, PAIR, LOOSE];

/// Where the work is done.
pub struct Site<'a> {
    /// A connection to the server; None while it is gone.
    pub connect: &'a (dyn Fn() -> Option<Client> + Sync),
    /// What errors may begin with. Any other one fails the proof.
    pub refusals: &'a [&'a str],
    /// Ask a replica to confirm each write before it is believed.
    pub wait: bool,
    pub stop: AtomicBool,
    /// Replies received.
    pub calls: AtomicUsize,
    /// How many errors there were.
    pub refused: AtomicUsize,
    /// The number of the next message.
    next: AtomicU64,
    /// Messages that are not finished, about.
    open: AtomicI64,
}

impl<'a> Site<'a> {
    pub fn new(connect: &'a (dyn Fn() -> Option<Client> + Sync), refusals: &'a [&'a str]) -> Self {
        Self {
            connect,
            refusals,
            wait: false,
            stop: AtomicBool::new(false),
            calls: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
            next: AtomicU64::new(0),
            open: AtomicI64::new(0),
        }
    }

    /// Creates the streams.
    pub fn prepare(&self) {
        let mut client = (self.connect)().expect("the server is there");
        for place in PLACES {
            for group in place.groups {
                client.all(&[&format!("XGROUP CREATE {} {group} 0 MKSTREAM", place.key)]);
            }
        }
    }

    /// Workers work while `meanwhile` runs, and write down in the ledger what they know. Their connections may break.
    pub fn work<T>(&self, ledger: &mut Ledger, seed: u64, workers: usize, meanwhile: impl FnOnce() -> T) -> T {
        self.stop.store(false, Ordering::Relaxed);
        thread::scope(|scope| {
            let start = |number: usize| {
                let random = Random::new(seed * 64 + number as u64);
                scope.spawn(move || Worker::new(self, number, random).work())
            };
            let workers: Vec<_> = (0..workers).map(start).collect();
            let result = {
                let _stop = Stop(&self.stop);
                meanwhile()
            };
            for worker in workers {
                ledger.merge(worker.join().expect("a worker fails no check"));
            }
            result
        })
    }

    /// Waits until so many more calls were answered.
    pub fn wait_for_calls(&self, count: usize) {
        let target = self.calls.load(Ordering::Relaxed) + count;
        egg_testkit::harness::wait_until(|| self.calls.load(Ordering::Relaxed) >= target);
    }

    /// Finishes all the work that is left: then nothing may be left in any stream.
    pub fn finish(&self, ledger: &mut Ledger) {
        let mut worker = Worker::new(self, 0, Random::new(0));
        worker.finish_all();
        ledger.merge(worker.into_ledger());
        ledger.check(&mut (self.connect)().expect("the server is there")).expect("the work is done");
        let mut client = (self.connect)().expect("the server is there");
        for place in PLACES {
            assert_eq!(client.ids(place.key), [""; 0], "{}", place.key);
            for group in place.groups {
                assert_eq!(client.pending(place.key, group), [""; 0], "{} {group}", place.key);
            }
        }
        assert_eq!(ledger.unfinished(), 0);
    }
}

/// Stops the workers, also when a test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How long a proof is: what the environment says, else what `make test` has time for.
pub fn amount(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|amount| amount.parse().ok()).unwrap_or(default)
}
