//! The knobs, as they stand. Each is described in `redis.conf.example`.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::policy::Policy;

/// What `egg.default-policy` may be, the default first. The policies that can lose another group's entries are not among
/// them: KEEPREF and DELREF have to be written out in the call.
pub const DEFAULT_POLICIES: [(&str, Policy); 3] =
    [("reject", Policy::Reject), ("ackonly", Policy::AckOnly), ("acked", Policy::Acked)];

/// `egg.default-policy`, as an index into [`DEFAULT_POLICIES`].
pub static DEFAULT_POLICY: AtomicI32 = AtomicI32::new(0);

/// `egg.keep-lag`
pub static KEEP_LAG: AtomicBool = AtomicBool::new(true);

/// The policy of a call that names none.
pub fn default_policy() -> Policy {
    let index = usize::try_from(DEFAULT_POLICY.load(Ordering::Relaxed)).unwrap_or_default();
    DEFAULT_POLICIES.get(index).map_or(Policy::Reject, |(_, policy)| *policy)
}

/// Whether a deletion may mend the lag that it would turn null.
pub fn keep_lag() -> bool {
    KEEP_LAG.load(Ordering::Relaxed)
}
