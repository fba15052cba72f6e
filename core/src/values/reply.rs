//! What a command answers.

/// A reply, before it is written in the client's protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `OK`
    Ok,
    /// Null.
    Nil,
    /// An integer.
    Integer(i64),
    /// A bulk string.
    Bulk(Vec<u8>),
    /// An array of integers.
    Integers(Vec<i64>),
    /// An array of anything.
    Array(Vec<Reply>),
    /// Named values: a map in RESP3, and in RESP2 an array of names and values in turn.
    Map(Vec<(&'static str, Reply)>),
}
