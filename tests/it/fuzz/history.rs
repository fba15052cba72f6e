//! Random histories: what clients and operators do to a few streams and their groups, with 8.2's commands in between.

use super::effects::words;
use crate::vectors::Words;
use egg_testkit::random::Random;

/// The two streams of a history.
pub const KEYS: [&str; 2] = ["s", "t"];
/// A key that is no stream.
pub const STRING: &str = "w";
pub const MISSING: &str = "m";
pub const GROUPS: [&str; 3] = ["a", "b", "c"];
/// What stands where it should not. No `*`: two servers would make two ids of it.
pub const JUNK: [&str; 18] = [
    "0",
    "-1",
    "abc",
    "",
    "01",
    "+1",
    "1.5",
    "IDS",
    "ACKED",
    "delref",
    "LIMIT",
    "MAXLEN",
    "~",
    "$",
    "5-",
    "1-1-1",
    "99999999999999999999",
    "18446744073709551615-18446744073709551615",
];

/// The history of a seed.
pub fn generate(seed: u64) -> Vec<Words> {
    let mut random = Random::new(seed);
    let groups = random.weighted(&[(40, 1), (35, 2), (25, 3)]);
    let calm = random.percent(35);
    let mut history = History { random, calm, groups, clock: 0, next: None };
    let length = history.random.between(20, 60);
    let mut commands = history.beginning();
    while (commands.len() as u64) < length {
        let command = history.command();
        commands.push(command);
    }
    commands
}

type Maker = fn(&mut History) -> Words;

pub struct History {
    pub random: Random,
    /// Nobody deletes groups or work that is needed: so trims find holes between what is pending.
    pub calm: bool,
    /// How many groups play a part. One that lags behind holds everything up.
    pub groups: usize,
    /// The highest number in the id of an entry so far.
    pub clock: u64,
    /// What follows by itself.
    next: Option<Words>,
}

impl History {
    /// Something to work on.
    fn beginning(&mut self) -> Vec<Words> {
        let mut commands = Vec::new();
        if self.random.percent(70) {
            commands.push(self.node_size());
        }
        for _ in 0..self.random.between(1, 16) {
            self.clock += 1;
            commands.push(words(&["XADD", "s", &format!("{}-0", self.clock), "f", "v"]));
        }
        for group in &GROUPS[..self.random.between(0, self.groups as u64) as usize] {
            commands.push(words(&["XGROUP", "CREATE", "s", group, "0"]));
        }
        commands
    }

    fn command(&mut self) -> Words {
        if let Some(command) = self.next.take() {
            return command;
        }
        const CALM: usize = 7; // What workers and producers do comes first.
        const MAKERS: [(usize, Maker); 22] = [
            (140, History::add),
            (130, History::read),
            (75, History::ack),
            (140, History::ackdel),
            (120, History::delex),
            (100, History::add_and_trim),
            (100, History::trim),
            (35, History::del),
            (28, History::create),
            (18, History::destroy),
            (14, History::set_position),
            (10, History::delete_consumer),
            (4, History::create_consumer),
            (30, History::claim),
            (20, History::autoclaim),
            (8, History::set_id),
            (10, History::rename),
            (12, History::copy),
            (3, History::delete_key),
            (18, History::node_size),
            (2, History::reload),
            (6, History::nonsense),
        ];
        let mut command = self.random.weighted(if self.calm { &MAKERS[..CALM] } else { &MAKERS })(self);
        // What is missing stays missing: only the two streams are looked at.
        if matches!(command[0].as_str(), "XADD" | "XGROUP") {
            command.iter_mut().filter(|word| *word == MISSING).for_each(|word| *word = "t".to_owned());
        }
        if command.len() > 2
            && self.random.percent(5)
            && !matches!(command[0].as_str(), "RENAME" | "COPY" | "CONFIG" | "DEBUG" | "DEL")
        {
            self.spoil(&mut command);
        }
        command
    }

    /// Makes one mistake, behind the key.
    fn spoil(&mut self, command: &mut Words) {
        let (junk, last) = (self.random.pick(&JUNK).to_owned(), command.len() as u64 - 1);
        let at = self.random.between(2, last) as usize;
        match self.random.between(0, 3) {
            0 => command[at] = junk,
            1 => command.insert(at, junk),
            2 => command.push(junk),
            _ => drop(command.remove(at)),
        }
    }

    fn read(&mut self) -> Words {
        let (key, group) = (self.key(), self.group());
        let mut command = words(&["XREADGROUP", "GROUP", group, self.consumer()]);
        if self.random.percent(60) {
            command.extend(["COUNT".to_owned(), self.random.between(1, 5).to_string()]);
        }
        if self.random.percent(20) {
            command.push("NOACK".to_owned());
        }
        command.extend(words(&["STREAMS", key]));
        command.push(if self.random.percent(88) { ">".to_owned() } else { self.id() });
        if self.random.percent(30) {
            self.next = Some(self.ack_some(key, group));
        }
        command
    }

    /// What workers do with a batch: they finish it out of order.
    fn ack_some(&mut self, key: &str, group: &str) -> Words {
        let mut command = words(&["XACK", key, group]);
        for ms in self.clock.saturating_sub(12)..=self.clock {
            if self.random.percent(60) {
                command.push(format!("{ms}-0"));
            }
        }
        command
    }

