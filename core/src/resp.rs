//! Reads the server's own replies (RESP2), without copying or allocating.

use crate::stream::{Bookkeeping, Delivery, Group};
use crate::values::entry_id::EntryId;
use crate::values::integer::parse_integer;

/// One element of a reply. The items of an array follow it, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `:n`
    Integer(i64),
    /// A bulk or simple string.
    Text(&'a [u8]),
    /// An error, its code first.
    Error(&'a [u8]),
    /// A null bulk string or a null array.
    Nil,
    /// The head of an array of so many items.
    Array(usize),
}

/// Walks a reply from token to token. None at the end, or where the bytes are no RESP2.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Starts at the first byte of a reply.
    pub fn new(reply: &'a [u8]) -> Self {
        Self(reply)
    }

    /// The next token.
    pub fn token(&mut self) -> Option<Token<'a>> {
        let (&kind, rest) = self.0.split_first()?;
        if kind == b'+' || kind == b'-' {
            let end = rest.iter().position(|&byte| byte == b'\r')?;
            let line = rest.get(..end)?;
            self.0 = rest.get(end + 2..)?;
            return Some(if kind == b'+' { Token::Text(line) } else { Token::Error(line) });
        }
        let (number, rest) = number(rest)?;
        self.0 = rest;
        Some(match kind {
            b':' => Token::Integer(number),
            b'*' | b'$' if number == -1 => Token::Nil,
            b'*' => Token::Array(usize::try_from(number).ok()?),
            b'$' => {
                let length = usize::try_from(number).ok()?;
                let text = rest.get(..length)?;
                self.0 = rest.get(length + 2..)?;
                Token::Text(text)
            }
            _ => return None,
        })
    }

    /// The length of the array that comes next; None if something else does.
    pub fn array(&mut self) -> Option<usize> {
        match self.token()? {
            Token::Array(length) => Some(length),
            _ => None,
        }
    }

    /// The string that comes next; None if something else does.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        match self.token()? {
            Token::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Passes over one whole element, with all that is in it.
    pub fn skip(&mut self) -> Option<()> {
        let mut left = 1_usize;
        while left > 0 {
            left -= 1;
            if let Token::Array(length) = self.token()? {
                left = left.checked_add(length)?;
            }
        }
        Some(())
    }
}

/// The number that a line is, and what is behind the line. Nearly all are short: these are read in one pass.
///
/// A loop of its own, though ids have one like it: every call reads some thirty such lines, and the shared one, for numbers
/// without a sign, took 1 % of all the instructions of an EGG.ACKDEL more.
fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    let (mut value, mut count) = (0_i64, 0);
    for byte in text.iter().take(18) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        count += 1;
    }
    match text.get(count..)? {
        [b'\r', b'\n', rest @ ..] if count > 0 => Some((value, rest)),
        _ => {
            let end = text.iter().position(|&byte| byte == b'\r')?;
            Some((parse_integer(text.get(..end)?)?, text.get(end + 2..)?))
        }
    }
}

/// The integer that a reply is. None if it is something else.
pub fn integer(reply: &[u8]) -> Option<i64> {
    match Reader::new(reply).token()? {
        Token::Integer(value) => Some(value),
        _ => None,
    }
}

/// The text of the error that a reply is, its code first. None if it is something else.
pub fn error(reply: &[u8]) -> Option<&[u8]> {
    match Reader::new(reply).token()? {
        Token::Error(text) => Some(text),
        _ => None,
    }
}

/// The groups in an `XINFO GROUPS` reply.
pub fn groups(reply: &[u8]) -> Option<Vec<Group<'_>>> {
    let mut reader = Reader::new(reply);
    let count = reader.array()?;
    let mut groups = Vec::with_capacity(count.min(reply.len()));
    for _ in 0..count {
        let mut group = Group::default();
        for _ in 0..reader.array()? / 2 {
            match (reader.text()?, reader.token()?) {
                (b"name", Token::Text(name)) => group.name = name,
                (b"pending", Token::Integer(pending)) => group.pending = u64::try_from(pending).ok()?,
                (b"last-delivered-id", Token::Text(id)) => group.last_delivered = EntryId::parse(id)?,
                (b"lag", Token::Integer(lag)) => group.lag = Some(lag),
                (b"name" | b"pending" | b"last-delivered-id", _) | (_, Token::Array(_)) => return None,
                _ => {}
            }
        }
        groups.push(group);
    }
    Some(groups)
}

/// The ids in an `XPENDING key group min max count` reply.
pub fn pending_ids(reply: &[u8]) -> Option<Vec<EntryId>> {
    let mut reader = Reader::new(reply);
    let count = reader.array()?;
    let mut ids = Vec::with_capacity(count.min(reply.len()));
    for _ in 0..count {
        let fields = reader.array()?;
        ids.push(EntryId::parse(reader.text()?)?);
        for _ in 1..fields {
            reader.skip()?;
        }
    }
    Some(ids)
}

/// The delivery in an `XPENDING key group id id 1` reply: None inside if the id is not pending.
pub fn delivery(reply: &[u8]) -> Option<Option<Delivery>> {
    let mut reader = Reader::new(reply);
    if reader.array()? == 0 {
        return Some(None);
    }
    reader.array()?;
    reader.skip()?;
    let consumer = reader.text()?.to_vec();
    reader.skip()?;
    match reader.token()? {
        // The core counts without a sign and shows the count with one: XCLAIM can set it to the largest integer.
        Token::Integer(count) => Some(Some(Delivery { consumer, count: count.cast_unsigned() })),
        _ => None,
    }
}

/// The shortest idle time, in milliseconds, in an `XINFO CONSUMERS` reply: None inside if it lists no consumer.
pub fn shortest_idle(reply: &[u8]) -> Option<Option<u64>> {
    let mut reader = Reader::new(reply);
    let mut shortest = None;
    for _ in 0..reader.array()? {
        for _ in 0..reader.array()? / 2 {
            if let (b"idle", Token::Integer(idle)) = (reader.text()?, reader.token()?) {
                let idle = u64::try_from(idle).ok()?;
                shortest = Some(shortest.map_or(idle, |shortest: u64| shortest.min(idle)));
            }
        }
    }
    Some(shortest)
}

/// The counters of an `XINFO STREAM` reply.
pub fn bookkeeping(reply: &[u8]) -> Option<Bookkeeping> {
    let mut reader = Reader::new(reply);
    let mut found = Bookkeeping::default();
    for _ in 0..reader.array()? / 2 {
        match reader.text()? {
            b"last-generated-id" => found.last_generated = EntryId::parse(reader.text()?)?,
            b"max-deleted-entry-id" => found.max_deleted = EntryId::parse(reader.text()?)?,
            b"entries-added" => match reader.token()? {
                // Shown with a sign, too, and XSETID can set it.
                Token::Integer(added) => found.entries_added = added.cast_unsigned(),
                _ => return None,
            },
            _ => reader.skip()?,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests;
