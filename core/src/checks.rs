//! What must hold of the parsers whatever bytes they are given. libFuzzer finds the bytes (`make fuzz-parser`); the unit tests
//! go through here as well, with random ones.

use crate::requests::ackdel::AckDelRequest;
use crate::requests::ackmove::AckMoveRequest;
use crate::requests::add::AddRequest;
use crate::requests::arguments::{Arguments as _, Dialect};
use crate::requests::groupreap::GroupReapRequest;
use crate::requests::ids::{IdsRequest, parse_ids};
use crate::requests::trim::TrimRequest;
use crate::resp::{self, Reader};
use crate::values::entry_id::EntryId;
use crate::values::error::{Error, Escaped, Foreign};
use crate::values::glob;
use crate::values::integer::{parse_count, parse_integer};
use crate::values::policy::{AckPolicy, DeletePolicy};

/// Words of a command.
type Words<'a> = Vec<&'a [u8]>;

/// Checks one input: its first byte says what it is taken for.
pub fn check(input: &[u8]) {
    let Some((kind, rest)) = input.split_first() else { return };
    match kind % 4 {
        0 | 1 => requests(&rest.split(|byte| *byte == b'\n').collect()),
        2 => replies(rest),
        _ => {
            texts(rest);
            let (pattern, text) = rest.split_at(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len() / 2));
            globs(pattern, text.get(1..).unwrap_or_default());
        }
    }
}

/// Every grammar. What is accepted lies within the arguments; what is refused has a clean line to say so.
fn requests(words: &Words<'_>) {
    let mut errors = Vec::new();
    let ids = |block: std::ops::Range<usize>, first: usize| {
        assert!(first + 2 <= block.start && !block.is_empty() && block.end <= words.len());
        let count = words.get(block.start - 1).and_then(parse_count);
        assert_eq!(count, Some(block.len()));
        match parse_ids(words, block.clone()) {
            Ok(ids) => assert_eq!(ids.len(), block.len()),
            Err(error) => assert_eq!(error, Error::InvalidId),
        }
    };
    match AckDelRequest::parse(words) {
        Ok(request) => ids(request.block, 3),
        Err(error) => errors.push(error),
    }
    match AckMoveRequest::parse(words) {
        Ok(request) => {
            assert!(request.set.len() * 2 < words.len() && request.trim.ignore_idle.is_none());
            ids(request.block, 4);
        }
        Err(error) => errors.push(error),
    }
    for dialect in [Dialect::Egg, Dialect::Native] {
        match IdsRequest::parse(words, 2, dialect, DeletePolicy::parse) {
            Ok(request) => ids(request.block, 2),
            Err(error) => errors.push(error),
        }
        match TrimRequest::parse(words, dialect) {
            Ok(request) => {
                assert!(dialect == Dialect::Egg || request.threshold.is_some() && request.ignore_idle.is_none());
                assert!(request.limit.is_none_or(|limit| i64::try_from(limit).is_ok()));
                assert!(request.ignore_idle != Some(0));
            }
            Err(error) => errors.push(error),
        }
    }
    match GroupReapRequest::parse(words) {
        Ok(request) => assert!(request.criteria.idle > 0),
        Err(error) => errors.push(error),
    }
    match AddRequest::parse(words, "egg.add") {
        Ok(request) => assert!(request.id >= 2 && (words.len() - request.id) % 2 == 1 && words.len() - request.id >= 3),
        Err(error) => errors.push(error),
    }
    let name = |index: usize| words.get(index).unwrap_or_default().to_vec();
    errors.push(Error::NoGroup { key: name(1), group: name(2) });
    let others = Foreign { names: vec![name(1), name(2), name(3)], total: words.len().max(3) };
    errors.push(Error::NotAlone { key: name(1), group: name(2), others: others.clone() });
    errors.push(Error::ForeignGroup(others));
    for error in errors {
        let line = error.to_string();
        assert!(line.bytes().all(|byte| matches!(byte, b' '..=b'~')) && line.len() < 1600, "{line:?}");
    }
}

/// Every reader of the server's own replies, on bytes that may be none.
fn replies(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    let tokens = std::iter::from_fn(|| reader.token()).count();
    assert!(tokens <= bytes.len());
    let _ = Reader::new(bytes).skip();
    let _ = resp::delivery(bytes);
    let _ = resp::shortest_idle(bytes);
    let _ = resp::bookkeeping(bytes);
    let (integer, error) = (resp::integer(bytes), resp::error(bytes));
    assert!(integer.is_none() || error.is_none());
    assert!(resp::groups(bytes).is_none_or(|groups| groups.len() < bytes.len()));
    assert!(resp::pending_ids(bytes).is_none_or(|ids| ids.len() < bytes.len()));
}

