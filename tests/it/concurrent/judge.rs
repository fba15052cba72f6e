//! Shares no rule with the module, nor with the other models of a stream, on purpose: it judges them. Only ids are read as in
//! every test.
//!
//! Reads what a server has executed, in the order in which it was executed, and finds each deletion that took an entry from
//! a group that still needed it.
//!
//! The append only file is that order: every command that changed something is in it, written when it ran, with its
//! effects (what XREADGROUP delivered is there as XCLAIM and XGROUP SETID, a key that expired as DEL). So no clock and no
//! guess about what overlapped what is needed: at each XDEL and XTRIM the judge knows what every group had been delivered
//! and had pending at that very moment. DEL, RENAME, FLUSHALL and their like destroy whole streams, which is their business.

use std::collections::{BTreeMap, BTreeSet};

use egg_testkit::ids::Id;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    pub entries: BTreeSet<Id>,
    pub groups: BTreeMap<String, Group>,
    pub last: Id,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub delivered: Id,
    /// Who has what pending.
    pub pending: BTreeMap<Id, String>,
}

#[derive(Debug, Default)]
pub struct Judge {
    databases: BTreeMap<usize, BTreeMap<String, Stream>>,
    selected: usize,
    /// Entries deleted by XDEL and XTRIM.
    pub deleted: usize,
    /// Ids acknowledged by XACK.
    pub acked: usize,
    pub commands: usize,
    pub unlawful: Vec<String>,
}

impl Judge {
    /// The streams of a database.
    pub fn streams(&self, database: usize) -> BTreeMap<String, Stream> {
        self.databases.get(&database).cloned().unwrap_or_default()
    }

    pub fn read(&mut self, log: &[Vec<String>]) {
        for words in log {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.commands += 1;
            self.step(&words);
        }
    }

    fn step(&mut self, words: &[&str]) {
        let name = words[0].to_ascii_uppercase();
        let database = self.databases.entry(self.selected).or_default();
        match (name.as_str(), &words[1..]) {
            ("SELECT", [number]) => self.selected = number.parse().expect("a number"),
            ("MULTI" | "EXEC" | "PEXPIREAT" | "EXPIRE" | "PERSIST", _) => {}
            ("SET", [key, ..]) => {
                database.remove(*key);
            }
            ("DEL" | "UNLINK", keys) => keys.iter().for_each(|key| {
                database.remove(*key);
            }),
            ("RENAME", [from, to]) => {
                database.remove(*to);
                if let Some(stream) = database.remove(*from) {
                    database.insert((*to).to_owned(), stream);
                }
            }
            ("FLUSHDB", _) => database.clear(),
            ("FLUSHALL", _) => self.databases.clear(),
            ("SWAPDB", [one, other]) => {
                let [one, other] = [one, other].map(|number| number.parse::<usize>().expect("a number"));
                let (first, second) = (self.databases.remove(&one), self.databases.remove(&other));
                self.databases.extend(second.map(|second| (one, second)));
                self.databases.extend(first.map(|first| (other, first)));
            }
            ("XADD", [key, rest @ ..]) => {
                let stream = database.entry((*key).to_owned()).or_default();
                let start =
                    rest.iter().position(|word| Id::parse(word).is_some() && word.contains('-')).expect("an id");
                let added = Id::of(rest[start]);
                stream.entries.insert(added);
                stream.last = added;
                if let Some(trim) = rest[..start].iter().position(|word| *word != "NOMKSTREAM") {
                    let gone = trimmed(stream, &rest[trim..start]);
                    self.delete(key, &gone, words);
                }
            }
            ("XDEL", [key, ids @ ..]) => {
                let ids: Vec<Id> = ids.iter().filter_map(|word| Id::parse(word)).collect();
                self.delete(key, &ids, words);
            }
            ("XTRIM", [key, trim @ ..]) => {
                let gone = database.get(*key).map(|stream| trimmed(stream, trim)).unwrap_or_default();
                self.delete(key, &gone, words);
            }
            ("XACK", [key, group, ids @ ..]) => {
                let Some(group) = database.get_mut(*key).and_then(|stream| stream.groups.get_mut(*group)) else {
                    return;
                };
                for id in ids.iter().filter_map(|word| Id::parse(word)) {
                    self.acked += usize::from(group.pending.remove(&id).is_some());
                }
            }
            ("XSETID", [key, last, ..]) => {
                if let (Some(stream), Some(last)) = (database.get_mut(*key), Id::parse(last)) {
                    stream.last = last;
                }
            }
            ("XGROUP", [how, key, group, rest @ ..]) => {
                let how = how.to_ascii_uppercase();
                if how == "CREATE" {
                    database.entry((*key).to_owned()).or_default();
                }
                let Some(stream) = database.get_mut(*key) else { return };
                on_group(stream, &how, group, rest);
            }
            ("XCLAIM", [key, group, consumer, _, rest @ ..]) => {
                let Some(stream) = database.get_mut(*key) else { return };
                let Some(group) = stream.groups.get_mut(*group) else { return };
                claim(&stream.entries, group, consumer, rest);
            }
            _ => panic!("the judge does not know {words:?}"),
        }
    }

