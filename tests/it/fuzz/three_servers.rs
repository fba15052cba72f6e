//! Three servers side by side: 8.2.3, the target with EGG, and the target without: that one tells the core's doing from
//! EGG's.

use std::collections::BTreeMap;

use super::call::{Call, Verb};
use super::counting;
use super::effects::{in_core_commands, mend, words};
use super::history::{KEYS, STRING};
use super::quirks::{Memory, Rule, Seen};
use super::state::{Stream, differences};
use crate::vectors::Words;
use egg_testkit::client::{Client, Reply};
use egg_testkit::harness::{Kind, Options, Server};

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

pub struct ThreeServers {
    native: Client,
    egg: Client,
    plain: Client,
    _servers: [Server; 3],
}

impl ThreeServers {
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

    /// Runs one command. `before` is what 8.2.3 and EGG hold; the result is what they hold then, or None if they have
    /// parted for an understood reason.
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
        let unexplained = || difference("8.2.3", &native, "EGG", &egg);

        let call = Call::read(command);
        let key = call.as_ref().and_then(|call| index(call.key));
        let is_alike = native.reply == egg.reply && parted(&native, &egg).is_none();
        let rule = match (&call, key) {
            _ if is_alike => None,
            (None, _) => Some(memory.explain_core(command, &egg.reply).ok_or_else(unexplained)?),
            (Some(call), Some(at)) => {
                let rule = memory.explain(call, before[1][at].as_ref(), &native, &egg);
                Some(rule.ok_or_else(unexplained)?)
            }
            (Some(_), None) => return Err(unexplained()),
        };
        if let Err(mut lines) = self.same_without_egg(command, &before[1], &egg) {
            lines.extend(unexplained());
            return Err(lines);
        }
        rule.into_iter().for_each(|rule| *counts.entry(rule).or_default() += 1);
        if rule.is_some() {
            // What a command of every server did differently cannot be mended.
            let Some((call, at)) = call.as_ref().zip(key) else { return Ok(None) };
            // 8.2.3 catches up, so that the history can go on.
            let mend = mend(call, native.streams[at].as_ref(), egg.streams[at].as_ref());
            native.streams = seen(self.native.pipeline(&with_questions(mend))).streams;
            if parted(&native, &egg).is_some() {
                return Err(difference("8.2.3, brought into step", &native, "EGG", &egg));
            }
        }
        let did_nothing = matches!(egg.reply, Reply::Error(_)) || command[0] == "COPY" && egg.reply == 0;
        if !did_nothing {
            memory.learn(command, &before[1], &egg.streams);
        }
        for (at, (now, was)) in native.streams.iter().zip(&before[0]).enumerate() {
            let (now, was) = ([now.as_ref(), egg.streams[at].as_ref()], [was.as_ref(), before[1][at].as_ref()]);
            let rules = counting::explain(command, was, now, memory.has_holes(at));
            let rules = rules.ok_or_else(|| difference("8.2.3", &native, "EGG", &egg))?;
            rules.into_iter().for_each(|rule| *counts.entry(rule).or_default() += 1);
            if counting::is_equal(now) {
                memory.forget_holes(at);
            }
        }
        Ok(Some([native.streams, egg.streams]))
    }

    /// Does the same on the target without the module: the command itself, or what EGG did in the core's own commands.
    /// All of the state has to be the same, the numbers too.
    fn same_without_egg(&mut self, command: &Words, before: &Streams, egg: &Seen) -> Result<(), Vec<String>> {
        let call = Call::read(command);
        let is_refused = matches!(egg.reply, Reply::Error(_));
        let request = match &call {
            // The policy is a syntax error to it.
            _ if is_refused && Verb::of(command).is_some() => Vec::new(),
            None => vec![command.clone()],
            Some(call) => index(call.key).map_or_else(Vec::new, |at| {
                in_core_commands(call, &egg.reply, before[at].as_ref(), egg.streams[at].as_ref())
            }),
        };
        let is_same_command = request.first() == Some(command);
        let plain = seen(self.plain.pipeline(&with_questions(request)));
        let has_same_state =
            (0..KEYS.len()).all(|at| differences(plain.streams[at].as_ref(), egg.streams[at].as_ref()).is_empty());
        if has_same_state && (!is_same_command || plain.reply == egg.reply) {
            return Ok(());
        }
        Err(difference("the target without EGG", &plain, "EGG", egg))
    }
}

/// Which of the two streams a key is.
fn index(key: &str) -> Option<usize> {
    KEYS.iter().position(|name| *name == key)
}

/// The stream in which two servers hold different things, numbers aside.
fn parted(left: &Seen, right: &Seen) -> Option<usize> {
    let essence = |seen: &Seen, at: usize| seen.streams[at].as_ref().map(Stream::essence);
    (0..KEYS.len()).find(|at| essence(left, *at) != essence(right, *at))
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
