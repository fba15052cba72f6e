//! Trimming under DELREF: the entries go, and with them their ids from all pending entries lists.

use super::Manner;
use super::front::{cut, cut_run, most, run_below};
use crate::reference::{PendingCursor, first_entry};
use crate::stream::{EntryId, Exactness, Group, Stream, Threshold};
use crate::stream_id::StreamId;

/// Trims, and answers how many entries were removed.
pub fn trim_delref(
    stream: &mut impl Stream,
    groups: &[Group<'_>],
    threshold: Threshold,
    exactness: Exactness,
    manner: &Manner,
) -> usize {
    let (bound, excess) = match threshold {
        Threshold::MaxLen(length) => (None, stream.length().saturating_sub(length)),
        Threshold::MinId(id) => (Some(id), u64::MAX),
    };
    let most = most(exactness);
    let limited = (most < excess).then(|| run_below(stream, bound, most)).filter(|run| run.is_full);
    let in_reach = if manner.tidy { Vec::new() } else { entries_within(stream, bound, excess.min(most)) };
    let removed = match (limited, threshold) {
        (Some(run), _) => cut_run(stream, &run, exactness),
        (None, Threshold::MinId(id)) => cut(stream, Some(id), manner),
        (None, threshold @ Threshold::MaxLen(_)) => stream.trim(threshold, Exactness::Exact),
    };
    if manner.tidy {
        let first = first_entry(stream, StreamId::MIN);
        let below = match threshold {
            Threshold::MaxLen(_) => first,
            Threshold::MinId(id) => Some(first.map_or(id, |first| first.min(id))),
        };
        drop_references_below(stream, groups, below);
        return removed;
    }
    for group in groups.iter().filter(|group| group.pending > 0) {
        let mut cursor = PendingCursor::new(group.name, StreamId::MIN);
        let gone = in_reach.iter().take(removed);
        let held: Vec<EntryId> = gone.filter(|id| cursor.holds(stream, **id)).map(|id| (*id).into()).collect();
        if !held.is_empty() {
            stream.ack_in(group.name, &held);
        }
    }
    removed
}

/// The entries below `bound` (None: all), at most `longest` of them.
fn entries_within(stream: &impl Stream, bound: Option<StreamId>, longest: u64) -> Vec<StreamId> {
    let mut entries = Vec::new();
    stream.visit(StreamId::MIN, &mut |entry| {
        let is_within = bound.is_none_or(|bound| entry < bound) && (entries.len() as u64) < longest;
        if is_within {
            entries.push(entry);
        }
        is_within
    });
    entries
}

/// Takes every id below `end` (None: every id) out of the pending entries lists of these groups, page by page.
pub fn drop_references_below(stream: &mut impl Stream, groups: &[Group<'_>], end: Option<StreamId>) {
    const PAGE: usize = 1000;
    let highest = end.map_or(StreamId::MAX, StreamId::previous);
    for group in groups.iter().filter(|group| group.pending > 0) {
        loop {
            let page = stream.pending(group.name, StreamId::MIN, highest, PAGE);
            let is_last = page.len() < PAGE;
            let ids: Vec<EntryId> = page.into_iter().map(EntryId::from).collect();
            if !ids.is_empty() {
                stream.ack_in(group.name, &ids);
            }
            if is_last {
                break;
            }
        }
    }
}
