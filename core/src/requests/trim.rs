//! The grammar of EGG.TRIM and XTRIM, and what other commands share with it.

use super::arguments::{Arguments, Dialect, positive, set_once};
use super::trim_option::TrimOption;
use crate::rules::trimming::plan::{Style, Trim};
use crate::stream::{Exactness, Threshold};
use crate::values::entry_id::EntryId;
use crate::values::error::Error;
use crate::values::integer::parse_integer;
use crate::values::policy::DeletePolicy;

/// The options of a trim, as far as they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrimRequest {
    /// What happens to references, if it was said.
    pub policy: Option<DeletePolicy>,
    /// MAXLEN or MINID.
    pub threshold: Option<Threshold>,
    /// Whether the threshold came with `~`.
    pub approximate: bool,
    /// LIMIT
    pub limit: Option<u64>,
    /// IGNOREIDLE, in milliseconds.
    pub ignore_idle: Option<u64>,
}

impl TrimRequest {
    /// `key [ACKED | KEEPREF | DELREF] [MAXLEN | MINID [= | ~] threshold] [LIMIT n] [IGNOREIDLE ms]`, options in any order.
    pub fn parse(arguments: &impl Arguments, dialect: Dialect) -> Result<Self, Error> {
        let mut request = Self::default();
        let mut index = 2;
        while index < arguments.len() {
            index = request.option(arguments, index, dialect)?.ok_or(Error::Syntax)?;
        }
        request.check(dialect == Dialect::Egg)?;
        match dialect {
            Dialect::Native if request.threshold.is_none() => Err(Error::NoStrategy),
            Dialect::Egg if request.is_nonsense() => Err(Error::Syntax),
            _ => Ok(request),
        }
    }

    /// A janitor cannot leave references behind, and only ACKED knows of groups that do not count.
    fn is_nonsense(&self) -> bool {
        let other_than_acked = self.policy.is_some_and(|policy| policy != DeletePolicy::Acked);
        other_than_acked && (self.threshold.is_none() || self.ignore_idle.is_some())
    }

    /// Takes the option at `index`, if one of a trim begins there. Answers the index behind it.
    pub fn option(
        &mut self,
        arguments: &impl Arguments,
        index: usize,
        dialect: Dialect,
    ) -> Result<Option<usize>, Error> {
        let value = |index| arguments.get(index).unwrap_or_default();
        let Some((option, next)) = TrimOption::at(arguments, index) else {
            return self.ignore_idle_option(arguments, index, dialect);
        };
        match option {
            TrimOption::Policy(_) if self.policy.is_some() => return Ok(None),
            TrimOption::Policy(policy) => self.policy = Some(policy),
            TrimOption::MaxLen { .. } | TrimOption::MinId { .. } if self.threshold.is_some() => {
                return Err(Error::TwoStrategies);
            }
            TrimOption::MaxLen { is_approximate, value: at } => {
                self.approximate = is_approximate;
                self.threshold = Some(Threshold::MaxLen(natural(value(at), Error::NegativeMaxLen)?));
            }
            TrimOption::MinId { is_approximate, value: at } => {
                self.approximate = is_approximate;
                self.threshold = Some(Threshold::MinId(EntryId::parse(value(at)).ok_or(Error::InvalidId)?));
            }
            TrimOption::Limit { value: at } => {
                let limit = natural(value(at), Error::NegativeLimit)?;
                if self.limit.replace(limit).is_some() && dialect == Dialect::Egg {
                    return Err(Error::Syntax);
                }
            }
        }
        Ok(Some(next))
    }

    fn ignore_idle_option(
        &mut self,
        arguments: &impl Arguments,
        index: usize,
        dialect: Dialect,
    ) -> Result<Option<usize>, Error> {
        let is_named = arguments.get(index).is_some_and(|word| word.eq_ignore_ascii_case(b"IGNOREIDLE"));
        if dialect == Dialect::Native || !is_named || arguments.get(index + 1).is_none() {
            return Ok(None);
        }
        set_once(&mut self.ignore_idle, positive(arguments, index, "IGNOREIDLE")?)?;
        Ok(Some(index + 2))
    }

    /// LIMIT goes with `~`, or with the janitor where there is one.
    pub fn check(&self, has_janitor: bool) -> Result<(), Error> {
        match (self.limit, self.threshold) {
            (None, _) => Ok(()),
            (Some(_), None) if has_janitor => Ok(()),
            (Some(0), None) => Ok(()),
            (Some(_), None) => Err(Error::LimitWithoutStrategy),
            (Some(_), Some(_)) if self.approximate => Ok(()),
            (Some(_), Some(_)) => Err(Error::LimitWithoutTilde),
        }
    }

    /// `=`, or `~` with its limit.
    pub fn exactness(&self) -> Exactness {
        if self.approximate { Exactness::Nodes(self.limit) } else { Exactness::Exact }
    }

