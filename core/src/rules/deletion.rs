//! Acknowledging and deleting entries: what each policy does, and the reply for each id.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::rules::needed::{first_entry, referenced};
use crate::rules::prefix::prefix_among;
use crate::rules::surely_pending::surely_pending;
use crate::stream::{Group, Prefix, Stream};
use crate::values::entry_id::GivenId;
use crate::values::id_set::IdSet;
use crate::values::policy::{AckPolicy, DeletePolicy};

/// Reply for an id that is not pending in the calling group (ack-delete), or not in the stream (delete).
pub const ABSENT: i64 = -1;
/// Reply for an id that another consumer has than the OWNER that was named.
pub const NOT_OWNED: i64 = 0;
/// Reply for an id whose entry is gone: deleted by this call, or gone before and acknowledged now.
pub const GONE: i64 = 1;
/// Reply for an id whose entry EGG left where it was.
pub const KEPT: i64 = 2;

/// What a call did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// One of [`GONE`], [`KEPT`], [`ABSENT`], [`NOT_OWNED`] per id, in the order given.
    pub replies: Vec<i64>,
    /// Entries deleted from the stream. Fewer than the replies `1` where an entry had gone before.
    pub deleted: usize,
    /// Whether the lag of a group had to be mended.
    pub lag_repaired: bool,
}

/// How ids are acknowledged and deleted.
#[derive(Clone, Copy, Debug)]
pub struct AckDelete<'a> {
    /// The group that acknowledges.
    pub group: &'a [u8],
    /// What happens to the entries.
    pub policy: AckPolicy,
    /// The consumer that must have an id, if it matters.
    pub owner: Option<&'a [u8]>,
    /// Mend the lag that a deletion turns null.
    pub keep_lag: bool,
}

/// Acknowledges ids, and deletes what the policy lets go. The guard has let the call pass.
///
/// Redis 8.2 goes through the ids one by one, acknowledging, looking for references and deleting each; doing all of one step
/// first gives the same answers, since no id's references depend on another id, and a second occurrence is not pending.
pub fn ack_delete(stream: &mut impl Stream, groups: &[Group<'_>], how: &AckDelete<'_>, ids: &[GivenId]) -> Outcome {
    let owned = how.owner.map(|owner| owned_by(stream, owner, ids));
    let may_ack = |given: &GivenId| owned.as_ref().is_none_or(|owned| owned.contains(given.id));
    let others_own = |given: &GivenId| !may_ack(given) && stream.delivery(how.group, given.id).is_some();
    let mut replies: Vec<i64> = ids.iter().map(|id| if others_own(id) { NOT_OWNED } else { ABSENT }).collect();
    let mine: Cow<'_, [GivenId]> = match &owned {
        None => ids.into(),
        Some(_) => ids.iter().filter(|id| may_ack(id)).copied().collect(),
    };
    // Where a single entry stands matters for the lag alone, and most calls have one.
    let prefix = (mine.len() > 1).then(|| prefix_among(stream, &mine));
    let surely_pending = match owned {
        Some(owned) if owned.as_slice().len() == mine.len() => owned,
        _ => surely_pending(stream, how.group, &mine, prefix.as_ref()),
    };
    let mut acked = stream.ack(&mine, &surely_pending);
    let all_acked = acked.len() == mine.len();
    let others = || groups.iter().filter(|group| group.name != how.group);

    let kept: IdSet = match how.policy {
        AckPolicy::Delete(DeletePolicy::KeepRef) => IdSet::default(),
        AckPolicy::Delete(DeletePolicy::DelRef) => {
            acknowledge_everywhere(stream, others(), &acked);
            IdSet::default()
        }
        AckPolicy::Reject | AckPolicy::AckOnly if groups.len() > 1 => acked.iter().map(|given| given.id).collect(),
        // The calling group itself may need an entry again: when it was rewound.
        _ => referenced(stream, groups, others(), acked.iter().map(|given| given.id)),
    };
    // What was acknowledged is in the order of the ids, so the first that fits is the one.
    let mut answered = acked.iter().peekable();
    for (reply, _) in replies.iter_mut().zip(ids).filter(|(_, id)| answered.next_if_eq(id).is_some()) {
        *reply = GONE;
    }
    if !kept.as_slice().is_empty() {
        let stays = |(reply, given): &(&mut i64, &GivenId)| **reply == GONE && kept.contains(given.id);
        replies.iter_mut().zip(ids).filter(stays).for_each(|(reply, _)| *reply = KEPT);
        acked.retain(|given| !kept.contains(given.id));
    }
    let is_safe = !matches!(how.policy, AckPolicy::Delete(DeletePolicy::KeepRef | DeletePolicy::DelRef));
    // Still the prefix among what is deleted, if that is all of it.
    let prefix = prefix.filter(|_| all_acked && kept.as_slice().is_empty());
    let (deleted, lag_repaired) = delete_with(stream, groups, &acked, prefix, how.keep_lag && is_safe);
    Outcome { replies, deleted, lag_repaired }
}

