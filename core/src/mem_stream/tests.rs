use serde_json::{Value, json};

use super::MemStream;
use crate::requests::arguments::Dialect;
use crate::requests::ids::{IdsRequest, parse_ids};
use crate::requests::trim::TrimRequest;
use crate::rules::deletion::{ABSENT, AckDelete, ack_delete, delete_entries};
use crate::rules::trimming::plan::Style;
use crate::rules::trimming::trim;
use crate::values::entry_id::EntryId;
use crate::values::error::Error;
use crate::values::policy::{AckPolicy, DeletePolicy};

fn id(text: &str) -> EntryId {
    EntryId::parse(text.as_bytes()).unwrap_or_default()
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

impl MemStream {
    /// Runs a command of a vector's setup. What is not about the stream is passed over.
    fn run(&mut self, command: &[&str]) {
        let at = |text: &str| if text == "$" { self.bookkeeping.last_generated } else { id(text) };
        match *command {
            ["XADD", _, text, ..] => self.add(id(text)),
            ["XDEL", _, ref ids @ ..] => drop(self.remove(ids.iter().map(|text| id(text)))),
            ["XACK", _, group, ref ids @ ..] => {
                let group = self.groups.get_mut(group.as_bytes());
                group.into_iter().for_each(|group| ids.iter().for_each(|text| drop(group.pending.remove(&id(text)))));
            }
            ["XGROUP", "CREATE" | "SETID", _, group, text] => self.place_group(group.as_bytes(), at(text)),
            ["XGROUP", "DESTROY", _, group] => drop(self.groups.remove(group.as_bytes())),
            ["XGROUP", "DELCONSUMER", _, group, consumer] => {
                self.delete_consumer(group.as_bytes(), consumer.as_bytes());
            }
            ["XREADGROUP", "GROUP", group, consumer, ref options @ ..] => {
                let count = match *options {
                    ["COUNT", count, ..] => count.parse().unwrap_or_default(),
                    _ => usize::MAX,
                };
                self.read(group.as_bytes(), consumer.as_bytes(), count, options.contains(&"NOACK"));
            }
            ["XCLAIM", _, group, consumer, _, ref ids @ ..] => {
                let ids: Vec<EntryId> = ids.iter().map(|text| id(text)).collect();
                self.claim(group.as_bytes(), consumer.as_bytes(), &ids);
            }
            // XDELEX is there to make 8.2.3 remember a group's position, and deletes nothing.
            ["FLUSHALL"] | ["CONFIG" | "SET" | "XDELEX", ..] => {}
            _ => panic!("the double does not know {command:?}"),
        }
    }

    /// What the vectors ask of a stream after the call.
    fn answer(&self, question: &[&str]) -> Value {
        let counters = &self.bookkeeping;
        match *question {
            ["EXISTS", ..] => json!(1),
            ["XRANGE", ..] => self.entries.iter().map(ToString::to_string).collect(),
            ["XINFO", "STREAM", ..] => json!({
                "length": self.entries.len(),
                "last-generated-id": counters.last_generated.to_string(),
                "max-deleted-entry-id": counters.max_deleted.to_string(),
                "entries-added": counters.entries_added,
                "recorded-first-entry-id": self.entries.first().copied().unwrap_or_default().to_string(),
            }),
            ["XINFO", "GROUPS", ..] => self
                .groups
                .iter()
                .map(|(name, group)| {
                    json!({
                        "name": String::from_utf8_lossy(name),
                        "pending": group.pending.len(),
                        "last-delivered-id": group.last_delivered.to_string(),
                        "entries-read": group.entries_read,
                        "lag": self.lag(name),
                    })
                })
                .collect(),
            ["XPENDING", _, group, _, ..] => self.groups[group.as_bytes()]
                .pending
                .iter()
                .map(|(id, owner)| json!([id.to_string(), String::from_utf8_lossy(owner)]))
                .collect(),
            _ => panic!("the double does not know {question:?}"),
        }
    }
}

/// Runs a vector's call: XACKDEL, XDELEX or XTRIM.
fn call(stream: &mut MemStream, call: &[&str]) -> Result<Value, Error> {
    let arguments: Vec<&[u8]> = call.iter().map(|word| word.as_bytes()).collect();
    let of_call = stream.clone();
    let groups = of_call.group_rows();
    if call[0] == "XTRIM" {
        let request = TrimRequest::parse(&arguments, Dialect::Native)?;
        let style = Style { keep_lag: false, thorough: false, most_passed: u64::MAX };
        return Ok(trim(stream, &groups, &request.plan(DeletePolicy::KeepRef, style)).removed.into());
    }
    let first = if call[0] == "XACKDEL" { 3 } else { 2 };
    let request = IdsRequest::parse(&arguments, first, Dialect::Native, DeletePolicy::parse)?;
    let policy = request.policy.unwrap_or(DeletePolicy::KeepRef);
    if call[0] == "XDELEX" {
        let ids = parse_ids(&arguments, request.block)?;
        return Ok(delete_entries(stream, &groups, policy, &ids, false).replies.into());
    }
    if !groups.iter().any(|group| group.name == arguments[2]) {
        return Ok(vec![ABSENT; request.block.len()].into());
    }
    let ids = parse_ids(&arguments, request.block)?;
    stream.own = arguments[2].to_vec();
    let how = AckDelete { group: arguments[2], policy: AckPolicy::Delete(policy), owner: None, keep_lag: false };
    Ok(ack_delete(stream, &groups, &how, &ids).replies.into())
}

/// The recorded facts of Redis 8.2.3 hold the double, and what the core decides on it, as they hold the servers.
#[test]
fn the_double_does_what_was_recorded_of_a_server() {
    let vectors: Value = serde_json::from_str(include_str!("../../../tests/vectors/8.2.json")).unwrap_or_default();
    let mut checked = [0, 0, 0];
    for vector in vectors.as_array().into_iter().flatten() {
        let words_of_call = words(&vector["call"]);
        let Some(kind) = ["XACKDEL", "XDELEX", "XTRIM"].iter().position(|name| words_of_call[0] == *name) else {
            continue;
        };
        // Left to the servers: arity, other keys, nodes, and the faults of 8.2.3 and of the older core.
        let is_for_a_server =
            words_of_call.len() < [6, 5, 4][kind] || words_of_call[1] != "s" || words_of_call.contains(&"~");
        let tags = words(&vector["tags"]);
        if is_for_a_server || tags.iter().any(|tag| *tag != "max-deleted-by-xdel") {
            continue;
        }
        let mut stream = MemStream::default();
        vector["setup"].as_array().into_iter().flatten().for_each(|command| stream.run(&words(command)));
        let reply = call(&mut stream, &words_of_call).unwrap_or_else(|error| json!({ "error": error.to_string() }));
        assert_eq!(reply, vector["reply"], "{}", vector["name"]);
        if kind < 2 {
            assert_eq!(stream.deletions, vector["events"].as_array().map_or(0, Vec::len), "{}", vector["name"]);
        }
        for observation in vector["after"].as_array().into_iter().flatten() {
            let question = words(&observation["call"]);
            let mut expected = observation["reply"].clone();
            match question.as_slice() {
                ["XRANGE", ..] => expected = expected.as_array().into_iter().flatten().map(|e| e[0].clone()).collect(),
                ["XPENDING", _, _] => continue,
                // Holes that a trim leaves are made by XDEL, which marks them.
                ["XINFO", ..] if !tags.is_empty() => continue,
                _ => {}
            }
            assert_eq!(stream.answer(&question), expected, "{}: {question:?}", vector["name"]);
        }
        checked[kind] += 1;
    }
    assert_eq!(checked, [145, 136, 77]);
}
