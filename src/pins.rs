//! What each consumer group still needs of a stream.

use crate::stream::{Group, Stream};
use crate::stream_id::StreamId;

/// What a group holds a stream by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Its first pending entry, and the consumer that has it.
    Pending(StreamId, Vec<u8>),
    /// The first entry that it has not been delivered.
    Undelivered(StreamId),
    /// It needs nothing.
    Nothing,
}

/// What a group still needs, lowest id first.
pub fn pin(stream: &impl Stream, group: &Group<'_>) -> Pin {
    let mut undelivered = None;
    if let Some(next) = group.last_delivered.successor() {
        stream.visit(next, &mut |entry| {
            undelivered = Some(entry);
            false
        });
    }
    let pending = if group.pending > 0 {
        stream.pending(group.name, StreamId::MIN, StreamId::MAX, 1).first().copied()
    } else {
        None
    };
    match (pending, undelivered) {
        // A group that was rewound may have to read again what is below its pending entries.
        (Some(pending), undelivered) if undelivered.is_none_or(|undelivered| pending <= undelivered) => {
            let holder = stream.delivery(group.name, pending).unwrap_or_default();
            Pin::Pending(pending, holder.consumer)
        }
        (_, Some(undelivered)) => Pin::Undelivered(undelivered),
        (_, None) => Pin::Nothing,
    }
}
