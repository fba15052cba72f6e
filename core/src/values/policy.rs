//! The policies.

/// What an acknowledgement does with the entry when the calling group is not the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckPolicy {
    /// Refuse the whole call: nothing is acknowledged, nothing deleted.
    Reject,
    /// Acknowledge, delete nothing.
    AckOnly,
    /// Acknowledge, then delete by a policy of Redis 8.2.
    Delete(DeletePolicy),
}

/// What a deletion does with the references that consumer groups hold to an entry (Redis 8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletePolicy {
    /// Delete an entry only once no group needs it.
    Acked,
    /// Delete; references in pending entries lists stay, and dangle.
    KeepRef,
    /// Delete, and take the id out of every group's pending entries list.
    DelRef,
}

impl AckPolicy {
    /// The policy that a token names, in any case.
    pub fn parse(token: &[u8]) -> Option<Self> {
        match token {
            _ if token.eq_ignore_ascii_case(b"REJECT") => Some(Self::Reject),
            _ if token.eq_ignore_ascii_case(b"ACKONLY") => Some(Self::AckOnly),
            _ => DeletePolicy::parse(token).map(Self::Delete),
        }
    }
}

impl DeletePolicy {
    /// The policy that a token names, in any case.
    pub fn parse(token: &[u8]) -> Option<Self> {
        match token {
            _ if token.eq_ignore_ascii_case(b"ACKED") => Some(Self::Acked),
            _ if token.eq_ignore_ascii_case(b"KEEPREF") => Some(Self::KeepRef),
            _ if token.eq_ignore_ascii_case(b"DELREF") => Some(Self::DelRef),
            _ => None,
        }
    }
}
