//! The grammar of EGG.ACKMOVE.

use std::ops::Range;

use super::arguments::{Arguments, Dialect, positive, set_once};
use super::ids::find_ids;
use super::trim::TrimRequest;
use crate::values::error::Error;
use crate::values::integer::parse_count;
use crate::values::policy::AckPolicy;

/// `[policy] [OWNER consumer] [MINDELIVERIES n] [MAXLEN | MINID [= | ~] threshold [LIMIT n]] [META] [SET numpairs field value
/// ...] IDS numids id [id ...]` of EGG.ACKMOVE, before the ids are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AckMoveRequest<'a> {
    /// The policy for the source, if one was named.
    pub policy: Option<AckPolicy>,
    /// The consumer that must have an id.
    pub owner: Option<&'a [u8]>,
    /// An id that was delivered less often stays. 0 if it does not matter: XCLAIM can set an id's count back to 0.
    pub min_deliveries: u64,
    /// How the destination is trimmed.
    pub trim: TrimRequest,
    /// Whether to say where the entry comes from.
    pub meta: bool,
    /// Fields to be set in the copies.
    pub set: Vec<(&'a [u8], &'a [u8])>,
    /// Which arguments are the ids.
    pub block: Range<usize>,
}

impl<'a> AckMoveRequest<'a> {
    /// Parses what follows key, group and destination.
    pub fn parse(arguments: &'a impl Arguments) -> Result<Self, Error> {
        let (mut policy, mut owner, mut min_deliveries, mut meta, mut set) = (None, None, None, None, None);
        let mut trim = TrimRequest::default();
        let block = find_ids(arguments, 4, Dialect::Egg, |token, index| {
            let is = |name: &[u8]| token.eq_ignore_ascii_case(name);
            if let Some(named) = AckPolicy::parse(token) {
                set_once(&mut policy, named)?;
                Ok(index + 1)
            } else if is(b"META") {
                set_once(&mut meta, true)?;
                Ok(index + 1)
            } else if is(b"OWNER") {
                set_once(&mut owner, arguments.get(index + 1).ok_or(Error::Syntax)?)?;
                Ok(index + 2)
            } else if is(b"MINDELIVERIES") {
                set_once(&mut min_deliveries, positive(arguments, index, "MINDELIVERIES")?)?;
                Ok(index + 2)
            } else if is(b"SET") {
                let (pairs, next) = pairs(arguments, index)?;
                set_once(&mut set, pairs)?;
                Ok(next)
            } else if is(b"IGNOREIDLE") {
                Err(Error::Syntax)
            } else {
                trim.option(arguments, index, Dialect::Egg)?.ok_or(Error::Syntax)
            }
        })?;
        trim.check(false)?;
        Ok(Self {
            policy,
            owner,
            min_deliveries: min_deliveries.unwrap_or(0),
            trim,
            meta: meta.unwrap_or(false),
            set: set.unwrap_or_default(),
            block,
        })
    }
}

/// Fields and their values.
type Pairs<'a> = Vec<(&'a [u8], &'a [u8])>;

/// The fields and values of the `SET numpairs field value [field value ...]` at `index`, and the index behind them.
fn pairs<'a>(arguments: &'a impl Arguments, index: usize) -> Result<(Pairs<'a>, usize), Error> {
    let count = arguments.get(index + 1).ok_or(Error::Syntax)?;
    let count = parse_count(count).ok_or(Error::NumPairs)?;
    let first = index + 2;
    if count > (arguments.len() - first) / 2 {
        return Err(Error::NumPairsMismatch);
    }
    let pair = |n: usize| Some((arguments.get(first + 2 * n)?, arguments.get(first + 2 * n + 1)?));
    Ok(((0..count).filter_map(pair).collect(), first + 2 * count))
}

#[cfg(test)]
mod tests {
    use super::AckMoveRequest;
    use crate::requests::arguments::words;
    use crate::stream::{Exactness, Threshold};
    use crate::values::error::Error;
    use crate::values::policy::{AckPolicy, DeletePolicy};

    /// Runs `check` on the parsed form of `EGG.ACKMOVE s g d <options>`.
    fn parse<T>(options: &str, check: impl Fn(AckMoveRequest<'_>) -> T) -> Result<T, Error> {
        let line = format!("EGG.ACKMOVE s g d {options}");
        let arguments = words(&line);
        AckMoveRequest::parse(&arguments).map(check)
    }

    #[test]
    fn takes_all_options_in_any_order() {
        for options in [
            "ACKED OWNER w MINDELIVERIES 3 MAXLEN ~ 100 LIMIT 5 META SET 2 a 1 b 2 IDS 1 1-0",
            "IDS 1 1-0 SET 2 a 1 b 2 limit 5 meta maxlen ~ 100 mindeliveries 3 owner w acked",
        ] {
            let parsed = parse(options, |request| {
                assert_eq!(request.policy, Some(AckPolicy::Delete(DeletePolicy::Acked)));
                assert_eq!((request.owner, request.min_deliveries, request.meta), (Some(&b"w"[..]), 3, true));
                assert_eq!(request.trim.threshold, Some(Threshold::MaxLen(100)));
                assert_eq!(request.trim.exactness(), Exactness::Nodes(Some(5)));
                assert_eq!(request.set, [(&b"a"[..], &b"1"[..]), (b"b", b"2")]);
            });
            assert_eq!(parsed, Ok(()), "{options}");
        }
        assert_eq!(parse("IDS 1 1-0", |request| (request.min_deliveries, request.meta)), Ok((0, false)));
    }

    #[test]
    fn what_belongs_to_set_is_data() {
        let set = parse("SET 1 IDS META IDS 1 1-0", |request| (request.set.len(), request.meta));
        assert_eq!(set, Ok((1, false)));
    }

    #[test]
    fn answers_the_first_error_from_the_left() {
        for (options, error) in [
            ("META", Error::Syntax),
            ("META META IDS 1 1", Error::Syntax),
            ("SET 0 IDS 1 1", Error::NumPairs),
            ("SET x IDS 1 1", Error::NumPairs),
            ("SET 5 a b IDS 1 1", Error::NumPairsMismatch),
            ("IDS 1 1 SET", Error::Syntax),
            ("MINDELIVERIES 0 IDS 1 1", Error::NotPositive("MINDELIVERIES")),
            ("MINDELIVERIES x IDS 1 1", Error::NotPositive("MINDELIVERIES")),
            ("MAXLEN x IDS 1 1", Error::NotAnInteger),
            ("MAXLEN 3 LIMIT 5 IDS 1 1", Error::LimitWithoutTilde),
            ("LIMIT 5 IDS 1 1", Error::LimitWithoutStrategy),
            ("IGNOREIDLE 5 IDS 1 1", Error::Syntax),
            ("OWNER a OWNER b IDS 1 1", Error::Syntax),
            ("IDS 0 1", Error::NumIds),
        ] {
            assert_eq!(parse(options, |_| ()), Err(error), "{options}");
        }
    }
}
