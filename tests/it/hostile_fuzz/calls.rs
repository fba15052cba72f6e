//! Rounds of calls: what is in order, then bent until it may not be.

use super::words::{self, any, id, number, option};
use crate::vectors::Words;
use egg_testkit::harness::Kind;
use egg_testkit::random::Random;

/// Keys that are there in every round: three streams, a string, and one that calls may make.
pub const KEYS: [&str; 5] = ["s", "IDS", "\u{ff}\0\r\n", "w", ""];
const STREAMS: usize = 3;
const GROUPS: [&str; 5] = ["g", "MAXLEN", "\r\n-ERR x\r\n\0", "%n%s", ""];
const CONSUMERS: [&str; 3] = ["c", "OWNER", "\u{fe}\r\n"];
const POLICIES: [&str; 5] = ["REJECT", "ACKONLY", "ACKED", "KEEPREF", "DELREF"];

/// The calls of one round that are judged; others come in between.
pub const CALLS: usize = 50;

/// Makes one round for a server. The same seed makes the same round for ever.
pub fn round(seed: u64, kind: Kind) -> Vec<Words> {
    let mut maker = Maker { random: Random::new(seed), native: !kind.has_native_xackdel(), clock: 0 };
    let mut round = vec![maker.core(&["CONFIG", "SET", "egg.default-policy", "reject"])];
    if maker.random.percent(40) {
        let policy = ["ackonly", "acked"][maker.random.below(2)];
        round.push(maker.core(&["CONFIG", "SET", "egg.default-policy", policy]));
    }
    round.push(maker.core(&["SET", "w", "string"]));
    for key in &KEYS[..STREAMS] {
        let groups = 1 + maker.random.below(3);
        for _ in 0..4 + maker.random.below(8) {
            round.push(maker.entry(key));
        }
        for group in &GROUPS[..groups] {
            round.push(maker.core(&["XGROUP", "CREATE", key, group, "0"]));
            round.push(maker.reading(key, group));
        }
    }
    for _ in 0..CALLS {
        if maker.random.percent(25) {
            round.push(maker.work());
        }
        let call = maker.call();
        round.push(maker.wrapped(call));
    }
    round
}

struct Maker {
    random: Random,
    native: bool,
    clock: usize,
}

