//! Which consumer groups nobody uses any more.

use crate::stream::{Group, Stream};
use crate::values::entry_id::EntryId;
use crate::values::glob;

/// Which groups are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criteria<'a> {
    /// All consumers of a group have been idle for at least so many milliseconds.
    pub idle: u64,
    /// Its name matches this glob.
    pub pattern: Option<&'a [u8]>,
    /// Groups without consumers go, too.
    pub empty: bool,
    /// Groups with pending entries go, too.
    pub force: bool,
}

/// A group to be destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dead<'a> {
    /// The group.
    pub group: Group<'a>,
    /// Milliseconds since any of its consumers was seen; None if it has none.
    pub idle: Option<u64>,
}

/// The groups other than `own` that are meant. What a group has pending speaks for it, and so does a consumer that was
/// seen of late. A group without consumers may just have been made, and nothing tells when: one that has read nothing, as XGROUP
/// CREATE … 0 makes it for a worker to come, is taken only if it is forced, and named by a pattern.
pub fn dead<'a>(stream: &impl Stream, groups: &[Group<'a>], own: &[u8], criteria: &Criteria<'_>) -> Vec<Dead<'a>> {
    let is_meant = |group: &&Group<'a>| {
        group.name != own
            && (criteria.force || group.pending == 0)
            && criteria.pattern.is_none_or(|pattern| glob::matches(pattern, group.name))
    };
    let with_idle = |group: &Group<'a>| Dead { group: *group, idle: stream.idle(group.name) };
    let is_empty_one_meant =
        |group: &Group<'a>| group.last_delivered > EntryId::MIN || criteria.force && criteria.pattern.is_some();
    let is_dead = |dead: &Dead<'a>| match dead.idle {
        Some(idle) => idle >= criteria.idle,
        None => criteria.empty && is_empty_one_meant(&dead.group),
    };
    groups.iter().filter(is_meant).map(with_idle).filter(is_dead).collect()
}
