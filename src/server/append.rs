//! Adding entries to a stream.

use super::call::{CallReply, Inner};
use super::stream::{ServerStream, trim_words};
use super::string::{OwnedString, RawString};
use crate::acked_move::Pair;
use crate::error::Error;
use crate::reply::Reply;
use crate::resp::{Reader, Token};
use crate::stream::{Exactness, Threshold};

impl ServerStream<'_> {
    /// `XADD key [NOMKSTREAM] [MAXLEN | MINID ...] id field value ...`: the id and what follows are the arguments of the call
    /// from `id` on, untouched; so is what the core answers. `trim` is for the core to do, which looks at no group.
    pub fn add(&self, id: usize, nomkstream: bool, trim: Option<(Threshold, Exactness)>) -> Result<Reply, Error> {
        let mut words = trim.map_or_else(Vec::new, |(threshold, exactness)| trim_words(threshold, exactness));
        if nomkstream {
            words.push("NOMKSTREAM".to_owned());
        }
        let words: Vec<OwnedString> = words.iter().map(|word| self.call().string(word.as_bytes())).collect();
        let raw: Vec<RawString> =
            words.iter().map(OwnedString::raw).chain(self.call().raw_from(id).iter().copied()).collect();
        let reply = self.call().run(Inner::Add, self.key(), &raw);
        added(&reply)
    }

    /// Checks that the caller may run XADD as `add` will.
    pub fn require_xadd(&self, id: usize) -> Result<(), Error> {
        self.call().require_permission(Inner::Add, self.key(), self.call().raw_from(id))
    }

    /// Checks that the caller may run XTRIM on the stream.
    pub fn require_xtrim(&self) -> Result<(), Error> {
        let words = [b"MAXLEN", &b"0"[..]].map(|word| self.call().string(word));
        self.call().require_permission(Inner::Trim, self.key(), &words.each_ref().map(OwnedString::raw))
    }

    /// `XADD key * field value ...`, with fields and values made elsewhere.
    pub fn append(&self, fields: &[Pair<'_>]) -> Result<Reply, Error> {
        let words: Vec<&[u8]> =
            std::iter::once(&b"*"[..]).chain(fields.iter().flat_map(|(field, value)| [&**field, &**value])).collect();
        added(&self.run(Inner::Add, &words))
    }

    /// Checks that the caller may append to the stream.
    pub fn require_append(&self) -> Result<(), Error> {
        let words: [OwnedString; 3] = [&b"*"[..], b"field", b"value"].map(|word| self.call().string(word));
        self.call().require_permission(Inner::Add, self.key(), &words.each_ref().map(OwnedString::raw))
    }
}

/// What XADD answered.
fn added(reply: &CallReply) -> Result<Reply, Error> {
    match Reader::new(reply.bytes()).token() {
        Some(Token::Text(id)) => Ok(Reply::Bulk(id.to_vec())),
        Some(Token::Nil) => Ok(Reply::Nil),
        Some(Token::Error(text)) => Err(Error::Core(text.to_vec())),
        _ => Err(Error::Internal),
    }
}