impl Maker {
    fn core(&self, words: &[&str]) -> Words {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn of(&mut self, words: &[&str]) -> String {
        words[self.random.below(words.len())].to_owned()
    }

    fn entry(&mut self, key: &str) -> Words {
        self.clock += 1;
        let id = format!("{}-0", self.clock);
        self.core(&["XADD", key, &id, "f", "v"])
    }

    fn reading(&mut self, key: &str, group: &str) -> Words {
        let (consumer, count) = (self.of(&CONSUMERS), (1 + self.random.below(9)).to_string());
        self.core(&["XREADGROUP", "GROUP", group, &consumer, "COUNT", &count, "STREAMS", key, ">"])
    }

    /// What workers and operators do meanwhile, with the core's own commands.
    fn work(&mut self) -> Words {
        let (key, group) = (self.of(&KEYS[..STREAMS]), self.of(&GROUPS));
        let id = self.id();
        match self.random.below(9) {
            0..=2 => self.entry(&key),
            3 | 4 => self.reading(&key, &group),
            5 => self.core(&["XDEL", &key, &id]),
            6 => self.core(&["XGROUP", "CREATE", &key, &group, "0", "MKSTREAM"]),
            7 => self.core(&["XCLAIM", &key, &group, "c", "0", &id, "RETRYCOUNT", "9"]),
            _ => self.core(&["XGROUP", "SETID", &key, &group, "2-0"]),
        }
    }

    /// Some calls come out of a script.
    fn wrapped(&mut self, call: Words) -> Words {
        if !self.random.percent(5) {
            return call;
        }
        let mut script = self.core(&["EVAL", super::SCRIPT, "0"]);
        script.extend(call);
        script
    }

    fn call(&mut self) -> Words {
        let mut call = if self.random.percent(5) { self.nonsense() } else { self.in_order() };
        if self.random.percent(50) {
            for _ in 0..1 + self.random.below(3) {
                self.bend(&mut call);
            }
        }
        call
    }

    /// Changes a call in one place.
    fn bend(&mut self, call: &mut Words) {
        let at = 1 + self.random.below(call.len().max(2) - 1);
        match self.random.below(8) {
            0 => call.truncate(at),
            1 if at < call.len() => drop(call.remove(at)),
            2 if at < call.len() => call.insert(at, call[at].clone()),
            3 => call.insert(at.min(call.len()), any(&mut self.random)),
            4 => {
                // An option block twice.
                let block = call[at.min(call.len())..].to_vec();
                call.extend(block);
            }
            5 => {
                let other = 1 + self.random.below(call.len().max(2) - 1);
                if at < call.len() && other < call.len() {
                    call.swap(at, other);
                }
            }
            _ if at < call.len() => call[at] = any(&mut self.random),
            _ => call.push(any(&mut self.random)),
        }
    }

    fn key(&mut self) -> String {
        match self.random.below(20) {
            0 => any(&mut self.random),
            1 => self.of(&KEYS),
            _ => self.of(&KEYS[..STREAMS]),
        }
    }

    fn group(&mut self) -> String {
        if self.random.percent(90) { self.of(&GROUPS[..3]) } else { self.of(&GROUPS) }
    }

    fn id(&mut self) -> String {
        if self.random.percent(92) {
            format!("{}-0", 1 + self.random.below(self.clock + 2))
        } else {
            id(&mut self.random)
        }
    }

    fn number(&mut self) -> String {
        if self.random.percent(80) { self.random.below(12).to_string() } else { number(&mut self.random) }
    }

    fn ids(&mut self, call: &mut Words) {
        let count = [1, 2, 3, 8, 9][self.random.below(5)];
        call.extend(["IDS".to_owned(), count.to_string()]);
        for _ in 0..count {
            let id = self.id();
            call.push(id);
        }
    }

    fn trim(&mut self, call: &mut Words) {
        let by_length = self.random.percent(60);
        call.push(if by_length { "MAXLEN" } else { "MINID" }.to_owned());
        let sign = self.of(&["", "=", "~"]);
        call.extend(Some(sign.clone()).filter(|sign| !sign.is_empty()));
        let value = if by_length { self.number() } else { self.id() };
        call.push(value);
        if sign == "~" && self.random.percent(40) {
            let limit = self.number();
            call.extend(["LIMIT".to_owned(), limit]);
        }
    }

    fn maybe(&mut self, percent: usize, call: &mut Words, option: impl FnOnce(&mut Self, &mut Words)) {
        if self.random.percent(percent) {
            option(self, call);
        }
    }

    fn in_order(&mut self) -> Words {
        let name = self.of(if self.native { &NAMES } else { &NAMES[..9] });
        let (key, group) = (self.key(), self.group());
        let mut call = vec![name.clone(), key];
        let policy = |this: &mut Self, call: &mut Words| call.push(this.of(&POLICIES));
        let of_8_2 = |this: &mut Self, call: &mut Words| call.push(this.of(&POLICIES[2..]));
        match name.as_str() {
            "EGG.ACKDEL" | "XACKDEL" => {
                call.push(group);
                self.maybe(60, &mut call, if name == "XACKDEL" { of_8_2 } else { policy });
                self.maybe(if name == "XACKDEL" { 0 } else { 25 }, &mut call, Self::owner);
                self.ids(&mut call);
            }
            "EGG.ACKMOVE" => {
                let destination = self.key();
                call.extend([group, destination]);
                self.maybe(60, &mut call, policy);
                self.maybe(20, &mut call, Self::owner);
                self.maybe(20, &mut call, |this, call| call.extend(["MINDELIVERIES".to_owned(), this.number()]));
                self.maybe(30, &mut call, Self::trim);
                self.maybe(30, &mut call, |_, call| call.push("META".to_owned()));
                self.maybe(30, &mut call, |this, call| {
                    call.extend(["SET", "2"].map(str::to_owned));
                    call.extend((0..4).map(|_| any(&mut this.random)));
                });
                self.ids(&mut call);
            }
            "EGG.GROUPGUARD" => call.push(group),
            "EGG.PINS" => {}
            "EGG.VERSION" => call.truncate(1),
            "EGG.DELEX" | "XDELEX" => {
                self.maybe(60, &mut call, of_8_2);
                self.ids(&mut call);
            }
            "EGG.GROUPREAP" => {
                call.extend([group, "IDLE".to_owned()]);
                let idle = if self.random.percent(50) { "1".to_owned() } else { self.number() };
                call.push(idle);
                self.maybe(30, &mut call, |this, call| call.extend(["MATCH".to_owned(), any(&mut this.random)]));
                for word in ["EMPTY", "FORCE", "DRYRUN"] {
                    self.maybe(30, &mut call, |_, call| call.push(word.to_owned()));
                }
            }
            "EGG.TRIM" | "XTRIM" => {
                self.maybe(60, &mut call, of_8_2);
                self.maybe(80, &mut call, Self::trim);
                self.maybe(if name == "XTRIM" { 0 } else { 20 }, &mut call, |this, call| {
                    call.extend(["IGNOREIDLE".to_owned(), this.number()]);
                });
            }
            _ => {
                self.maybe(20, &mut call, |_, call| call.push("NOMKSTREAM".to_owned()));
                self.maybe(50, &mut call, of_8_2);
                self.maybe(70, &mut call, Self::trim);
                self.clock += 1;
                let id = if self.random.percent(80) { format!("{}-0", self.clock) } else { id(&mut self.random) };
                call.extend([id, any(&mut self.random), any(&mut self.random)]);
            }
        }
        call
    }

    fn owner(&mut self, call: &mut Words) {
        let consumer = self.of(&CONSUMERS);
        call.extend(["OWNER".to_owned(), consumer]);
    }

    fn nonsense(&mut self) -> Words {
        let mut call = vec![self.of(if self.native { &NAMES } else { &NAMES[..9] })];
        for _ in 0..self.random.below(9) {
            let word = if self.random.percent(50) { option(&mut self.random) } else { words::any(&mut self.random) };
            call.push(word);
        }
        call
    }
}

/// The commands that are judged: EGG's own, then 8.2's.
pub const NAMES: [&str; 13] = [
    "EGG.ACKDEL",
    "EGG.ACKMOVE",
    "EGG.GROUPGUARD",
    "EGG.PINS",
    "EGG.DELEX",
    "EGG.TRIM",
    "EGG.ADD",
    "EGG.GROUPREAP",
    "EGG.VERSION",
    "XACKDEL",
    "XDELEX",
    "XADD",
    "XTRIM",
];
