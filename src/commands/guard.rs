//! The guard in front of what acknowledges.

use super::outcome::count_policy;
use crate::error::{Error, Foreign};
use crate::policy::{AckPolicy, foreign_groups};
use crate::server::call::Call;
use crate::server::{acl, alarm};
use crate::stats::Counter;
use crate::stream::Group;

/// Lets a call pass, unless its policy is REJECT and there are other groups than its own. Counts it, and warns. The groups are
/// named only to a caller who may read the stream.
pub fn admit(
    call: &Call<'_>,
    groups: &[Group<'_>],
    own: &[u8],
    policy: AckPolicy,
    refused: &Counter,
) -> Result<(), Error> {
    count_policy(policy);
    let Some(others) = foreign_groups(groups, own).filter(|_| policy == AckPolicy::Reject) else { return Ok(()) };
    refused.add(1);
    alarm::refused(call, others.names.first().map_or(b"", Vec::as_slice));
    let names = if acl::may_read(call) { others.names } else { Vec::new() };
    Err(Error::ForeignGroup(Foreign { names, ..others }))
}
