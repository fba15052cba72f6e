//! What EGG has done since it was loaded: the fields of `INFO egg`.

use std::sync::atomic::{AtomicU64, Ordering};

/// A count that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Counts `n` more.
    pub fn add(&self, n: usize) {
        self.0.fetch_add(n as u64, Ordering::Relaxed);
    }

    /// The count so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident => $section:literal $field:literal,)*) => {
        $($(#[$doc])* pub static $name: Counter = Counter::new();)*

        /// Every counter with its section and field name in `INFO egg`, section by section.
        pub static ALL: &[(&str, &str, &Counter)] = &[$(($section, $field, &$name),)*];
    };
}

counters! {
    /// Calls of EGG.ACKDEL, and of XACKDEL where EGG provides it.
    ACKDEL_CALLS => "commands" "ackdel_calls",
    /// Calls of EGG.ACKDEL that the guard refused.
    ACKDEL_REFUSED => "commands" "ackdel_refused",
    /// Calls of EGG.GROUPGUARD.
    GROUPGUARD_CALLS => "commands" "groupguard_calls",
    /// Calls of EGG.GROUPGUARD that found another group.
    GROUPGUARD_REFUSED => "commands" "groupguard_refused",
    /// Calls of EGG.DELEX, and of XDELEX where EGG provides it.
    DELEX_CALLS => "commands" "delex_calls",
    /// Calls of EGG.TRIM, and of XTRIM with a policy where EGG provides it.
    TRIM_CALLS => "commands" "trim_calls",
    /// Calls of EGG.ADD, and of XADD with a policy where EGG provides it.
    ADD_CALLS => "commands" "add_calls",
    /// Calls of EGG.ACKMOVE.
    ACKMOVE_CALLS => "commands" "ackmove_calls",
    /// Calls of EGG.ACKMOVE that the guard refused.
    ACKMOVE_REFUSED => "commands" "ackmove_refused",
    /// Calls of EGG.PINS.
    PINS_CALLS => "commands" "pins_calls",
    /// Calls of EGG.GROUPREAP.
    GROUPREAP_CALLS => "commands" "groupreap_calls",
    /// Ids acknowledged: replies 1 and 2.
    ACKED => "entries" "acked",
    /// Entries deleted by their ids.
    DELETED => "entries" "deleted",
    /// Ids acknowledged whose entry stays: replies 2.
    KEPT => "entries" "kept",
    /// Ids that were not pending: replies -1.
    NOT_PENDING => "entries" "not_pending",
    /// Ids that another consumer had: replies 0.
    NOT_OWNER => "entries" "not_owner",
    /// Entries moved to another stream.
    MOVED => "entries" "moved",
    /// Groups destroyed by EGG.GROUPREAP.
    REAPED => "entries" "reaped",
    /// Entries removed by trims that looked at groups.
    TRIMMED => "entries" "trimmed",
    /// ADDs whose trim stopped behind the most needed entries that a call passes over.
    ADD_TRIMS_STOPPED => "entries" "add_trims_stopped",
    /// Deletions after which a group's lag had to be mended.
    LAG_REPAIRS => "entries" "lag_repairs",
    /// Deletions that cut the front of a stream off at once.
    HEAD_CUTS => "entries" "head_cuts",
    /// Calls that ran under REJECT, the refused ones included.
    POLICY_REJECT => "policies" "policy_reject_calls",
    /// Calls that ran under ACKONLY.
    POLICY_ACKONLY => "policies" "policy_ackonly_calls",
    /// Calls that ran under ACKED.
    POLICY_ACKED => "policies" "policy_acked_calls",
    /// Calls that ran under KEEPREF.
    POLICY_KEEPREF => "policies" "policy_keepref_calls",
    /// Calls that ran under DELREF.
    POLICY_DELREF => "policies" "policy_delref_calls",
}
