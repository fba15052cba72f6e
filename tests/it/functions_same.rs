//! Random histories on two servers, one with the module and one with the Function library: the same replies, and the same
//! streams after each command.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::fuzz::state::{Stream, differences};
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::random::Random;

each_server! {
    the_library_does_what_the_module_does,
}

const HISTORIES: usize = 60;
const COMMANDS: usize = 60;
const KEYS: [&str; 2] = ["s", "d"];

/// Ids begin above 2^53, where numbers of Lua lose digits, and above the clock, so that both servers make the same ids.
const FIRST: u64 = (1 << 53) + 1;

fn the_library_does_what_the_module_does(kind: Kind) {
    let (module, library) = (Server::start(kind), Options::new(kind).with_library().start());
    let mut clients = [module.connect(), library.connect()];
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first: usize = number("EGG_FUZZ_SEED").unwrap_or(1);
    let (mut calls, mut changing) = (0, 0);
    let mut refused = BTreeMap::<String, usize>::new();
    for seed in first..first + number("EGG_FUZZ_RUNS").unwrap_or(HISTORIES) {
        let mut history = History::new(seed as u64);
        for client in &mut clients {
            client.all(&["FLUSHALL", &format!("XADD s {FIRST}-0 f v"), &format!("XADD d {FIRST}-0 f v")]);
            client.all(&["XGROUP CREATE s a 0", "XGROUP CREATE d a 0"]);
        }
        let mut told = String::new();
        let mut states = streams(&mut clients[0]);
        for _ in 0..COMMANDS {
            let call = history.next();
            let _ = writeln!(told, "{}", call.join(" "));
            let replies = clients.each_mut().map(|client| without_clock(client.send(&call)));
            assert_eq!(replies[0], replies[1], "module and library, seed {seed}:\n{told}");
            let after = clients.each_mut().map(streams);
            for (left, right) in after[0].iter().zip(&after[1]) {
                let found = differences(left.as_ref(), right.as_ref());
                assert!(found.is_empty(), "module / library, seed {seed}:\n{told}{found:?}");
            }
            if call[0].starts_with("EGG.") {
                calls += 1;
                changing += usize::from(after[0] != states);
                if let Reply::Error(text) = &replies[0] {
                    *refused.entry(text.split(['\'', '"']).next().unwrap_or_default().to_owned()).or_default() += 1;
                }
            }
            let [after, _] = after;
            states = after;
        }
    }
    println!("{kind:?}: {calls} calls compared, {changing} changed something, refused {refused:?}");
    // Histories that do nothing prove nothing.
    assert!(changing * 20 > calls && refused.len() > 5, "{changing} of {calls} changed something, {refused:?}");
}

/// Both streams, without the time at which META says an entry was moved.
fn streams(client: &mut Client) -> Vec<Option<Stream>> {
    let read = |key: &str| {
        let reply = client.send(&["XINFO", "STREAM", key, "FULL", "COUNT", "0"]);
        let mut stream = Stream::read(&reply)?;
        for (_, fields) in &mut stream.entries {
            *fields = without_clock(fields.clone());
        }
        Some(stream)
    };
    KEYS.map(read).into()
}

/// A reply without the values of `egg-moved-at`.
fn without_clock(reply: Reply) -> Reply {
    let Reply::Array(mut items) = reply else { return reply };
    for index in 1..items.len() {
        if items[index - 1] == "egg-moved-at" {
            items[index] = Reply::Nil;
        }
    }
    Reply::Array(items.into_iter().map(without_clock).collect())
}

struct History {
    random: Random,
    /// Entries are added above this.
    last: u64,
    /// What comes next, the last one first.
    due: Vec<String>,
}

