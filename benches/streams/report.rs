//! Tables in Markdown, and the document that they are put into.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::settings::{DOCUMENTS, Settings};
use egg_testkit::client::Client;
use egg_testkit::harness::Server;

/// A table in Markdown.
pub struct Table {
    text: String,
}

impl Table {
    /// The first column holds words, the others numbers.
    pub fn new<T: AsRef<str>>(heads: &[T]) -> Self {
        let mut table = Self { text: String::new() };
        table.row(heads);
        let _ = writeln!(table.text, "|---|{}", "---:|".repeat(heads.len() - 1));
        table
    }

    pub fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        let _ = writeln!(self.text, "| {} |", cells.join(" | "));
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A number with three digits that matter.
pub fn number(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => thousands(value.round() as i64),
    }
}

/// A whole number, with commas.
pub fn thousands(value: i64) -> String {
    let digits = value.to_string();
    let chunks: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8(chunks.join(&b","[..])).expect("digits")
}

const DOCUMENT: &str = "benchmarks.md";

/// Makes the folder of the results ready: a smoke test writes into a copy of the document.
pub fn begin(settings: &Settings) {
    fs::create_dir_all(settings.folder.join("bench")).expect("a folder for the plots");
    let (document, target) = (Path::new(DOCUMENTS).join(DOCUMENT), settings.folder.join(DOCUMENT));
    if document != target {
        fs::copy(&document, &target).expect("benchmarks.md can be copied");
    }
}

/// Puts the results of a part into benchmarks.md, between its markers, with what they were measured on and how.
pub fn publish(settings: &Settings, part: &str, servers: &[&Server], text: &str) {
    println!("{text}");
    if !settings.publishes() {
        return;
    }
    let target = settings.folder.join(DOCUMENT);
    let old = fs::read_to_string(&target).expect("benchmarks.md");
    let (start, end) = (format!("<!-- {part}: written by make bench -->\n"), format!("<!-- end of {part} -->"));
    let (before, rest) = old.split_once(&start).unwrap_or_else(|| panic!("no {start}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no {end}"));
    let quick = if settings.quick { " QUICK=1" } else { "" };
    let machine = machine(settings, servers);
    let new = format!(
        "{before}{start}\n*{machine} Again: `make bench PART={part}{quick}`.*\n\n{}\n\n{end}{after}",
        text.trim()
    );
    fs::write(&target, new).expect("benchmarks.md can be written");
}

/// Writes a plot.
pub fn write_plot(settings: &Settings, name: &str, svg: &str) {
    fs::write(settings.folder.join("bench").join(name), svg).expect("a plot can be written");
}

/// Processor, servers, module and day.
fn machine(settings: &Settings, servers: &[&Server]) -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let names: Vec<String> = servers.iter().map(|server| name(&mut server.connect())).collect();
    let egg = servers[0].connect().run("EGG.VERSION").text();
    let today = Command::new("date").arg("+%Y-%m-%d").output().expect("date");
    let today = String::from_utf8_lossy(&today.stdout).trim().to_owned();
    let load = &settings.load;
    format!("{model}, {cores} cores, load {load} before it began; {}; EGG {egg}; {today}.", names.join(", "))
}

/// A server by name and version.
pub fn name(client: &mut Client) -> String {
    let info = client.run("INFO server").text();
    let field =
        |name: &str| info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::to_owned);
    match field("valkey_version") {
        Some(version) => format!("Valkey {version}"),
        None => format!("Redis {}", field("redis_version").expect("a version")),
    }
}
