//! Random histories on Redis 8.2.3 and on a server with EGG's native names: replies and state are the same after each
//! command, or a rule says why not.
//!
//! `EGG_FUZZ_SECONDS` (60) or `EGG_FUZZ_RUNS` say how long, `EGG_FUZZ_SEED` where to begin: history n has seed + n, and
//! a failing one is repeated with its own seed and one run. `EGG_FUZZ_TARGET=valkey-9.1` takes the place of Redis 7.4.

mod call;
mod commands;
mod counting;
mod effects;
mod expected;
mod history;
mod quirks;
pub mod shrink;
pub mod state;
mod three_servers;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use three_servers::{Counts, Failure, ThreeServers};

use crate::vectors::Words;
use egg_testkit::harness::Kind;

/// How long to go on, and where to begin.
#[derive(Debug)]
struct Plan {
    seed: u64,
    runs: u64,
    end: Option<Instant>,
    target: Kind,
}

impl Plan {
    fn from_environment() -> Self {
        let number = |name: &str| {
            let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
            Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
        };
        let (runs, seconds) = (number("EGG_FUZZ_RUNS"), number("EGG_FUZZ_SECONDS"));
        let seconds = seconds.or(if runs.is_none() { Some(60) } else { None });
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self {
            seed: number("EGG_FUZZ_SEED").unwrap_or(now.as_secs() * 1_000_000),
            runs: runs.unwrap_or(u64::MAX),
            end: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
            target: match std::env::var("EGG_FUZZ_TARGET").as_deref() {
                Err(_) | Ok("" | "redis-7.4") => Kind::Redis74,
                Ok("valkey-9.1") => Kind::Valkey91,
                Ok(other) => panic!("EGG_FUZZ_TARGET is redis-7.4 or valkey-9.1, not {other}"),
            },
        }
    }
}

/// What the workers share.
#[derive(Debug, Default)]
struct Progress {
    taken: AtomicU64,
    failed: AtomicBool,
}

#[derive(Debug, Default)]
struct Result {
    histories: u64,
    commands: usize,
    counts: Counts,
    failure: Option<String>,
}

#[test]
fn same_as_redis_8_2() {
    let (plan, progress, start) = (Plan::from_environment(), Progress::default(), Instant::now());
    println!("fuzz: EGG_FUZZ_SEED={} on {:?}", plan.seed, plan.target);
    let workers = thread::available_parallelism().map_or(1, usize::from).min(4);
    let results: Vec<Result> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(|| work(&plan, &progress))).collect();
        handles.into_iter().map(|handle| handle.join().expect("a worker ends")).collect()
    });

    let mut counts = Counts::new();
    for (rule, count) in results.iter().flat_map(|result| &result.counts) {
        *counts.entry(*rule).or_default() += count;
    }
    let histories: u64 = results.iter().map(|result| result.histories).sum();
    let commands: usize = results.iter().map(|result| result.commands).sum();
    let failures: Vec<&String> = results.iter().filter_map(|result| result.failure.as_ref()).collect();
    println!(
        "fuzz: {histories} histories, {commands} commands in {} s, seed {}, explained {counts:?}, unexplained {}",
        start.elapsed().as_secs(),
        plan.seed,
        failures.len()
    );
    assert!(histories > 0, "no time for a single history");
    assert!(
        failures.is_empty(),
        "{}",
        failures.iter().map(|failure| failure.as_str()).collect::<Vec<_>>().join("\n\n")
    );
}

fn work(plan: &Plan, progress: &Progress) -> Result {
    let (mut servers, mut result) = (ThreeServers::start(plan.target), Result::default());
    while !progress.failed.load(Ordering::Relaxed) && plan.end.is_none_or(|end| Instant::now() < end) {
        let number = progress.taken.fetch_add(1, Ordering::Relaxed);
        if number >= plan.runs {
            break;
        }
        let seed = plan.seed.wrapping_add(number);
        let history = history::generate(seed);
        let _running = Running(seed);
        match servers.run(&history, &mut result.counts) {
            Ok(commands) => result.commands += commands,
            Err(_) => {
                progress.failed.store(true, Ordering::Relaxed);
                result.failure = Some(report(seed, &history, &mut servers));
            }
        }
        result.histories += 1;
    }
    result
}

/// Says which history was running when a server went away.
struct Running(u64);

impl Drop for Running {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("fuzz: broken off in EGG_FUZZ_SEED={} EGG_FUZZ_RUNS=1", self.0);
        }
    }
}

/// Shrinks a failing history, and describes it.
fn report(seed: u64, history: &[Words], servers: &mut ThreeServers) -> String {
    let mut run = |history: &[Words]| servers.run(history, &mut Counts::new());
    let small = shrink::shrink(history, |history| run(history).is_err());
    let Err(Failure { step, lines }) = run(&small) else { return format!("seed {seed}: failed once, and not again") };
    let commands: Vec<String> =
        small.iter().take(step + 1).map(|words| format!("  redis-cli {}", for_shell(words))).collect();
    format!(
        "EGG_FUZZ_SEED={seed} EGG_FUZZ_RUNS=1, shrunk from {} to {} commands, the same for each server:\n{}\n{}",
        history.len(),
        commands.len(),
        commands.join("\n"),
        lines.join("\n")
    )
}

fn for_shell(words: &Words) -> String {
    let is_plain = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+=".contains(&byte))
    };
    let quoted = words.iter().map(|word| if is_plain(word) { word.clone() } else { format!("'{word}'") });
    quoted.collect::<Vec<_>>().join(" ")
}
