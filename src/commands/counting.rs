//! What the commands count.

use egg_core::rules::deletion::{ABSENT, GONE, KEPT, NOT_OWNED, Outcome};
use egg_core::values::policy::{AckPolicy, DeletePolicy};

use crate::stats;

/// Counts the ids of an ack-delete.
pub fn count_ack_delete(outcome: &Outcome) {
    let [gone, kept, absent, not_owned] =
        [GONE, KEPT, ABSENT, NOT_OWNED].map(|wanted| outcome.replies.iter().filter(|r| **r == wanted).count());
    stats::ACKED.add(gone + kept);
    stats::KEPT.add(kept);
    stats::NOT_PENDING.add(absent);
    stats::NOT_OWNER.add(not_owned);
    count_delete(outcome);
}

/// Counts the entries of a deletion.
pub fn count_delete(outcome: &Outcome) {
    stats::DELETED.add(outcome.deleted);
    stats::LAG_REPAIRS.add(usize::from(outcome.lag_repaired));
}

/// Counts a call under the policy that it runs by.
pub fn count_policy(policy: AckPolicy) {
    let counter = match policy {
        AckPolicy::Reject => &stats::POLICY_REJECT,
        AckPolicy::AckOnly => &stats::POLICY_ACKONLY,
        AckPolicy::Delete(DeletePolicy::Acked) => &stats::POLICY_ACKED,
        AckPolicy::Delete(DeletePolicy::KeepRef) => &stats::POLICY_KEEPREF,
        AckPolicy::Delete(DeletePolicy::DelRef) => &stats::POLICY_DELREF,
    };
    counter.add(1);
}
