//! Random hostile calls of every command: the protocol stays in step, a refused call changes nothing, and nothing that a
//! group needs goes away.
//!
//! For 18 seconds on each server, or `EGG_HOSTILE_CALLS` calls on Redis 7.4 and a tenth of them on the others. Round n has
//! the seed `EGG_HOSTILE_SEED` + n; a failing one is shrunk, and is repeated with its own seed and one call.

mod calls;
mod judge;
mod pipe;
mod words;

use std::time::{Duration, Instant, SystemTime};

use judge::{Judge, Tally};

use crate::fuzz::shrink::shrink;
use crate::vectors::Words;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server!(hostile_calls_break_nothing);

/// How some of the calls are made.
const SCRIPT: &str = "return redis.pcall(unpack(ARGV))";

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

fn start(kind: Kind) -> Server {
    let options = Options::new(kind);
    if kind.has_native_xackdel() { options } else { options.line("egg.native-names yes") }.start()
}

fn hostile_calls_break_nothing(kind: Kind) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seed = number("EGG_HOSTILE_SEED").unwrap_or(now.as_secs() * 1_000_000);
    let calls = number("EGG_HOSTILE_CALLS").map(|calls| if kind == Kind::Redis74 { calls } else { calls.div_ceil(10) });
    let end = Instant::now() + Duration::from_secs(18);
    println!("hostile: EGG_HOSTILE_SEED={seed} on {kind:?}");
    let server = start(kind);
    let (mut judge, mut tally, mut round, begun) = (Judge::new(&server), Tally::default(), 0, Instant::now());
    while calls.map_or_else(|| Instant::now() < end, |calls| tally.calls < calls) {
        let seed = seed.wrapping_add(round);
        let running = Running(seed);
        let commands = calls::round(seed, kind);
        match judge.run(&commands, seed % 2 == 1) {
            Ok(counts) => tally.add(counts),
            Err(broken) => panic!("{}", report(seed, &commands, &broken, &mut judge)),
        }
        drop(running);
        round += 1;
    }
    println!("hostile: {round} rounds on {kind:?} in {} s, seed {seed}: {tally:?}", begun.elapsed().as_secs());
    assert!(tally.refused * 10 > tally.calls && tally.changed * 20 > tally.calls && tally.removed > 0, "{tally:?}");
    assert_log_is_clean(&server.log());
}

/// Says which round was running when a server went away.
struct Running(u64);

impl Drop for Running {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("hostile: broken off in EGG_HOSTILE_SEED={} EGG_HOSTILE_CALLS=1", self.0);
        }
    }
}

fn report(seed: u64, round: &[Words], broken: &str, judge: &mut Judge) -> String {
    let small = shrink(round, |round| judge.run(round, seed % 2 == 1).is_err());
    let lines: Vec<String> =
        small.iter().map(|words| words.iter().map(|word| words::shown(word)).collect::<Vec<_>>().join(" ")).collect();
    let again = judge.run(&small, seed % 2 == 1).err().unwrap_or_else(|| "(failed once, and not again)".to_owned());
    format!(
        "EGG_HOSTILE_SEED={seed} EGG_HOSTILE_CALLS=1: {broken}\nshrunk to {} commands:\n{}\n{again}",
        small.len(),
        lines.join("\n")
    )
}

/// Every line is one that the server wrote: no name has broken one.
fn assert_log_is_clean(log: &str) {
    let (_, log) = log.split_once("Ready to accept connections").expect("the server was ready");
    for line in log.lines().skip(1) {
        let is_whole = line.split_once(':').is_some_and(|(pid, _)| pid.bytes().all(|byte| byte.is_ascii_digit()));
        assert!(is_whole && line.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{line}");
        assert!(!line.contains("panicked"), "{line}");
    }
}
