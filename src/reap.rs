//! Which consumer groups nobody uses any more.

use crate::glob;
use crate::request::Reap;
use crate::stream::{Group, Stream};

/// A group to be destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dead<'a> {
    /// The group.
    pub group: Group<'a>,
    /// Milliseconds since any of its consumers was seen; None if it has none.
    pub idle: Option<u64>,
}

/// The groups other than `own` that a request means. What a group has pending speaks for it, and so does a consumer that was
/// seen of late; a group without consumers may just have been made, and nothing tells when.
pub fn dead<'a>(stream: &impl Stream, groups: &[Group<'a>], own: &[u8], request: &Reap<'_>) -> Vec<Dead<'a>> {
    let is_meant = |group: &&Group<'a>| {
        group.name != own
            && (request.force || group.pending == 0)
            && request.pattern.is_none_or(|pattern| glob::matches(pattern, group.name))
    };
    let with_idle = |group: &Group<'a>| Dead { group: *group, idle: stream.idle(group.name) };
    let is_dead = |dead: &Dead<'a>| dead.idle.map_or(request.empty, |idle| idle >= request.idle);
    groups.iter().filter(is_meant).map(with_idle).filter(is_dead).collect()
}
