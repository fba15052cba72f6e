//! From a command's arguments to typed requests. Everything is parsed before anything is done.

mod add;
mod ids;
mod trim;

pub use add::Add;
pub use ids::{Ids, parse_ids};
pub use trim::{Dialect, TrimRequest};

/// The arguments of a command, its name at index 0.
pub trait Arguments {
    /// How many there are, the command's name included.
    fn len(&self) -> usize;

    /// The bytes of one of them.
    fn get(&self, index: usize) -> Option<&[u8]>;
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
    use super::{Arguments, parse_integer};

    impl Arguments for Vec<&[u8]> {
        fn len(&self) -> usize {
            Vec::len(self)
        }

        fn get(&self, index: usize) -> Option<&[u8]> {
            <[_]>::get(self, index).copied()
        }
    }

    #[test]
    fn integers_are_read_as_strictly_as_the_core_reads_them() {
        assert_eq!(parse_integer(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(parse_integer(b"0"), Some(0));
        for bad in ["", "-", "-0", "+1", "01", " 1", "1 ", "1.5", "0x1", "abc", "9223372036854775808"] {
            assert_eq!(parse_integer(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
