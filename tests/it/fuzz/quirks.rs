//! The known faults of 8.2.3, recognised by rule: what has to have happened, and what it may then do wrong.

use super::call::{Call, Policy, Threshold, Verb};
use super::expected;
use super::history::KEYS;
use super::state::Stream;
use crate::vectors::Words;
use egg_testkit::client::Reply;
use egg_testkit::ids::Id;

/// A difference that is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// 8.2.3 remembers the lowest position among the groups once an ACKED command has asked for it, and does not forget
    /// it with XGROUP DESTROY: what lies above a destroyed group's position may stay.
    StaleMinimum,
    /// `~` with DELREF or ACKED removes nothing in 8.2.3. EGG removes what `=` removes, up to the limit, as 8.6 does.
    ApproxRemovesNothing,
    /// An exact MAXLEN with ACKED ends, in 8.2.3, after the first node that holds more than there is to remove, though
    /// that node could not give enough.
    NodeStop,
    /// Holes that an ACKED trim makes are XDEL to EGG, so that max-deleted-entry-id rises; in 8.2.3 it does not.
    MaxDeletedByHoles,
    /// … and lag, or entries-read, follow.
    LagByHoles,
    /// … and so does XSETID, which refuses an id below that mark.
    SetIdBelowHoles,
    /// The core itself, without the module, differs in entries-read: after XREADGROUP, where entries behind the group's
    /// position were deleted, or ENTRIESREAD that is more than 8.2.3 lets stand.
    CoreEntriesRead,
    /// The core itself differs in lag: it follows entries-read, and where nothing is left up to the group's position,
    /// 8.2.3 says the length.
    CoreLag,
}

/// One server's answer, and its streams after it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub reply: Reply,
    pub streams: [Option<Stream>; 2],
}

/// What is remembered of a stream for the rules.
#[derive(Clone, Debug, Default)]
struct Past {
    /// An ACKED command has looked at its groups.
    primed: bool,
    /// Positions of groups that were destroyed after that.
    dead: Vec<Id>,
    /// An ACKED trim has made holes.
    holes: bool,
}

/// The past of both streams.
#[derive(Clone, Debug, Default)]
pub struct Memory([Past; 2]);

impl Memory {
    /// Whether an ACKED trim has made holes in a stream.
    pub fn has_holes(&self, stream: usize) -> bool {
        self.0[stream].holes
    }

    /// The marks of deletions are equal again.
    pub fn forget_holes(&mut self, stream: usize) {
        self.0[stream].holes = false;
    }

    /// Learns from a command that both servers accepted.
    pub fn learn(&mut self, words: &Words, before: &[Option<Stream>; 2], after: &[Option<Stream>; 2]) {
        let index = |key: Option<&String>| KEYS.iter().position(|name| key.is_some_and(|key| key == name));
        let first = index(words.get(1));
        match (words[0].as_str(), first, index(words.get(2))) {
            ("XGROUP", _, Some(key)) if words[1] == "DESTROY" && self.0[key].primed => {
                let group = before[key].as_ref().zip(words.get(3)).and_then(|(stream, name)| stream.group(name));
                self.0[key].dead.extend(group.map(|group| group.delivered));
            }
            ("RENAME", Some(from), Some(to)) if from != to => {
                self.0[to] = std::mem::take(&mut self.0[from]);
            }
            ("COPY", Some(from), Some(to)) if from != to => {
                self.0[to] = Past { primed: false, dead: Vec::new(), ..self.0[from].clone() };
            }
            ("DEBUG", ..) => self.0.iter_mut().for_each(|past| (past.primed, past.dead) = (false, Vec::new())),
            _ => {}
        }
        if let (Some(call), Some(key)) = (Call::read(words), first)
            && call.policy == Policy::Acked
        {
            self.0[key].primed = true;
            if let (Some(before), Some(after), Some(_)) = (&before[key], &after[key], call.threshold) {
                let added = (before.last < after.last).then_some(after.last);
                let is_hole = |id: Id| before.frontier().is_some_and(|cut| id >= cut) && !after.has(id);
                self.0[key].holes |= before.ids().chain(added).any(is_hole);
            }
        }
        for (past, stream) in self.0.iter_mut().zip(after) {
            if stream.is_none() {
                *past = Past::default();
            }
        }
    }

