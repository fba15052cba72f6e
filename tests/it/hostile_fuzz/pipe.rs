//! A connection that takes replies byte by byte: the core's own errors show names as they are, which client libraries that
//! want text cannot read.

use std::io::{BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use egg_testkit::client::Reply;
use egg_testkit::harness::Server;
use egg_testkit::resp::{Reader, packed};

pub struct Pipe(Reader<BufReader<UnixStream>>);

impl Pipe {
    pub fn connect(server: &Server, resp3: bool) -> Self {
        let stream = UnixStream::connect(server.path("socket")).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout can be set");
        let mut pipe = Self(Reader::new(BufReader::new(stream)));
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
        let request: Vec<u8> = commands.iter().flat_map(|words| packed(words)).collect();
        self.0.get_mut().get_mut().write_all(&request).expect("the server takes the commands");
        commands.iter().map(|_| self.0.reply()).collect()
    }
}
