//! What a trim is asked to do, and what it did.

use crate::stream::{Exactness, Threshold};
use crate::values::policy::DeletePolicy;

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
    /// What sets the commands that trim apart.
    pub style: Style,
}

/// What sets the commands that trim apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Mend the lag that the deletion of a hole turns null, or the trim of what an ignored group has not read makes wrong.
    pub keep_lag: bool,
    /// What 8.2.3 leaves behind goes, too: references that DELREF finds below the cut, whose entry had gone before
    /// (redis#15581), and nodes that have become empty.
    pub thorough: bool,
    /// After so many needed entries the walk ends, and the rest is left to the next call.
    pub most_passed: u64,
}

/// What a trim did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trimmed {
    /// How many entries were removed.
    pub removed: usize,
    /// Whether the walk ended before its end, behind [`Style::most_passed`] needed entries.
    pub cut_short: bool,
}
