//! Glob patterns, as KEYS and SCAN know them.

/// Bytes of the pattern that a match may read: some milliseconds.
const MOST_READ: usize = 1_000_000;

/// Whether `text` matches `pattern`: `*` any run of bytes, `?` any byte, `[a-c]` and `[^a]` one byte of a set or not of it,
/// `\` takes the next byte as it is. Bytes, not characters; case counts.
///
/// Of two stars only the last one is ever gone back to, so the time is at most the product of the lengths (the core's
/// recursive `stringmatchlen` can take exponential time, CVE-2022-36021). And after [`MOST_READ`] bytes of the pattern, read
/// again and again, there is no match: names of a megabyte would block the server for half a minute.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut rest, mut text) = (pattern, text);
    let mut retry: Option<(&[u8], &[u8])> = None;
    let mut read = 0;
    while read <= MOST_READ {
        if let Some(after) = rest.strip_prefix(b"*") {
            if after.is_empty() {
                return true;
            }
            retry = Some((after, text));
            rest = after;
            read += 1;
            continue;
        }
        match text.split_first() {
            // Every element takes a byte, so that to begin further on is of no use either.
            None => return rest.is_empty(),
            Some((&byte, left)) => {
                let (fits, after) = match_one(rest, byte);
                read += rest.len() - after.len();
                if fits {
                    (rest, text) = (after, left);
                    continue;
                }
            }
        }
        // The last star takes one byte more.
        match retry {
            Some((after, from)) if !from.is_empty() => {
                let from = from.get(1..).unwrap_or_default();
                retry = Some((after, from));
                (rest, text) = (after, from);
            }
            _ => return false,
        }
    }
    false
}

/// Whether the first element of a pattern (which is no star) matches the byte, and the pattern behind it.
fn match_one(pattern: &[u8], byte: u8) -> (bool, &[u8]) {
    match pattern {
        [b'?', rest @ ..] => (true, rest),
        [b'[', rest @ ..] => match_set(rest, byte),
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => (*literal == byte, rest),
        [] => (false, pattern),
    }
}

/// Whether the byte is in a set, whose opening bracket is passed, and the pattern behind it. A set that is not closed ends
/// with the pattern.
fn match_set(set: &[u8], byte: u8) -> (bool, &[u8]) {
    let (negated, mut set) = match set {
        [b'^', rest @ ..] => (true, rest),
        _ => (false, set),
    };
    let mut found = false;
    loop {
        set = match set {
            [] => return (found != negated, set),
            [b']', rest @ ..] => return (found != negated, rest),
            [b'\\', literal, rest @ ..] => {
                found |= *literal == byte;
                rest
            }
            [low, b'-', high, rest @ ..] => {
                found |= (*low.min(high)..=*low.max(high)).contains(&byte);
                rest
            }
            [literal, rest @ ..] => {
                found |= *literal == byte;
                rest
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn matches_as_keys_does() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "anything", true),
            ("old*", "old", true),
            ("old*", "older", true),
            ("old*", "bold", false),
            ("*er", "older", true),
            ("*l*e*", "older", true),
            ("*l*x*", "older", false),
            ("?", "", false),
            ("ol?", "old", true),
            ("[a-c]x", "bx", true),
            ("[c-a]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[^a-c]x", "dx", true),
            ("[abc", "c", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("[\\]]", "]", true),
            ("Old", "old", false),
            ("a\\", "a\\", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
        assert!(matches(b"\xff*\0", b"\xff\r\n\0"));
    }

    #[test]
    fn takes_no_exponential_time() {
        let pattern = b"a*".repeat(200);
        assert!(!matches(&[&pattern[..], b"b"].concat(), &b"a".repeat(5000)));
        let pattern = [&b"*"[..], &b"a".repeat(5000), b"b"].concat();
        assert!(!matches(&pattern, &b"a".repeat(1 << 20)));
        // What a set costs is counted too: here 3,000 times 1,000 bytes, and the match at the end is not come to.
        let pattern = [b"*[", &b"a".repeat(1000)[..], b"b]c"].concat();
        assert!(matches(&pattern, &[&b"b".repeat(300)[..], b"c"].concat()));
        assert!(!matches(&pattern, &[&b"b".repeat(3000)[..], b"c"].concat()));
    }

    #[test]
    fn long_names_match_all_the_same() {
        let name = b"n".repeat(3_000_000);
        for (pattern, expected) in [(&b"*"[..], true), (b"**", true), (b"nn*", true), (b"m*", false), (b"?*", true)] {
            assert_eq!(matches(pattern, &name), expected, "{pattern:?}");
        }
    }
}