/// What stands for a number, an id, a policy or a name.
fn texts(text: &[u8]) {
    if let Some(id) = EntryId::parse(text) {
        assert_eq!(EntryId::parse(id.to_string().as_bytes()), Some(id));
        assert!(id.successor().is_none_or(|next| next > id && next.previous() == id));
        assert!(id.previous() < id || id == EntryId::MIN);
    }
    if let Some(number) = parse_integer(text) {
        assert_eq!(number.to_string().as_bytes(), text);
    }
    if let Some(AckPolicy::Delete(policy)) = AckPolicy::parse(text) {
        assert_eq!(DeletePolicy::parse(text), Some(policy));
    }
    let shown = Escaped(text).to_string();
    assert!(shown.bytes().all(|byte| matches!(byte, b' '..=b'~')) && shown.len() <= 4 * Escaped::LONGEST + 3);
}

/// A pattern, held against the plainest way to match it.
fn globs(pattern: &[u8], text: &[u8]) {
    assert!(glob::matches(b"*", text));
    let literal: Vec<u8> = text.iter().flat_map(|byte| [b'\\', *byte]).collect();
    assert!(glob::matches(&literal, text));
    if pattern.len() * text.len() <= 4096 {
        assert_eq!(glob::matches(pattern, text), plain_match(pattern, text), "{pattern:?} {text:?}");
    }
}

/// Which suffixes of the text match the pattern, element by element: no going back, and so nothing to get wrong.
fn plain_match(pattern: &[u8], text: &[u8]) -> bool {
    // reached[n]: what stands before the element matches the first n bytes.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let mut at = 0;
    while at < pattern.len() {
        let mut next = vec![false; text.len() + 1];
        if pattern[at] == b'*' {
            let first = reached.iter().position(|reached| *reached).unwrap_or(reached.len());
            next.iter_mut().skip(first).for_each(|next| *next = true);
            at += 1;
        } else {
            let (fits, width) = element(&pattern[at..]);
            for (n, byte) in text.iter().enumerate() {
                next[n + 1] = reached[n] && fits[usize::from(*byte)];
            }
            at += width;
        }
        reached = next;
    }
    reached[text.len()]
}

/// The bytes that the first element of a pattern takes, and its width.
fn element(pattern: &[u8]) -> ([bool; 256], usize) {
    let mut fits = [false; 256];
    match pattern[0] {
        b'?' => (fits.map(|_| true), 1),
        b'\\' if pattern.len() > 1 => {
            fits[usize::from(pattern[1])] = true;
            (fits, 2)
        }
        b'[' => {
            let negated = pattern.get(1) == Some(&b'^');
            let mut at = if negated { 2 } else { 1 };
            while at < pattern.len() && pattern[at] != b']' {
                if pattern[at] == b'\\' && at + 1 < pattern.len() {
                    fits[usize::from(pattern[at + 1])] = true;
                    at += 2;
                } else if at + 2 < pattern.len() && pattern[at + 1] == b'-' {
                    let (one, other) = (usize::from(pattern[at]), usize::from(pattern[at + 2]));
                    fits[one.min(other)..=one.max(other)].iter_mut().for_each(|fits| *fits = true);
                    at += 3;
                } else {
                    fits[usize::from(pattern[at])] = true;
                    at += 1;
                }
            }
            (fits.map(|fits| fits != negated), (at + 1).min(pattern.len()))
        }
        literal => {
            fits[usize::from(literal)] = true;
            (fits, 1)
        }
    }
}

#[cfg(test)]
mod tests {
    /// What libFuzzer begins with.
    const SEEDS: &[&[u8]] = &[
        include_bytes!("../../fuzz/seeds/ackmove"),
        include_bytes!("../../fuzz/seeds/add"),
        include_bytes!("../../fuzz/seeds/delivery"),
        include_bytes!("../../fuzz/seeds/glob"),
        include_bytes!("../../fuzz/seeds/groups"),
        include_bytes!("../../fuzz/seeds/reap"),
        include_bytes!("../../fuzz/seeds/trim"),
    ];
    const WORDS: &str = include_str!("../../fuzz/words.dict");

    #[test]
    fn random_bytes_break_no_parser() {
        let words: Vec<&[u8]> = WORDS.lines().filter_map(|line| line.split('"').nth(1)).map(str::as_bytes).collect();
        assert!(words.len() > 40);
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 33).unwrap_or_default() % limit
        };
        for _ in 0..5_000 {
            let mut input = SEEDS[below(SEEDS.len())].to_vec();
            super::check(&input);
            for _ in 0..1 + below(6) {
                let at = below(input.len());
                match below(5) {
                    0 => input[at] = u8::try_from(below(256)).unwrap_or_default(),
                    1 => drop(input.splice(at..at, words[below(words.len())].iter().copied())),
                    2 => drop(input.splice(at..at, b"\n".iter().copied())),
                    3 => input.extend_from_within(at..),
                    _ => input.truncate(at.max(1)),
                }
                input.truncate(2000);
            }
            super::check(&input);
        }
    }
}
