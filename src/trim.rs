//! Trimming: which entries go, under each policy.

use crate::deletion::delete;
use crate::policy::DeletePolicy;
use crate::reference::{PendingCursor, first_entry, frontier, lowest_delivered};
use crate::request::TrimRequest;
use crate::stream::{EntryId, Exactness, Group, Stream, Threshold};
use crate::stream_id::StreamId;

/// A trim, as asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trim {
    /// What happens to references.
    pub policy: DeletePolicy,
    /// How far; None: the janitor, that removes whatever no group needs.
    pub threshold: Option<Threshold>,
    /// `=` or `~`, with the limit that goes with `~`.
    pub exactness: Exactness,
    /// The janitor's LIMIT: how many entries it removes at most; None: no bound (LIMIT 0, as with `~`).
    pub limit: Option<u64>,
    /// Groups idle for so many milliseconds do not count.
    pub ignore_idle: Option<u64>,
}

impl Trim {
    /// A trim by what was asked for; `default` is the policy if none was named.
    pub fn new(request: &TrimRequest, default: DeletePolicy) -> Self {
        Self {
            policy: request.policy.unwrap_or(default),
            threshold: request.threshold,
            exactness: request.exactness(),
            limit: request.limit.filter(|limit| *limit > 0),
            ignore_idle: request.ignore_idle,
        }
    }
}

/// What sets the commands that trim apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Mend the lag that the deletion of a hole turns null.
    pub keep_lag: bool,
    /// What 8.2.3 leaves behind goes, too: references that DELREF finds below the cut, whose entry had gone before
    /// (redis#15581), and nodes that have become empty.
    pub tidy: bool,
    /// After so many needed entries the walk ends, and the rest is left to the next call.
    pub patience: u64,
}

/// XDEL takes this many holes at a time, so that a janitor's first visit to a large stream needs no large memory.
const HOLES_AT_ONCE: usize = 10_000;

/// Trims, and says how many entries were removed.
pub fn trim(stream: &mut impl Stream, groups: &[Group<'_>], trim: &Trim, manner: &Manner) -> usize {
    let (counting, ignored) = split_idle(stream, groups, trim.ignore_idle);
    match (trim.policy, trim.threshold) {
        (DeletePolicy::Acked, None) if counting.is_empty() => 0,
        (DeletePolicy::Acked, threshold) if !counting.is_empty() => {
            Sweep { stream, groups, counting: &counting, ignored: &ignored, manner, removed: 0 }.run(trim, threshold)
        }
        (DeletePolicy::DelRef, Some(threshold)) => trim_delref(stream, groups, threshold, trim.exactness, manner),
        (_, Some(threshold)) => remove(stream, threshold, trim.exactness, manner),
        (_, None) => 0,
    }
}

/// The groups that count, and those that have been idle for too long to. A group without consumers has no age: it counts.
/// If none were left, the one that was seen last counts.
fn split_idle<'a>(
    stream: &impl Stream,
    groups: &[Group<'a>],
    ignore_idle: Option<u64>,
) -> (Vec<Group<'a>>, Vec<Group<'a>>) {
    let Some(limit) = ignore_idle.filter(|_| groups.len() > 1) else { return (groups.to_vec(), Vec::new()) };
    let with_idle: Vec<(Group<'a>, u64)> =
        groups.iter().map(|group| (*group, stream.idle(group.name).unwrap_or(0))).collect();
    let shortest = with_idle.iter().map(|(_, idle)| *idle).min().unwrap_or(0);
    let (counting, ignored): (Vec<_>, Vec<_>) =
        with_idle.into_iter().partition(|(_, idle)| *idle < limit || *idle == shortest);
    let groups_of = |list: Vec<(Group<'a>, u64)>| list.into_iter().map(|(group, _)| group).collect();
    (groups_of(counting), groups_of(ignored))
}

/// A trim under ACKED.
struct Sweep<'a, S> {
    stream: &'a mut S,
    groups: &'a [Group<'a>],
    counting: &'a [Group<'a>],
    ignored: &'a [Group<'a>],
    manner: &'a Manner,
    removed: usize,
}

