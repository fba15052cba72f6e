//! A connection, and what tests ask and do with it again and again.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use redis::ConnectionLike as _;

use crate::fcall;
pub use crate::reply::Reply;
use crate::reply::text_of;

/// A command written as one line, split at spaces.
pub fn words(line: &str) -> Vec<&str> {
    line.split_ascii_whitespace().collect()
}

/// A connection to a server.
pub struct Client {
    connection: redis::Connection,
    /// Calls the Function library for the module's commands.
    pub calls_functions: bool,
}

impl Client {
    pub fn try_connect(socket: &Path, resp3: bool) -> Option<Self> {
        let protocol = if resp3 { "?protocol=resp3" } else { "" };
        let client = redis::Client::open(format!("unix://{}{protocol}", socket.display())).ok()?;
        let connection = client.get_connection().ok()?;
        // A server that hangs fails the test instead of hanging it.
        connection
            .set_read_timeout(Some(Duration::from_secs(if crate::memcheck::is_asked_for() { 1200 } else { 120 })))
            .ok()?;
        Some(Self { connection, calls_functions: false })
    }

    fn command<A: AsRef<[u8]>>(&self, words: &[A]) -> redis::Cmd {
        let words: Vec<&[u8]> = words.iter().map(A::as_ref).collect();
        let mut command = redis::Cmd::new();
        command.arg(if self.calls_functions { fcall::function_call(&words) } else { words });
        command
    }

    /// Sends a command; Err if the connection broke.
    pub fn try_send<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Result<Reply, String> {
        match self.connection.req_command(&self.command(words)) {
            Ok(value) => Ok(value.into()),
            Err(error) => match error.code() {
                Some(code) => Ok(Reply::Error(text_of(code, error.detail()))),
                None => Err(error.to_string()),
            },
        }
    }

    /// Sends a command, word by word: any bytes.
    pub fn send<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Reply {
        self.try_send(words).unwrap_or_else(|error| panic!("the connection broke: {error}"))
    }

    /// Sends a command written as one line, split at spaces.
    pub fn run(&mut self, line: &str) -> Reply {
        self.send(&words(line))
    }

    /// Sends several lines; panics at the first error.
    pub fn all(&mut self, lines: &[&str]) {
        for line in lines {
            if let Reply::Error(error) = self.run(line) {
                panic!("{line}: {error}");
            }
        }
    }

    /// Sends many commands at once and takes all their replies.
    pub fn pipeline<A: AsRef<[u8]>>(&mut self, commands: &[Vec<A>]) -> Vec<Reply> {
        self.submit(commands);
        self.collect(commands.len())
    }

    /// Sends many commands at once, for [`Client::collect`] to take their replies: other servers can work meanwhile.
    pub fn submit<A: AsRef<[u8]>>(&mut self, commands: &[Vec<A>]) {
        let mut bytes = Vec::new();
        for words in commands {
            bytes.extend(self.command(words).get_packed_command());
        }
        self.connection.send_packed_command(&bytes).unwrap_or_else(|error| panic!("the connection broke: {error}"));
    }

    /// Takes the replies to what was submitted.
    pub fn collect(&mut self, count: usize) -> Vec<Reply> {
        let reply = |connection: &mut redis::Connection| match connection.recv_response() {
            Ok(value) => value.into(),
            Err(error) => panic!("the connection broke: {error}"),
        };
        (0..count).map(|_| reply(&mut self.connection)).collect()
    }