    fn ack(&mut self) -> Words {
        let mut command = words(&["XACK", self.key(), self.group()]);
        command.extend(self.ids());
        command
    }

    fn del(&mut self) -> Words {
        let mut command = words(&["XDEL", self.key()]);
        command.extend(self.ids());
        command
    }

    fn position(&mut self) -> String {
        match self.random.between(1, 10) {
            1..=3 => "0".to_owned(),
            4 | 5 => "$".to_owned(),
            _ => self.id(),
        }
    }

    fn entries_read(&mut self, command: &mut Words) {
        if self.random.percent(10) {
            command.extend(["ENTRIESREAD".to_owned(), self.random.between(0, 12).to_string()]);
        }
    }

    fn create(&mut self) -> Words {
        let mut command = words(&["XGROUP", "CREATE", self.key(), self.group()]);
        command.push(self.position());
        if self.random.percent(10) {
            command.push("MKSTREAM".to_owned());
        }
        self.entries_read(&mut command);
        command
    }

    fn set_position(&mut self) -> Words {
        let mut command = words(&["XGROUP", "SETID", self.key(), self.group()]);
        command.push(self.position());
        self.entries_read(&mut command);
        command
    }

    fn destroy(&mut self) -> Words {
        words(&["XGROUP", "DESTROY", self.key(), self.group()])
    }

    fn delete_consumer(&mut self) -> Words {
        words(&["XGROUP", "DELCONSUMER", self.key(), self.group(), self.consumer()])
    }

    fn create_consumer(&mut self) -> Words {
        words(&["XGROUP", "CREATECONSUMER", self.key(), self.group(), self.consumer()])
    }

    fn claim(&mut self) -> Words {
        let idle = self.random.weighted(&[(90, "0"), (10, "3600000")]);
        let mut command = words(&["XCLAIM", self.key(), self.group(), self.consumer(), idle]);
        command.extend(self.ids());
        for option in [&["FORCE"][..], &["JUSTID"], &["RETRYCOUNT", "3"], &["IDLE", "100"]] {
            if self.random.percent(35) {
                command.extend(words(option));
            }
        }
        if self.random.percent(25) {
            command.extend(["LASTID".to_owned(), self.id()]);
        }
        command
    }

    fn autoclaim(&mut self) -> Words {
        let mut command = words(&["XAUTOCLAIM", self.key(), self.group(), self.consumer(), "0"]);
        command.push(if self.random.percent(70) { "0".to_owned() } else { self.id() });
        if self.random.percent(60) {
            command.extend(["COUNT".to_owned(), self.random.between(1, 4).to_string()]);
        }
        if self.random.percent(30) {
            command.push("JUSTID".to_owned());
        }
        command
    }

    fn set_id(&mut self) -> Words {
        let id = self.id();
        let mut command = words(&["XSETID", self.key(), &id]);
        if self.random.percent(40) {
            command.extend(["ENTRIESADDED".to_owned(), self.random.between(0, 60).to_string()]);
            command.extend(["MAXDELETEDID".to_owned(), self.id()]);
        }
        command
    }

    fn rename(&mut self) -> Words {
        let [from, to] = if self.random.percent(50) { ["s", "t"] } else { ["t", "s"] };
        words(&["RENAME", from, to])
    }

    fn copy(&mut self) -> Words {
        let [from, to] = if self.random.percent(50) { ["s", "t"] } else { ["t", "s"] };
        words(&["COPY", from, to, "REPLACE"])
    }

    fn delete_key(&mut self) -> Words {
        words(&["DEL", self.random.pick(&KEYS)])
    }

    fn node_size(&mut self) -> Words {
        words(&["CONFIG", "SET", "stream-node-max-entries", self.random.pick(&["1", "2", "3", "4", "5", "8", "100"])])
    }

    fn reload(&mut self) -> Words {
        words(&["DEBUG", "RELOAD"])
    }
}

#[cfg(test)]
mod tests {
    use super::generate;

    #[test]
    fn a_seed_gives_one_history() {
        assert_eq!(generate(7), generate(7));
        assert_ne!(generate(7), generate(8));
    }

    #[test]
    fn histories_hold_all_that_they_are_made_for() {
        let lines: Vec<String> = (0..500).flat_map(generate).map(|words| words.join(" ")).collect();
        let parts = "XACKDEL s a ACKED IDS 1 |XACKDEL s b DELREF|XACKDEL t a|XDELEX s KEEPREF|XDELEX s ACKED|XDELEX m |\
            XADD s ACKED MAXLEN ~|XTRIM s MINID = |LIMIT|XTRIM w | nobody |XDEL s|XACK s|NOACK| FORCE| LASTID| JUSTID|\
            XAUTOCLAIM|XGROUP CREATE|XGROUP DESTROY|XGROUP SETID|XGROUP DELCONSUMER|XSETID|RENAME|COPY|DEL t|DEBUG RELOAD|\
            CONFIG SET stream-node-max-entries 3";
        for part in parts.split('|') {
            assert!(lines.iter().any(|line| line.contains(part)), "{part}");
        }
    }
}