impl<S: Stream> Sweep<'_, S> {
    fn run(mut self, trim: &Trim, threshold: Option<Threshold>) -> usize {
        let frontier = frontier(self.stream, self.counting);
        // Beyond this, some group has not been delivered.
        let end = lowest_delivered(self.counting).successor();
        match (threshold, trim.exactness) {
            (Some(Threshold::MinId(id)), exactness) => {
                let stop = lower(end, id);
                let front = lower(frontier, id);
                self.cut(Threshold::MinId(front), exactness);
                if exactness == Exactness::Exact && front < stop {
                    self.sweep_holes(front, Some(stop), u64::MAX);
                }
            }
            (Some(Threshold::MaxLen(length)), exactness) => self.cut_to(length, frontier, end, exactness),
            (None, _) => match trim.limit {
                None => {
                    let front = frontier.unwrap_or(StreamId::MAX);
                    self.cut(Threshold::MinId(front), Exactness::Exact);
                    self.sweep_holes(front, end, u64::MAX);
                }
                // Entries that are needed are passed over and not counted: a limit on what is looked at would be used up
                // by the same ones in every call.
                Some(most) => {
                    let (front, _) = self.walk_front(frontier, most);
                    self.cut(Threshold::MinId(front), Exactness::Exact);
                    self.sweep_holes(front, end, most.saturating_sub(self.removed as u64));
                }
            },
        }
        self.removed
    }

    /// Leaves at most `length` entries, if so many are not needed.
    fn cut_to(&mut self, length: u64, frontier: Option<StreamId>, end: Option<StreamId>, exactness: Exactness) {
        let excess = self.stream.length().saturating_sub(length);
        match exactness {
            _ if excess == 0 => {}
            Exactness::Nodes(limit) => self.cut_nodes(frontier, excess, limit),
            // Whether the front has that many entries is told by counting them, or those behind it: whichever are fewer.
            Exactness::Exact if excess > length && self.has_at_most(length, frontier) => {
                self.cut(Threshold::MaxLen(length), exactness);
            }
            Exactness::Exact => {
                let front = if excess > length {
                    frontier.unwrap_or(StreamId::MAX)
                } else {
                    self.walk_front(frontier, excess).0
                };
                self.cut(Threshold::MinId(front), exactness);
                let excess = self.stream.length().saturating_sub(length);
                if excess > 0 {
                    self.sweep_holes(front, end, excess);
                }
            }
        }
    }

    /// Cuts whole nodes off the front, at most `excess` entries. It looks at no more entries than the limit lets go: else
    /// each `XADD … MAXLEN ~` on a stream with a backlog would walk all of it.
    fn cut_nodes(&mut self, frontier: Option<StreamId>, excess: u64, limit: Option<u64>) {
        const OF_THE_ORDER_OF_THE_SERVERS_OWN: u64 = 10_000;
        let exactness = Exactness::Nodes(limit);
        let most = match limit {
            Some(0) => excess,
            Some(limit) => excess.min(limit),
            None => excess.min(OF_THE_ORDER_OF_THE_SERVERS_OWN),
        };
        let (front, seen) = self.walk_front(frontier, most);
        self.cut(Threshold::MinId(front), exactness);
        // Nodes may be larger than that.
        if self.removed == 0 && limit.is_none() && seen == most && most < excess {
            let (front, _) = self.walk_front(frontier, excess);
            self.cut(Threshold::MinId(front), exactness);
        }
    }

    /// Whether there are at most so many entries from the frontier on.
    fn has_at_most(&self, most: u64, frontier: Option<StreamId>) -> bool {
        let mut seen = 0;
        if let Some(frontier) = frontier {
            self.stream.visit(frontier, &mut |_| {
                seen += 1;
                seen <= most
            });
        }
        seen <= most
    }

    /// Where the front ends that no group needs, or where `most` of its entries do; and how many entries it has.
    fn walk_front(&self, frontier: Option<StreamId>, most: u64) -> (StreamId, u64) {
        let (mut front, mut seen) = (StreamId::MIN, 0);
        self.stream.visit(StreamId::MIN, &mut |entry| {
            if seen == most || frontier.is_some_and(|frontier| entry >= frontier) {
                front = entry;
                return false;
            }
            seen += 1;
            // Holds if this is the last entry of the stream.
            front = entry.successor().unwrap_or(StreamId::MAX);
            true
        });
        (front, seen)
    }

    /// Cuts the front off, of which no group that counts needs anything.
    fn cut(&mut self, threshold: Threshold, exactness: Exactness) {
        let removed = remove(self.stream, threshold, exactness, self.manner);
        self.removed += removed;
        if removed > 0 && !self.ignored.is_empty() {
            drop_references_below(self.stream, self.ignored, lowest_left(self.stream, threshold));
        }
    }

    /// Removes entries between those that are needed, from `from` up to `end`: at most `most`.
    fn sweep_holes(&mut self, from: StreamId, end: Option<StreamId>, most: u64) {
        let mut cursors: Vec<PendingCursor<'_>> = self
            .counting
            .iter()
            .filter(|group| group.pending > 0)
            .map(|group| PendingCursor::new(group.name, from))
            .collect();
        let (mut holes, mut needed) = (Vec::new(), 0);
        let stream = &*self.stream;
        stream.visit(from, &mut |entry| {
            let ended = end.is_some_and(|end| entry >= end) || holes.len() as u64 == most;
            if ended || needed == self.manner.patience {
                return false;
            }
            if cursors.iter_mut().any(|cursor| cursor.holds(stream, entry)) {
                needed += 1;
            } else {
                holes.push(EntryId::from(entry));
            }
            true
        });
        for holes in holes.chunks(HOLES_AT_ONCE) {
            self.ignored
                .iter()
                .filter(|group| group.pending > 0)
                .for_each(|group| self.stream.ack_in(group.name, holes));
            self.removed += delete(self.stream, self.groups, holes, self.manner.keep_lag).0;
        }
    }
}