/// Which of `ids` a consumer of the calling group has pending: one bounded question, or one for each id if it has more
/// pending among them.
fn owned_by(stream: &impl Stream, owner: &[u8], ids: &[GivenId]) -> IdSet {
    let all: IdSet = ids.iter().map(|given| given.id).collect();
    let (Some(&min), Some(&max)) = (all.as_slice().first(), all.as_slice().last()) else { return all };
    let count = all.as_slice().len();
    let in_range = stream.pending_of(owner, min, max, count + 1);
    if in_range.len() <= count {
        return in_range.into_iter().filter(|id| all.contains(*id)).collect();
    }
    all.as_slice().iter().filter(|&&id| !stream.pending_of(owner, id, id, 1).is_empty()).copied().collect()
}

/// Deletes entries, acknowledged or not, as XDELEX does: one that is needed is kept under ACKED, even if it never existed.
pub fn delete_entries(
    stream: &mut impl Stream,
    groups: &[Group<'_>],
    policy: DeletePolicy,
    ids: &[GivenId],
    keep_lag: bool,
) -> Outcome {
    let kept = match policy {
        DeletePolicy::Acked => referenced(stream, groups, groups.iter(), ids.iter().map(|given| given.id)),
        DeletePolicy::KeepRef => IdSet::default(),
        DeletePolicy::DelRef => {
            acknowledge_everywhere(stream, groups.iter(), ids);
            IdSet::default()
        }
    };
    let mut seen = HashSet::new();
    let mut deletable = Vec::new();
    let mut reply = |given: &GivenId| {
        if kept.contains(given.id) {
            KEPT
        } else if seen.insert(given.id) && first_entry(stream, given.id) == Some(given.id) {
            deletable.push(*given);
            GONE
        } else {
            ABSENT
        }
    };
    let replies = ids.iter().map(&mut reply).collect();
    let (deleted, lag_repaired) = delete(stream, groups, &deletable, keep_lag && policy == DeletePolicy::Acked);
    Outcome { replies, deleted, lag_repaired }
}

fn acknowledge_everywhere<'a>(stream: &mut impl Stream, groups: impl Iterator<Item = &'a Group<'a>>, ids: &[GivenId]) {
    if !ids.is_empty() {
        groups.filter(|group| group.pending > 0).for_each(|group| stream.ack_in(group.name, ids));
    }
}

/// Deletes entries, and keeps the lag of every group a number.
///
/// The core knows one hole per stream, max-deleted-entry-id, and calls the lag of a group unknown when that hole is not
/// below the group's last-delivered-id. Deleting the very entry that a group has read last therefore turns its lag null
/// as long as an older entry remains (redis#13337), though that group is past the hole: then the mark is moved to the id
/// just below the hole. A group that stands below, or is moved back below it later, still finds a mark above itself, so the
/// core does not trust a count of read entries that took the deleted one for readable. Only groups at the hole gain a lag.
pub fn delete(stream: &mut impl Stream, groups: &[Group<'_>], ids: &[GivenId], keep_lag: bool) -> (usize, bool) {
    delete_with(stream, groups, ids, None, keep_lag)
}

/// The same where the prefix of the stream among `ids` may be known.
fn delete_with(
    stream: &mut impl Stream,
    groups: &[Group<'_>],
    ids: &[GivenId],
    prefix: Option<Prefix>,
    keep_lag: bool,
) -> (usize, bool) {
    let Some(top) = ids.iter().map(|given| given.id).max() else { return (0, false) };
    let is_read_last = keep_lag && groups.iter().any(|group| group.last_delivered == top);
    let is_of_use = ids.len() > 1 || is_read_last;
    let prefix = prefix.or_else(|| is_of_use.then(|| prefix_among(stream, ids)));
    let leaves_an_older_entry = prefix.and_then(|prefix| prefix.rest).is_some_and(|rest| rest < top);
    let is_first_hole_here =
        is_read_last && leaves_an_older_entry && stream.bookkeeping().is_some_and(|before| before.max_deleted < top);
    let deleted = stream.delete(ids, prefix.as_ref());
    if !is_first_hole_here {
        return (deleted, false);
    }
    // As it is now: another module may have added to the stream when it heard of the deletion.
    let Some(after) = stream.bookkeeping() else { return (deleted, false) };
    // The id may have been pending without an entry: then nothing above the old mark was deleted, and nothing is to mend.
    let lag_is_lost = after.max_deleted == top;
    if lag_is_lost {
        stream.set_max_deleted(top.previous(), &after);
    }
    (deleted, lag_is_lost)
}

#[cfg(test)]
mod tests;
