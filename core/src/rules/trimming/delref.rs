//! Trimming under DELREF: the entries go, and with them their ids from all pending entries lists.

use super::cut::{cut, cut_run, most, run_below};
use super::plan::Trim;
use crate::rules::needed::{PendingCursor, first_entry};
use crate::stream::{Exactness, Group, Stream, Threshold};
use crate::values::entry_id::{EntryId, GivenId};

/// Trims, and answers how many entries were removed.
pub fn trim_delref(stream: &mut impl Stream, groups: &[Group<'_>], threshold: Threshold, trim: &Trim) -> usize {
    let (exactness, style) = (trim.exactness, trim.style);
    let (bound, excess) = match threshold {
        Threshold::MaxLen(length) => (None, stream.length().saturating_sub(length)),
        Threshold::MinId(id) => (Some(id), u64::MAX),
    };
    let most = most(exactness);
    let limited = (most < excess).then(|| run_below(stream, bound, most)).filter(|run| run.is_full);
    let in_reach = if style.thorough { Vec::new() } else { entries_within(stream, bound, excess.min(most)) };
    let removed = match (limited, threshold) {
        (Some(run), _) => cut_run(stream, &run, exactness),
        (None, Threshold::MinId(id)) => cut(stream, Some(id), style),
        (None, threshold @ Threshold::MaxLen(_)) => stream.trim(threshold, Exactness::Exact),
    };
    if style.thorough {
        let first = first_entry(stream, EntryId::MIN);
        let below = match threshold {
            Threshold::MaxLen(_) => first,
            Threshold::MinId(id) => Some(first.map_or(id, |first| first.min(id))),
        };
        drop_references_below(stream, groups, below);
        return removed;
    }
    for group in groups.iter().filter(|group| group.pending > 0) {
        let mut cursor = PendingCursor::new(group.name, EntryId::MIN);
        let gone = in_reach.iter().take(removed);
        let held: Vec<GivenId> = gone.filter(|id| cursor.holds(stream, **id)).map(|id| (*id).into()).collect();
        if !held.is_empty() {
            stream.ack_in(group.name, &held);
        }
    }
    removed
}

/// The entries below `bound` (None: all), at most `longest` of them.
fn entries_within(stream: &impl Stream, bound: Option<EntryId>, longest: u64) -> Vec<EntryId> {
    let mut entries = Vec::new();
    stream.visit(EntryId::MIN, &mut |entry| {
        let is_within = bound.is_none_or(|bound| entry < bound) && (entries.len() as u64) < longest;
        if is_within {
            entries.push(entry);
        }
        is_within
    });
    entries
}

/// Takes every id below `end` (None: every id) out of the pending entries lists of these groups, page by page.
pub fn drop_references_below(stream: &mut impl Stream, groups: &[Group<'_>], end: Option<EntryId>) {
    const PAGE: usize = 1000;
    let highest = end.map_or(EntryId::MAX, EntryId::previous);
    for group in groups.iter().filter(|group| group.pending > 0) {
        loop {
            let page = stream.pending(group.name, EntryId::MIN, highest, PAGE);
            let is_last = page.len() < PAGE;
            let ids: Vec<GivenId> = page.into_iter().map(GivenId::from).collect();
            if !ids.is_empty() {
                stream.ack_in(group.name, &ids);
            }
            if is_last {
                break;
            }
        }
    }
}
