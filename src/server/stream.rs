//! The core's [`Stream`], on a real server: every operation is a core command, run inside the call.

use egg_core::resp::{self, Reader, Token};
use egg_core::stream::{Bookkeeping, Delivery, Exactness, Group, Prefix, Stream, Threshold};
use egg_core::values::entry_id::{EntryId, GivenId};
use egg_core::values::error::Error;
use egg_core::values::id_set::IdSet;

use super::api::broken;
use super::call::Call;
use super::core_command::CoreCommand;
use super::core_reply::{CoreReply, answer, count, if_there};
use super::entries::{self, Entries};
use super::string::{OwnedString, RawString};
use super::uptime;
use crate::stats;

/// The stream at the key that a call names, and the group it names.
#[derive(Debug)]
pub struct ServerStream<'a> {
    call: &'a Call<'a>,
    key: RawString,
}

impl<'a> ServerStream<'a> {
    /// The stream of a call whose first arguments are `key`, or `key group`.
    pub fn new(call: &'a Call<'a>) -> Self {
        Self::at(call, 1)
    }

    /// The stream at the key that is this argument of a call.
    pub fn at(call: &'a Call<'a>, argument: usize) -> Self {
        Self { call, key: call.raw(argument) }
    }

    /// The fields and values of an entry. None if there is no such entry.
    pub fn fields(&self, id: EntryId) -> Option<Vec<(OwnedString, OwnedString)>> {
        entries::fields(self.call, self.key, id)
    }

    /// The call.
    pub(super) fn call(&self) -> &'a Call<'a> {
        self.call
    }

    /// The key.
    pub(super) fn key(&self) -> RawString {
        self.key
    }

    /// Checks that there is a stream at the key, or nothing.
    pub fn require_stream(&self) -> Result<(), Error> {
        let reply = self.call.run(CoreCommand::Len, self.key, &[]);
        match Reader::new(reply.bytes()).token() {
            Some(Token::Integer(_)) => Ok(()),
            Some(Token::Error(text)) if text.starts_with(b"WRONGTYPE") => Err(Error::WrongType),
            Some(Token::Error(text)) => Err(Error::Core(text.to_vec())),
            _ => Err(Error::Internal),
        }
    }

    fn group(&self) -> RawString {
        self.call.raw(2)
    }

    /// XACK of ids that are surely pending, each named once.
    fn ack_sure(&self, command: CoreCommand, ids: &[RawString]) {
        let arguments: Vec<RawString> = std::iter::once(self.group()).chain(ids.iter().copied()).collect();
        if count(&self.call.run(command, self.key, &arguments)) != ids.len() {
            broken("XACK acknowledges what XPENDING lists");
        }
    }

    /// The texts of ids: those that the caller gave as they came, the others made here.
    fn texts(&self, ids: &[GivenId]) -> Texts<'a> {
        let arguments = || ids.iter().map(|id| id.argument.map(|argument| argument.get() as usize));
        if let Some(Some(first)) = arguments().next()
            && arguments().eq((first..first + ids.len()).map(Some))
        {
            return Texts::Given(self.call.raw_from(first).get(..ids.len()).unwrap_or_default());
        }
        let mut made = Vec::new();
        let raw = ids.iter().map(|given| match given.argument {
            Some(argument) => self.call.raw(argument.get() as usize),
            None => {
                let text = self.call.string(given.id.to_string().as_bytes());
                let raw = text.raw();
                made.push(text);
                raw
            }
        });
        Texts::Gathered { raw: raw.collect(), _made: made }
    }

    /// Runs a core command on the stream with words made here.
    pub(super) fn run(&self, command: CoreCommand, words: &[&[u8]]) -> CoreReply {
        let words: Vec<OwnedString> = words.iter().map(|word| self.call.string(word)).collect();
        let raw: Vec<RawString> = words.iter().map(OwnedString::raw).collect();
        self.call.run(command, self.key, &raw)
    }

    fn info(&self, subcommand: &[u8], rest: &[RawString]) -> CoreReply {
        let subcommand = self.call.string(subcommand);
        let mut arguments = vec![self.key];
        arguments.extend(rest);
        self.call.run(CoreCommand::Info, subcommand.raw(), &arguments)
    }
}