/// Trims without regard to groups.
///
/// An exact MINID goes up to the first entry that stays, which removes the same entries: the core frees a node whose entries
/// all go, but looks at deleted ones, too, and would leave a node empty that has such at or above the threshold.
fn remove(stream: &mut impl Stream, threshold: Threshold, exactness: Exactness, manner: &Manner) -> usize {
    let threshold = match (threshold, exactness) {
        (Threshold::MinId(id), Exactness::Exact) if manner.tidy => {
            // If none stays, all go: there is no id above the largest one, which may have been deleted.
            first_entry(stream, id).map_or(Threshold::MaxLen(0), Threshold::MinId)
        }
        (threshold, _) => threshold,
    };
    stream.trim(threshold, exactness)
}

fn lower(bound: Option<StreamId>, id: StreamId) -> StreamId {
    bound.map_or(id, |bound| bound.min(id))
}

/// Below this, a trim has left nothing: the first entry, or the threshold if that is lower.
fn lowest_left(stream: &impl Stream, threshold: Threshold) -> StreamId {
    let end = || stream.bookkeeping().last_generated.successor().unwrap_or(StreamId::MAX);
    let first = first_entry(stream, StreamId::MIN).unwrap_or_else(end);
    match threshold {
        Threshold::MinId(id) => first.min(id),
        Threshold::MaxLen(_) => first,
    }
}

/// Takes every id below `id` out of the pending entries lists of these groups, page by page.
fn drop_references_below(stream: &mut impl Stream, groups: &[Group<'_>], id: StreamId) {
    const PAGE: usize = 1000;
    for group in groups.iter().filter(|group| group.pending > 0) {
        loop {
            let mut page = stream.pending(group.name, StreamId::MIN, id, PAGE);
            let is_last = page.len() < PAGE;
            page.retain(|pending| *pending < id);
            let ids: Vec<EntryId> = page.into_iter().map(EntryId::from).collect();
            if ids.is_empty() {
                break;
            }
            stream.ack_in(group.name, &ids);
            if is_last {
                break;
            }
        }
    }
}

/// A trim under DELREF.
fn trim_delref(
    stream: &mut impl Stream,
    groups: &[Group<'_>],
    threshold: Threshold,
    exactness: Exactness,
    manner: &Manner,
) -> usize {
    // Whole nodes are known only once they are gone; then whatever is referenced below the new first entry goes, too.
    let drop_all = manner.tidy || exactness != Exactness::Exact;
    if !drop_all {
        let gone = entries_beyond(stream, threshold);
        for group in groups.iter().filter(|group| group.pending > 0) {
            let mut cursor = PendingCursor::new(group.name, StreamId::MIN);
            let held: Vec<EntryId> =
                gone.iter().filter(|id| cursor.holds(stream, **id)).map(|id| (*id).into()).collect();
            if !held.is_empty() {
                stream.ack_in(group.name, &held);
            }
        }
        return stream.trim(threshold, exactness);
    }
    let removed = remove(stream, threshold, exactness, manner);
    let below = lowest_left(stream, threshold);
    if removed > 0 || exactness == Exactness::Exact {
        drop_references_below(stream, groups, below);
    }
    removed
}

/// The entries that an exact trim removes.
fn entries_beyond(stream: &impl Stream, threshold: Threshold) -> Vec<StreamId> {
    let excess = match threshold {
        Threshold::MaxLen(length) => stream.length().saturating_sub(length),
        Threshold::MinId(_) => u64::MAX,
    };
    let mut gone = Vec::new();
    stream.visit(StreamId::MIN, &mut |entry| {
        let stays = gone.len() as u64 == excess || matches!(threshold, Threshold::MinId(id) if entry >= id);
        if !stays {
            gone.push(entry);
        }
        !stays
    });
    gone
}