impl History {
    fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), last: FIRST, due: Vec::new() }
    }

    fn pick(&mut self, words: &[&str]) -> String {
        words[self.random.below(words.len())].to_owned()
    }

    /// An id around those that were added, or anything else that may or may not be one.
    fn id(&mut self) -> String {
        let spread = (self.last - FIRST) as usize + 2;
        // Recent ones are likelier to be there.
        let back = self.random.below(spread).min(self.random.below(spread)) as u64;
        let ms = self.last + 1 - back;
        match self.random.below(60) {
            0 => "0-0".to_owned(),
            1 => "18446744073709551615-18446744073709551615".to_owned(),
            2 => format!("000{ms}"),
            3 => format!(" +{ms}-01"),
            4 => format!("{ms}- -18446744073709551615"),
            5 if self.random.percent(20) => self.pick(&["", "-", "foo", "1-1-1", "18446744073709551616", "-5", "1--1"]),
            6..12 => format!("{ms}-{}", self.random.below(3)),
            _ => format!("{ms}-1"),
        }
    }

    fn group(&mut self) -> String {
        if self.random.percent(3) {
            "none".to_owned()
        } else {
            self.pick(&["a", "a", "a", "a", "a", "a", "a", "b", "b", "c"])
        }
    }

    /// One command, mostly one that finds something to do.
    fn next(&mut self) -> Vec<String> {
        if let Some(line) = self.due.pop() {
            return self.words(&line);
        }
        let key = if self.random.percent(75) { "s" } else { "d" };
        let line = match self.random.below(100) {
            0..22 => {
                self.last += 1 + self.random.below(2) as u64;
                format!("XADD {key} {}-1 f {} egg-old 1 f 2", self.last, self.last % 7)
            }
            22..45 => {
                let count = 1 + self.random.below(5);
                format!("XREADGROUP GROUP {} {} COUNT {count} STREAMS {key} >", self.group(), self.pick(&["x", "y"]))
            }
            45..48 => {
                let start = [self.id(), "0".to_owned(), "$".to_owned()][self.random.below(3)].clone();
                let made = self.pick(&["MKSTREAM", "ENTRIESREAD 1", ""]);
                format!("XGROUP CREATE {key} {} {start} {made}", self.pick(&["a", "b", "c"]))
            }
            48 => format!("XGROUP SETID {key} {} {}", self.group(), self.id()),
            49..53 => format!("XGROUP DESTROY {key} {}", self.pick(&["b", "c"])),
            53..55 => format!("XACK {key} {} {} {}", self.group(), self.id(), self.id()),
            55..57 => format!("XDEL {key} {}", self.id()),
            57..60 => format!(
                "XCLAIM {key} {} {} 0 {} {} RETRYCOUNT {} FORCE JUSTID",
                self.group(),
                self.pick(&["x", "z"]),
                self.id(),
                self.id(),
                self.random.below(4)
            ),
            60 => format!("XTRIM {key} MAXLEN {}", self.random.below(8)),
            61 => format!("CONFIG SET stream-node-max-entries {}", self.pick(&["1", "2", "3", "100"])),
            62 => self.again(&["EGG.ACKMOVE s a d IDS 1 5-0", "EGG.DELEX d IDS 1 5-0", "SET d x"]),
            63 => self.again(&[]),
            64..66 => format!("EGG.GROUPGUARD {key} {}", self.group()),
            66..74 => format!("EGG.DELEX {key} {}", self.options(&[])),
            74..88 => format!("EGG.ACKDEL {key} {} {}", self.group(), self.options(&["OWNER"])),
            _ => {
                let all = ["OWNER", "MINDELIVERIES", "MAXLEN", "MINID", "META", "SET", "LIMIT"];
                let destination = if self.random.percent(70) { "d" } else { "s" };
                format!("EGG.ACKMOVE {key} {} {destination} {}", self.group(), self.options(&all))
            }
        };
        self.words(&line)
    }

    /// Begins with the stream `d` anew, after these commands (the last one first). It is never empty: into an empty stream
    /// entries would be moved by the clock, which the servers do not share.
    fn again(&mut self, before: &[&str]) -> String {
        self.due = vec!["XGROUP CREATE d a 0".to_owned(), format!("XADD d {}-1 f v", self.last), "DEL d".to_owned()];
        self.due.extend(before.iter().map(|line| (*line).to_owned()));
        self.due.pop().unwrap_or_default()
    }

    fn words(&self, line: &str) -> Vec<String> {
        // A blank inside a word is written as an underscore.
        line.split(' ').filter(|word| !word.is_empty()).map(|word| word.replace('_', " ")).collect()
    }

    /// Options and a block of ids, in any order; now and then wrong.
    fn options(&mut self, known: &[&str]) -> String {
        let mut parts = Vec::new();
        if self.random.percent(90) {
            let delete = ["ACKED", "acked", "KEEPREF", "DELREF"];
            let acknowledge = ["ACKED", "acked", "KEEPREF", "DELREF", "ACKONLY", "REJECT"];
            parts.push(self.pick(if known.is_empty() { &delete } else { &acknowledge }));
        }
        for option in known {
            if self.random.percent(25) {
                let part = self.option(option);
                parts.push(part);
            }
        }
        let ids: Vec<String> = (0..1 + self.random.below(8)).map(|_| self.id().replace(' ', "_")).collect();
        let count = ids.len() + usize::from(self.random.percent(2));
        parts.push(format!("IDS {count} {}", ids.join(" ")));
        if self.random.percent(3) {
            parts.push(self.pick(&[
                "FOO",
                "ACKED",
                "IDS",
                "IDS 0",
                "IDS 1 5-0",
                "LIMIT 0",
                "OWNER",
                "SET 0",
                "SET 3 f v",
                "MINDELIVERIES 0",
            ]));
        }
        self.random.shuffle(&mut parts);
        parts.join(" ")
    }

    fn option(&mut self, option: &str) -> String {
        let sign = self.pick(&["", "=", "~"]);
        match option {
            "OWNER" => format!("OWNER {}", self.pick(&["x", "x", "y", "nobody"])),
            "MINDELIVERIES" => format!("MINDELIVERIES {}", self.pick(&["1", "2", "1", "3"])),
            "MAXLEN" => format!("MAXLEN {sign} {}", self.random.below(9)),
            "MINID" if self.random.percent(50) => format!("MINID {sign} {}", self.id().replace(' ', "_")),
            "SET" => self.pick(&["SET 1 f new", "set 2 g 1 f 2", "SET 2 g 1 g 2", "SET 1 egg-old 9"]),
            "LIMIT" if self.random.percent(30) => self.pick(&["LIMIT 0", "LIMIT 2", "LIMIT 5"]),
            "META" => "META".to_owned(),
            _ => String::new(),
        }
    }
}
