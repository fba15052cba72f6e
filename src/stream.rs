//! What the core asks of a server: one stream, seen through the few operations that deciding and deleting need.

use crate::stream_id::StreamId;

/// An entry id of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryId {
    /// The id.
    pub id: StreamId,
    /// Which argument of the command holds its text, so that the server can hand that very string on, uncopied.
    pub argument: u32,
}

/// One consumer group of the stream, as it was when the call began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group<'a> {
    /// Its name: any bytes.
    pub name: &'a [u8],
    /// The length of its pending entries list.
    pub pending: u64,
    /// The last id that was delivered to it.
    pub last_delivered: StreamId,
}

/// What `XINFO STREAM` says of a stream's bookkeeping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bookkeeping {
    /// last-generated-id
    pub last_generated: StreamId,
    /// max-deleted-entry-id
    pub max_deleted: StreamId,
    /// entries-added
    pub entries_added: u64,
}

/// The operations of one stream, and of the group that a call names. All of them happen within one command: nothing
/// else runs in between. What changes anything is propagated as a core command, and only if it changed something.
pub trait Stream {
    /// XACK of the calling group: for each id, in order, whether it was pending (and is not any more).
    fn ack(&mut self, ids: &[EntryId]) -> Vec<bool>;

    /// XACK in another group: takes the ids out of its pending entries list.
    fn ack_in(&mut self, group: &[u8], ids: &[EntryId]);

    /// XDEL: the number of entries deleted. One `xdel` event if it is not 0.
    fn delete(&mut self, ids: &[EntryId]) -> usize;

    /// XPENDING: ids pending in a group within `min..=max`, ascending, at most `limit` of them.
    fn pending(&self, group: &[u8], min: StreamId, max: StreamId, limit: usize) -> Vec<StreamId>;

    /// Whether the stream has an entry below `id` other than those in `except` (ascending).
    fn has_entry_below(&self, id: StreamId, except: &[StreamId]) -> bool;

    /// XINFO STREAM. Not free: the server copies the first and the last entry into its answer.
    fn bookkeeping(&self) -> Bookkeeping;

    /// XSETID: sets max-deleted-entry-id, and leaves the rest as `bookkeeping` has it.
    fn set_max_deleted(&mut self, id: StreamId, bookkeeping: &Bookkeeping);
}
