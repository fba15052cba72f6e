//! What becomes of a call of XADD or XTRIM where EGG brings the policies that the server lacks.

use super::arguments::Arguments;
use super::trim_option::TrimOption;
use crate::values::policy::DeletePolicy;

/// The policies that the server's own commands do not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lacking {
    /// Those of XADD.
    pub xadd: Vec<DeletePolicy>,
    /// Those of XTRIM.
    pub xtrim: Vec<DeletePolicy>,
}

/// What the filter does with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Take out this argument: the core does all the rest.
    Strip(usize),
    /// Call this command instead.
    Rename(&'static [u8]),
}

/// What is to be done with a call: nothing, unless it names a policy that the server lacks. Reads options exactly as far as
/// XADD and XTRIM do: what is behind the id is data.
pub fn rewrite(arguments: &impl Arguments, lacking: &Lacking) -> Option<Rewrite> {
    let name = arguments.get(0)?;
    // Every command of every client comes past here: the length alone lets nearly all of them go on.
    let (is_add, hidden, arity): (bool, &'static [u8], usize) = match name.len() {
        4 if name.eq_ignore_ascii_case(b"XADD") => (true, b"EGG.XADD", 5),
        5 if name.eq_ignore_ascii_case(b"XTRIM") => (false, b"EGG.XTRIM", 4),
        _ => return None,
    };
    if arguments.len() < arity {
        return None;
    }
    let (mut policy, mut has_strategy) = (None, false);
    let mut index = 2;
    loop {
        index = match TrimOption::at(arguments, index) {
            Some((TrimOption::Policy(named), next)) if policy.is_none() => {
                policy = Some((index, named));
                next
            }
            Some((TrimOption::MaxLen { .. } | TrimOption::MinId { .. }, next)) => {
                has_strategy = true;
                next
            }
            Some((TrimOption::Limit { .. }, next)) => next,
            _ if is_add && arguments.get(index).is_some_and(|word| word.eq_ignore_ascii_case(b"NOMKSTREAM")) => {
                index + 1
            }
            _ => break,
        };
    }
    let lacked = if is_add { &lacking.xadd } else { &lacking.xtrim };
    let (position, policy) = policy.filter(|(_, policy)| lacked.contains(policy))?;
    let needs_no_group = policy == DeletePolicy::KeepRef || !has_strategy;
    // 8.2 counts the word when it counts arguments: where the core would miss it, the hidden command answers.
    if needs_no_group && arguments.len() > arity {
        Some(Rewrite::Strip(position))
    } else {
        Some(Rewrite::Rename(hidden))
    }
}

#[cfg(test)]
mod tests {
    use super::{Lacking, Rewrite, rewrite};
    use crate::requests::arguments::words;
    use crate::values::policy::DeletePolicy;

    fn of(line: &str) -> Option<Rewrite> {
        let arguments = words(line);
        let all = vec![DeletePolicy::KeepRef, DeletePolicy::DelRef, DeletePolicy::Acked];
        rewrite(&arguments, &Lacking { xadd: all.clone(), xtrim: all })
    }

    #[test]
    fn leaves_alone_what_the_server_knows_itself() {
        let lacking = Lacking { xadd: vec![DeletePolicy::Acked], xtrim: Vec::new() };
        let of = |line: &str| rewrite(&words(line), &lacking);
        assert_eq!(of("XADD s ACKED MAXLEN 3 * f v"), Some(Rewrite::Rename(b"EGG.XADD")));
        for line in ["XADD s DELREF MAXLEN 3 * f v", "XADD s KEEPREF * f v", "XTRIM s ACKED MAXLEN 3"] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn leaves_alone_what_has_no_policy_among_its_options() {
        for line in [
            "SET k ACKED",
            "XADD s * ACKED v",
            "XADD s 1-1 MAXLEN 3 ACKED v",
            "XADD s MAXLEN 3 * KEEPREF DELREF",
            "XADD s NOMKSTREAM MINID ~ 5 LIMIT 3 * f v",
            "XTRIM s MAXLEN 3",
            "XADD",
            "XTRIM s",
            "XACK s ACKED 1-1",
            "XTRIMS s ACKED 1",
            "XTRIM s ACKED",
            "XADD s ACKED 1-1",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn takes_out_what_the_core_need_not_know() {
        for (line, position) in [
            ("XADD s KEEPREF MAXLEN 3 * f v", 2),
            ("xadd s MAXLEN = 3 keepref * f v", 5),
            ("XADD s ACKED * f v", 2),
            ("XADD s NOMKSTREAM DELREF LIMIT 0 * f v", 3),
            ("XTRIM s MAXLEN 3 KEEPREF", 4),
            ("XTRIM s DELREF LIMIT 3", 2),
            ("XADD s KEEPREF DELREF 7-1 f v", 2),
        ] {
            assert_eq!(of(line), Some(Rewrite::Strip(position)), "{line}");
        }
    }

    #[test]
    fn hands_over_what_looks_at_groups() {
        for line in
            ["XADD s ACKED MAXLEN 3 * f v", "xadd s MAXLEN ~ 3 LIMIT 5 DELREF 5-* f v", "XADD s MINID 3 acked * f v"]
        {
            assert_eq!(of(line), Some(Rewrite::Rename(b"EGG.XADD")), "{line}");
        }
        for line in ["XTRIM s MAXLEN 3 ACKED", "XTRIM s DELREF MINID = 3"] {
            assert_eq!(of(line), Some(Rewrite::Rename(b"EGG.XTRIM")), "{line}");
        }
    }

    #[test]
    fn hands_over_what_would_miss_an_argument() {
        assert_eq!(of("XADD s DELREF f v"), Some(Rewrite::Rename(b"EGG.XADD")));
        assert_eq!(of("XTRIM s ACKED 3"), Some(Rewrite::Rename(b"EGG.XTRIM")));
    }
}
