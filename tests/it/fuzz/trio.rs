//! Three servers side by side: 8.2.3, the target with EGG, and the target without: that one tells what is the core's doing.

use std::collections::BTreeMap;

use super::call::{Call, Verb};
use super::effects::{in_core_commands, mend, words};
use super::history::{KEYS, STRING};
use super::quirks::{Memory, Rule, Seen, entries_read_may_differ, lag_may_differ};
use super::state::{Group, Stream, differences};
use crate::client::{Client, Reply};
use crate::harness::{Kind, Options, Server};
use crate::vectors::Words;

type Streams = [Option<Stream>; 2];

/// How often each rule explained a difference.
pub type Counts = BTreeMap<Rule, u64>;

/// A difference that no rule explains.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The command after which it showed.
    pub step: usize,
    pub lines: Vec<String>,
}

pub struct Trio {
    native: Client,
    egg: Client,
    plain: Client,
    _servers: [Server; 3],
}

impl Trio {
    pub fn start(target: Kind) -> Self {
        let servers = [
            Options::new(Kind::Redis82).without_module().start(),
            Options::new(target).line("egg.native-names yes").start(),
            Options::new(target).without_module().start(),
        ];
        let [native, egg, plain] = [0, 1, 2].map(|index| servers[index].connect());
        Self { native, egg, plain, _servers: servers }
    }

    /// Runs a history on empty servers. Says how many commands were run.
    pub fn run(&mut self, history: &[Words], counts: &mut Counts) -> Result<usize, Failure> {
        let beginning = [
            words(&["DEL", KEYS[0], KEYS[1]]),
            words(&["SET", STRING, "string"]),
            words(&["CONFIG", "SET", "stream-node-max-entries", "100"]),
        ];
        for client in [&mut self.native, &mut self.egg, &mut self.plain] {
            client.pipeline(&beginning);
        }
        let mut now: [Streams; 2] = Default::default();
        let mut memory = Memory::default();
        for (step, command) in history.iter().enumerate() {
            match self.step(command, &now, &mut memory, counts) {
                Ok(Some(next)) => now = next,
                Ok(None) => return Ok(step + 1),
                Err(lines) => return Err(Failure { step, lines }),
            }
        }
        Ok(history.len())
    }

    /// Runs one command. `before` has what 8.2.3 and EGG hold; the result is what they hold then, or None if they have parted for
    /// an understood reason.
    fn step(
        &mut self,
        command: &Words,
        before: &[Streams; 2],
        memory: &mut Memory,
        counts: &mut Counts,
    ) -> Result<Option<[Streams; 2]>, Vec<String>> {
        let request = with_questions(vec![command.clone()]);
        self.native.submit(&request);
        self.egg.submit(&request);
        let mut native = seen(self.native.collect(request.len()));
        let egg = seen(self.egg.collect(request.len()));
        let call = Call::read(command);
        let mut fired = Vec::new();

        let alike = native.reply == egg.reply && (0..2).all(|at| essence(&native, at) == essence(&egg, at));
        let explained = match &call {
            _ if alike => None,
            Some(call) => index(call.key).and_then(|at| memory.explain(call, before[1][at].as_ref(), &native, &egg)),
            None => Some(Rule::Core),
        };
        if !alike && explained.is_none() {
            return Err(difference("8.2.3", &native, "EGG", &egg));
        }

        // The same on the target without the module: the command itself, or what EGG did in the core's own commands.
        let key = call.as_ref().and_then(|call| index(call.key));
        let is_refused =
            Verb::of(command).is_some() && (matches!(egg.reply, Reply::Error(_)) || call.is_some() && key.is_none());
        let at = key.unwrap_or(0);
        let request = match &call {
            _ if is_refused => Vec::new(),
            None => vec![command.clone()],
            Some(call) => in_core_commands(call, &egg.reply, before[1][at].as_ref(), egg.streams[at].as_ref()),
        };
        let plain = seen(self.plain.pipeline(&with_questions(request)));
        if call.is_none() && !is_refused && plain.reply != egg.reply
            || plain
                .streams
                .iter()
                .zip(&egg.streams)
                .any(|(plain, egg)| !differences(plain.as_ref(), egg.as_ref()).is_empty())
        {
            let mut lines = difference("target without EGG", &plain, "EGG", &egg);
            lines.extend(difference("8.2.3", &native, "EGG", &egg));
            return Err(lines);
        }

        if let Some(rule) = explained {
            fired.push(rule);
            let Some(call) = &call else {
                *counts.entry(rule).or_default() += 1;
                return Ok(None);
            };
            // 8.2.3 catches up, so that the history can go on.
            let mend = mend(call, native.streams[at].as_ref(), egg.streams[at].as_ref());
            native.streams = seen(self.native.pipeline(&with_questions(mend))).streams;
            if let Some(at) = (0..2).find(|at| essence(&native, *at) != essence(&egg, *at)) {
                let mut lines = vec!["8.2.3 could not be mended:".to_owned()];
                lines.extend(differences(native.streams[at].as_ref(), egg.streams[at].as_ref()));
                return Err(lines);
            }
        }
        let did_nothing = matches!(egg.reply, Reply::Error(_)) || command[0] == "COPY" && egg.reply == 0;
        if !did_nothing {
            memory.learn(command, &before[1], &egg.streams);
        }
        for at in 0..KEYS.len() {
            let old = [before[0][at].as_ref(), before[1][at].as_ref()];
            let new = [native.streams[at].as_ref(), egg.streams[at].as_ref()];
            match counting(command, old, new, memory.has_holes(at)) {
                Some(rules) => fired.extend(rules),
                None => return Err(difference("8.2.3", &native, "EGG", &egg)),
            }
            if new.iter().all(Option::is_some) && bookkeeping(new) == Bookkeeping::default() {
                memory.forget_holes(at);
            }
        }
        fired.into_iter().for_each(|rule| *counts.entry(rule).or_default() += 1);
        Ok(Some([native.streams, egg.streams]))
    }
}

