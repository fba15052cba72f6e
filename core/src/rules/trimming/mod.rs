//! Trimming: which entries go, under each policy.

mod acked;
mod cut;
mod delref;
mod lag;
pub mod plan;

use crate::stream::{Exactness, Group, Stream, Threshold};
use crate::values::policy::DeletePolicy;
use plan::{Trim, Trimmed};

/// Trims.
pub fn trim(stream: &mut impl Stream, groups: &[Group<'_>], trim: &Trim) -> Trimmed {
    let removed = match (trim.policy, trim.threshold) {
        (DeletePolicy::Acked, _) => return acked::trim_acked(stream, groups, trim),
        (_, None) => 0,
        (DeletePolicy::DelRef, Some(threshold)) => delref::trim_delref(stream, groups, threshold, trim),
        (DeletePolicy::KeepRef, Some(Threshold::MinId(id))) if trim.exactness == Exactness::Exact => {
            cut::cut(stream, Some(id), trim.style)
        }
        (DeletePolicy::KeepRef, Some(threshold)) => stream.trim(threshold, trim.exactness),
    };
    Trimmed { removed, cut_short: false }
}
