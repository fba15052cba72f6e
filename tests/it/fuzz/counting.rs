//! The numbers that a stream keeps of its past: max-deleted-entry-id, entries-read, and the lag that follows from them.
//! The cores reckon differently, and EGG makes holes in another way than 8.2.3 does.

use super::quirks::Rule;
use super::state::{Group, Stream};
use crate::vectors::Words;

/// Which numbers differ between two servers.
#[derive(Clone, Copy, Debug)]
struct Differing {
    max_deleted: bool,
    read: bool,
    lag: bool,
}

fn pairs([native, egg]: [Option<&Stream>; 2]) -> impl Iterator<Item = (&Group, &Group)> {
    native.into_iter().zip(egg).flat_map(|(native, egg)| native.groups.iter().zip(&egg.groups))
}

fn differing(streams: [Option<&Stream>; 2]) -> Differing {
    let [native, egg] = streams;
    Differing {
        max_deleted: native.map(|stream| stream.max_deleted) != egg.map(|stream| stream.max_deleted),
        read: pairs(streams).any(|(native, egg)| native.read != egg.read),
        lag: pairs(streams).any(|(native, egg)| native.lag != egg.lag),
    }
}

/// Whether two servers remember the same of a stream's past. Lag follows from that, in each core's own way.
pub fn is_equal(streams: [Option<&Stream>; 2]) -> bool {
    let differing = differing(streams);
    !differing.max_deleted && !differing.read
}

/// The rules that explain what began to differ between 8.2.3 and EGG in the numbers of a stream. None: no rule does.
pub fn explain(
    command: &Words,
    old: [Option<&Stream>; 2],
    new: [Option<&Stream>; 2],
    holes: bool,
) -> Option<Vec<Rule>> {
    let (was, is) = (differing(old), differing(new));
    if is.max_deleted && !holes {
        return None;
    }
    let known = |(native, egg): (&Group, &Group)| {
        let differed = pairs(old).any(|(native, egg)| native.read != egg.read);
        let read = native.read == egg.read || differed || entries_read_may_differ(command, old[1], &egg.name);
        let lag = native.lag == egg.lag
            || native.read != egg.read
            || new[0].is_some_and(|stream| lag_may_differ(stream, native));
        read && lag
    };
    if !holes && !pairs(new).all(known) {
        return None;
    }
    let (read, lag) = match holes {
        true => (Rule::LagByHoles, Rule::LagByHoles),
        false => (Rule::CoreEntriesRead, Rule::CoreLag),
    };
    let began = [
        (is.max_deleted && !was.max_deleted, Rule::MaxDeletedByHoles),
        (is.read && !was.read, read),
        (is.lag && !was.lag, lag),
    ];
    Some(began.into_iter().filter(|(began, _)| *began).map(|(_, rule)| rule).collect())
}

/// Whether the cores may begin to differ in how many entries a group has read.
fn entries_read_may_differ(words: &Words, before: Option<&Stream>, name: &str) -> bool {
    let is_given = words.iter().any(|word| word == "ENTRIESREAD");
    let skips = |stream: &Stream, group: &Group| {
        stream.length == 0 || stream.first > group.delivered || stream.max_deleted >= group.delivered
    };
    match words[0].as_str() {
        "XGROUP" => is_given,
        "XREADGROUP" => before.is_some_and(|stream| stream.group(name).is_some_and(|group| skips(stream, group))),
        // The difference comes along.
        "COPY" | "RENAME" => true,
        _ => false,
    }
}

/// Whether lag may differ between the cores in a group, entries-read being equal.
fn lag_may_differ(native: &Stream, group: &Group) -> bool {
    group.lag == Some(native.length) && (native.length == 0 || native.first > group.delivered)
}
