//! The guard: a group that is not alone.

use crate::stream::Group;
use crate::values::error::{Error, Foreign, GROUPS_NAMED};
use crate::values::policy::AckPolicy;

/// The calling group, among all groups of the stream.
pub fn find_group<'a>(groups: &[Group<'a>], key: &[u8], name: &[u8]) -> Result<Group<'a>, Error> {
    let no_group = || Error::NoGroup { key: key.to_vec(), group: name.to_vec() };
    groups.iter().find(|group| group.name == name).copied().ok_or_else(no_group)
}

/// Lets a call of a group pass, unless its policy is REJECT and the stream has other groups: then these are the error.
pub fn admit(groups: &[Group<'_>], own: &[u8], policy: AckPolicy) -> Result<(), Foreign> {
    if policy != AckPolicy::Reject {
        return Ok(());
    }
    let others = || groups.iter().filter(|group| group.name != own);
    match others().count() {
        0 => Ok(()),
        total => Err(Foreign { names: others().take(GROUPS_NAMED).map(|group| group.name.to_vec()).collect(), total }),
    }
}
