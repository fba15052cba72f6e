//! What an acknowledgement may delete: the guard, the five policies, and the reply for each id.

use crate::error::{Error, GROUPS_NAMED};
use crate::request::AckDel;
use crate::stream::{EntryId, Group, Stream};
use crate::stream_id::StreamId;

/// What EGG.ACKDEL does with an acknowledged entry when the calling group is not the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Refuse the whole call: nothing is acknowledged, nothing deleted.
    Reject,
    /// Acknowledge, delete nothing.
    AckOnly,
    /// Acknowledge; delete an entry once no group needs it any more (as XACKDEL … ACKED of Redis 8.2).
    Acked,
    /// Acknowledge and delete; other groups' pending references dangle (as XACKDEL … KEEPREF).
    KeepRef,
    /// Acknowledge, take the id out of every group's pending entries list, delete (as XACKDEL … DELREF).
    DelRef,
}

impl Policy {
    /// The policy that a token names, in any case.
    pub fn parse(token: &[u8]) -> Option<Self> {
        const POLICIES: [(&[u8], Policy); 5] = [
            (b"REJECT", Policy::Reject),
            (b"ACKONLY", Policy::AckOnly),
            (b"ACKED", Policy::Acked),
            (b"KEEPREF", Policy::KeepRef),
            (b"DELREF", Policy::DelRef),
        ];
        POLICIES.into_iter().find(|(name, _)| token.eq_ignore_ascii_case(name)).map(|(_, policy)| policy)
    }

    /// Whether every entry it deletes is one that no group needs.
    fn is_safe(self) -> bool {
        matches!(self, Self::Reject | Self::AckOnly | Self::Acked)
    }
}

/// EGG.ACKDEL's reply for an id that is not pending in the calling group.
pub const NOT_PENDING: i64 = -1;
/// EGG.ACKDEL's reply for an id that was acknowledged, and whose entry is gone.
pub const GONE: i64 = 1;
/// EGG.ACKDEL's reply for an id that was acknowledged, and whose entry EGG left where it was.
pub const KEPT: i64 = 2;

/// What a call did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// One of [`GONE`], [`KEPT`], [`NOT_PENDING`] per id, in the order given.
    pub replies: Vec<i64>,
    /// Entries deleted from the stream. Fewer than the replies `1` where an entry had gone before.
    pub deleted: usize,
    /// Whether the lag of a group had to be mended.
    pub lag_repaired: bool,
}

/// The calling group, among all groups of the stream.
pub fn find_group<'a>(groups: &[Group<'a>], key: &[u8], name: &[u8]) -> Result<Group<'a>, Error> {
    let no_group = || Error::NoGroup { key: key.to_vec(), group: name.to_vec() };
    groups.iter().find(|group| group.name == name).copied().ok_or_else(no_group)
}

