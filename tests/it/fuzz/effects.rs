//! What a call does, spelled in the commands that every server has.

use super::call::{Call, Policy, Threshold, Verb};
use super::expected;
use super::state::Stream;
use crate::vectors::Words;
use egg_testkit::client::Reply;
use egg_testkit::ids::Id;

/// The commands that do on a server without the module what a call did on one with it.
pub fn in_core_commands(call: &Call<'_>, reply: &Reply, before: Option<&Stream>, after: Option<&Stream>) -> Vec<Words> {
    let Some(after) = after else { return Vec::new() };
    let is_plain = call.policy == Policy::KeepRef || call.threshold.is_none();
    if matches!(call.verb, Verb::Add | Verb::Trim) && is_plain {
        return vec![call.stripped.clone()];
    }
    let Some(all) = expected::after_append(call, before, reply) else { return Vec::new() };
    let mut commands = before.map_or_else(Vec::new, |before| acks(call.key, before, after));
    if call.verb == Verb::Add {
        let mut add = words(&["XADD", call.key, &reply.text()]);
        add.extend(call.fields.iter().cloned());
        commands.push(add);
    }
    let gone: Vec<Id> = all.ids().filter(|id| !after.has(*id)).collect();
    match (call.verb, call.policy, call.threshold) {
        (Verb::AckDel | Verb::DelEx, ..) => commands.extend(del(call.key, &gone)),
        (_, Policy::Acked, _) => {
            let needed = all.first_needed();
            let (front, holes): (Vec<Id>, Vec<Id>) =
                gone.iter().partition(|id| needed.is_none_or(|needed| **id < needed));
            if !front.is_empty() {
                commands.push(cut(call.key, all.ids().find(|id| !front.contains(id))));
            }
            commands.extend(del(call.key, &holes));
            commands.extend(mended_lag(call.key, &all, after, &holes));
        }
        // A limit may have ended it before the threshold.
        (_, _, Some(_)) if call.approx => commands.push(cut(call.key, after.ids().next())),
        (_, _, Some(threshold)) => {
            let (option, value) = match threshold {
                Threshold::MaxLen(length) => ("MAXLEN", length.to_string()),
                Threshold::MinId(id) => ("MINID", id.to_string()),
            };
            commands.push(words(&["XTRIM", call.key, option, "=", &value]));
        }
        (_, _, None) => {}
    }
    commands
}

/// The acknowledgements that lead from one state to another.
fn acks(key: &str, from: &Stream, to: &Stream) -> Vec<Words> {
    let mut commands = Vec::new();
    for group in &from.groups {
        let stays = to.group(&group.name);
        let gone = group.pending.iter().filter(|(id, ..)| stays.is_none_or(|group| !group.holds(*id)));
        let ids: Words = gone.map(|(id, ..)| id.to_string()).collect();
        if !ids.is_empty() {
            commands.push([words(&["XACK", key, &group.name]), ids].concat());
        }
    }
    commands
}

/// Removes all up to the first entry that stays.
fn cut(key: &str, stays: Option<Id>) -> Words {
    match stays {
        Some(first) => words(&["XTRIM", key, "MINID", &first.to_string()]),
        None => words(&["XTRIM", key, "MAXLEN", "0"]),
    }
}

fn del(key: &str, ids: &[Id]) -> Option<Words> {
    let ids: Words = ids.iter().map(Id::to_string).collect();
    (!ids.is_empty()).then(|| [words(&["XDEL", key]), ids].concat())
}

/// The XSETID that keeps a group's lag a number where a hole at its position would turn it null.
fn mended_lag(key: &str, before: &Stream, after: &Stream, holes: &[Id]) -> Option<Words> {
    let top = *holes.iter().max()?;
    let is_lost = before.groups.iter().any(|group| group.delivered == top)
        && before.max_deleted < top
        && after.ids().next().is_some_and(|first| first < top);
    let [last, added, mark] = [after.last.to_string(), after.added.to_string(), top.previous().to_string()];
    is_lost.then(|| words(&["XSETID", key, &last, "ENTRIESADDED", &added, "MAXDELETEDID", &mark]))
}

/// What brings a stream of 8.2.3 to where EGG's is: the front goes with XTRIM if the call was a trim, the rest with
/// XDEL.
pub fn mend(call: &Call<'_>, from: Option<&Stream>, to: Option<&Stream>) -> Vec<Words> {
    let Some((from, to)) = from.zip(to) else { return Vec::new() };
    let mut commands = acks(call.key, from, to);
    if call.threshold.is_some() {
        commands.push(cut(call.key, to.ids().next()));
    }
    let gone: Vec<Id> = from.ids().filter(|id| !to.has(*id)).collect();
    commands.extend(del(call.key, &gone));
    commands
}

pub fn words(words: &[&str]) -> Words {
    words.iter().map(|word| (*word).to_owned()).collect()
}
