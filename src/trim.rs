//! Trimming: which entries go, under each policy.

mod delref;
mod front;
mod lag;
mod sweep;

use crate::policy::DeletePolicy;
use crate::request::TrimRequest;
use crate::stream::{Exactness, Group, Stream, Threshold};

/// A trim, as asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trim {
    /// What happens to references.
    pub policy: DeletePolicy,
    /// How far; None: the janitor, that removes whatever no group needs.
    pub threshold: Option<Threshold>,
    /// `=` or `~`, with the limit that goes with `~`.
    pub exactness: Exactness,
    /// The janitor's LIMIT: how many entries it removes at most; None: no bound (LIMIT 0, as with `~`).
    pub limit: Option<u64>,
    /// Groups idle for so many milliseconds do not count.
    pub ignore_idle: Option<u64>,
}

impl Trim {
    /// A trim by what was asked for; `default` is the policy if none was named.
    pub fn new(request: &TrimRequest, default: DeletePolicy) -> Self {
        Self {
            policy: request.policy.unwrap_or(default),
            threshold: request.threshold,
            exactness: request.exactness(),
            limit: request.limit.filter(|limit| *limit > 0),
            ignore_idle: request.ignore_idle,
        }
    }
}

/// What sets the commands that trim apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Mend the lag that the deletion of a hole turns null, or the trim of what an ignored group has not read makes wrong.
    pub keep_lag: bool,
    /// What 8.2.3 leaves behind goes, too: references that DELREF finds below the cut, whose entry had gone before
    /// (redis#15581), and nodes that have become empty.
    pub tidy: bool,
    /// After so many needed entries the walk ends, and the rest is left to the next call.
    pub patience: u64,
}

/// What a trim did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trimmed {
    /// How many entries were removed.
    pub removed: usize,
    /// Whether the patience ended before the walk did.
    pub cut_short: bool,
}

/// Trims.
pub fn trim(stream: &mut impl Stream, groups: &[Group<'_>], trim: &Trim, manner: &Manner) -> Trimmed {
    let removed = match (trim.policy, trim.threshold) {
        (DeletePolicy::Acked, _) => return sweep::trim_acked(stream, groups, trim, manner),
        (_, None) => 0,
        (DeletePolicy::DelRef, Some(threshold)) => {
            delref::trim_delref(stream, groups, threshold, trim.exactness, manner)
        }
        (DeletePolicy::KeepRef, Some(Threshold::MinId(id))) if trim.exactness == Exactness::Exact => {
            front::cut(stream, Some(id), manner)
        }
        (DeletePolicy::KeepRef, Some(threshold)) => stream.trim(threshold, trim.exactness),
    };
    Trimmed { removed, cut_short: false }
}
