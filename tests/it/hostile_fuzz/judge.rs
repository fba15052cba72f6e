//! Runs a round, and judges each call of it by what it answered and by what it left behind.

use std::collections::BTreeSet;

use super::calls::{KEYS, NAMES};
use super::pipe::Pipe;
use super::words::{bytes, shown};
use crate::vectors::Words;
use egg_testkit::client::Reply;
use egg_testkit::harness::Server;
use egg_testkit::ids::Id;

/// What the calls did, in all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub calls: u64,
    pub refused: u64,
    pub changed: u64,
    pub removed: u64,
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.refused += other.refused;
        self.changed += other.changed;
        self.removed += other.removed;
    }
}

/// A group: its name, the last id it was delivered, and what it has pending.
type Needs = (Vec<u8>, Id, BTreeSet<Id>);

/// What is in a stream: its entries, and what its groups need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct View {
    entries: BTreeSet<Id>,
    groups: Vec<Needs>,
}

impl View {
    fn dangling(&self) -> BTreeSet<(&[u8], Id)> {
        let pending = self.groups.iter().flat_map(|(name, _, pending)| pending.iter().map(|id| (&name[..], *id)));
        pending.filter(|(_, id)| !self.entries.contains(id)).collect()
    }

    fn is_needed(&self, id: Id) -> bool {
        self.groups.iter().any(|(_, last, pending)| *last < id || pending.contains(&id))
    }
}

/// A server under attack.
pub struct Judge {
    clients: [Pipe; 2],
    nonce: u64,
}

impl Judge {
    pub fn new(server: &Server) -> Self {
        Self { clients: [Pipe::connect(server, false), Pipe::connect(server, true)], nonce: 0 }
    }

    /// Runs a round over RESP2 or RESP3. Err says which rule a call broke, and how.
    pub fn run(&mut self, round: &[Words], resp3: bool) -> Result<Tally, String> {
        let mut tally = Tally::default();
        let client = &mut self.clients[usize::from(resp3)];
        client.send(&[b"FLUSHALL".to_vec()]);
        let mut before: Vec<Reply> = vec![Reply::Nil; KEYS.len()];
        let mut views = vec![View::default(); KEYS.len()];
        for words in round {
            self.nonce += 1;
            let call = Call::of(words);
            let others = call.other_keys();
            let dump = |key: &[u8]| vec![b"DUMP".to_vec(), key.to_vec()];
            let nonce = format!("nonce {}", self.nonce).into_bytes();
            let mut commands = vec![vec![b"DBSIZE".to_vec()]];
            commands.extend(others.iter().map(|key| dump(key)));
            commands.push(words.iter().map(|word| bytes(word)).collect());
            commands.extend([vec![b"ECHO".to_vec(), nonce.clone()], vec![b"DBSIZE".to_vec()]]);
            commands.extend(others.iter().map(|key| dump(key)));
            commands.extend(KEYS.iter().map(|key| dump(&bytes(key))));
            let replies = client.all(&commands);

            let (left, rest) = replies.split_at(1 + others.len());
            let (reply, echo, right) = (&rest[0], &rest[1], &rest[2..3 + others.len()]);
            let after = &rest[3 + others.len()..];
            let fail = |rule: &str| Err(format!("{rule}\n  {}\n  answered {reply:?}", call.shown()));
            if *echo != Reply::Text(nonce) {
                return fail("the protocol is out of step");
            }
            let changed: Vec<usize> = (0..KEYS.len()).filter(|&key| before[key] != after[key]).collect();
            let has_changed = !changed.is_empty() || left != right;
            if call.is_judged() {
                tally.calls += 1;
                tally.changed += u64::from(has_changed);
                if let Reply::Error(text) = reply {
                    tally.refused += 1;
                    if has_changed {
                        return fail("a refused call has changed something");
                    }
                    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || text.len() > 1600 {
                        return fail("an error is no short clean line");
                    }
                    if text.contains("internal error") {
                        return fail("the module gave up");
                    }
                } else if !call.fits(reply) {
                    return fail("a reply has the wrong shape");
                }
                if call.only_reads() && has_changed {
                    return fail("a call that reads has changed something");
                }
            }
            for key in changed {
                let view = view(client, &bytes(KEYS[key]));
                let (old, new) = (&views[key], &view);
                tally.removed += old.entries.difference(&new.entries).count() as u64;
                if call.is_judged() && !call.may_dangle() && !new.dangling().is_subset(&old.dangling()) {
                    return fail(&format!("a pending id has lost its entry in {}: {new:?}", shown(KEYS[key])));
                }
                let lost = old.entries.difference(&new.entries).find(|id| new.is_needed(**id));
                if let (true, Some(id)) = (call.is_judged() && call.must_keep(), lost) {
                    return fail(&format!("{id:?} of {} is gone, and a group needs it: {new:?}", shown(KEYS[key])));
                }
                views[key] = view;
            }
            before = after.to_vec();
        }
        Ok(tally)
    }
}

