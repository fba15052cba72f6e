//! Recorded facts of Redis 8.2.3, and of 8.6.2 where it differs, and what it takes to hold another server, or another command,
//! against them.
//!
//! A vector is what was sent and what was seen. A test that expects something else than was recorded says so by editing
//! the vector before it is checked: the call, a setup step, a reply, an observation, or a field that is left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use egg_testkit::client::{Client, Reply};
use egg_testkit::harness::Server;

pub type Words = Vec<String>;

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Vector {
    pub name: String,
    /// The command's name in lower case: xackdel, xdelex, xtrim, xadd.
    pub group: String,
    /// Begins with FLUSHALL.
    pub setup: Vec<Words>,
    pub call: Words,
    pub reply: Value,
    pub after: Vec<Observation>,
    /// Keyspace events of the call, as key and event.
    pub events: Vec<(String, String)>,
    /// What replicas and the append only file got of the native command.
    pub propagated: Vec<Words>,
    /// By how much the count of changes rose.
    pub dirty: i64,
    /// Whether a client's WATCH on the call's key fails.
    pub watch_aborted: bool,
    /// Why another server may differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A question asked after the call, and its answer. Of a map only the fields that are named here are compared.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Observation {
    pub call: Words,
    pub reply: Value,
}

/// What was recorded of Redis 8.2.3.
pub fn load() -> Vec<Vector> {
    read("tests/vectors/8.2.json")
}

/// What was recorded of Redis 8.6.2: where it answers something else than 8.2.3, under the same name, and more.
pub fn load_8_6() -> Vec<Vector> {
    read("tests/vectors/8.6.json")
}

fn read(path: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("the vectors are as described")
}

/// The vectors of one command.
pub fn load_group(group: &str) -> Vec<Vector> {
    load().into_iter().filter(|vector| vector.group == group).collect()
}

impl Vector {
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|known| known == tag)
    }

    /// The recorded error, if the call was refused.
    pub fn error(&self) -> Option<&str> {
        self.reply.get("error")?.as_str()
    }

    pub fn expect_error(&mut self, text: &str) {
        self.reply = json!({ "error": text });
    }

    /// The recorded answer to a question such as `XINFO STREAM s`.
    pub fn observed(&mut self, question: &str) -> &mut Value {
        let found = self.after.iter_mut().find(|observation| observation.call.join(" ") == question);
        &mut found.unwrap_or_else(|| panic!("{}: {question} was not recorded", self.name)).reply
    }

    /// Leaves a field of XINFO out of the comparison.
    pub fn forget(&mut self, field: &str) {
        for observation in &mut self.after {
            let rows = match &mut observation.reply {
                Value::Array(rows) => rows.as_mut_slice(),
                row => std::slice::from_mut(row),
            };
            rows.iter_mut().filter_map(Value::as_object_mut).for_each(|row| {
                row.remove(field);
            });
        }
    }

    /// Brings the server into the state before the call.
    pub fn setup_on(&self, client: &mut Client) {
        for (words, reply) in self.setup.iter().zip(client.pipeline(&self.setup)) {
            assert!(!matches!(reply, Reply::Error(_)), "{}: {}: {reply:?}", self.name, words.join(" "));
        }
    }

    /// Runs the vector, twice: once for the reply, the state and the events, once for WATCH. Says what differs.
    pub fn differences(&self, server: &Server) -> Vec<String> {
        let mut client = server.connect();
        let mut found = Vec::new();
        let mut compare = |what: &str, expected: &Value, actual: Value| {
            if *expected != actual {
                found.push(format!("{}: {what}\n   expected {expected}\n   but was  {actual}", self.name));
            }
        };

        self.setup_on(&mut client);
        let mut reply = Reply::Nil;
        let events = server.events_of(|client| reply = client.send(&self.call));
        compare(&self.call.join(" "), &self.reply, value_of(&reply));
        for Observation { call, reply } in &self.after {
            compare(&call.join(" "), reply, observed(call, reply, &client.send(call)));
        }
        let expected: Vec<String> = self.events.iter().map(|(key, event)| format!("{key} {event}")).collect();
        compare("events", &json!(expected), json!(events));

        self.setup_on(&mut client);
        compare("WATCH aborted", &json!(self.watch_aborted), json!(self.aborts_watch(server, &mut client)));
        found
    }

    /// Makes the call, and says whether a WATCH of its key fails.
    pub fn aborts_watch(&self, server: &Server, client: &mut Client) -> bool {
        if let Some(key) = self.call.get(1) {
            client.send(&["WATCH", key]);
        }
        server.connect().send(&self.call);
        client.all(&["MULTI", "PING"]);
        client.send(&["EXEC"]) == Reply::Nil
    }
}

/// Checks vectors on a server. Prints how many there were, and panics with all that differs.
pub fn check(title: &str, server: &Server, vectors: &[Vector]) {
    let mut counts = BTreeMap::<&str, usize>::new();
    for vector in vectors {
        *counts.entry(&vector.group).or_default() += 1;
    }
    let differences: Vec<String> = vectors.iter().flat_map(|vector| vector.differences(server)).collect();
    println!("{title} on {:?}: {} vectors {counts:?}, {} differences", server.kind(), vectors.len(), differences.len());
    assert!(!vectors.is_empty(), "no vectors");
    assert!(differences.is_empty(), "{title} on {:?}:\n{}", server.kind(), differences.join("\n"));
}

/// A reply as the vectors write one.
pub fn value_of(reply: &Reply) -> Value {
    match reply {
        Reply::Nil => Value::Null,
        Reply::Integer(value) => json!(value),
        Reply::Text(text) => json!(String::from_utf8_lossy(text)),
        Reply::Error(text) => json!({ "error": text }),
        Reply::Array(items) => items.iter().map(value_of).collect(),
        Reply::Map(pairs) => {
            pairs.iter().map(|(key, value)| (key.text(), value_of(value))).collect::<Map<_, _>>().into()
        }
    }
}

/// A reply cut down to what the vectors recorded of it.
pub fn observed(call: &[String], expected: &Value, reply: &Reply) -> Value {
    let words: Vec<&str> = call.iter().map(String::as_str).collect();
    match (words.as_slice(), expected, reply) {
        (["XINFO", "STREAM", ..], Value::Object(fields), Reply::Array(_)) => row(fields, reply),
        (["XINFO", "GROUPS", ..], Value::Array(rows), Reply::Array(items)) if rows.len() == items.len() => {
            let row = |(expected, item): (&Value, &Reply)| {
                expected.as_object().map_or(Value::Null, |fields| row(fields, item))
            };
            rows.iter().zip(items).map(row).collect()
        }
        // Id and consumer; idle time and delivery count were not recorded.
        (["XPENDING", _, _, _, ..], _, Reply::Array(rows)) => {
            rows.iter().map(|row| value_of(&Reply::Array(row.array()[..2].to_vec()))).collect()
        }
        _ => value_of(reply),
    }
}

fn row(fields: &Map<String, Value>, reply: &Reply) -> Value {
    fields.keys().map(|field| (field.clone(), value_of(reply.field(field)))).collect::<Map<_, _>>().into()
}
