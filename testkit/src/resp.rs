//! The protocol of the servers, RESP2 and RESP3, byte by byte: for what the `redis` crate is too slow for, or too strict, as
//! it wants every error to be text, while the core's own show names as they are.

use std::io::{self, BufRead, Write};
use std::str;

use crate::reply::Reply;

/// Reads replies, and commands, which look like arrays.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    line: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new() }
    }

    pub fn get_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// Whether nothing comes any more.
    pub fn is_at_end(&mut self) -> bool {
        self.input.fill_buf().expect("the input can be read").is_empty()
    }

    /// Takes one reply. What is out of step with the protocol, or broken off, is a panic.
    pub fn reply(&mut self) -> Reply {
        self.line.clear();
        self.input.read_until(b'\n', &mut self.line).expect("the server answers");
        let [kind, text @ .., b'\r', b'\n'] = &self.line[..] else {
            panic!("no line of the protocol: \"{}\"", self.line.escape_ascii())
        };
        match kind {
            b'+' | b',' | b'(' => Reply::Text(text.to_vec()),
            b'-' => Reply::Error(String::from_utf8_lossy(text).into_owned()),
            b':' => Reply::Integer(number(text)),
            b'#' => Reply::Integer((text == b"t").into()),
            b'_' => Reply::Nil,
            b'$' => length(text).map_or(Reply::Nil, |length| Reply::Text(self.bulk(length))),
            b'=' => {
                let text = self.bulk(number(text) as usize);
                // Its format comes first: `txt:`, or `mkd:`.
                Reply::Text(text[4..].to_vec())
            }
            b'!' => {
                let text = self.bulk(number(text) as usize);
                Reply::Error(String::from_utf8_lossy(&text).into_owned())
            }
            b'*' | b'~' | b'>' => length(text).map_or(Reply::Nil, |length| {
                let items = (0..length).map(|_| self.reply());
                Reply::Array(items.collect())
            }),
            b'%' => {
                let pairs = number(text);
                Reply::Map((0..pairs).map(|_| (self.reply(), self.reply())).collect())
            }
            b'|' => {
                // What is told of the reply that follows.
                for _ in 0..2 * number(text) {
                    self.reply();
                }
                self.reply()
            }
            _ => panic!("no reply: \"{}\"", self.line.escape_ascii()),
        }
    }

    fn bulk(&mut self, length: usize) -> Vec<u8> {
        let mut text = vec![0; length + 2];
        self.input.read_exact(&mut text).expect("the whole string");
        assert!(text.ends_with(b"\r\n"), "a string that does not end where it says");
        text.truncate(length);
        text
    }
}

fn number(text: &[u8]) -> i64 {
    let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.unwrap_or_else(|| panic!("no number: \"{}\"", text.escape_ascii()))
}

/// None is RESP2's nil.
fn length(text: &[u8]) -> Option<usize> {
    usize::try_from(number(text)).ok()
}

/// The commands in a piece of an append only file, or of what replicas are sent.
pub fn commands_in(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = Reader::new(bytes);
    let mut commands = Vec::new();
    while !reader.is_at_end() {
        commands.push(reader.reply().array().iter().map(Reply::text).collect());
    }
    commands
}

/// A command in the bytes of the protocol.
pub fn packed<A: AsRef<[u8]>>(words: &[A]) -> Vec<u8> {
    let mut request = Vec::new();
    pack(&mut request, words).expect("memory takes it");
    request
}

/// The same, behind what is there.
pub fn pack<A: AsRef<[u8]>>(request: &mut impl Write, words: &[A]) -> io::Result<()> {
    write!(request, "*{}\r\n", words.len())?;
    for word in words.iter().map(AsRef::as_ref) {
        write!(request, "${}\r\n", word.len())?;
        request.write_all(word)?;
        request.write_all(b"\r\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Reader, commands_in, packed};
    use crate::reply::Reply;

    fn read(bytes: &str) -> Reply {
        let mut reader = Reader::new(bytes.as_bytes());
        let reply = reader.reply();
        assert!(reader.is_at_end(), "{bytes}");
        reply
    }

    fn text(text: &str) -> Reply {
        Reply::from(text)
    }

    #[test]
    fn every_type_of_both_protocols_is_read() {
        for (bytes, expected) in [
            ("+OK\r\n", text("OK")),
            ("-ERR no\r\n", Reply::Error("ERR no".to_owned())),
            (":-7\r\n", Reply::Integer(-7)),
            ("$4\r\na\r\nb\r\n", text("a\r\nb")),
            ("$0\r\n\r\n", text("")),
            ("$-1\r\n", Reply::Nil),
            ("*-1\r\n", Reply::Nil),
            ("*0\r\n", Reply::Array(Vec::new())),
            ("*2\r\n:1\r\n*1\r\n_\r\n", Reply::Array(vec![Reply::Integer(1), Reply::Array(vec![Reply::Nil])])),
            ("_\r\n", Reply::Nil),
            ("#t\r\n", Reply::Integer(1)),
            ("#f\r\n", Reply::Integer(0)),
            (",1.5\r\n", text("1.5")),
            ("(12345678901234567890\r\n", text("12345678901234567890")),
            ("!6\r\nERR no\r\n", Reply::Error("ERR no".to_owned())),
            ("=6\r\ntxt:ab\r\n", text("ab")),
            ("~1\r\n:1\r\n", Reply::Array(vec![Reply::Integer(1)])),
            (">1\r\n:1\r\n", Reply::Array(vec![Reply::Integer(1)])),
            ("%1\r\n+a\r\n:1\r\n", Reply::Map(vec![(text("a"), Reply::Integer(1))])),
            ("|1\r\n+ttl\r\n:9\r\n+a\r\n", text("a")),
        ] {
            assert_eq!(read(bytes), expected, "{bytes}");
        }
    }

    #[test]
    fn commands_are_read_as_they_were_packed() {
        let bytes = [packed(&["SET", "k", ""]), packed(&["PING"])].concat();
        assert_eq!(bytes, b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n*1\r\n$4\r\nPING\r\n");
        assert_eq!(commands_in(&bytes), [&["SET", "k", ""][..], &["PING"]]);
    }

    #[test]
    #[should_panic(expected = "does not end where it says")]
    fn a_string_that_is_longer_than_it_says_is_noticed() {
        read("$1\r\nab\r\n");
    }
}
