//! `IDS numids id [id ...]`, which most commands end in.

use std::num::NonZeroU32;
use std::ops::Range;

use super::arguments::{Arguments, Dialect, set_once};
use crate::values::entry_id::{EntryId, GivenId};
use crate::values::error::Error;
use crate::values::integer::parse_count;

/// What `[policy] IDS numids id [id ...]` says, before the ids are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdsRequest<P> {
    /// The policy, if one was named.
    pub policy: Option<P>,
    /// Which arguments are the ids.
    pub block: Range<usize>,
}

impl<P> IdsRequest<P> {
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

/// Goes through the arguments from `first` on, by the grammar of 8.2's XACKDEL (spec-8.2, part 1): tokens in any order and
/// case. Answers where the ids stand. `option` takes a token that begins no `IDS` block, and answers the index behind its
/// arguments. Of several blocks 8.2 takes the last one, and drops the ids before it unseen: to EGG that is an error.
pub fn find_ids<'a>(
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
                (None, Error::Syntax) if dialect == Dialect::Egg && EntryId::parse(token).is_some() => Error::IdsForm,
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
    let has_id = rest().any(|word| EntryId::parse(word).is_some());
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
pub fn parse_ids(arguments: &impl Arguments, block: Range<usize>) -> Result<Vec<GivenId>, Error> {
    let parse = |index: usize| {
        let id = arguments.get(index).and_then(EntryId::parse)?;
        Some(GivenId { id, argument: NonZeroU32::new(u32::try_from(index).ok()?) })
    };
    block.map(|index| parse(index).ok_or(Error::InvalidId)).collect()
}

#[cfg(test)]
mod tests {
    use super::{IdsRequest, parse_ids};
    use crate::requests::arguments::Dialect;
    use crate::values::error::Error;
    use crate::values::policy::DeletePolicy;

    #[test]
    fn of_several_blocks_8_2_takes_the_last_one() {
        let arguments: Vec<&[u8]> = vec![b"XACKDEL", b"s", b"g", b"IDS", b"1", b"bad", b"IDS", b"1", b"2-0"];
        assert_eq!(
            IdsRequest::parse(&arguments, 3, Dialect::Native, DeletePolicy::parse).map(|ids| ids.block),
            Ok(8..9)
        );
        assert_eq!(IdsRequest::parse(&arguments, 3, Dialect::Egg, DeletePolicy::parse), Err(Error::Syntax));
    }

    #[test]
    fn remembers_which_argument_holds_an_id() {
        let arguments: Vec<&[u8]> = vec![b"EGG.ACKDEL", b"s", b"g", b"ACKED", b"IDS", b"2", b"7-1", b"8-1"];
        let ids = parse_ids(&arguments, 6..8).unwrap_or_default();
        let places: Vec<_> = ids.iter().filter_map(|id| id.argument).map(u32::from).collect();
        assert_eq!(places, [6, 7]);
    }
}