    /// The rule that explains why they differ after a command that every server has.
    pub fn explain_core(&self, words: &Words, egg: &Reply) -> Option<Rule> {
        let index = KEYS.iter().position(|key| words.get(1).is_some_and(|word| word == key))?;
        let text = "ERR The ID specified in XSETID is smaller than current max_deleted_entry_id";
        let refused = words[0] == "XSETID" && *egg == Reply::Error(text.to_owned());
        (refused && self.has_holes(index)).then_some(Rule::SetIdBelowHoles)
    }

    /// The rule that explains why 8.2.3 and EGG differ after a call, EGG being right. None: no rule does.
    pub fn explain(&self, call: &Call<'_>, before: Option<&Stream>, native: &Seen, egg: &Seen) -> Option<Rule> {
        let index = KEYS.iter().position(|key| *key == call.key)?;
        let (kept, done) = (native.streams[index].as_ref()?, egg.streams[index].as_ref()?);
        if call.approx && call.policy != Policy::KeepRef {
            return approx_removes_nothing(call, before, native, egg, kept, done).then_some(Rule::ApproxRemovesNothing);
        }
        if call.policy != Policy::Acked {
            return None;
        }
        let (reply, right) = expected::acked(call, before, &egg.reply)?;
        if egg.reply != reply || done.essence() != right.essence() {
            return None;
        }
        let missed = missed(call, native, egg, kept, done);
        let first = *missed.iter().min()?;
        let beyond_the_dead = self.0[index].dead.iter().any(|dead| *dead < first);
        let no_other_difference = {
            let mut rest = kept.clone();
            rest.remove(&missed);
            rest.essence() == right.essence()
        };
        if !no_other_difference {
            return None;
        }
        match call.threshold {
            _ if beyond_the_dead => Some(Rule::StaleMinimum),
            // Whatever 8.2.3 removed lies before what it missed. It has seen more entries than were to go, or it would
            // have gone on; and there is no stopping at the end of the only node.
            Some(Threshold::MaxLen(length)) => {
                let all = expected::after_append(call, before, &egg.reply)?;
                let seen = all.ids().take_while(|id| *id < first).count() as i64;
                let in_order = all.ids().filter(|id| *id > first).all(|id| kept.has(id));
                (in_order && kept.nodes > 1 && seen > all.length - length).then_some(Rule::NodeStop)
            }
            _ => None,
        }
    }
}

/// The ids that 8.2.3 did not let go, or said so.
fn missed(call: &Call<'_>, native: &Seen, egg: &Seen, kept: &Stream, done: &Stream) -> Vec<Id> {
    let mut missed: Vec<Id> = kept.ids().filter(|id| !done.has(*id)).collect();
    if let (Reply::Array(left), Reply::Array(right)) = (&native.reply, &egg.reply)
        && left.len() == call.ids.len()
        && right.len() == call.ids.len()
    {
        let pairs = call.ids.iter().zip(left.iter().zip(right));
        missed.extend(pairs.filter(|(_, (native, egg))| native != egg && **native == 2).map(|(id, _)| *id));
    }
    missed
}

/// 8.2.3 has removed nothing, and EGG what it has to. Where a LIMIT ends it at a node: some of the front, and not too much.
fn approx_removes_nothing(
    call: &Call<'_>,
    before: Option<&Stream>,
    native: &Seen,
    egg: &Seen,
    kept: &Stream,
    done: &Stream,
) -> bool {
    let Some(all) = expected::after_append(call, before, &egg.reply) else { return false };
    let is_untouched = kept.essence() == all.essence()
        && if call.verb == Verb::Add { native.reply == egg.reply } else { native.reply == 0 };
    let right = match call.policy {
        Policy::DelRef => expected::delref(call, before, &egg.reply),
        _ => expected::acked(call, before, &egg.reply),
    };
    if let Some((reply, right)) = right {
        return is_untouched && egg.reply == reply && done.essence() == right.essence();
    }
    let gone = all.length - done.length;
    let front: Vec<Id> = all.ids().take(usize::try_from(gone).unwrap_or(0)).collect();
    let limit: i64 = call.limit.and_then(|limit| limit.parse().ok()).unwrap_or(i64::MAX);
    let mut right = all.clone();
    right.remove(&front);
    if call.policy == Policy::DelRef {
        for group in &mut right.groups {
            for id in &front {
                group.ack(*id);
            }
        }
    }
    let is_needed = call.policy == Policy::Acked && front.iter().any(|id| all.needs(*id));
    let reply_fits = call.verb == Verb::Add || egg.reply == gone;
    is_untouched && 0 < gone && gone <= limit && !is_needed && reply_fits && done.essence() == right.essence()
}