/// The texts of some ids, for as long as the server needs them.
enum Texts<'a> {
    /// Arguments of the call that stand side by side.
    Given(&'a [RawString]),
    /// From here and there.
    Gathered { raw: Vec<RawString>, _made: Vec<OwnedString> },
}

impl Texts<'_> {
    fn raw(&self) -> &[RawString] {
        match self {
            Self::Given(raw) => raw,
            Self::Gathered { raw, .. } => raw,
        }
    }
}

/// `MAXLEN | MINID = | ~ threshold [LIMIT n]`
pub(super) fn trim_words(threshold: Threshold, exactness: Exactness) -> Vec<String> {
    let (strategy, value) = match threshold {
        Threshold::MaxLen(length) => ("MAXLEN", length.to_string()),
        Threshold::MinId(id) => ("MINID", id.to_string()),
    };
    let (sign, limit) = match exactness {
        Exactness::Exact => ("=", None),
        Exactness::Nodes(limit) => ("~", limit),
    };
    let mut words = vec![strategy.to_owned(), sign.to_owned(), value];
    if let Some(limit) = limit {
        words.extend(["LIMIT".to_owned(), limit.to_string()]);
    }
    words
}

/// The shortest prefix that is cut off at once: opening the key for it costs as much as XDEL of a few entries.
const SHORTEST_CUT: usize = 3;

