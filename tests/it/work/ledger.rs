//! What is known of each message, and what a server must therefore hold.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt;

use super::{LOOSE, PLACES, Place};
use egg_testkit::client::Client;
use egg_testkit::ids::Id;

/// What a server holds that it must not, or lacks that it must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Half of a step: a message twice, or a pending id without an entry.
    HalfDone(String),
    /// A message or a reference is there that was reported gone.
    Back(String),
    /// A message that somebody needs is gone, or nobody will be handed it.
    Lost(String),
}

/// Facts about messages, by their numbers. They are only ever added to, until a check.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Where each message was added, perhaps.
    added: BTreeMap<u64, Place>,
    /// Which group has acknowledged it: the server said so.
    acked: BTreeSet<(u64, &'static str)>,
    /// Whose entry the server has reported gone.
    gone: BTreeSet<u64>,
    /// What a call was about that was never answered.
    unsure: BTreeSet<u64>,
    finished: u64,
}

impl Ledger {
    pub fn add(&mut self, message: u64, place: Place) {
        self.added.insert(message, place);
    }

    pub fn ack(&mut self, message: u64, group: &'static str) {
        self.acked.insert((message, group));
    }

    pub fn lose(&mut self, message: u64) {
        self.gone.insert(message);
    }

    pub fn doubt(&mut self, message: u64) {
        self.unsure.insert(message);
    }

    /// Whether a call was about this message that was never answered.
    pub fn doubts(&self, message: u64) -> bool {
        self.unsure.contains(&message)
    }

    pub fn merge(&mut self, mut other: Self) {
        self.added.append(&mut other.added);
        self.acked.append(&mut other.acked);
        self.gone.append(&mut other.gone);
        self.unsure.append(&mut other.unsure);
    }

    /// Messages that are still in the streams, or were at the last check.
    pub fn unfinished(&self) -> usize {
        self.added.len()
    }

    /// Messages that are gone as they should be.
    pub fn finished(&self) -> u64 {
        self.finished
    }

    /// Holds a server, at rest, against the facts. Err has all violations.
    pub fn check(&mut self, client: &mut Client) -> Result<(), Violations> {
        let violations = self.violations(client);
        if violations.is_empty() { Ok(()) } else { Err(Violations(violations)) }
    }

    /// As [`Ledger::check`]. What is found is then taken as it is, so that the next check starts from there.
    pub fn violations(&mut self, client: &mut Client) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut seen: BTreeMap<u64, String> = BTreeMap::new();
        let mut acked = BTreeSet::new();
        for place in PLACES {
            let entries = client.entries(place.key);
            let ids: BTreeSet<&str> = entries.iter().map(|(id, _)| id.as_str()).collect();
            let groups = place.groups.iter().map(|group| (*group, Seen::of(client, place.key, group)));
            let groups: Vec<_> = groups.collect();
            for (name, group) in groups.iter().filter(|_| place != LOOSE) {
                let dangling = group.pending.iter().filter(|id| !ids.contains(id.as_str()));
                found
                    .extend(dangling.map(|id| Violation::HalfDone(format!("{id} of {} dangles in {name}", place.key))));
            }
            for (id, line) in &entries {
                let message = message(line).unwrap_or_else(|| panic!("{id} of {} is {line}", place.key));
                let at = format!("message {message}, {id} of {}", place.key);
                if let Some(other) = seen.insert(message, at.clone()) {
                    found.push(Violation::HalfDone(format!("{at} is also {other}")));
                }
                let is_sure = !self.unsure.contains(&message);
                if let Entry::Vacant(unknown) = self.added.entry(message) {
                    found.push(Violation::Back(format!("{at} was done with")));
                    unknown.insert(place);
                } else if is_sure && self.gone.contains(&message) {
                    found.push(Violation::Back(format!("{at} was deleted")));
                }
                for (name, group) in &groups {
                    let is_open = group.pending.contains(id) || Id::of(id) > group.delivered;
                    let was_acked = self.acked.contains(&(message, *name));
                    if is_sure && was_acked && is_open {
                        found.push(Violation::Back(format!("{at} was acknowledged in {name}")));
                    } else if is_sure && !was_acked && !is_open {
                        found.push(Violation::Lost(format!("{at} is not for {name} any more")));
                    }
                    if !is_open {
                        acked.insert((message, *name));
                    }
                }
            }
        }
        for (message, place) in self.added.iter().filter(|(message, _)| !seen.contains_key(message)) {
            let all_acked = || place.groups.iter().all(|group| self.acked.contains(&(*message, *group)));
            if !self.unsure.contains(message) && !self.gone.contains(message) && !all_acked() {
                found.push(Violation::Lost(format!("message {message} of {} is nowhere", place.key)));
            }
        }
        let before = self.added.len();
        self.added.retain(|message, _| seen.contains_key(message));
        self.finished += (before - self.added.len()) as u64;
        self.acked = acked;
        self.gone.clear();
        self.unsure.clear();
        found
    }
}

/// All that a check found.
pub struct Violations(Vec<Violation>);

impl fmt::Debug for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} violations: {:#?}", self.0.len(), &self.0[..self.0.len().min(10)])
    }
}

/// What a group has pending, and how far it has been delivered.
struct Seen {
    pending: BTreeSet<String>,
    delivered: Id,
}

impl Seen {
    fn of(client: &mut Client, key: &str, group: &str) -> Self {
        let delivered = Id::from(client.group(key, group).field("last-delivered-id"));
        Self { pending: client.pending(key, group).into_iter().collect(), delivered }
    }
}

/// The number of a message, from its fields.
pub fn message(line: &str) -> Option<u64> {
    line.strip_prefix("message ")?.split(' ').next()?.parse().ok()
}
