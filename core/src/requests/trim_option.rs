//! The options of XADD and XTRIM, as far as words tell them apart: one scanner for all who read them.

use super::arguments::Arguments;
use crate::values::policy::DeletePolicy;

/// An option, and which argument its value is. The value is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrimOption {
    /// KEEPREF, DELREF or ACKED.
    Policy(DeletePolicy),
    /// `MAXLEN [= | ~] length`
    MaxLen { is_approximate: bool, value: usize },
    /// `MINID [= | ~] id`
    MinId { is_approximate: bool, value: usize },
    /// `LIMIT count`
    Limit { value: usize },
}

impl TrimOption {
    /// The option that begins at `index`, if one does, and the index behind it.
    ///
    /// As in the core's `streamParseAddOrTrimArgsOrReply`, a word that wants an argument and has none is no option.
    pub fn at(arguments: &impl Arguments, index: usize) -> Option<(Self, usize)> {
        let word = arguments.get(index)?;
        if let Some(policy) = DeletePolicy::parse(word) {
            return Some((Self::Policy(policy), index + 1));
        }
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        let argument = arguments.get(index + 1)?;
        if is(b"LIMIT") {
            return Some((Self::Limit { value: index + 1 }, index + 2));
        }
        let has_sign = matches!(argument, b"~" | b"=") && arguments.get(index + 2).is_some();
        let (is_approximate, value) = (has_sign && argument == b"~", index + 1 + usize::from(has_sign));
        let option = match () {
            () if is(b"MAXLEN") => Self::MaxLen { is_approximate, value },
            () if is(b"MINID") => Self::MinId { is_approximate, value },
            () => return None,
        };
        Some((option, value + 1))
    }
}
