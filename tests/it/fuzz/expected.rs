//! What ACKED has to do, by the rule of the project alone: no server's memory, no layout.

use super::call::{Call, Policy, Threshold, Verb};
use super::state::Stream;
use egg_testkit::client::Reply;
use egg_testkit::ids::Id;

/// The reply, and the stream afterwards. None where this does not say: no stream, or a LIMIT that ends at a node.
pub fn acked(call: &Call<'_>, before: Option<&Stream>, reply: &Reply) -> Option<(Reply, Stream)> {
    let mut stream = after_append(call, before, reply)?;
    match call.verb {
        Verb::AckDel => {
            let own = stream.groups.iter().position(|group| group.name == call.group)?;
            let replies = call.ids.iter().map(|id| {
                if !stream.groups[own].ack(*id) {
                    return Reply::Integer(-1);
                }
                if stream.needs(*id) {
                    return Reply::Integer(2);
                }
                stream.remove(&[*id]);
                Reply::Integer(1)
            });
            Some((Reply::Array(replies.collect()), stream))
        }
        Verb::DelEx => {
            let replies = call.ids.iter().map(|id| {
                if stream.needs(*id) {
                    return Reply::Integer(2);
                }
                let exists = stream.has(*id);
                stream.remove(&[*id]);
                Reply::Integer(if exists { 1 } else { -1 })
            });
            Some((Reply::Array(replies.collect()), stream))
        }
        Verb::Trim => {
            let gone = trimmed(call, &stream)?;
            stream.remove(&gone);
            Some((Reply::Integer(gone.len() as i64), stream))
        }
        Verb::Add => {
            let gone = trimmed(call, &stream)?;
            stream.remove(&gone);
            Some((reply.clone(), stream))
        }
    }
}

/// The stream that a call trims: XADD has put the new entry in, whose id is `reply`, and made the stream if there was
/// none.
pub fn after_append(call: &Call<'_>, before: Option<&Stream>, reply: &Reply) -> Option<Stream> {
    if call.verb != Verb::Add {
        return before.cloned();
    }
    let Reply::Text(_) = reply else { return None };
    let id = Id::parse(&reply.text())?;
    let mut stream = before.cloned().unwrap_or_default();
    let fields = call.fields.iter().map(|word| Reply::Text(word.clone().into_bytes())).collect();
    stream.entries.push((id, Reply::Array(fields)));
    (stream.last, stream.added) = (id, stream.added + 1);
    stream.remove(&[]);
    Some(stream)
}

/// What a trim removes. None where a LIMIT ends it at a node: nodes are not seen from here.
fn trimmed(call: &Call<'_>, stream: &Stream) -> Option<Vec<Id>> {
    let is_acked = call.policy == Policy::Acked;
    let is_needed = |id: Id| is_acked && stream.needs(id);
    let (excess, minimum) = match call.threshold? {
        Threshold::MaxLen(length) => (usize::try_from(stream.length - length).unwrap_or(0), None),
        Threshold::MinId(minimum) => (usize::MAX, Some(minimum)),
    };
    let in_reach = || stream.ids().take_while(move |id| minimum.is_none_or(|minimum| *id < minimum));
    let most = match call.limit.filter(|_| call.approx).map(|limit| limit.parse().expect("LIMIT is a number")) {
        None if call.approx => 10_000,
        None | Some(0) => usize::MAX,
        Some(limit) if in_reach().take_while(|id| !is_needed(*id)).take(excess).count() > limit => return None,
        Some(limit) => limit,
    };
    Some(in_reach().filter(|id| !is_needed(*id)).take(excess.min(most)).collect())
}

/// What a trim under DELREF has to do: the entries go, and their ids from every list.
pub fn delref(call: &Call<'_>, before: Option<&Stream>, reply: &Reply) -> Option<(Reply, Stream)> {
    let mut stream = after_append(call, before, reply)?;
    let gone = trimmed(call, &stream)?;
    stream.remove(&gone);
    for group in &mut stream.groups {
        for id in &gone {
            group.ack(*id);
        }
    }
    Some((if call.verb == Verb::Add { reply.clone() } else { Reply::Integer(gone.len() as i64) }, stream))
}