    /// What is asked; `default` is the policy if none was named.
    pub fn plan(&self, default: DeletePolicy, style: Style) -> Trim {
        Trim {
            policy: self.policy.unwrap_or(default),
            threshold: self.threshold,
            exactness: self.exactness(),
            limit: self.limit.filter(|limit| *limit > 0),
            ignore_idle: self.ignore_idle,
            style,
        }
    }
}

/// An integer from 0 up.
fn natural(text: &[u8], negative: Error) -> Result<u64, Error> {
    let value = parse_integer(text).ok_or(Error::NotAnInteger)?;
    u64::try_from(value).map_err(|_| negative)
}

#[cfg(test)]
mod tests {
    use super::TrimRequest;
    use crate::requests::arguments::{Dialect, words};
    use crate::stream::{Exactness, Threshold};
    use crate::values::entry_id::EntryId;
    use crate::values::error::Error;
    use crate::values::policy::DeletePolicy;

    fn parse(options: &str, dialect: Dialect) -> Result<TrimRequest, Error> {
        let line = format!("EGG.TRIM s {options}");
        let arguments = words(line.trim_end());
        TrimRequest::parse(&arguments, dialect)
    }

    #[test]
    fn takes_options_in_any_order() {
        let id = EntryId { ms: 7, seq: 1 };
        for options in ["MINID ~ 7-1 LIMIT 5 delref", "DELREF limit 5 minid ~ 7-1", "LIMIT 5 DELREF MINID ~ 7-1"] {
            for dialect in [Dialect::Egg, Dialect::Native] {
                let request = parse(options, dialect).unwrap_or_default();
                assert_eq!(request.policy, Some(DeletePolicy::DelRef), "{options}");
                assert_eq!(request.threshold, Some(Threshold::MinId(id)), "{options}");
                assert_eq!(request.exactness(), Exactness::Nodes(Some(5)), "{options}");
            }
        }
        let exact = parse("MAXLEN = 3", Dialect::Native).unwrap_or_default();
        assert_eq!((exact.threshold, exact.exactness()), (Some(Threshold::MaxLen(3)), Exactness::Exact));
    }

    #[test]
    fn the_janitor_is_eggs_own() {
        assert_eq!(parse("", Dialect::Egg), Ok(TrimRequest::default()));
        assert_eq!(
            parse("ACKED LIMIT 5 IGNOREIDLE 100", Dialect::Egg).map(|r| (r.limit, r.ignore_idle)),
            Ok((Some(5), Some(100)))
        );
        for options in
            ["KEEPREF", "DELREF", "DELREF MAXLEN 3 IGNOREIDLE 5", "LIMIT 1 LIMIT 1", "IGNOREIDLE 5 IGNOREIDLE 5"]
        {
            assert_eq!(parse(options, Dialect::Egg), Err(Error::Syntax), "{options}");
        }
        for idle in ["0", "-1", "x", "1.5"] {
            assert_eq!(parse(&format!("IGNOREIDLE {idle}"), Dialect::Egg), Err(Error::NotPositive("IGNOREIDLE")));
        }
        assert_eq!(parse("MAXLEN 3 IGNOREIDLE 5", Dialect::Native), Err(Error::Syntax));
    }

    #[test]
    fn answers_the_cores_errors_in_the_cores_order() {
        for (options, error) in [
            ("LIMIT 0", Error::NoStrategy),
            ("LIMIT 3", Error::LimitWithoutStrategy),
            ("ACKED", Error::NoStrategy),
            ("ACKED ACKED", Error::Syntax),
            ("MAXLEN", Error::Syntax),
            ("MAXLEN x", Error::NotAnInteger),
            ("MAXLEN DELREF 3", Error::NotAnInteger),
            ("MAXLEN ~", Error::NotAnInteger),
            ("MAXLEN -3", Error::NegativeMaxLen),
            ("MAXLEN 3 MINID 3", Error::TwoStrategies),
            ("MINID foo", Error::InvalidId),
            ("MINID +", Error::InvalidId),
            ("MAXLEN 3 LIMIT 0", Error::LimitWithoutTilde),
            ("MAXLEN ~ 3 LIMIT -1", Error::NegativeLimit),
            ("MAXLEN ~ 3 LIMIT x", Error::NotAnInteger),
            ("MAXLEN 3 FOO", Error::Syntax),
            ("FOO MAXLEN x", Error::Syntax),
            ("NOMKSTREAM MAXLEN 3", Error::Syntax),
        ] {
            assert_eq!(parse(options, Dialect::Native), Err(error), "{options}");
        }
        assert!(parse("MAXLEN ~ 3 LIMIT 4 LIMIT 5", Dialect::Native).is_ok_and(|request| request.limit == Some(5)));
    }
}
