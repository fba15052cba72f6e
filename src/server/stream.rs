//! The core's [`Stream`], on a real server: every operation is a core command, run inside the call.

use super::call::{Call, CallReply, Inner};
use super::string::RawString;
use super::walk::Walk;
use crate::error::Error;
use crate::resp::{self, Reader, Token};
use crate::stream::{Bookkeeping, EntryId, Stream};
use crate::stream_id::StreamId;

/// The stream at the key that a call names, and the group it names.
#[derive(Debug)]
pub struct ServerStream<'a> {
    call: &'a Call<'a>,
    key: RawString,
}

/// The answer of `XINFO GROUPS`, from which [`resp::groups`] reads the groups; None where there is no key.
pub fn groups_of(call: &Call<'_>) -> Result<Option<CallReply>, Error> {
    let subcommand = call.string(b"GROUPS");
    let reply = call.run(Inner::Info, subcommand.raw(), &[call.raw(1)]);
    match Reader::new(reply.bytes()).token() {
        Some(Token::Array(_)) => Ok(Some(reply)),
        Some(Token::Error(text)) if text.starts_with(b"WRONGTYPE") => Err(Error::WrongType),
        Some(Token::Error(text)) if text.starts_with(b"ERR no such key") => Ok(None),
        _ => Err(Error::Internal),
    }
}

impl<'a> ServerStream<'a> {
    /// The stream of a call whose first arguments are `key group`.
    pub fn new(call: &'a Call<'a>) -> Self {
        Self { call, key: call.raw(1) }
    }

    fn group(&self) -> RawString {
        self.call.raw(2)
    }

    fn raw_ids(&self, ids: &[EntryId]) -> Vec<RawString> {
        ids.iter().map(|id| self.call.raw(id.argument as usize)).collect()
    }
}

impl Stream for ServerStream<'_> {
    /// One XACK per id: that alone tells which ids were pending, however large the pending entries list is. They are
    /// propagated as one XACK of those that were.
    fn ack(&mut self, ids: &[EntryId]) -> Vec<bool> {
        let group = self.group();
        let raw_ids = self.raw_ids(ids);
        let ack = |id: &RawString| {
            let reply = self.call.run(Inner::AckQuietly, self.key, &[group, *id]);
            resp::integer(reply.bytes()) == Some(1)
        };
        let acked: Vec<bool> = raw_ids.iter().map(ack).collect();
        let changed: Vec<RawString> =
            raw_ids.iter().zip(&acked).filter(|(_, acked)| **acked).map(|(id, _)| *id).collect();
        if !changed.is_empty() {
            self.call.propagate_xack(self.key, group, &changed);
        }
        acked
    }

    fn ack_in(&mut self, group: &[u8], ids: &[EntryId]) {
        let group = self.call.string(group);
        let mut arguments = vec![group.raw()];
        arguments.extend(self.raw_ids(ids));
        self.call.run(Inner::Ack, self.key, &arguments);
    }

    fn delete(&mut self, ids: &[EntryId]) -> usize {
        let reply = self.call.run(Inner::Del, self.key, &self.raw_ids(ids));
        resp::integer(reply.bytes()).and_then(|deleted| usize::try_from(deleted).ok()).unwrap_or_default()
    }

    fn pending(&self, group: &[u8], min: StreamId, max: StreamId, limit: usize) -> Vec<StreamId> {
        let words = [group, min.to_string().as_bytes(), max.to_string().as_bytes(), limit.to_string().as_bytes()]
            .map(|word| self.call.string(word));
        let reply = self.call.run(Inner::Pending, self.key, &words.each_ref().map(|word| word.raw()));
        // An empty list would mean that nobody needs the entries.
        resp::pending_ids(reply.bytes()).unwrap_or_else(|| super::broken("XPENDING answers a list"))
    }

    fn has_entry_below(&self, id: StreamId, except: &[StreamId]) -> bool {
        let mut walk = Walk::from_start(self.call, self.key).into_iter().flatten();
        walk.find(|entry| except.binary_search(entry).is_err()).is_some_and(|entry| entry < id)
    }

    fn bookkeeping(&self) -> Bookkeeping {
        let subcommand = self.call.string(b"STREAM");
        let reply = self.call.run(Inner::Info, subcommand.raw(), &[self.key]);
        resp::bookkeeping(reply.bytes()).unwrap_or_default()
    }

    fn set_max_deleted(&mut self, id: StreamId, bookkeeping: &Bookkeeping) {
        let words = [
            bookkeeping.last_generated.to_string(),
            "ENTRIESADDED".to_owned(),
            bookkeeping.entries_added.to_string(),
            "MAXDELETEDID".to_owned(),
            id.to_string(),
        ]
        .map(|word| self.call.string(word.as_bytes()));
        self.call.run(Inner::SetId, self.key, &words.each_ref().map(|word| word.raw()));
    }
}
