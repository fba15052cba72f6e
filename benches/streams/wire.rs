//! A connection that sends what was packed before, so that the client does little while the server is measured.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use redis::{Cmd, Parser, Value};

use crate::harness::Server;

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

/// A connection.
pub struct Wire {
    stream: UnixStream,
    parser: Parser,
}

impl Wire {
    pub fn connect(server: &Server) -> Self {
        let stream = UnixStream::connect(server.path("socket")).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout can be set");
        Self { stream, parser: Parser::new() }
    }

    /// Sends commands and hands on each reply.
    pub fn send(&mut self, packed: &Packed, mut each: impl FnMut(Value)) {
        self.stream.write_all(&packed.bytes).expect("the server reads");
        for _ in 0..packed.commands {
            each(self.parser.parse_value(&self.stream).expect("a reply"));
        }
    }

    /// Sends one command; an error is a panic.
    pub fn run(&mut self, words: &[&str]) -> Value {
        let mut packed = Packed::default();
        packed.add(words.iter().copied());
        let mut reply = Value::Nil;
        self.send(&packed, |value| reply = value);
        assert!(!matches!(reply, Value::ServerError(_)), "{words:?}: {reply:?}");
        reply
    }

    /// Sends commands made one after another, a window at a time; an error is a panic.
    pub fn run_all<'a>(&mut self, window: usize, commands: impl IntoIterator<Item = Vec<&'a str>>) {
        let mut packed = Packed::default();
        let mut flush = |packed: &mut Packed| {
            self.send(packed, |reply| assert!(!matches!(reply, Value::ServerError(_)), "{reply:?}"));
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

    /// An integer reply.
    pub fn integer(&mut self, words: &[&str]) -> i64 {
        match self.run(words) {
            Value::Int(value) => value,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    /// A text reply.
    pub fn text(&mut self, words: &[&str]) -> String {
        match self.run(words) {
            Value::BulkString(text) => String::from_utf8(text).expect("a text"),
            Value::SimpleString(text) => text,
            other => panic!("{words:?}: {other:?}"),
        }
    }
}
