//! A connection that takes replies byte by byte: the core's own errors show names as they are, which client libraries that
//! want text cannot read.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use egg_testkit::client::Reply;
use egg_testkit::harness::Server;

pub struct Pipe(BufReader<UnixStream>);

impl Pipe {
    pub fn connect(server: &Server, resp3: bool) -> Self {
        let stream = UnixStream::connect(server.path("socket")).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout can be set");
        let mut pipe = Self(BufReader::new(stream));
        if resp3 {
            pipe.send(&[b"HELLO".to_vec(), b"3".to_vec()]);
        }
        pipe
    }

    pub fn send(&mut self, words: &[Vec<u8>]) -> Reply {
        self.all(&[words.to_vec()]).remove(0)
    }

    /// Sends commands at once, and takes all their replies.
    pub fn all(&mut self, commands: &[Vec<Vec<u8>>]) -> Vec<Reply> {
        let mut request = Vec::new();
        for words in commands {
            request.extend(format!("*{}\r\n", words.len()).bytes());
            for word in words {
                request.extend(format!("${}\r\n", word.len()).bytes());
                request.extend(word);
                request.extend(b"\r\n");
            }
        }
        self.0.get_mut().write_all(&request).expect("the server takes the commands");
        commands.iter().map(|_| self.reply()).collect()
    }

    fn reply(&mut self) -> Reply {
        let mut line = Vec::new();
        self.0.read_until(b'\n', &mut line).expect("the server answers");
        let [kind, text @ .., b'\r', b'\n'] = &line[..] else { panic!("no line of the protocol: {line:?}") };
        let latin: String = text.iter().copied().map(char::from).collect();
        let number = || latin.parse::<i64>().unwrap_or_else(|_| panic!("no number: {latin:?}"));
        let length = || usize::try_from(number()).ok();
        match kind {
            b'+' => Reply::Text(text.to_vec()),
            b'-' => Reply::Error(latin),
            b':' => Reply::Integer(number()),
            b'_' => Reply::Nil,
            b'$' => length().map_or(Reply::Nil, |length| {
                let mut bulk = vec![0; length + 2];
                self.0.read_exact(&mut bulk).expect("the whole string");
                assert!(bulk.ends_with(b"\r\n"), "a string that does not end where it says");
                bulk.truncate(length);
                Reply::Text(bulk)
            }),
            b'*' => length().map_or(Reply::Nil, |length| Reply::Array((0..length).map(|_| self.reply()).collect())),
            b'%' => Reply::Map((0..length().unwrap_or(0)).map(|_| (self.reply(), self.reply())).collect()),
            _ => panic!("no reply: {line:?}"),
        }
    }
}
