//! What ACKED has to do, by the rule of the project alone: no server's memory, no layout.

use super::call::{Call, Threshold, Verb};
use super::state::{Id, Stream};
use crate::client::Reply;

/// The reply, and the stream afterwards. None where this does not say: no stream, another policy, or `~`.
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

fn trimmed(call: &Call<'_>, stream: &Stream) -> Option<Vec<Id>> {
    let free = stream.ids().filter(|id| !stream.needs(*id));
    Some(match call.threshold? {
        _ if call.approx => return None,
        Threshold::MaxLen(length) => free.take(usize::try_from(stream.length - length).unwrap_or(0)).collect(),
        Threshold::MinId(minimum) => free.take_while(|id| *id < minimum).collect(),
    })
}
