//! What each consumer group still needs of a stream.

use crate::rules::needed::{first_entry, first_pending};
use crate::stream::{Group, Stream};
use crate::values::entry_id::EntryId;

/// What a group holds a stream by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Its first pending entry, and the consumer that has it.
    Pending(EntryId, Vec<u8>),
    /// The first entry that it has not been delivered.
    Undelivered(EntryId),
    /// It needs nothing.
    Nothing,
}

/// What a group still needs, lowest id first.
pub fn pin(stream: &impl Stream, group: &Group<'_>) -> Pin {
    let undelivered = group.last_delivered.successor().and_then(|next| first_entry(stream, next));
    let pending = first_pending(stream, group, EntryId::MIN);
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
