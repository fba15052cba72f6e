//! Integers, as strict as the core reads them.

/// A decimal integer as the core reads one (`string2ll`): no blanks, no plus sign, no leading zeros, nothing behind it.
pub fn parse_integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_negative = digits.len() < text.len();
    match digits {
        [b'0'] if !is_negative => return Some(0),
        [b'1'..=b'9', ..] => {}
        _ => return None,
    }
    // Counted downwards: there is one negative number more than there are positive ones.
    let negative = digits.iter().try_fold(0i64, |value, byte| match byte {
        b'0'..=b'9' => value.checked_mul(10)?.checked_sub(i64::from(byte - b'0')),
        _ => None,
    })?;
    if is_negative { Some(negative) } else { negative.checked_neg() }
}

/// An integer from 1 up that counts arguments.
pub fn parse_count(text: &[u8]) -> Option<usize> {
    parse_integer(text).and_then(|count| usize::try_from(count).ok()).filter(|&count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::parse_integer;

    #[test]
    fn integers_are_read_as_strictly_as_the_core_reads_them() {
        assert_eq!(parse_integer(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(parse_integer(b"9223372036854775807"), Some(i64::MAX));
        assert_eq!(parse_integer(b"-907"), Some(-907));
        assert_eq!(parse_integer(b"0"), Some(0));
        for bad in [
            "",
            "-",
            "-0",
            "+1",
            "01",
            " 1",
            "1 ",
            "1.5",
            "0x1",
            "abc",
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999",
        ] {
            assert_eq!(parse_integer(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
