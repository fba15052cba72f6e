//! A connection that sends what was packed before, and reads replies fast: so that the client does little while the server
//! is measured. (The `redis` crate's parser reads 64 bytes at a time, and would be most of what the clock shows.)

use std::io::{BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use egg_testkit::client::Reply;
use egg_testkit::harness::Server;
use egg_testkit::resp::{Reader, packed};

/// Commands ready to be sent at once.
#[derive(Default)]
pub struct Packed {
    bytes: Vec<u8>,
    pub commands: usize,
}

impl Packed {
    pub fn add<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        let words: Vec<&str> = words.into_iter().collect();
        self.bytes.extend(packed(&words));
        self.commands += 1;
    }
}

/// A connection (RESP2).
pub struct Wire {
    stream: Reader<BufReader<UnixStream>>,
}

impl Wire {
    pub fn connect(server: &Server) -> Self {
        let stream = UnixStream::connect(server.path("socket")).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout can be set");
        Self { stream: Reader::new(BufReader::with_capacity(64 * 1024, stream)) }
    }

    /// Sends commands and hands on each reply.
    pub fn send(&mut self, packed: &Packed, mut each: impl FnMut(Reply)) {
        self.stream.get_mut().get_mut().write_all(&packed.bytes).expect("the server reads");
        for _ in 0..packed.commands {
            each(self.stream.reply());
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
