//! What the core asks of a server: one stream, seen through the few operations that deciding and deleting need.

use crate::values::entry_id::{EntryId, GivenId};
use crate::values::id_set::IdSet;

/// One consumer group of the stream, as it was when the call began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group<'a> {
    /// Its name: any bytes.
    pub name: &'a [u8],
    /// The length of its pending entries list.
    pub pending: u64,
    /// The last id that was delivered to it.
    pub last_delivered: EntryId,
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
    pub last_generated: EntryId,
    /// max-deleted-entry-id
    pub max_deleted: EntryId,
    /// entries-added
    pub entries_added: u64,
}

/// Up to where a trim goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// Leave at most so many entries.
    MaxLen(u64),
    /// Leave the entries from this id on.
    MinId(EntryId),
}

/// How exact a trim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// `=`: to the entry.
    Exact,
    /// `~`: whole nodes only, and at most so many entries; 0: no limit; None: the server's own.
    Nodes(Option<u64>),
}

/// The run of entries at the very front of a stream that are all among some ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// How many entries the run has.
    pub length: usize,
    /// The last entry of the run. 0-0 if it has none.
    pub last: EntryId,
    /// The first entry behind it. None if there is none.
    pub rest: Option<EntryId>,
}

/// The operations of one stream, and of the group that a call names. All of them happen within one command: nothing
/// else runs in between. What changes anything is propagated as a core command, and only if it changed something.
pub trait Stream {
    /// XACK of the calling group: those of `ids` that were pending, in the same order. Of an id that is named twice, the
    /// first one. Of the ids in `surely_pending` it is known that they are pending, and that each is named once: that saves
    /// calls, and changes no answer.
    fn ack(&mut self, ids: &[GivenId], surely_pending: &IdSet) -> Vec<GivenId>;

    /// XACK in another group: takes the ids out of its pending entries list.
    fn ack_in(&mut self, group: &[u8], ids: &[GivenId]);

    /// XDEL: the number of entries deleted. One `xdel` event if it is not 0. `prefix` is the prefix of the stream among these
    /// ids, if somebody has looked: it may all be cut off at once, which changes no answer.
    fn delete(&mut self, ids: &[GivenId], prefix: Option<&Prefix>) -> usize;

    /// XTRIM, which looks at no group: the number of entries removed. One `xtrim` event if it is not 0.
    fn trim(&mut self, threshold: Threshold, exactness: Exactness) -> usize;

    /// XLEN
    fn length(&self) -> u64;

    /// XPENDING: ids pending in a group within `min..=max`, ascending, at most `limit` of them.
    fn pending(&self, group: &[u8], min: EntryId, max: EntryId, limit: usize) -> Vec<EntryId>;

    /// XPENDING of one consumer of the calling group, likewise. A consumer that does not exist has nothing pending.
    fn pending_of(&self, consumer: &[u8], min: EntryId, max: EntryId, limit: usize) -> Vec<EntryId>;

    /// XPENDING of one id in a group: to whom it was delivered, and how often; None if it is not pending.
    fn delivery(&self, group: &[u8], id: EntryId) -> Option<Delivery>;

    /// Shows the ids of the entries from `from` on, ascending, until `each` answers false.
    fn visit(&self, from: EntryId, each: &mut dyn FnMut(EntryId) -> bool);

    /// Milliseconds since any consumer of a group was last seen; None if it has no consumers.
    fn idle(&self, group: &[u8]) -> Option<u64>;

    /// XINFO STREAM; None if there is no stream. Not free: the server copies the first and the last entry into its answer.
    fn bookkeeping(&self) -> Option<Bookkeeping>;

    /// XINFO GROUPS, as it is now: the lag of each group; None where the server does not know it.
    fn lags(&self) -> Vec<(Vec<u8>, Option<i64>)>;

    /// XGROUP SETID to where a group stands, with ENTRIESREAD. One `xgroup-setid` event.
    fn set_entries_read(&mut self, group: &Group<'_>, entries_read: u64);

    /// XSETID: sets max-deleted-entry-id, and leaves the rest as `bookkeeping` has it.
    fn set_max_deleted(&mut self, id: EntryId, bookkeeping: &Bookkeeping);
}
