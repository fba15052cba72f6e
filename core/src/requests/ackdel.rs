//! The grammar of EGG.ACKDEL.

use std::ops::Range;

use super::arguments::{Arguments, Dialect, set_once};
use super::ids::find_ids;
use crate::rules::deletion::AckDelete;
use crate::values::error::Error;
use crate::values::policy::AckPolicy;

/// `[policy] [OWNER consumer] IDS numids id [id ...]` of EGG.ACKDEL, before the ids are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AckDelRequest<'a> {
    /// The policy, if one was named.
    pub policy: Option<AckPolicy>,
    /// The consumer that must have an id.
    pub owner: Option<&'a [u8]>,
    /// Which arguments are the ids.
    pub block: Range<usize>,
}

impl<'a> AckDelRequest<'a> {
    /// Parses what follows key and group.
    pub fn parse(arguments: &'a impl Arguments) -> Result<Self, Error> {
        let (mut policy, mut owner) = (None, None);
        let block = find_ids(arguments, 3, Dialect::Egg, |token, index| {
            if token.eq_ignore_ascii_case(b"OWNER") {
                set_once(&mut owner, arguments.get(index + 1).ok_or(Error::Syntax)?)?;
                return Ok(index + 2);
            }
            set_once(&mut policy, AckPolicy::parse(token).ok_or(Error::Syntax)?)?;
            Ok(index + 1)
        })?;
        Ok(Self { policy, owner, block })
    }

    /// What is asked, for a group of the stream; `default` is the policy if none was named.
    pub fn plan(&self, group: &'a [u8], default: AckPolicy, keep_lag: bool) -> AckDelete<'a> {
        AckDelete { group, policy: self.policy.unwrap_or(default), owner: self.owner, keep_lag }
    }
}

#[cfg(test)]
mod tests {
    use super::AckDelRequest;
    use crate::requests::arguments::words;
    use crate::requests::ids::parse_ids;
    use crate::values::error::Error;
    use crate::values::policy::{AckPolicy, DeletePolicy};

    fn ackdel(options: &str) -> Result<(Option<AckPolicy>, Vec<String>), Error> {
        let line = format!("EGG.ACKDEL s g {options}");
        let arguments = words(&line);
        let request = AckDelRequest::parse(&arguments)?;
        let ids = parse_ids(&arguments, request.block)?;
        Ok((request.policy, ids.iter().map(|given| given.id.to_string()).collect()))
    }

    #[test]
    fn takes_options_in_any_order_and_case() {
        let expected = |policy| Ok((policy, vec!["1-0".to_owned(), "2-0".to_owned()]));
        assert_eq!(ackdel("IDS 2 1 2-0"), expected(None));
        assert_eq!(ackdel("ids 2 1 2 acked"), expected(Some(AckPolicy::Delete(DeletePolicy::Acked))));
        assert_eq!(ackdel("AckOnly Ids 2 1 2"), expected(Some(AckPolicy::AckOnly)));
        assert_eq!(ackdel("REJECT IDS 2 1 2"), expected(Some(AckPolicy::Reject)));
        assert_eq!(ackdel("KEEPREF IDS 2 1 2"), expected(Some(AckPolicy::Delete(DeletePolicy::KeepRef))));
        assert_eq!(ackdel("DELREF IDS 2 1 2"), expected(Some(AckPolicy::Delete(DeletePolicy::DelRef))));
    }

    #[test]
    fn the_owner_may_be_any_word_but_only_one() {
        let owner = |options: &str| {
            let line = format!("EGG.ACKDEL s g {options}");
            let arguments = words(&line);
            AckDelRequest::parse(&arguments).map(|request| request.owner.map(<[u8]>::to_vec))
        };
        assert_eq!(owner("owner IDS ACKED IDS 1 1"), Ok(Some(b"IDS".to_vec())));
        assert_eq!(owner("IDS 1 1 OWNER me"), Ok(Some(b"me".to_vec())));
        assert_eq!(owner("IDS 1 1 OWNER"), Err(Error::Syntax));
        assert_eq!(owner("OWNER me OWNER me IDS 1 1"), Err(Error::Syntax));
    }

    #[test]
    fn answers_the_first_error_from_the_left() {
        for (options, error) in [
            ("", Error::Syntax),
            ("ACKED ACKED IDS 1 1", Error::Syntax),
            ("ACKED KEEPREF IDS 1 1", Error::Syntax),
            ("1 1-1 2-1", Error::IdsForm),
            ("1-1", Error::IdsForm),
            ("OWNER c 1-1", Error::IdsForm),
            ("ACKED 1-1 IDS 1 1-1", Error::IdsForm),
            ("IDS 1 1-1 2-1", Error::Syntax),
            ("IDS 1 1-1 IDS", Error::Syntax),
            ("IDS 1 1-1 FOO", Error::Syntax),
            ("IDS 1 1-1 IDS 1 2-1", Error::Syntax),
            ("FOO IDS 0 1-1", Error::Syntax),
            ("IDS 0 FOO", Error::NumIds),
            ("IDS IDS 1 1-1", Error::NumIds),
            ("IDS 2 1-1", Error::NumIdsMismatch),
            ("IDS 9223372036854775807 1-1", Error::NumIdsMismatch),
            ("KEEPREF IDS 1", Error::NumIdsMismatch),
            ("IDS 2 1-1 ACKED", Error::InvalidId),
            ("IDS 2 1-1 foo", Error::InvalidId),
            ("IDS 1 foo FOO", Error::Syntax),
        ] {
            assert_eq!(ackdel(options), Err(error), "{options}");
        }
    }

    #[test]
    fn numids_is_a_positive_integer() {
        for bad in ["0", "-1", "abc", "1.5", "", "+1", "01", "9223372036854775808", "99999999999999999999"] {
            assert_eq!(ackdel(&format!("IDS {bad} 1-1")), Err(Error::NumIds), "{bad:?}");
        }
    }
}
