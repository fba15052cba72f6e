//! A connection that shows the very bytes of the protocol.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::fcall::function_call;
use crate::harness::Server;
use crate::resp::packed;

const PONG: &[u8] = b"+PONG\r\n";

pub struct Wire {
    stream: UnixStream,
    calls_functions: bool,
}

impl Wire {
    pub fn connect(server: &Server) -> Self {
        let stream = UnixStream::connect(server.path("socket")).expect("the server listens");
        let patience = Duration::from_secs(if crate::memcheck::is_asked_for() { 600 } else { 60 });
        stream.set_read_timeout(Some(patience)).expect("a timeout can be set");
        Self { stream, calls_functions: server.has_library() }
    }

    /// Sends a command and a PING after it: all that the server answers before the PONG. A reply that is out of step with
    /// the protocol, or a server that is gone, fails here.
    pub fn send<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Vec<u8> {
        let words: Vec<&[u8]> = words.iter().map(AsRef::as_ref).collect();
        let words = if self.calls_functions { function_call(&words) } else { words };
        self.exchange(packed(&words))
    }

    /// The same for any number of commands.
    pub fn exchange(&mut self, mut request: Vec<u8>) -> Vec<u8> {
        request.extend(packed(&["PING"]));
        self.stream.write_all(&request).expect("the server takes the command");
        let mut reply = Vec::new();
        let mut piece = [0; 65536];
        while !reply.ends_with(PONG) {
            let length = self.stream.read(&mut piece).expect("the server answers");
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
