//! What the guard lets pass, and what becomes of the rest.

use egg_core::rules::guard;
use egg_core::stream::Group;
use egg_core::values::error::{Error, Foreign};
use egg_core::values::policy::AckPolicy;

use super::counting::count_policy;
use crate::server::call::Call;
use crate::server::{acl, refusal_log};
use crate::stats::Counter;

/// Has the guard look at a call; counts it, and warns if it is refused. The other groups are named only to a caller who may read
/// the stream.
pub fn admit(
    call: &Call<'_>,
    groups: &[Group<'_>],
    own: &[u8],
    policy: AckPolicy,
    refused: &Counter,
) -> Result<(), Error> {
    count_policy(policy);
    let Err(others) = guard::admit(groups, own, policy) else { return Ok(()) };
    refused.add(1);
    refusal_log::refused(call, others.names.first().map_or(b"", Vec::as_slice));
    let names = if acl::may_read(call) { others.names } else { Vec::new() };
    Err(Error::ForeignGroup(Foreign { names, ..others }))
}
