//! Trimming under ACKED: what no group needs goes, and what one needs is passed over.
//!
//! `~` is as exact as `=`, and has a limit: so Redis 8.6 and newer do it. (8.2.3 removes nothing under `~`.)

use super::cut::{Run, count_from, cut, cut_run, most, run_below};
use super::delref::drop_references_below;
use super::lag::mend_lags;
use super::plan::{Style, Trim, Trimmed};
use crate::rules::deletion::delete;
use crate::rules::needed::{PendingCursor, first_entry, frontier, lowest_delivered};
use crate::stream::{Exactness, Group, Stream, Threshold};
use crate::values::entry_id::{EntryId, GivenId};

/// Trims. The janitor leaves a stream alone that has no group.
pub fn trim_acked(stream: &mut impl Stream, groups: &[Group<'_>], trim: &Trim) -> Trimmed {
    let (counting, ignored) = split_idle(stream, groups, trim.ignore_idle);
    if counting.is_empty() && trim.threshold.is_none() {
        return Trimmed::default();
    }
    let sweep = Sweep {
        stream,
        groups,
        counting: &counting,
        ignored: &ignored,
        style: trim.style,
        done: Trimmed::default(),
        highest: EntryId::MIN,
    };
    sweep.run(trim)
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

/// XDEL takes this many holes at a time, so that a janitor's first visit to a large stream needs no large memory.
const HOLES_AT_ONCE: u64 = 10_000;

struct Sweep<'a, S> {
    stream: &'a mut S,
    groups: &'a [Group<'a>],
    counting: &'a [Group<'a>],
    ignored: &'a [Group<'a>],
    style: Style,
    done: Trimmed,
    /// Nothing above this was removed.
    highest: EntryId,
}