/// The guard: refuses unless `name` is the only group of the stream.
pub fn require_sole_group(groups: &[Group<'_>], name: &[u8]) -> Result<(), Error> {
    let others = || groups.iter().filter(|group| group.name != name);
    if others().next().is_none() {
        return Ok(());
    }
    let names = others().take(GROUPS_NAMED).map(|group| group.name.to_vec()).collect();
    Err(Error::ForeignGroup { names, total: others().count() })
}

/// Acknowledges ids in the group `own`, and deletes what the policy lets go. The guard has let the call pass.
pub fn ack_delete(
    stream: &mut impl Stream,
    groups: &[Group<'_>],
    own: &[u8],
    policy: Policy,
    request: &AckDel,
    keep_lag: bool,
) -> Outcome {
    let acked = stream.ack(&request.ids);
    let acked_ids: Vec<EntryId> =
        request.ids.iter().zip(&acked).filter(|(_, acked)| **acked).map(|(id, _)| *id).collect();
    let others: Vec<Group<'_>> =
        groups.iter().filter(|group| group.name != own && group.pending > 0).copied().collect();

    let mut kept: Vec<StreamId> = match policy {
        Policy::KeepRef | Policy::DelRef => Vec::new(),
        Policy::Reject | Policy::AckOnly if groups.len() > 1 => acked_ids.iter().map(|id| id.id).collect(),
        Policy::Reject | Policy::AckOnly | Policy::Acked => referenced(stream, groups, &others, &acked_ids),
    };
    kept.sort_unstable();
    let is_kept = |id: StreamId| kept.binary_search(&id).is_ok();

    if policy == Policy::DelRef && !acked_ids.is_empty() {
        others.iter().for_each(|group| stream.ack_in(group.name, &acked_ids));
    }
    let deletable: Vec<EntryId> = acked_ids.iter().filter(|id| !is_kept(id.id)).copied().collect();
    let (deleted, lag_repaired) = delete(stream, groups, &deletable, keep_lag && policy.is_safe());

    let reply = |(id, acked): (&EntryId, &bool)| match acked {
        false => NOT_PENDING,
        true if is_kept(id.id) => KEPT,
        true => GONE,
    };
    Outcome { replies: request.ids.iter().zip(&acked).map(reply).collect(), deleted, lag_repaired }
}

/// Which of `ids`, just acknowledged in their own group, some group still needs: one that has not been delivered that
/// far yet, or one that has it pending (spec-8.2, "referenced"). `others` are the other groups with anything pending.
fn referenced(stream: &impl Stream, groups: &[Group<'_>], others: &[Group<'_>], ids: &[EntryId]) -> Vec<StreamId> {
    let delivered = lowest_delivered(groups);
    let ids = || ids.iter().map(|id| id.id);
    let mut found: Vec<StreamId> = ids().filter(|&id| id > delivered).collect();
    if others.is_empty() {
        return found;
    }
    let mut open: Vec<StreamId> = ids().filter(|&id| id <= delivered).collect();
    open.sort_unstable();
    for group in others {
        let pending = pending_among(stream, group.name, &open);
        open.retain(|id| pending.binary_search(id).is_err());
        found.extend(pending);
    }
    found
}

/// Which of `ids` (ascending) are pending in a group, ascending. One bounded question answers it, unless the group has
/// more pending between the smallest and the largest id than were asked for: then each id is asked for by itself.
fn pending_among(stream: &impl Stream, group: &[u8], ids: &[StreamId]) -> Vec<StreamId> {
    let (Some(&min), Some(&max)) = (ids.first(), ids.last()) else { return Vec::new() };
    let in_range = stream.pending(group, min, max, ids.len() + 1);
    if in_range.len() <= ids.len() {
        return ids.iter().filter(|id| in_range.binary_search(id).is_ok()).copied().collect();
    }
    ids.iter().filter(|&&id| !stream.pending(group, id, id, 1).is_empty()).copied().collect()
}

/// The id up to which every group has been delivered.
fn lowest_delivered(groups: &[Group<'_>]) -> StreamId {
    groups.iter().map(|group| group.last_delivered).min().unwrap_or(StreamId::MAX)
}

/// Deletes entries, and keeps the lag of every group a number.
///
/// The core knows one hole per stream, max-deleted-entry-id, and calls the lag of a group unknown when that hole is not
/// below the group's last-delivered-id. Deleting the very entry that a group has read last therefore turns its lag null
/// as long as an older entry remains (issue redis#13337), though every group is past the hole: then the mark is moved to
/// the id just below the hole. A group that is moved back below it later still finds a mark above itself, so the core
/// does not trust a count of read entries that took the deleted one for readable. Only groups at the hole gain a lag.
fn delete(stream: &mut impl Stream, groups: &[Group<'_>], ids: &[EntryId], keep_lag: bool) -> (usize, bool) {
    let Some(top) = ids.iter().map(|id| id.id).max() else { return (0, false) };
    let before = (keep_lag && top == lowest_delivered(groups) && leaves_an_older_entry(stream, ids, top))
        .then(|| stream.bookkeeping())
        .filter(|before| before.max_deleted < top);
    let deleted = stream.delete(ids);
    let Some(before) = before else { return (deleted, false) };
    // The id may have been pending without an entry: then nothing above the old mark was deleted, and nothing is to mend.
    let lag_is_lost = stream.bookkeeping().max_deleted == top;
    if lag_is_lost {
        stream.set_max_deleted(top.previous(), &before);
    }
    (deleted, lag_is_lost)
}

/// Whether an entry below `top` stays behind when `ids` are deleted.
fn leaves_an_older_entry(stream: &impl Stream, ids: &[EntryId], top: StreamId) -> bool {
    let mut ids: Vec<StreamId> = ids.iter().map(|id| id.id).collect();
    ids.sort_unstable();
    stream.has_entry_below(top, &ids)
}

#[cfg(test)]
mod tests;
