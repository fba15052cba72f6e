//! What EGG costs, measured on real servers beside what it takes the place of: `make bench`. docs/benchmarks.md says how.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod adds;
mod bars;
mod compare;
mod lag;
mod latency;
mod lines;
mod measure;
mod memory;
mod report;
mod rival;
mod scaling;
mod settings;
mod statistics;
mod theme;
mod wire;
mod workload;

use settings::Settings;

/// A part of the benchmark, and what runs it.
type Part = (&'static str, fn(&Settings));

const PARTS: [Part; 5] = [
    ("compare", compare::run),
    ("scaling", scaling::run),
    ("adds", adds::run),
    ("memory", memory::run),
    ("lag", lag::run),
];

fn main() {
    let settings = Settings::from_environment(&PARTS.map(|(name, _)| name));
    report::begin(&settings);
    for (name, run) in PARTS {
        if settings.wants(name) {
            settings.say(&format!("== {name}"));
            run(&settings);
        }
    }
    settings.say(&format!("done: {}", settings.folder.display()));
}
