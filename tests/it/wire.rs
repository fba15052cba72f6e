//! A connection that shows the very bytes of the protocol.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::harness::Server;

const PONG: &[u8] = b"+PONG\r\n";

pub struct Wire(UnixStream);

impl Wire {
    pub fn connect(server: &Server) -> Self {
        let stream = UnixStream::connect(server.path("socket")).expect("the server listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(if crate::memcheck::is_asked_for() { 600 } else { 60 })))
            .expect("a timeout can be set");
        Self(stream)
    }

    /// Sends a command and a PING after it: all that the server answers before the PONG. A reply that is out of step with
    /// the protocol, or a server that is gone, fails here.
    pub fn send<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Vec<u8> {
        self.exchange(packed(words))
    }

    /// The same for any number of commands.
    pub fn exchange(&mut self, mut request: Vec<u8>) -> Vec<u8> {
        request.extend(b"*1\r\n$4\r\nPING\r\n");
        self.0.write_all(&request).expect("the server takes the command");
        let mut reply = Vec::new();
        let mut piece = [0; 65536];
        while !reply.ends_with(PONG) {
            let length = self.0.read(&mut piece).expect("the server answers");
            assert_ne!(length, 0, "the server hung up after {:?}", String::from_utf8_lossy(&reply));
            reply.extend(&piece[..length]);
        }
        reply.truncate(reply.len() - PONG.len());
        reply
    }

    /// As [`Wire::send`], for an answer that is text.
    pub fn text<A: AsRef<[u8]>>(&mut self, words: &[A]) -> String {
        String::from_utf8(self.send(words)).expect("the reply is text")
    }
}

/// A command in the bytes of the protocol.
pub fn packed<A: AsRef<[u8]>>(words: &[A]) -> Vec<u8> {
    let mut request = format!("*{}\r\n", words.len()).into_bytes();
    for word in words.iter().map(AsRef::as_ref) {
        request.extend(format!("${}\r\n", word.len()).bytes());
        request.extend(word);
        request.extend(b"\r\n");
    }
    request
}
