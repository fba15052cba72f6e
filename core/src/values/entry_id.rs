//! Stream entry ids: `<milliseconds>-<sequence>`.

use std::fmt;
use std::num::NonZeroU32;

/// An entry id of a stream. Ordered as Redis orders them: by milliseconds, then by sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId {
    /// Milliseconds part.
    pub ms: u64,
    /// Sequence part.
    pub seq: u64,
}

/// Ids longer than this are refused unread, as by the core (`streamGenericParseIDOrReply` has a buffer of 128 bytes).
const LONGEST: usize = 127;

impl EntryId {
    /// The smallest id. No entry can have it.
    pub const MIN: Self = Self { ms: 0, seq: 0 };
    /// The largest id.
    pub const MAX: Self = Self { ms: u64::MAX, seq: u64::MAX };

    /// Parses an id exactly as XACK and XDEL do, so that what is accepted here is never refused there.
    ///
    /// `5` means `5-0`. The core reads each half with `strtoull`, so leading white space and a sign are accepted, and
    /// a NUL byte ends the text (spec-8.2, part 1.3: the row "accepted ids"). `-`, `+`, `$`, `*` and `>` are no ids.
    pub fn parse(text: &[u8]) -> Option<Self> {
        Self::parse_plain(text).or_else(|| Self::parse_odd(text))
    }

    /// An id as servers print it: this is all that programs ever send, and read in one pass.
    fn parse_plain(text: &[u8]) -> Option<Self> {
        let (ms, rest) = leading_digits(text)?;
        match rest {
            [] => Some(Self { ms, seq: 0 }),
            [b'-', rest @ ..] => match leading_digits(rest)? {
                (seq, []) => Some(Self { ms, seq }),
                _ => None,
            },
            _ => None,
        }
    }

    fn parse_odd(text: &[u8]) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let text = text.split(|&byte| byte == 0).next()?;
        let mut halves = text.splitn(2, |&byte| byte == b'-');
        let ms = parse_half(halves.next()?)?;
        let seq = match halves.next() {
            Some(half) => parse_half(half)?,
            None => 0,
        };
        Some(Self { ms, seq })
    }

    /// The next id; None after the largest one.
    pub fn successor(self) -> Option<Self> {
        match self.seq.checked_add(1) {
            Some(seq) => Some(Self { ms: self.ms, seq }),
            None => self.ms.checked_add(1).map(|ms| Self { ms, seq: 0 }),
        }
    }

    /// The largest id below this one; 0-0 below 0-0.
    pub fn previous(self) -> Self {
        match (self.ms, self.seq) {
            (0, 0) => self,
            (ms, 0) => Self { ms: ms - 1, seq: u64::MAX },
            (ms, seq) => Self { ms, seq: seq - 1 },
        }
    }
}

/// The number that a text begins with, if it is one of 1 to 19 digits, which cannot overflow; and what follows it.
fn leading_digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let (mut value, mut count) = (0_u64, 0);
    for byte in text.iter().take(20) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        // Without checks: they would be half of the work.
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    if matches!(count, 1..=19) { Some((value, text.get(count..)?)) } else { None }
}

/// One half of an id as the core's `string2ull` reads it: a plain decimal, or whatever `strtoull` takes.
fn parse_half(text: &[u8]) -> Option<u64> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r');
    let blanks = text.iter().take_while(|byte| is_space(byte)).count();
    let (sign, digits) = match text.get(blanks..)? {
        [sign @ (b'+' | b'-'), digits @ ..] => (*sign, digits),
        digits => (b'+', digits),
    };
    let value = parse_digits(digits)?;
    // A bare "-5" is refused as negative before strtoull is tried; " -5" and "-05" reach it and wrap around.
    let plainly_negative = sign == b'-' && blanks == 0 && digits.first() != Some(&b'0') && value <= 1 << 63;
    if plainly_negative {
        return None;
    }
    Some(if sign == b'-' { value.wrapping_neg() } else { value })
}

fn parse_digits(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |value, byte| match byte {
        b'0'..=b'9' => value.checked_mul(10)?.checked_add(u64::from(byte - b'0')),
        _ => None,
    })
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.seq)
    }
}

/// An entry id, and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenId {
    /// The id.
    pub id: EntryId,
    /// Which argument of the command holds its text, so that the server can hand that very string on, uncopied. None if the
    /// id was found in the stream.
    pub argument: Option<NonZeroU32>,
}

impl From<EntryId> for GivenId {
    fn from(id: EntryId) -> Self {
        Self { id, argument: None }
    }
}

#[cfg(test)]
mod tests {
    use super::EntryId;

    fn id(ms: u64, seq: u64) -> Option<EntryId> {
        Some(EntryId { ms, seq })
    }

    #[test]
    fn accepts_what_the_core_accepts() {
        let max = "18446744073709551615";
        let zeros = format!("{}-1", "0".repeat(124) + "1");
        for (text, expected) in [
            ("5", id(5, 0)),
            ("0-0", id(0, 0)),
            ("1-2", id(1, 2)),
            ("01-01", id(1, 1)),
            (" 1-1", id(1, 1)),
            ("\t1-1", id(1, 1)),
            ("+1-1", id(1, 1)),
            ("1-+1", id(1, 1)),
            ("1- 1", id(1, 1)),
            ("1-1\0junk", id(1, 1)),
            ("1- -1", id(1, u64::MAX)),
            ("1--01", id(1, u64::MAX)),
            ("1--9223372036854775809", id(1, 9_223_372_036_854_775_807)),
            (&format!("{max}-{max}"), Some(EntryId::MAX)),
            (&zeros, id(1, 1)),
        ] {
            assert_eq!(EntryId::parse(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn refuses_what_the_core_refuses() {
        let zeros = "0".repeat(126) + "-1";
        for text in [
            "",
            "-",
            "+",
            "$",
            ">",
            "*",
            "foo",
            "1-*",
            "(1-1",
            "1-",
            "-1",
            "1-1-1",
            "1--1",
            "1-1 ",
            "1 -1",
            " ",
            "1- ",
            "1--9223372036854775808",
            "18446744073709551616-0",
            "0-18446744073709551616",
            "99999999999999999999",
            &zeros,
        ] {
            assert_eq!(EntryId::parse(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn orders_by_milliseconds_then_sequence() {
        let sorted = ["0-0", "0-1", "1-0", "1-18446744073709551615", "2-0"];
        let ids: Vec<_> = sorted.iter().filter_map(|text| EntryId::parse(text.as_bytes())).collect();
        assert!(ids.is_sorted() && ids.len() == sorted.len());
    }

    #[test]
    fn the_previous_id_borrows_from_the_milliseconds() {
        let previous = |ms, seq| EntryId { ms, seq }.previous().to_string();
        assert_eq!(previous(5, 1), "5-0");
        assert_eq!(previous(5, 0), "4-18446744073709551615");
        assert_eq!(previous(0, 0), "0-0");
    }

    #[test]
    fn prints_what_it_parsed() {
        for text in ["0-1", "1526919030474-55", "18446744073709551615-18446744073709551615"] {
            assert_eq!(EntryId::parse(text.as_bytes()).map(|id| id.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn the_successor_carries_over() {
        assert_eq!(EntryId { ms: 1, seq: 2 }.successor(), id(1, 3));
        assert_eq!(EntryId { ms: 1, seq: u64::MAX }.successor(), id(2, 0));
        assert_eq!(EntryId::MAX.successor(), None);
    }
}
