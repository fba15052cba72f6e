//! The commands that take a policy, with all their options, and the arguments that all commands draw from.

use super::effects::words;
use super::history::{GROUPS, History, JUNK, MISSING, STRING};
use crate::vectors::Words;

const CONSUMERS: [&str; 3] = ["x", "y", "z"];
const POLICIES: [&str; 3] = ["KEEPREF", "DELREF", "ACKED"];

impl History {
    pub fn key(&mut self) -> &'static str {
        self.random.weighted(&[(90, "s"), (8, "t"), (1, STRING), (1, MISSING)])
    }

    pub fn group(&mut self) -> &'static str {
        match self.random.between(1, 100) {
            // One group more often than the others, so that it gets ahead.
            1..=40 => GROUPS[0],
            41..=98 => self.random.pick(&GROUPS[..self.groups]),
            _ => "nobody",
        }
    }

    pub fn consumer(&mut self) -> &'static str {
        self.random.pick(&CONSUMERS)
    }

    /// An id that may well be in the stream.
    pub fn id(&mut self) -> String {
        let top = self.clock + 2;
        // Half of them among the latest: the front is soon gone.
        let low = if self.random.percent(50) { top.saturating_sub(9) } else { 0 };
        let (ms, percent) = (self.random.between(low, top), self.random.between(1, 100));
        match percent {
            1..=85 => format!("{ms}-0"),
            86..=92 => format!("{ms}-1"),
            93..=98 => ms.to_string(),
            _ => self.random.pick(&JUNK).to_owned(),
        }
    }

    pub fn ids(&mut self) -> Words {
        let count = self.random.weighted(&[(40, 1), (40, 3), (10, 6), (5, 8), (5, 12)]);
        let count = self.random.between(1, count);
        (0..count).map(|_| self.id()).collect()
    }

    pub fn policy(&mut self) -> &'static str {
        let acked = if self.calm { 300 } else { 63 };
        let policy = self.random.weighted(&[(13, POLICIES[0]), (24, POLICIES[1]), (acked, POLICIES[2])]);
        if self.random.percent(90) {
            policy
        } else {
            ["keepref", "DelRef", "acked"][self.random.between(0, 2) as usize]
        }
    }

    /// `IDS n id...` with a policy before it, behind it, or none.
    pub fn ids_block(&mut self, mut command: Words) -> Words {
        let ids = self.ids();
        let place = self.random.between(1, 10);
        if place <= 8 {
            command.push(self.policy().to_owned());
        }
        command.extend(["IDS".to_owned(), ids.len().to_string()]);
        command.extend(ids);
        if place == 9 {
            command.push(self.policy().to_owned());
        }
        command
    }

    pub fn ackdel(&mut self) -> Words {
        let command = words(&["XACKDEL", self.key(), self.group()]);
        self.ids_block(command)
    }

    pub fn delex(&mut self) -> Words {
        let command = words(&["XDELEX", self.key()]);
        self.ids_block(command)
    }

    /// A trimming strategy, with a policy before or behind it, or none.
    pub fn strategy(&mut self) -> Words {
        let mut options = Vec::new();
        let policy = self.random.percent(92).then(|| self.policy().to_owned());
        let first = self.random.percent(50);
        options.extend(policy.clone().filter(|_| first));
        let sign = self.random.weighted(&[(45, None), (20, Some("=")), (35, Some("~"))]);
        let by_length = self.random.percent(65);
        options.push(if by_length { "MAXLEN" } else { "MINID" }.to_owned());
        options.extend(sign.map(str::to_owned));
        let most = self.random.weighted(&[(30, 4), (70, 18)]);
        options.push(if by_length { self.random.between(0, most).to_string() } else { self.id() });
        if self.random.percent(if sign == Some("~") { 30 } else { 2 }) {
            options.extend(["LIMIT".to_owned(), self.random.pick(&["0", "1", "2", "5", "100"]).to_owned()]);
        }
        options.extend(policy.filter(|_| !first));
        options
    }

    pub fn trim(&mut self) -> Words {
        let mut command = words(&["XTRIM", self.key()]);
        command.extend(self.strategy());
        command
    }

    pub fn add(&mut self) -> Words {
        let mut command = words(&["XADD", self.key()]);
        if self.random.percent(5) {
            command.push(self.policy().to_owned());
        }
        self.entry(command)
    }

    pub fn add_and_trim(&mut self) -> Words {
        let mut command = words(&["XADD", self.key()]);
        if self.random.percent(10) {
            command.push("NOMKSTREAM".to_owned());
        }
        command.extend(self.strategy());
        self.entry(command)
    }

    pub fn entry(&mut self, mut command: Words) -> Words {
        match self.random.between(1, 100) {
            1..=80 => self.clock += 1,
            81..=90 => self.clock += self.random.between(2, 4),
            _ => {}
        }
        let clock = self.clock;
        command.push(match self.random.between(1, 100) {
            1..=3 => self.id(),
            4..=12 => format!("{clock}-*"),
            _ => format!("{clock}-{}", self.random.weighted(&[(95, 0), (5, 1)])),
        });
        for _ in 0..self.random.weighted(&[(85, 1), (15, 2)]) {
            command.extend(words(&["f", "v"]));
        }
        command
    }

    /// Words of the four commands in no order.
    pub fn nonsense(&mut self) -> Words {
        let mut command = words(&[self.random.pick(&["XACKDEL", "XDELEX", "XTRIM", "XADD"]), self.key()]);
        for _ in 0..self.random.between(0, 6) {
            let pool =
                ["a", "IDS", "ids", "1", "2", "KEEPREF", "DELREF", "ACKED", "MAXLEN", "MINID", "~", "=", "LIMIT"];
            command.push(if self.random.percent(70) { self.random.pick(&pool).to_owned() } else { self.id() });
        }
        command
    }
}
