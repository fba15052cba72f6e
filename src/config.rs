//! The knobs, as they stand. Each is described in `redis.conf.example`.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use egg_core::values::policy::{AckPolicy, DeletePolicy};

/// What `egg.default-policy` may be, the default first. The policies that can lose another group's entries are not among
/// them: KEEPREF and DELREF have to be written out in the call.
pub const DEFAULT_POLICIES: [(&str, AckPolicy); 3] =
    [("reject", AckPolicy::Reject), ("ackonly", AckPolicy::AckOnly), ("acked", AckPolicy::Delete(DeletePolicy::Acked))];

/// `egg.default-policy`, as an index into [`DEFAULT_POLICIES`].
pub static DEFAULT_POLICY: AtomicI32 = AtomicI32::new(0);

/// `egg.keep-lag`
pub static KEEP_LAG: AtomicBool = AtomicBool::new(true);

/// `egg.native-names`
pub static NATIVE_NAMES: AtomicBool = AtomicBool::new(false);

/// Whether 8.2's own names are asked for.
pub fn native_names() -> bool {
    NATIVE_NAMES.load(Ordering::Relaxed)
}

/// The policy of a call that names none.
pub fn default_policy() -> AckPolicy {
    let index = usize::try_from(DEFAULT_POLICY.load(Ordering::Relaxed)).unwrap_or_default();
    DEFAULT_POLICIES.get(index).map_or(AckPolicy::Reject, |(_, policy)| *policy)
}

/// Whether a deletion may mend the lag that it would turn null.
pub fn keep_lag() -> bool {
    KEEP_LAG.load(Ordering::Relaxed)
}
