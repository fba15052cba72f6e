//! A connection that sends what was packed before, and reads replies fast: so that the client does little while the server
//! is measured. (The `redis` crate's parser reads 64 bytes at a time, and would be most of what the clock shows.)

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use redis::Cmd;

use egg_testkit::client::Reply;
use egg_testkit::harness::Server;

/// Commands ready to be sent at once.
#[derive(Default)]
pub struct Packed {
    bytes: Vec<u8>,
    pub commands: usize,
}

impl Packed {
    pub fn add<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        let mut command = Cmd::new();
        for word in words {
            command.arg(word);
        }
        self.bytes.extend(command.get_packed_command());
        self.commands += 1;
    }
}

/// A connection (RESP2).
pub struct Wire {
    stream: BufReader<UnixStream>,
    line: Vec<u8>,
}

impl Wire {
    pub fn connect(server: &Server) -> Self {
        let stream = UnixStream::connect(server.path("socket")).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout can be set");
        Self { stream: BufReader::with_capacity(64 * 1024, stream), line: Vec::new() }
    }

    /// Sends commands and hands on each reply.
    pub fn send(&mut self, packed: &Packed, mut each: impl FnMut(Reply)) {
        self.stream.get_mut().write_all(&packed.bytes).expect("the server reads");
        for _ in 0..packed.commands {
            each(self.reply());
        }
    }

    fn reply(&mut self) -> Reply {
        self.line.clear();
        self.stream.read_until(b'\n', &mut self.line).expect("a reply");
        let text = self.line.strip_suffix(b"\r\n").expect("a whole line");
        let rest = String::from_utf8_lossy(&text[1..]);
        let number = || rest.parse::<i64>().expect("a number");
        match text[0] {
            b'+' => Reply::Text(text[1..].to_vec()),
            b'-' => Reply::Error(rest.into_owned()),
            b':' => Reply::Integer(number()),
            b'$' | b'*' if number() < 0 => Reply::Nil,
            b'$' => {
                let mut text = vec![0; number() as usize + 2];
                self.stream.read_exact(&mut text).expect("a whole string");
                text.truncate(text.len() - 2);
                Reply::Text(text)
            }
            b'*' => {
                let count = number();
                Reply::Array((0..count).map(|_| self.reply()).collect())
            }
            other => panic!("a reply that begins with {other}"),
        }
    }

    /// Sends one command; an error is a panic.
    pub fn run(&mut self, words: &[&str]) -> Reply {
        let mut packed = Packed::default();
        packed.add(words.iter().copied());
        let mut reply = Reply::Nil;
        self.send(&packed, |value| reply = value);
        assert!(!matches!(reply, Reply::Error(_)), "{words:?}: {reply:?}");
        reply
    }

    /// Sends commands made one after another, a window at a time; an error is a panic.
    pub fn run_all<'a>(&mut self, window: usize, commands: impl IntoIterator<Item = Vec<&'a str>>) {
        let mut packed = Packed::default();
        let mut flush = |packed: &mut Packed| {
            self.send(packed, |reply| assert!(!matches!(reply, Reply::Error(_)), "{reply:?}"));
            *packed = Packed::default();
        };
        for command in commands {
            packed.add(command);
            if packed.commands == window {
                flush(&mut packed);
            }
        }
        flush(&mut packed);
    }
}
