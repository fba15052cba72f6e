//! Work without end: producers, workers of two groups, retries, dead letters, claims, forgotten groups.
//!
//! Every few seconds all rests, the server is held against the ledger, all work is finished, and memory is looked at.
//! `EGG_SOAK_SECONDS` says how long; 10 if it is not set.

use std::fs;
use std::time::{Duration, Instant};

use crate::work::{Ledger, Site, amount};
use egg_testkit::client::Client;
use egg_testkit::harness::{Kind, Options, wait_until};

const WORKERS: usize = 4;

#[test]
fn every_message_of_a_long_day_is_accounted_for_and_memory_stays_flat() {
    let seconds = amount("EGG_SOAK_SECONDS", 10);
    // A slow machine would fill the slow log, which is memory too.
    let server = Options::new(Kind::Redis74).line("slowlog-log-slower-than -1").start();
    let connect = || Client::try_connect(&server.path("socket"), false);
    let site = Site::new(&connect, &["FOREIGNGROUP", "BUSYGROUP"]);
    site.prepare();
    let mut client = server.connect();
    let mut ledger = Ledger::default();
    let start = Instant::now();
    let mut said = start;
    let mut memory = Vec::new();
    for slice in 1_u64.. {
        let until = Instant::now() + Duration::from_secs((seconds / 5).clamp(1, 15) as u64);
        site.work(&mut ledger, slice, WORKERS, || wait_until(|| Instant::now() >= until));
        ledger.check(&mut client).unwrap_or_else(|error| panic!("slice {slice}: {error:?}"));
        site.finish(&mut ledger);
        memory.push(Memory::of(&mut client));
        let is_over = start.elapsed().as_secs() >= seconds as u64;
        if is_over || said.elapsed().as_secs() >= 60 {
            said = Instant::now();
            report(start, &site, &ledger, memory.last().expect("just measured"), &mut client);
        }
        if is_over {
            break;
        }
    }
    assert!(ledger.finished() > 100, "{}", ledger.finished());
    let (first, last) = (&memory[0], memory.last().expect("a slice"));
    // Empty streams, each with its groups and consumers: the same few kilobytes whatever has passed through.
    assert!(last.used < first.used + 1_000_000, "{first:?} {last:?}");
    assert!(last.resident < first.resident + 16_000_000, "{first:?} {last:?}");
}

/// Bytes of the server.
#[derive(Debug)]
struct Memory {
    used: u64,
    resident: u64,
}

impl Memory {
    fn of(client: &mut Client) -> Self {
        client.all(&["MEMORY PURGE"]);
        let process = client.info("server", "process_id");
        let pages = fs::read_to_string(format!("/proc/{process}/statm")).expect("the process is there");
        let resident = pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number of pages");
        let used = client.info("memory", "used_memory").parse().expect("a number of bytes");
        Self { used, resident: resident * 4096 }
    }
}

fn report(start: Instant, site: &Site<'_>, ledger: &Ledger, memory: &Memory, client: &mut Client) {
    use std::sync::atomic::Ordering::Relaxed;
    let counters = ["acked", "deleted", "kept", "moved", "trimmed", "reaped", "lag_repairs"];
    let counters = counters.map(|name| format!("{name} {}", client.info("egg", &format!("egg_{name}"))));
    println!(
        "{:5} s: {} messages finished, {} calls, {} refused, used {} kB, resident {} kB, {}",
        start.elapsed().as_secs(),
        ledger.finished(),
        site.calls.load(Relaxed),
        site.refused.load(Relaxed),
        memory.used / 1024,
        memory.resident / 1024,
        counters.join(", ")
    );
}