    /// Deletes entries, and notes those that some group has not been delivered, or has pending.
    fn delete(&mut self, key: &str, ids: &[Id], words: &[&str]) {
        let database = self.databases.entry(self.selected).or_default();
        let Some(stream) = database.get_mut(key) else { return };
        for id in ids.iter().filter(|id| stream.entries.remove(id)) {
            self.deleted += 1;
            for (name, group) in &stream.groups {
                let why = match group.pending.get(id) {
                    Some(consumer) => format!("{consumer} of {name} has it pending"),
                    None if group.delivered < *id => format!("{name} has not been delivered it"),
                    None => continue,
                };
                self.unlawful.push(format!("command {}, {words:?}: {id:?} of {key}: {why}", self.commands));
            }
        }
    }
}

fn on_group(stream: &mut Stream, how: &str, name: &str, rest: &[&str]) {
    let position = |word: &&str, last: Id| if *word == "$" { last } else { Id::of(word) };
    match (how, rest) {
        ("CREATE", [at, ..]) => {
            let delivered = position(at, stream.last);
            stream.groups.entry(name.to_owned()).or_insert(Group { delivered, ..Group::default() });
        }
        ("SETID", [at, ..]) => {
            let delivered = position(at, stream.last);
            if let Some(group) = stream.groups.get_mut(name) {
                group.delivered = delivered;
            }
        }
        ("DESTROY", _) => {
            stream.groups.remove(name);
        }
        ("DELCONSUMER", [consumer]) => {
            if let Some(group) = stream.groups.get_mut(name) {
                group.pending.retain(|_, owner| owner != consumer);
            }
        }
        ("CREATECONSUMER", _) => {}
        _ => panic!("the judge does not know XGROUP {how} {rest:?}"),
    }
}

/// XCLAIM as the servers propagate it.
fn claim(entries: &BTreeSet<Id>, group: &mut Group, consumer: &str, rest: &[&str]) {
    let options = rest.iter().position(|word| Id::parse(word).is_none()).unwrap_or(rest.len());
    let (ids, options) = rest.split_at(options);
    let is_forced = options.iter().any(|word| word.eq_ignore_ascii_case("FORCE"));
    if let Some(at) = options.iter().position(|word| word.eq_ignore_ascii_case("LASTID")) {
        group.delivered = group.delivered.max(Id::of(options[at + 1]));
    }
    for id in ids.iter().filter_map(|word| Id::parse(word)) {
        if !entries.contains(&id) {
            group.pending.remove(&id);
        } else if is_forced || group.pending.contains_key(&id) {
            group.pending.insert(id, consumer.to_owned());
        }
    }
}

/// The entries that `MAXLEN | MINID [= | ~] threshold` takes away. The servers propagate what `~` did as `=`.
fn trimmed(stream: &Stream, words: &[&str]) -> Vec<Id> {
    let value = words[1..].iter().find(|word| Id::parse(word).is_some()).expect("a threshold");
    let count = match words[0].to_ascii_uppercase().as_str() {
        "MAXLEN" => stream.entries.len().saturating_sub(value.parse().expect("a length")),
        "MINID" => stream.entries.range(..Id::of(value)).count(),
        other => panic!("the judge does not know {other}"),
    };
    stream.entries.iter().take(count).copied().collect()
}