/// A command of a round, also one that a script runs.
struct Call<'a>(&'a [String]);

impl<'a> Call<'a> {
    fn of(words: &'a Words) -> Self {
        Self(if words[0] == "EVAL" { &words[3..] } else { words })
    }

    fn name(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|found| found.eq_ignore_ascii_case(word))
    }

    /// Whether it is one of EGG's. The entries of the set-up look like calls of XADD, and are in order.
    fn is_judged(&self) -> bool {
        NAMES.contains(&self.name()) && (self.name().starts_with("EGG.") || self.name() != "XADD" || self.0.len() != 5)
    }

    fn is_native(&self) -> bool {
        !self.name().starts_with("EGG.")
    }

    /// The keys that it names beside those that are looked at anyway.
    fn other_keys(&self) -> Vec<Vec<u8>> {
        let positions = if self.name() == "EGG.ACKMOVE" { &[1, 3][..] } else { &[1] };
        let named = positions.iter().filter_map(|&position| self.0.get(position));
        named.filter(|key| self.is_judged() && !KEYS.contains(&key.as_str())).map(|key| bytes(key)).collect()
    }

    fn only_reads(&self) -> bool {
        ["EGG.GROUPGUARD", "EGG.PINS", "EGG.VERSION"].contains(&self.name())
            || self.name() == "EGG.GROUPREAP" && self.has("DRYRUN") && !self.has("MATCH")
    }

    /// Whether it may delete an entry and leave references behind: KEEPREF does, and it is the default of the 8.2 names.
    fn may_dangle(&self) -> bool {
        self.has("KEEPREF") || self.is_native() && !self.options().any(|word| word == "ACKED" || word == "DELREF")
    }

    /// The words of a call of an 8.2 name that are options: what follows the id of XADD is data.
    fn options(&self) -> impl Iterator<Item = String> {
        let mut at = 2;
        let mut found = Vec::new();
        while let Some(word) = self.0.get(at).map(|word| word.to_ascii_uppercase()) {
            let has_sign = self.0.get(at + 1).is_some_and(|word| word == "=" || word == "~");
            at += match word.as_str() {
                "MAXLEN" | "MINID" => 2 + usize::from(has_sign),
                "LIMIT" => 2,
                "NOMKSTREAM" | "ACKED" | "DELREF" | "KEEPREF" => 1,
                // XACKDEL has a group there.
                _ if self.name() != "XADD" => 1,
                _ => break,
            };
            found.push(word);
        }
        found.into_iter()
    }

    /// Whether it must leave alone what some group needs.
    fn must_keep(&self) -> bool {
        let may_lose = ["KEEPREF", "DELREF", "IGNOREIDLE"].iter().any(|word| self.has(word));
        // Groups that are destroyed need nothing any more, and a word of 8.2 may stand among the data.
        !may_lose && !self.is_native()
    }

    fn fits(&self, reply: &Reply) -> bool {
        let all = |fits: fn(&Reply) -> bool| matches!(reply, Reply::Array(items) if items.iter().all(fits));
        match self.name() {
            "EGG.ACKDEL" | "EGG.DELEX" | "XACKDEL" | "XDELEX" => all(|item| matches!(item, Reply::Integer(-1..=2))),
            "EGG.ACKMOVE" => all(|item| matches!(item, Reply::Nil | Reply::Text(_))),
            "EGG.GROUPGUARD" => *reply == "OK",
            "EGG.PINS" => all(|item| matches!(item, Reply::Array(_) | Reply::Map(_))),
            "EGG.GROUPREAP" => all(|item| matches!(item, Reply::Array(columns) if columns.len() == 4)),
            "EGG.TRIM" | "XTRIM" => matches!(reply, Reply::Integer(0..)),
            // A script cannot tell nil from false.
            "EGG.ADD" | "XADD" => matches!(reply, Reply::Nil | Reply::Text(_)),
            _ => matches!(reply, Reply::Text(_)),
        }
    }

    fn shown(&self) -> String {
        self.0.iter().map(|word| shown(word)).collect::<Vec<_>>().join(" ")
    }
}

fn view(client: &mut Pipe, key: &[u8]) -> View {
    let info = client.send(&[&b"XINFO"[..], b"STREAM", key, b"FULL", b"COUNT", b"0"].map(<[u8]>::to_vec));
    if matches!(info, Reply::Error(_)) {
        return View::default();
    }
    let first = |row: &Reply| Id::from(&row.array()[0]);
    let group = |row: &Reply| {
        let Reply::Text(name) = row.field("name").clone() else { panic!("a group has a name") };
        let pending = row.field("pending").array().iter().map(first).collect();
        (name, Id::from(row.field("last-delivered-id")), pending)
    };
    View {
        entries: info.field("entries").array().iter().map(first).collect(),
        groups: info.field("groups").array().iter().map(group).collect(),
    }
}