impl<S: Stream> Sweep<'_, S> {
    fn run(mut self, trim: &Trim) -> Trimmed {
        let frontier = frontier(self.stream, self.counting);
        // From here on, some group has not been delivered.
        let end = lowest_delivered(self.counting).successor();
        match trim.threshold {
            Some(Threshold::MinId(id)) => self.trim_below(id, frontier, end, trim.exactness),
            Some(Threshold::MaxLen(length)) => self.trim_to(length, frontier, end, trim.exactness),
            None => match trim.limit {
                None => {
                    self.cut_below(frontier);
                    self.sweep_holes(frontier, end, u64::MAX);
                }
                // Entries that are needed are passed over and not counted: a limit on what is looked at would be used up
                // by the same ones in every call.
                Some(limit) => {
                    let run = run_below(self.stream, frontier, limit);
                    self.cut_run(&run, Exactness::Exact);
                    self.sweep_holes(run.end, end, limit - self.removed());
                }
            },
        }
        if self.style.keep_lag && self.done.removed > 0 {
            mend_lags(self.stream, self.ignored.iter().filter(|group| group.last_delivered < self.highest));
        }
        self.done
    }

    fn removed(&self) -> u64 {
        self.done.removed as u64
    }

    /// Leaves the entries from `id` on.
    fn trim_below(&mut self, id: EntryId, frontier: Option<EntryId>, end: Option<EntryId>, exactness: Exactness) {
        let front = lower(frontier, id);
        let most = most(exactness);
        if most == u64::MAX {
            self.cut_below(Some(front));
        } else {
            let run = run_below(self.stream, Some(front), most);
            self.cut_run(&run, exactness);
            if run.is_full {
                return;
            }
        }
        let stop = lower(end, id);
        if front < stop {
            self.sweep_holes(Some(front), Some(stop), most - self.removed());
        }
    }

    /// Leaves at most `length` entries, if so many are not needed.
    fn trim_to(&mut self, length: u64, frontier: Option<EntryId>, end: Option<EntryId>, exactness: Exactness) {
        let total = self.stream.length();
        let excess = total.saturating_sub(length);
        if excess == 0 {
            return;
        }
        let most = most(exactness);
        if most >= excess {
            self.cut_excess(frontier, excess, length);
        } else {
            let run = run_below(self.stream, frontier, most);
            self.cut_run(&run, exactness);
            if run.is_full {
                return;
            }
        }
        let left = excess - self.removed();
        if left > 0 {
            self.sweep_holes(frontier, end, left.min(most - self.removed()));
        }
    }

    /// Removes what is below the frontier, or `excess` entries of it.
    ///
    /// Whether there are that many is told by counting them, or those behind the frontier, of which `length` may stay: whichever
    /// are fewer. So a call that can remove little looks at little, however long the stream is.
    fn cut_excess(&mut self, frontier: Option<EntryId>, excess: u64, length: u64) {
        let mut looked_at = 100;
        while frontier.is_some() {
            let run = run_below(self.stream, frontier, excess.min(looked_at));
            if !run.is_full || run.length == excess {
                return self.cut_run(&run, Exactness::Exact);
            }
            let behind = count_from(self.stream, frontier, length.min(looked_at));
            if behind > length {
                return self.cut_below(frontier);
            }
            if behind <= looked_at {
                break;
            }
            looked_at *= 10;
        }
        let removed = self.stream.trim(Threshold::MaxLen(length), Exactness::Exact);
        let end = first_entry(self.stream, EntryId::MIN);
        self.has_cut(removed, end);
    }

    /// Cuts off the front below `end` (None: all), of which no group that counts needs anything.
    fn cut_below(&mut self, end: Option<EntryId>) {
        let removed = cut(self.stream, end, self.style);
        self.has_cut(removed, end);
    }

    /// The same for a run that was found.
    fn cut_run(&mut self, run: &Run, exactness: Exactness) {
        let removed = cut_run(self.stream, run, exactness);
        self.has_cut(removed, run.end);
    }

    /// What follows a cut that went up to `end` at most.
    fn has_cut(&mut self, removed: usize, end: Option<EntryId>) {
        self.done.removed += removed;
        if removed > 0 && !self.ignored.is_empty() {
            let first = first_entry(self.stream, EntryId::MIN);
            let below = match (first, end) {
                (Some(first), Some(end)) => Some(first.min(end)),
                (first, end) => first.or(end),
            };
            drop_references_below(self.stream, self.ignored, below);
            self.highest = self.highest.max(end.unwrap_or(EntryId::MAX));
        }
    }

    /// Removes entries between those that are needed, from `from` up to `end`: at most `most`.
    fn sweep_holes(&mut self, from: Option<EntryId>, end: Option<EntryId>, most: u64) {
        let Some(mut from) = from else { return };
        let mut cursors: Vec<PendingCursor<'_>> = self
            .counting
            .iter()
            .filter(|group| group.pending > 0)
            .map(|group| PendingCursor::new(group.name, from))
            .collect();
        let (mut left, mut needed) = (most, 0);
        while left > 0 {
            let room = left.min(HOLES_AT_ONCE);
            let (mut holes, mut next, mut has_passed_most) = (Vec::<GivenId>::new(), None, false);
            let stream = &*self.stream;
            stream.visit(from, &mut |entry| {
                if end.is_some_and(|end| entry >= end) {
                    return false;
                }
                if holes.len() as u64 == room {
                    next = Some(entry);
                    return false;
                }
                has_passed_most = needed == self.style.most_passed;
                if has_passed_most {
                    return false;
                }
                if cursors.iter_mut().any(|cursor| cursor.holds(stream, entry)) {
                    needed += 1;
                } else {
                    holes.push(entry.into());
                }
                true
            });
            self.done.cut_short |= has_passed_most;
            left -= holes.len() as u64;
            self.remove_holes(&holes);
            match next {
                Some(next) => from = next,
                None => break,
            }
        }
    }

    fn remove_holes(&mut self, holes: &[GivenId]) {
        let Some(last) = holes.last() else { return };
        self.ignored.iter().filter(|group| group.pending > 0).for_each(|group| self.stream.ack_in(group.name, holes));
        self.done.removed += delete(self.stream, self.groups, holes, self.style.keep_lag).0;
        self.highest = self.highest.max(last.id);
    }
}

fn lower(bound: Option<EntryId>, id: EntryId) -> EntryId {
    bound.map_or(id, |bound| bound.min(id))
}
