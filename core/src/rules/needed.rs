//! Which entries a consumer group still needs.
//!
//! The rule is Redis 8.2's (spec-8.2, "referenced"): a group needs an entry that it has not been delivered yet, and one that
//! it has pending. It is evaluated anew for every call; no verdict outlives the call that made it.

use crate::stream::{Group, Stream};
use crate::values::entry_id::EntryId;
use crate::values::id_set::IdSet;

/// Which of `ids` some group needs. `holders` are the groups to ask for pending entries.
pub fn referenced<'a>(
    stream: &impl Stream,
    groups: &[Group<'_>],
    holders: impl Iterator<Item = &'a Group<'a>>,
    ids: impl Iterator<Item = EntryId> + Clone,
) -> IdSet {
    let delivered = lowest_delivered(groups);
    let mut found: Vec<EntryId> = ids.clone().filter(|&id| id > delivered).collect();
    let mut holders = holders.filter(|group| group.pending > 0).peekable();
    if holders.peek().is_some() {
        let open: IdSet = ids.filter(|&id| id <= delivered).collect();
        holders.for_each(|group| pending_among(stream, group.name, &open, &mut found));
    }
    found.into_iter().collect()
}

/// Adds to `found` which of `ids` are pending in a group. One bounded question answers it, unless the group has more pending
/// between the smallest and the largest id than were asked for: then each id is asked for by itself.
fn pending_among(stream: &impl Stream, group: &[u8], ids: &IdSet, found: &mut Vec<EntryId>) {
    let all = ids.as_slice();
    let (Some(&min), Some(&max)) = (all.first(), all.last()) else { return };
    let in_range = stream.pending(group, min, max, all.len() + 1);
    if in_range.len() <= all.len() {
        found.extend(in_range.into_iter().filter(|id| ids.contains(*id)));
    } else {
        found.extend(all.iter().filter(|&&id| !stream.pending(group, id, id, 1).is_empty()));
    }
}

/// The id up to which every group has been delivered. The largest id if there are no groups.
pub fn lowest_delivered(groups: &[Group<'_>]) -> EntryId {
    groups.iter().map(|group| group.last_delivered).min().unwrap_or(EntryId::MAX)
}

/// The frontier: no group needs any entry below it. None if no group needs any at all.
pub fn frontier(stream: &impl Stream, groups: &[Group<'_>]) -> Option<EntryId> {
    groups.iter().filter_map(|group| lowest_needed(stream, group)).min()
}

/// References without an entry that are passed over in the search for the lowest id that is needed.
const DANGLING_PASSED: usize = 100;

/// The lowest id that a group may still need: its first pending entry, or else the first id it has not been delivered.
///
/// A pending id whose entry is gone needs nothing, and must not make the trim of a long front one by one. They are passed
/// over by runs, a hundred runs at most: beyond that, the id is taken for needed.
fn lowest_needed(stream: &impl Stream, group: &Group<'_>) -> Option<EntryId> {
    let mut pending = first_pending(stream, group, EntryId::MIN);
    for _ in 0..DANGLING_PASSED {
        let Some(id) = pending else { break };
        match first_entry(stream, id) {
            Some(entry) if entry == id => break,
            Some(entry) => pending = first_pending(stream, group, entry),
            None => pending = None,
        }
    }
    pending.into_iter().chain(group.last_delivered.successor()).min()
}

/// The first id from `from` on that is pending in a group, be there an entry or not.
pub fn first_pending(stream: &impl Stream, group: &Group<'_>, from: EntryId) -> Option<EntryId> {
    let mut ids = Vec::new();
    if group.pending > 0 {
        ids = stream.pending(group.name, from, EntryId::MAX, 1);
    }
    ids.first().copied()
}

/// The first entry from `from` on.
pub fn first_entry(stream: &impl Stream, from: EntryId) -> Option<EntryId> {
    let mut first = None;
    stream.visit(from, &mut |entry| {
        first = Some(entry);
        false
    });
    first
}

/// Walks a group's pending ids from `from` upwards, page by page, while the caller goes up through the entries.
#[derive(Debug)]
pub struct PendingCursor<'a> {
    group: &'a [u8],
    page: std::vec::IntoIter<EntryId>,
    current: Option<EntryId>,
    /// Where the next page begins; None after the last one.
    next: Option<EntryId>,
}

impl<'a> PendingCursor<'a> {
    /// Ids that are fetched at once.
    const PAGE: usize = 1000;

    /// A cursor on the first id that is pending at or above `from`.
    pub fn new(group: &'a [u8], from: EntryId) -> Self {
        Self { group, page: Vec::new().into_iter(), current: None, next: Some(from) }
    }

    /// Whether `id` is pending. To be asked with ascending ids.
    pub fn holds(&mut self, stream: &impl Stream, id: EntryId) -> bool {
        while self.current.is_none_or(|current| current < id) {
            self.current = self.page.next();
            if self.current.is_some() {
                continue;
            }
            let Some(from) = self.next else { return false };
            // Nothing below `id` will be asked for any more.
            let page = stream.pending(self.group, from.max(id), EntryId::MAX, Self::PAGE);
            self.next = if page.len() < Self::PAGE { None } else { page.last().and_then(|last| last.successor()) };
            self.page = page.into_iter();
        }
        self.current == Some(id)
    }
}
