//! A client that works, and another that pulls the ground from under it: both are this one, at random.

use super::Way;
use egg_testkit::client::{Client, Reply, words};
use egg_testkit::random::Random;

const KEYS: [&str; 3] = ["a", "b", "c"];
const GROUPS: [&str; 3] = ["g", "h", "i"];

/// What the meddling of others makes of a call.
const REFUSALS: [&str; 11] = [
    "NOGROUP",
    "FOREIGNGROUP",
    "BUSYGROUP",
    "WRONGTYPE",
    "UNBLOCKED",
    "ERR no such key",
    "ERR The XGROUP subcommand requires the key to exist",
    "ERR source and destination objects are the same",
    "ERR The ID specified in XADD",
    "ERR The ID argument cannot be",
    "ERR The XADD",
];

pub struct Meddler {
    client: Client,
    random: Random,
    way: Way,
    name: String,
    /// Ids that were read: of which stream, for which group.
    known: Vec<(&'static str, &'static str, String)>,
    /// Replies that were no errors.
    pub calls: usize,
}

impl Meddler {
    pub fn new(client: Client, number: usize, random: Random, way: Way) -> Self {
        Self { client, random, way, name: format!("c{number}"), known: Vec::new(), calls: 0 }
    }

    pub fn step(&mut self) {
        let key = KEYS[self.random.below(KEYS.len())];
        let group = GROUPS[self.random.below(GROUPS.len())];
        match self.random.below(1000) {
            0..250 => self.add(key),
            250..500 => self.read(key, group),
            500..800 => self.finish(key, group),
            800..850 => self.tidy(key),
            850..995 => self.meddle(key, group),
            _ => self.destroy(key),
        }
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.below(from.len())]
    }

    /// Sends a call by itself, in a transaction with others, or from a script.
    fn send(&mut self, line: &str) -> Reply {
        let words = words(line);
        let reply = match self.random.below(20) {
            0 => {
                self.client.all(&["MULTI"]);
                self.client.send(&words);
                self.client.run("XADD c * f v");
                self.client.send(&words);
                match self.client.run("EXEC") {
                    Reply::Array(replies) => replies[0].clone(),
                    other => other,
                }
            }
            1 if words[0] != "XREADGROUP" => {
                let script = "return redis.pcall(unpack(ARGV))";
                self.client.send(&[&["EVAL", script, "0"][..], &words].concat())
            }
            _ => self.client.send(&words),
        };
        match &reply {
            Reply::Error(error) => {
                assert!(REFUSALS.iter().any(|known| error.starts_with(known)), "{line}: {error}");
            }
            _ => self.calls += 1,
        }
        reply
    }

    fn add(&mut self, key: &str) {
        let call = match self.way {
            Way::Clients => "XADD {} *",
            Way::Egg => {
                self.choose(&["XADD {} *", "EGG.ADD {} *", "EGG.ADD {} MAXLEN 20 *", "EGG.ADD {} MAXLEN ~ 20 *"])
            }
        };
        self.send(&format!("{} f v", call.replace("{}", key)));
    }

    fn read(&mut self, key: &'static str, group: &'static str) {
        let (name, count) = (self.name.clone(), 1 + self.random.below(5));
        let line = match self.random.below(20) {
            0 => format!("XREADGROUP GROUP {group} {name} COUNT {count} NOACK STREAMS {key} >"),
            1..3 => format!("XREADGROUP GROUP {group} {name} COUNT {count} STREAMS {key} 0"),
            3..5 => format!("XAUTOCLAIM {key} {group} {name} 0 - COUNT {count}"),
            5 if !self.known.is_empty() => {
                let known = self.known();
                format!("XCLAIM {key} {group} {name} 0 {} FORCE", self.random.some_of(&known, 3).join(" "))
            }
            _ => format!("XREADGROUP GROUP {group} {name} COUNT {count} STREAMS {key} >"),
        };
        let reply = self.send(&line);
        let entries = match &reply {
            Reply::Array(streams) if line.starts_with("XREADGROUP") => &streams[0].array()[1],
            Reply::Array(parts) if line.starts_with("XAUTOCLAIM") => &parts[1],
            _ => return,
        };
        self.known.extend(entries.array().iter().map(|entry| (key, group, entry.array()[0].text())));
        let surplus = self.known.len().saturating_sub(20);
        self.known.drain(..surplus);
    }

    fn known(&self) -> Vec<String> {
        self.known.iter().map(|(_, _, id)| id.clone()).collect()
    }

    /// Mostly what was read, for the group that read it; else any ids of anything.
    fn finish(&mut self, mut key: &'static str, mut group: &'static str) {
        let Some((known_key, known_group, _)) = self.known.last().cloned() else { return };
        let mut known = self.known();
        if self.random.percent(80) {
            (key, group) = (known_key, known_group);
            let of_it = self.known.iter().filter(|(k, g, _)| (*k, *g) == (key, group));
            known = of_it.map(|(_, _, id)| id.clone()).collect();
        }
        let ids = self.random.some_of(&known, 6);
        let block = format!("IDS {} {}", ids.len(), ids.join(" "));
        let other = self.choose(&KEYS);
        let policy = self.choose(&["", "REJECT", "ACKONLY", "ACKED", "ACKED", "ACKED OWNER c1"]);
        match (self.way, self.random.below(10)) {
            (Way::Clients, _) => {
                let ids = ids.join(" ");
                self.client.all(&["MULTI"]);
                self.client.run(&format!("XACK {key} {group} {ids}"));
                self.client.run(&format!("XDEL {key} {ids}"));
                self.client.run("EXEC");
            }
            (_, 0) => {
                self.send(&format!("EGG.ACKMOVE {key} {group} {other} {policy} {block}"));
            }
            (_, 1) => {
                self.send(&format!("EGG.DELEX {key} {block}"));
            }
            _ => {
                self.send(&format!("EGG.ACKDEL {key} {group} {policy} {block}"));
            }
        }
    }

    fn tidy(&mut self, key: &str) {
        let least = self.known().first().cloned().unwrap_or_else(|| "5".to_owned());
        let how = match self.random.below(6) {
            0 => "MAXLEN 5".to_owned(),
            1 => "MAXLEN ~ 5".to_owned(),
            2 => format!("MINID {least}"),
            3 => format!("MINID ~ {least}"),
            4 => "LIMIT 3".to_owned(),
            _ => String::new(),
        };
        if self.way == Way::Egg {
            self.send(&format!("EGG.TRIM {key} {how}"));
        }
    }

    fn meddle(&mut self, key: &str, group: &str) {
        let consumer = self.choose(&["c0", "c1", "c2", "c3"]);
        let known = self.known().last().cloned().unwrap_or_else(|| "5-0".to_owned());
        let at = match self.random.below(3) {
            0 => "0".to_owned(),
            1 => "$".to_owned(),
            _ => known,
        };
        let line = match self.random.below(8) {
            0..4 => format!("XGROUP CREATE {key} {group} {at} MKSTREAM"),
            4 => format!("XGROUP SETID {key} {group} {at}"),
            5 => format!("XGROUP DELCONSUMER {key} {group} {consumer}"),
            6 => format!("XGROUP DESTROY {key} {group}"),
            _ => format!("EGG.GROUPREAP {key} {group} IDLE 1 MATCH i EMPTY FORCE"),
        };
        self.send(&line);
    }

    fn destroy(&mut self, key: &str) {
        let other = self.choose(&KEYS);
        let line = match self.random.below(12) {
            0..3 => format!("DEL {key}"),
            3..5 => format!("RENAME {key} {other}"),
            5..8 => format!("PEXPIRE {key} 20"),
            8..10 => "SWAPDB 0 1".to_owned(),
            10 => format!("SET {key} x PX 5"),
            _ => "FLUSHALL".to_owned(),
        };
        self.send(&line);
    }
}