    /// A field of INFO.
    pub fn info(&mut self, section: &str, field: &str) -> String {
        let text = self.send(&["INFO", section]).text();
        let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':').map(str::to_owned));
        value.unwrap_or_else(|| panic!("no field {field} in INFO {section}:\n{text}"))
    }

    /// The row of a group in XINFO GROUPS.
    pub fn group(&mut self, key: &str, group: &str) -> Reply {
        let groups = self.send(&["XINFO", "GROUPS", key]);
        let row = groups.array().iter().find(|row| *row.field("name") == group).cloned();
        row.unwrap_or_else(|| panic!("no group {group} in {groups:?}"))
    }

    /// The ids in a stream.
    pub fn ids(&mut self, key: &str) -> Vec<String> {
        self.send(&["XRANGE", key, "-", "+"]).array().iter().map(|entry| entry.array()[0].text()).collect()
    }

    /// The entries of a stream, each with its fields and values in one line.
    pub fn entries(&mut self, key: &str) -> Vec<(String, String)> {
        let line = |fields: &Reply| fields.array().iter().map(Reply::text).collect::<Vec<_>>().join(" ");
        let entries = self.send(&["XRANGE", key, "-", "+"]);
        entries.array().iter().map(|entry| (entry.array()[0].text(), line(&entry.array()[1]))).collect()
    }

    /// The ids pending in a group.
    pub fn pending(&mut self, key: &str, group: &str) -> Vec<String> {
        let rows = self.send(&["XPENDING", key, group, "-", "+", "1000000"]);
        rows.array().iter().map(|row| row.array()[0].text()).collect()
    }

    /// Adds entries `1-0`, `2-0` and so on, up to `count-0`, to the stream `s`, and has each group read them all.
    pub fn stream(&mut self, count: usize, groups: &[&str]) {
        self.add(1..=count);
        for group in groups {
            self.all(&[&format!("XGROUP CREATE s {group} 0")]);
            self.read(group, count);
        }
    }

    /// Adds entries `n-0` to the stream `s`.
    pub fn add(&mut self, numbers: RangeInclusive<usize>) {
        let commands: Vec<_> =
            numbers.map(|n| ["XADD", "s", &format!("{n}-0"), "f", "v"].map(str::to_owned).to_vec()).collect();
        self.pipeline(&commands);
    }

    /// Reads new entries of the stream `s` as consumer `c` of a group: their ids.
    pub fn read(&mut self, group: &str, count: usize) -> Vec<String> {
        match self.run(&format!("XREADGROUP GROUP {group} c COUNT {count} STREAMS s >")) {
            Reply::Nil => Vec::new(),
            streams => streams.array()[0].array()[1].array().iter().map(|entry| entry.array()[0].text()).collect(),
        }
    }

    /// All that there is to know of a stream that does not change by itself: what a refused call must leave alone.
    pub fn state(&mut self, key: &str) -> Vec<Reply> {
        let mut state = vec![self.send(&["TYPE", key]), self.send(&["XINFO", "STREAM", key, "FULL", "COUNT", "0"])];
        if let Reply::Array(groups) = self.send(&["XINFO", "GROUPS", key]) {
            for group in &groups {
                state.push(self.send(&["XPENDING", key, &group.field("name").text()]));
            }
            state.push(Reply::Array(groups));
        }
        state
    }

    /// Keyspace events as "key event", received until `action` is done. `action` gets another connection.
    pub fn events_of(&mut self, other: &mut Client, action: impl FnOnce(&mut Client)) -> Vec<String> {
        const END: &str = "end of events";
        const KEYSPACE: &str = "__keyspace@0__:";
        other.all(&["CONFIG SET notify-keyspace-events KA"]);
        let mut subscription = self.connection.as_pubsub();
        subscription.psubscribe(format!("{KEYSPACE}*")).expect("psubscribe");
        subscription.subscribe(END).expect("subscribe");
        action(other);
        // Sent after the action, so every event comes before it.
        other.send(&["PUBLISH", END, ""]);
        let mut events = Vec::new();
        loop {
            let message = subscription.get_message().expect("an event or the end");
            let channel = message.get_channel_name();
            if channel == END {
                return events;
            }
            let event: String = message.get_payload().expect("events are text");
            events.push(format!("{} {event}", channel.trim_start_matches(KEYSPACE)));
        }
    }
}
