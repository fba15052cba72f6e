//! Cutting off the front of a stream.

use super::plan::Style;
use crate::rules::needed::first_entry;
use crate::stream::{Exactness, Stream, Threshold};
use crate::values::entry_id::EntryId;

/// Under `~` without LIMIT so many entries go at most in one call: what the core's own limit comes to with its usual nodes.
const USUAL_LIMIT: u64 = 10_000;

/// How many entries may go in one call.
pub fn most(exactness: Exactness) -> u64 {
    match exactness {
        Exactness::Exact | Exactness::Nodes(Some(0)) => u64::MAX,
        Exactness::Nodes(None) => USUAL_LIMIT,
        Exactness::Nodes(Some(limit)) => limit,
    }
}

/// A run of entries at the front of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// How many entries it has.
    pub length: u64,
    /// The first entry behind it. None if there is none: then all entries are in it.
    pub end: Option<EntryId>,
    /// Whether it ends because it is long enough, and not where it had to.
    pub is_full: bool,
}

/// The entries below `bound` (None: all), at most `longest` of them.
pub fn run_below(stream: &impl Stream, bound: Option<EntryId>, longest: u64) -> Run {
    let mut run = Run { length: 0, end: None, is_full: false };
    stream.visit(EntryId::MIN, &mut |entry| {
        let is_below = bound.is_none_or(|bound| entry < bound);
        if is_below && run.length < longest {
            run.length += 1;
            return true;
        }
        run.end = Some(entry);
        run.is_full = is_below;
        false
    });
    run
}

/// How many entries there are from `from` on, as far as `most`: one more if there are more.
pub fn count_from(stream: &impl Stream, from: Option<EntryId>, most: u64) -> u64 {
    let mut seen = 0;
    if let Some(from) = from {
        stream.visit(from, &mut |_| {
            seen += 1;
            seen <= most
        });
    }
    seen
}

/// Removes a run that was found, and answers how many entries that were.
///
/// Where a LIMIT ends it, whole nodes go: those of which it has all entries. So does Redis 8.6, which ends before the node that
/// would take it over the limit.
pub fn cut_run(stream: &mut impl Stream, run: &Run, exactness: Exactness) -> usize {
    match (exactness, run.end) {
        _ if run.length == 0 => 0,
        (Exactness::Nodes(Some(1..)), Some(end)) if run.is_full => {
            stream.trim(Threshold::MinId(end), Exactness::Nodes(Some(0)))
        }
        (_, end) => cut_up_to(stream, end),
    }
}

/// Removes all entries below `end` (None: all), and answers how many that were.
///
/// It goes up to the first entry that stays, which removes the same entries: the core frees a node whose entries all go, but
/// looks at deleted ones, too, and would leave a node empty that has such at or above the threshold.
pub fn cut(stream: &mut impl Stream, end: Option<EntryId>, style: Style) -> usize {
    let end = match end {
        Some(id) if style.thorough => first_entry(stream, id),
        end => end,
    };
    cut_up_to(stream, end)
}

fn cut_up_to(stream: &mut impl Stream, end: Option<EntryId>) -> usize {
    stream.trim(end.map_or(Threshold::MaxLen(0), Threshold::MinId), Exactness::Exact)
}
