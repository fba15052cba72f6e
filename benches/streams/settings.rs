//! What is to be measured, how thoroughly, and where the results go.

use std::path::PathBuf;
use std::time::Instant;

/// Where the documents are.
pub const DOCUMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");

/// How the benchmark was started.
pub struct Settings {
    /// The only part to run.
    part: Option<String>,
    /// The only scenario of the comparison to run, while working on it: what is found is printed, not published.
    only: Option<String>,
    /// A smoke test: as many figures, from far fewer measurements.
    pub quick: bool,
    /// Where the results are written: docs/, or a folder of the build for a smoke test.
    pub folder: PathBuf,
    /// How busy the machine was with other things when the benchmark began.
    pub load: String,
    start: Instant,
}

impl Settings {
    /// Reads `EGG_BENCH_PART`, `EGG_BENCH_ONLY` and `EGG_BENCH_QUICK`, which `make bench` sets.
    pub fn from_environment(parts: &[&str]) -> Self {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let part = variable("EGG_BENCH_PART");
        if let Some(part) = &part {
            assert!(parts.contains(&part.as_str()), "no part {part}: there are {}", parts.join(", "));
        }
        let quick = variable("EGG_BENCH_QUICK").is_some();
        let folder = if quick { env!("CARGO_TARGET_TMPDIR") } else { DOCUMENTS };
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').next().unwrap_or_default().to_owned();
        Self { part, only: variable("EGG_BENCH_ONLY"), quick, folder: folder.into(), load, start: Instant::now() }
    }

    /// Whether a part is to run.
    pub fn wants(&self, part: &str) -> bool {
        self.part.as_ref().is_none_or(|wanted| wanted == part)
    }

    /// Whether a scenario is to run.
    pub fn wants_scenario(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|wanted| name == wanted)
    }

    /// Whether the documents are to be written.
    pub fn publishes(&self) -> bool {
        self.only.is_none()
    }

    /// One or the other number, as a whole run or a smoke test is wanted.
    pub fn either(&self, whole: usize, quick: usize) -> usize {
        if self.quick { quick } else { whole }
    }

    /// A line of progress.
    pub fn say(&self, text: &str) {
        eprintln!("[{:4.0} s] {text}", self.start.elapsed().as_secs_f64());
    }
}
