//! Adding entries to a stream.

use egg_core::resp::{Reader, Token};
use egg_core::rules::moving::Pair;
use egg_core::stream::{Exactness, Threshold};
use egg_core::values::error::Error;
use egg_core::values::reply::Reply;

use super::core_command::CoreCommand;
use super::core_reply::CoreReply;
use super::stream::{ServerStream, trim_words};
use super::string::{OwnedString, RawString};

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
        let reply = self.call().run(CoreCommand::Add, self.key(), &raw);
        added(&reply)
    }

    /// Checks that the caller may run XADD as `add` will.
    pub fn require_xadd(&self, id: usize) -> Result<(), Error> {
        self.call().require_permission(CoreCommand::Add, self.key(), self.call().raw_from(id))
    }

    /// Checks that the caller may run XTRIM on the stream.
    pub fn require_xtrim(&self) -> Result<(), Error> {
        let words = [b"MAXLEN", &b"0"[..]].map(|word| self.call().string(word));
        self.call().require_permission(CoreCommand::Trim, self.key(), &words.each_ref().map(OwnedString::raw))
    }

    /// `XADD key * field value ...`, with fields and values made elsewhere.
    pub fn append(&self, fields: &[Pair<'_>]) -> Result<Reply, Error> {
        let words: Vec<&[u8]> =
            std::iter::once(&b"*"[..]).chain(fields.iter().flat_map(|(field, value)| [&**field, &**value])).collect();
        added(&self.run(CoreCommand::Add, &words))
    }

    /// Checks that the caller may append to the stream.
    pub fn require_append(&self) -> Result<(), Error> {
        let words: [OwnedString; 3] = [&b"*"[..], b"field", b"value"].map(|word| self.call().string(word));
        self.call().require_permission(CoreCommand::Add, self.key(), &words.each_ref().map(OwnedString::raw))
    }
}

/// What XADD answered.
fn added(reply: &CoreReply) -> Result<Reply, Error> {
    match Reader::new(reply.bytes()).token() {
        Some(Token::Text(id)) => Ok(Reply::Bulk(id.to_vec())),
        Some(Token::Nil) => Ok(Reply::Nil),
        Some(Token::Error(text)) => Err(Error::Core(text.to_vec())),
        _ => Err(Error::Internal),
    }
}
