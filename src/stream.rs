//! What the core asks of a server: one stream, seen through the few operations that deciding and deleting need.

use std::num::NonZeroU32;

use crate::id_set::IdSet;
use crate::stream_id::StreamId;

/// An entry id, and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryId {
    /// The id.
    pub id: StreamId,
    /// Which argument of the command holds its text, so that the server can hand that very string on, uncopied. None if the
    /// id was found in the stream.
    pub argument: Option<NonZeroU32>,
}

impl From<StreamId> for EntryId {
    fn from(id: StreamId) -> Self {
        Self { id, argument: None }
    }
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
    /// How many entries it has still to be delivered; None if the server does not know.
    pub lag: Option<i64>,
}

/// A pending id's delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// The consumer that has it.
    pub consumer: Vec<u8>,
    /// How often it was delivered.
    pub count: u64,
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

/// Up to where a trim goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// Leave at most so many entries.
    MaxLen(u64),
    /// Leave the entries from this id on.
    MinId(StreamId),
}

/// How exact a trim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// `=`: to the entry.
    Exact,
    /// `~`: whole nodes only, and at most so many entries; 0: no limit; None: the server's own.
    Nodes(Option<u64>),
}

/// The run of entries at the very front of a stream that are all to be deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Front {
    /// How many entries the run has.
    pub length: usize,
    /// The last entry of the run. 0-0 if it has none.
    pub last: StreamId,
    /// The first entry that stays. None if none does, or nobody looked.
    pub rest: Option<StreamId>,
}

/// The operations of one stream, and of the group that a call names. All of them happen within one command: nothing
/// else runs in between. What changes anything is propagated as a core command, and only if it changed something.
pub trait Stream {
    /// XACK of the calling group: those of `ids` that were pending, in the same order. Of an id that is named twice, the
    /// first one. `known` are ids that are pending for sure, each of them named once.
    fn ack(&mut self, ids: &[EntryId], known: &IdSet) -> Vec<EntryId>;

    /// XACK in another group: takes the ids out of its pending entries list.
    fn ack_in(&mut self, group: &[u8], ids: &[EntryId]);

    /// XDEL: the number of entries deleted. One `xdel` event if it is not 0. `front` is what is known of the front of the
    /// stream: it may all be cut off at once.
    fn delete(&mut self, ids: &[EntryId], front: &Front) -> usize;

    /// XTRIM, which looks at no group: the number of entries removed. One `xtrim` event if it is not 0.
    fn trim(&mut self, threshold: Threshold, exactness: Exactness) -> usize;

    /// XLEN
    fn length(&self) -> u64;

    /// XPENDING: ids pending in a group within `min..=max`, ascending, at most `limit` of them.
    fn pending(&self, group: &[u8], min: StreamId, max: StreamId, limit: usize) -> Vec<StreamId>;

    /// XPENDING of one consumer of the calling group, likewise. A consumer that does not exist has nothing pending.
    fn pending_of(&self, consumer: &[u8], min: StreamId, max: StreamId, limit: usize) -> Vec<StreamId>;

    /// XPENDING of one id in a group: to whom it was delivered, and how often; None if it is not pending.
    fn delivery(&self, group: &[u8], id: StreamId) -> Option<Delivery>;

    /// Shows the ids of the entries from `from` on, ascending, until `each` answers false.
    fn visit(&self, from: StreamId, each: &mut dyn FnMut(StreamId) -> bool);

    /// Milliseconds since any consumer of a group was last seen; None if it has no consumers.
    fn idle(&self, group: &[u8]) -> Option<u64>;

    /// XINFO STREAM. Not free: the server copies the first and the last entry into its answer.
    fn bookkeeping(&self) -> Bookkeeping;

    /// XINFO GROUPS, as it is now: the lag of each group; None where the server does not know it.
    fn lags(&self) -> Vec<(Vec<u8>, Option<i64>)>;

    /// XGROUP SETID to where a group stands, with ENTRIESREAD. One `xgroup-setid` event.
    fn set_entries_read(&mut self, group: &Group<'_>, entries_read: u64);

    /// XSETID: sets max-deleted-entry-id, and leaves the rest as `bookkeeping` has it.
    fn set_max_deleted(&mut self, id: StreamId, bookkeeping: &Bookkeeping);
}
