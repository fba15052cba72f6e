//! From a command's arguments to typed requests. Everything is parsed before anything is done.

use std::ops::Range;

use crate::error::Error;
use crate::policy::Policy;
use crate::stream::EntryId;
use crate::stream_id::StreamId;

/// The arguments of a command, its name at index 0.
pub trait Arguments {
    /// How many there are, the command's name included.
    fn len(&self) -> usize;

    /// The bytes of one of them.
    fn get(&self, index: usize) -> Option<&[u8]>;
}

/// `EGG.ACKDEL key group [policy] IDS numids id [id ...]`
#[derive(Debug, PartialEq, Eq)]
pub struct AckDel {
    /// What to do with acknowledged entries; None: as configured.
    pub policy: Option<Policy>,
    /// The ids, in the order given, duplicates included.
    pub ids: Vec<EntryId>,
}

impl AckDel {
    /// Index of the first argument after `key group`.
    const OPTIONS: usize = 3;

    /// Parses what follows key and group, by the grammar of 8.2's XACKDEL (spec-8.2, part 1): tokens in any order and
    /// case; at most one policy; of several `IDS` blocks the last one counts, and only its ids are looked at.
    pub fn parse(arguments: &impl Arguments) -> Result<Self, Error> {
        let mut policy = None;
        let mut block = None;
        let mut index = Self::OPTIONS;
        while let Some(token) = arguments.get(index) {
            if let Some(ids) = ids_block(arguments, index)? {
                index = ids.end;
                block = Some(ids);
            } else {
                set_once(&mut policy, Policy::parse(token).ok_or(Error::Syntax)?)?;
                index += 1;
            }
        }
        let ids = parse_ids(arguments, block.ok_or(Error::Syntax)?)?;
        Ok(Self { policy, ids })
    }
}

/// An option that may be given once.
fn set_once<T>(option: &mut Option<T>, value: T) -> Result<(), Error> {
    match option.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::Syntax),
    }
}

/// If an `IDS numids id [id ...]` block begins at `index`: where its ids stand. Exactly `numids` arguments belong to it,
/// whatever they look like.
fn ids_block(arguments: &impl Arguments, index: usize) -> Result<Option<Range<usize>>, Error> {
    match arguments.get(index) {
        Some(token) if token.eq_ignore_ascii_case(b"IDS") => {}
        _ => return Ok(None),
    }
    let numids = arguments.get(index + 1).ok_or(Error::Syntax)?;
    let numids = parse_integer(numids).and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0).ok_or(Error::NumIds)?;
    let first = index + 2;
    if numids > arguments.len() - first {
        return Err(Error::NumIdsMismatch);
    }
    Ok(Some(first..first + numids))
}

/// The ids at these arguments: all of them, or the error for the first bad one.
fn parse_ids(arguments: &impl Arguments, block: Range<usize>) -> Result<Vec<EntryId>, Error> {
    let parse = |index: usize| {
        let id = arguments.get(index).and_then(StreamId::parse)?;
        Some(EntryId { id, argument: u32::try_from(index).ok()? })
    };
    block.map(|index| parse(index).ok_or(Error::InvalidId)).collect()
}

/// A decimal integer as the core reads one (`string2ll`): no blanks, no plus sign, no leading zeros, nothing behind it.
pub fn parse_integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    match digits {
        b"0" if digits.len() == text.len() => {}
        [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {}
        _ => return None,
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{AckDel, Arguments, parse_integer};
    use crate::error::Error;
    use crate::policy::Policy;

    impl Arguments for Vec<&[u8]> {
        fn len(&self) -> usize {
            Vec::len(self)
        }

        fn get(&self, index: usize) -> Option<&[u8]> {
            <[_]>::get(self, index).copied()
        }
    }

    fn ackdel(options: &str) -> Result<(Option<Policy>, Vec<String>), Error> {
        let line = format!("EGG.ACKDEL s g {options}");
        let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        AckDel::parse(&arguments)
            .map(|request| (request.policy, request.ids.iter().map(|id| id.id.to_string()).collect()))
    }

    #[test]
    fn takes_options_in_any_order_and_case() {
        let expected = |policy| Ok((policy, vec!["1-0".to_owned(), "2-0".to_owned()]));
        assert_eq!(ackdel("IDS 2 1 2-0"), expected(None));
        assert_eq!(ackdel("ids 2 1 2 acked"), expected(Some(Policy::Acked)));
        assert_eq!(ackdel("AckOnly Ids 2 1 2"), expected(Some(Policy::AckOnly)));
        assert_eq!(ackdel("REJECT IDS 2 1 2"), expected(Some(Policy::Reject)));
        assert_eq!(ackdel("IDS 1 bad KEEPREF IDS 2 1 2"), expected(Some(Policy::KeepRef)));
        assert_eq!(ackdel("DELREF IDS 2 1 2"), expected(Some(Policy::DelRef)));
    }

    #[test]
    fn remembers_which_argument_holds_an_id() {
        let arguments: Vec<&[u8]> = vec![b"EGG.ACKDEL", b"s", b"g", b"ACKED", b"IDS", b"2", b"7-1", b"8-1"];
        let request = AckDel::parse(&arguments);
        assert_eq!(request.map(|r| r.ids.iter().map(|id| id.argument).collect()), Ok(vec![6, 7]));
    }

    #[test]
    fn answers_the_first_error_from_the_left() {
        for (options, error) in [
            ("", Error::Syntax),
            ("ACKED ACKED IDS 1 1", Error::Syntax),
            ("ACKED KEEPREF IDS 1 1", Error::Syntax),
            ("1 1-1 2-1", Error::Syntax),
            ("IDS 1 1-1 2-1", Error::Syntax),
            ("IDS 1 1-1 IDS", Error::Syntax),
            ("IDS 1 1-1 FOO", Error::Syntax),
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
    fn numids_is_read_as_strictly_as_the_core_reads_it() {
        for bad in ["-1", "abc", "1.5", "", "+1", "01", "9223372036854775808", "99999999999999999999", "0x1", "-0"] {
            assert_eq!(ackdel(&format!("IDS {bad} 1-1")), Err(Error::NumIds), "{bad:?}");
        }
        let arguments: Vec<&[u8]> = vec![b"EGG.ACKDEL", b"s", b"g", b"IDS", b" 1", b"1-1"];
        assert_eq!(AckDel::parse(&arguments), Err(Error::NumIds));
        assert_eq!(parse_integer(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(parse_integer(b"0"), Some(0));
    }
}
