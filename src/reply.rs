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
}