/// Which of the two streams a key is.
fn index(key: &str) -> Option<usize> {
    KEYS.iter().position(|name| *name == key)
}

fn essence(seen: &Seen, at: usize) -> Option<Stream> {
    seen.streams[at].as_ref().map(Stream::essence)
}

fn with_questions(mut commands: Vec<Words>) -> Vec<Words> {
    commands.extend(KEYS.map(|key| words(&["XINFO", "STREAM", key, "FULL", "COUNT", "0"])));
    commands
}

/// What was answered to some commands and the questions behind them.
fn seen(mut replies: Vec<Reply>) -> Seen {
    let streams = replies.split_off(replies.len() - KEYS.len());
    let reply = replies.into_iter().next().unwrap_or(Reply::Nil);
    Seen { reply, streams: [Stream::read(&streams[0]), Stream::read(&streams[1])] }
}

/// Which numbers differ between two servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bookkeeping {
    max_deleted: bool,
    read: bool,
    lag: bool,
}

fn pairs<'a>([native, egg]: [Option<&'a Stream>; 2]) -> impl Iterator<Item = (&'a Group, &'a Group)> {
    native.into_iter().zip(egg).flat_map(|(native, egg)| native.groups.iter().zip(&egg.groups))
}

fn bookkeeping(streams: [Option<&Stream>; 2]) -> Bookkeeping {
    let [native, egg] = streams;
    Bookkeeping {
        max_deleted: native.map(|stream| stream.max_deleted) != egg.map(|stream| stream.max_deleted),
        read: pairs(streams).any(|(native, egg)| native.read != egg.read),
        lag: pairs(streams).any(|(native, egg)| native.lag != egg.lag),
    }
}

/// The rules that explain what began to differ between 8.2.3 and EGG in the numbers of a stream. None: no rule does.
fn counting(command: &Words, old: [Option<&Stream>; 2], new: [Option<&Stream>; 2], holes: bool) -> Option<Vec<Rule>> {
    let (was, is) = (bookkeeping(old), bookkeeping(new));
    if is.max_deleted && !holes {
        return None;
    }
    let known = |(native, egg): (&Group, &Group)| {
        let differed = pairs(old).any(|(native, egg)| native.read != egg.read);
        let read = native.read == egg.read || differed || entries_read_may_differ(command, old[1], &egg.name);
        let lag = native.lag == egg.lag
            || native.read != egg.read
            || new[0].is_some_and(|stream| lag_may_differ(stream, native));
        read && lag
    };
    if !holes && !pairs(new).all(known) {
        return None;
    }
    let (read, lag) = match holes {
        true => (Rule::LagByHoles, Rule::LagByHoles),
        false => (Rule::CoreEntriesRead, Rule::CoreLag),
    };
    let began = [
        (is.max_deleted && !was.max_deleted, Rule::MaxDeletedByHoles),
        (is.read && !was.read, read),
        (is.lag && !was.lag, lag),
    ];
    Some(began.into_iter().filter(|(began, _)| *began).map(|(_, rule)| rule).collect())
}

fn difference(left_name: &str, left: &Seen, right_name: &str, right: &Seen) -> Vec<String> {
    let mut lines = vec![format!("{left_name} / {right_name}:")];
    if left.reply != right.reply {
        lines.push(format!("reply: {:?} / {:?}", left.reply, right.reply));
    }
    for (key, (left, right)) in KEYS.iter().zip(left.streams.iter().zip(&right.streams)) {
        lines.extend(differences(left.as_ref(), right.as_ref()).into_iter().map(|line| format!("{key}: {line}")));
    }
    lines
}
