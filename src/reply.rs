//! What a command answers.

/// A reply, before it is written in the client's protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `OK`
    Ok,
    /// A bulk string.
    Bulk(Vec<u8>),
    /// An array of integers.
    Integers(Vec<i64>),
}
