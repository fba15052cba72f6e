//! Glob patterns, as KEYS and SCAN know them.

/// Steps that a match may take: some milliseconds.
const PATIENCE: u32 = 1_000_000;

/// Whether `text` matches `pattern`: `*` any run of bytes, `?` any byte, `[a-c]` and `[^a]` one byte of a set or not of it,
/// `\` takes the next byte as it is. Bytes, not characters; case counts.
///
/// Of two stars only the last one is ever gone back to, so the time is at most the product of the lengths (the core's
/// recursive `stringmatchlen` can take exponential time, CVE-2022-36021). And after [`PATIENCE`] goes at it, there is no
/// match: names of a megabyte would block the server for half a minute.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut rest, mut text) = (pattern, text);
    let mut retry: Option<(&[u8], &[u8])> = None;
    let mut steps = 0;
    loop {
        steps += 1;
        if steps > PATIENCE {
            return false;
        }
        if let Some(after) = rest.strip_prefix(b"*") {
            retry = Some((after, text));
            rest = after;
            continue;
        }
        if rest.is_empty() && text.is_empty() {
            return true;
        }
        let step = text.split_first().and_then(|(&byte, left)| Some((match_one(rest, byte)?, left)));
        if let Some(next) = step {
            (rest, text) = next;
            continue;
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
}

/// The pattern behind its first element, if that element (which is no star) matches the byte.
fn match_one(pattern: &[u8], byte: u8) -> Option<&[u8]> {
    match pattern {
        [b'?', rest @ ..] => Some(rest),
        [b'[', rest @ ..] => match_set(rest, byte),
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => (*literal == byte).then_some(rest),
        [] => None,
    }
}

/// The pattern behind a set, whose opening bracket is passed, if the byte is in it. A set that is not closed ends with the
/// pattern.
fn match_set(set: &[u8], byte: u8) -> Option<&[u8]> {
    let (negated, mut set) = match set {
        [b'^', rest @ ..] => (true, rest),
        _ => (false, set),
    };
    let mut found = false;
    loop {
        set = match set {
            [] => return (found != negated).then_some(&[]),
            [b']', rest @ ..] => return (found != negated).then_some(rest),
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
    }
}