impl Stream for ServerStream<'_> {
    /// What is surely pending goes in one XACK, and the rest in one for each id: that alone tells which ids were pending,
    /// however large the pending entries list is. They are propagated as one XACK of those that were.
    fn ack(&mut self, ids: &[GivenId], surely_pending: &IdSet) -> Vec<GivenId> {
        let group = self.group();
        let texts = self.texts(ids);
        let texts = texts.raw();
        let acknowledge = |text, propagate| count(&self.call.acknowledge(self.key, group, text, propagate)) == 1;
        if let [text] = *texts {
            return if acknowledge(text, true) { ids.to_vec() } else { Vec::new() };
        }
        if surely_pending.as_slice().len() == ids.len() {
            self.ack_sure(CoreCommand::Ack, texts);
            return ids.to_vec();
        }
        let (mut acked, mut changed) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
        let mut at_once = Vec::new();
        for (given, text) in ids.iter().zip(texts) {
            let is_sure = surely_pending.contains(given.id);
            if is_sure {
                at_once.push(*text);
            }
            if is_sure || acknowledge(*text, false) {
                acked.push(*given);
                changed.push(*text);
            }
        }
        if !at_once.is_empty() {
            self.ack_sure(CoreCommand::AckQuietly, &at_once);
        }
        if !changed.is_empty() {
            self.call.propagate_xack(self.key, group, &changed);
        }
        acked
    }

    fn ack_in(&mut self, group: &[u8], ids: &[GivenId]) {
        let group = self.call.string(group);
        let texts = self.texts(ids);
        let arguments: Vec<RawString> = std::iter::once(group.raw()).chain(texts.raw().iter().copied()).collect();
        self.call.run(CoreCommand::Ack, self.key, &arguments);
    }

    /// Cuts the prefix off, if it is worth it, all but its last entry: deleting that one by XDEL sets the first entry and the
    /// largest deleted id as deleting all of them would, frees its node if nothing else is there, and causes the event. The
    /// cut comes first, so that nothing that listens to events runs between the walk that found the prefix and the cut.
    /// Replicas get the XDEL of all ids.
    fn delete(&mut self, ids: &[GivenId], prefix: Option<&Prefix>) -> usize {
        let texts = self.texts(ids);
        let texts = texts.raw();
        if let [text] = *texts {
            return count(&self.call.delete(self.key, text));
        }
        let Some(prefix) = prefix.filter(|prefix| prefix.length >= SHORTEST_CUT) else {
            return count(&self.call.run(CoreCommand::Del, self.key, texts));
        };
        let cut = entries::cut_before(self.call, self.key, prefix.last);
        stats::HEAD_CUTS.add(1);
        let rest: Vec<RawString> =
            ids.iter().zip(texts).filter(|(given, _)| given.id >= prefix.last).map(|(_, text)| *text).collect();
        let deleted = cut + count(&self.call.run(CoreCommand::DelQuietly, self.key, &rest));
        self.call.propagate_xdel(self.key, texts);
        deleted
    }

    fn trim(&mut self, threshold: Threshold, exactness: Exactness) -> usize {
        let words = trim_words(threshold, exactness);
        let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
        count(&self.run(CoreCommand::Trim, &words))
    }

    fn length(&self) -> u64 {
        count(&self.call.run(CoreCommand::Len, self.key, &[])) as u64
    }

    fn pending(&self, group: &[u8], min: EntryId, max: EntryId, limit: usize) -> Vec<EntryId> {
        let [min, max, limit] = [min.to_string(), max.to_string(), limit.to_string()];
        let reply = self.run(CoreCommand::Pending, &[group, min.as_bytes(), max.as_bytes(), limit.as_bytes()]);
        // An empty list would mean that nobody needs the entries.
        answer(&reply, "XPENDING answers a list", resp::pending_ids)
    }

    fn pending_of(&self, consumer: &[u8], min: EntryId, max: EntryId, limit: usize) -> Vec<EntryId> {
        let [min, max, limit] = [min.to_string(), max.to_string(), limit.to_string()];
        let words = [self.call.group(), min.as_bytes(), max.as_bytes(), limit.as_bytes(), consumer];
        let reply = self.run(CoreCommand::Pending, &words);
        answer(&reply, "XPENDING answers a list", resp::pending_ids)
    }

    fn delivery(&self, group: &[u8], id: EntryId) -> Option<Delivery> {
        let id = id.to_string();
        let reply = self.run(CoreCommand::Pending, &[group, id.as_bytes(), id.as_bytes(), b"1"]);
        answer(&reply, "XPENDING answers a list", resp::delivery)
    }

    fn visit(&self, from: EntryId, each: &mut dyn FnMut(EntryId) -> bool) {
        let _ = Entries::new(self.call, self.key, from).into_iter().flatten().all(each);
    }

    fn idle(&self, group: &[u8]) -> Option<u64> {
        let group = self.call.string(group);
        let reply = self.info(b"CONSUMERS", &[group.raw()]);
        let idle = answer(&reply, "XINFO CONSUMERS answers a list", resp::shortest_idle);
        idle.map(|idle| idle.min(uptime::length()))
    }

    fn bookkeeping(&self) -> Option<Bookkeeping> {
        if_there(&self.info(b"STREAM", &[]), "XINFO STREAM answers names and values", resp::bookkeeping)
    }

    fn lags(&self) -> Vec<(Vec<u8>, Option<i64>)> {
        let reply = self.call.groups(self.key);
        let groups = if_there(&reply, "XINFO GROUPS answers a list", resp::groups).unwrap_or_default();
        groups.iter().map(|group| (group.name.to_vec(), group.lag)).collect()
    }

    fn set_entries_read(&mut self, group: &Group<'_>, entries_read: u64) {
        let (id, entries_read) = (group.last_delivered.to_string(), entries_read.to_string());
        let words = [b"SETID", group.name, id.as_bytes(), b"ENTRIESREAD", entries_read.as_bytes()];
        let words = words.map(|word| self.call.string(word));
        let [setid, rest @ ..] = words.each_ref().map(OwnedString::raw);
        let [name, id, option, count] = rest;
        self.call.run(CoreCommand::Group, setid, &[self.key, name, id, option, count]);
    }

    fn set_max_deleted(&mut self, id: EntryId, bookkeeping: &Bookkeeping) {
        let [last, added, id] =
            [bookkeeping.last_generated.to_string(), bookkeeping.entries_added.to_string(), id.to_string()];
        let words = [last.as_bytes(), b"ENTRIESADDED", added.as_bytes(), b"MAXDELETEDID", id.as_bytes()];
        self.run(CoreCommand::SetId, &words);
    }
}
