//! The lag of groups that a trim has passed by.

use super::cut::{count_from, run_below};
use crate::stream::{Group, Stream};

/// Entries are counted this far, from the front or from where a group stands, whichever are fewer.
const COUNTED: u64 = 10_000;

/// Puts lags right that have become wrong, since entries went that a group had not read: the core takes what it counted before
/// for what is left. XGROUP SETID to where the group stands says how many entries lie behind it.
///
/// A lag that is null is left: a hole above the group makes it so, and no count helps.
pub fn mend_lags<'a>(stream: &mut impl Stream, groups: impl Iterator<Item = &'a Group<'a>>) {
    let mut groups = groups.peekable();
    if groups.peek().is_none() {
        return;
    }
    let lags = stream.lags();
    let Some(added) = stream.bookkeeping().map(|bookkeeping| bookkeeping.entries_added) else { return };
    for group in groups {
        let known = lags.iter().find(|(name, _)| name == group.name).and_then(|(_, lag)| *lag);
        let (Some(known), Some(unread)) = (known, unread(stream, group)) else { continue };
        if u64::try_from(known) != Ok(unread) {
            stream.set_entries_read(group, added.saturating_sub(unread));
        }
    }
}

/// How many entries a group has not been delivered. None if that is too far to count.
fn unread(stream: &impl Stream, group: &Group<'_>) -> Option<u64> {
    let next = group.last_delivered.successor();
    let above = count_from(stream, next, COUNTED);
    if above <= COUNTED {
        return Some(above);
    }
    let below = run_below(stream, next, COUNTED);
    (!below.is_full).then(|| stream.length().saturating_sub(below.length))
}
