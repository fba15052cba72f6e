use std::num::NonZeroU32;
use std::ops::Range;

use super::{Arguments, Dialect, parse_count};
use crate::error::Error;
use crate::policy::AckPolicy;
use crate::stream::EntryId;
use crate::stream_id::StreamId;

/// What `[policy] IDS numids id [id ...]` says, before the ids are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids<P> {
    /// The policy, if one was named.
    pub policy: Option<P>,
    /// Which arguments are the ids.
    pub block: Range<usize>,
}

impl<P> Ids<P> {
    /// Parses the arguments from `first` on.
    pub fn parse(
        arguments: &impl Arguments,
        first: usize,
        dialect: Dialect,
        parse_policy: impl Fn(&[u8]) -> Option<P>,
    ) -> Result<Self, Error> {
        let mut policy = None;
        let block = find_ids(arguments, first, dialect, |token, index| {
            set_once(&mut policy, parse_policy(token).ok_or(Error::Syntax)?)?;
            Ok(index + 1)
        })?;
        Ok(Self { policy, block })
    }
}

/// `[policy] [OWNER consumer] IDS numids id [id ...]` of EGG.ACKDEL, before the ids are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AckDel<'a> {
    /// The policy, if one was named.
    pub policy: Option<AckPolicy>,
    /// The consumer that must have an id.
    pub owner: Option<&'a [u8]>,
    /// Which arguments are the ids.
    pub block: Range<usize>,
}

impl<'a> AckDel<'a> {
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
}

/// An option that may be given once.
pub(super) fn set_once<T>(option: &mut Option<T>, value: T) -> Result<(), Error> {
    match option.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::Syntax),
    }
}

/// Goes through the arguments from `first` on, by the grammar of 8.2's XACKDEL (spec-8.2, part 1): tokens in any order and
/// case. Answers where the ids stand. `option` takes a token that begins no `IDS` block, and answers the index behind its
/// arguments. Of several blocks 8.2 takes the last one, and drops the ids before it unseen: to EGG that is an error.
pub(super) fn find_ids<'a>(
    arguments: &'a impl Arguments,
    first: usize,
    dialect: Dialect,
    mut option: impl FnMut(&'a [u8], usize) -> Result<usize, Error>,
) -> Result<Range<usize>, Error> {
    let mut block = None;
    let mut index = first;
    while let Some(token) = arguments.get(index) {
        index = match ids_block(arguments, index)? {
            Some(_) if block.is_some() && dialect == Dialect::Egg => return Err(Error::Syntax),
            Some(ids) => block.insert(ids).end,
            None => option(token, index).map_err(|error| match (&block, error) {
                (None, Error::Syntax) if dialect == Dialect::Egg && StreamId::parse(token).is_some() => Error::IdsForm,
                (_, error) => error,
            })?,
        };
    }
    block.ok_or(Error::Syntax)
}

/// Checks that a call is long enough to have an `IDS` block. The server is told a smaller number of arguments, so that who gives ids
/// as XACK takes them, `key group id`, is shown the form.
pub fn require_length(
    arguments: &impl Arguments,
    name: &'static str,
    shortest: usize,
    first: usize,
) -> Result<(), Error> {
    if arguments.len() >= shortest {
        return Ok(());
    }
    let rest = || (first..arguments.len()).filter_map(|index| arguments.get(index));
    let has_block = rest().any(|word| word.eq_ignore_ascii_case(b"IDS"));
    let has_id = rest().any(|word| StreamId::parse(word).is_some());
    Err(if has_id && !has_block { Error::IdsForm } else { Error::Arity(name) })
}

/// If an `IDS numids id [id ...]` block begins at `index`: where its ids stand. Exactly `numids` arguments belong to it,
/// whatever they look like.
fn ids_block(arguments: &impl Arguments, index: usize) -> Result<Option<Range<usize>>, Error> {
    match arguments.get(index) {
        Some(token) if token.eq_ignore_ascii_case(b"IDS") => {}
        _ => return Ok(None),
    }
    let numids = arguments.get(index + 1).ok_or(Error::Syntax)?;
    let numids = parse_count(numids).ok_or(Error::NumIds)?;
    let first = index + 2;
    if numids > arguments.len() - first {
        return Err(Error::NumIdsMismatch);
    }
    Ok(Some(first..first + numids))
}

/// The ids at these arguments: all of them, or the error for the first bad one.
pub fn parse_ids(arguments: &impl Arguments, block: Range<usize>) -> Result<Vec<EntryId>, Error> {
    let parse = |index: usize| {
        let id = arguments.get(index).and_then(StreamId::parse)?;
        Some(EntryId { id, argument: NonZeroU32::new(u32::try_from(index).ok()?) })
    };
    block.map(|index| parse(index).ok_or(Error::InvalidId)).collect()
}

#[cfg(test)]
mod tests {
    use super::{AckDel, Dialect, Ids, parse_ids};
    use crate::error::Error;
    use crate::policy::{AckPolicy, DeletePolicy};

    fn ackdel(options: &str) -> Result<(Option<AckPolicy>, Vec<String>), Error> {
        let line = format!("EGG.ACKDEL s g {options}");
        let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let request = AckDel::parse(&arguments)?;
        let ids = parse_ids(&arguments, request.block)?;
        Ok((request.policy, ids.iter().map(|id| id.id.to_string()).collect()))
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
    fn of_several_blocks_8_2_takes_the_last_one() {
        let arguments: Vec<&[u8]> = vec![b"XACKDEL", b"s", b"g", b"IDS", b"1", b"bad", b"IDS", b"1", b"2-0"];
        assert_eq!(Ids::parse(&arguments, 3, Dialect::Native, DeletePolicy::parse).map(|ids| ids.block), Ok(8..9));
        assert_eq!(Ids::parse(&arguments, 3, Dialect::Egg, DeletePolicy::parse), Err(Error::Syntax));
    }

    #[test]
    fn the_owner_may_be_any_word_but_only_one() {
        let owner = |options: &str| {
            let line = format!("EGG.ACKDEL s g {options}");
            let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
            AckDel::parse(&arguments).map(|request| request.owner.map(<[u8]>::to_vec))
        };
        assert_eq!(owner("owner IDS ACKED IDS 1 1"), Ok(Some(b"IDS".to_vec())));
        assert_eq!(owner("IDS 1 1 OWNER me"), Ok(Some(b"me".to_vec())));
        assert_eq!(owner("IDS 1 1 OWNER"), Err(Error::Syntax));
        assert_eq!(owner("OWNER me OWNER me IDS 1 1"), Err(Error::Syntax));
    }

    #[test]
    fn remembers_which_argument_holds_an_id() {
        let arguments: Vec<&[u8]> = vec![b"EGG.ACKDEL", b"s", b"g", b"ACKED", b"IDS", b"2", b"7-1", b"8-1"];
        let ids = parse_ids(&arguments, 6..8).unwrap_or_default();
        let places: Vec<_> = ids.iter().filter_map(|id| id.argument).map(u32::from).collect();
        assert_eq!(places, [6, 7]);
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
