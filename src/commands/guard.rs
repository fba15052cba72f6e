//! The guard in front of what acknowledges.

use super::outcome::count_policy;
use crate::error::Error;
use crate::policy::{AckPolicy, require_sole_group};
use crate::server::alarm;
use crate::server::call::Call;
use crate::stats::Counter;
use crate::stream::Group;

/// Lets a call pass, unless its policy is REJECT and there are other groups than its own. Counts it, and warns.
pub fn admit(
    call: &Call<'_>,
    groups: &[Group<'_>],
    own: &[u8],
    policy: AckPolicy,
    refused: &Counter,
) -> Result<(), Error> {
    count_policy(policy);
    if policy != AckPolicy::Reject {
        return Ok(());
    }
    require_sole_group(groups, own).inspect_err(|_| {
        refused.add(1);
        alarm::refused(call);
    })
}
