//! What Redis 8.6.2 answers where 8.2.3 answers something else, and more about `~` with ACKED and DELREF than was asked of
//! 8.2.3: `tests/vectors/8.6.json`, in the shape of `8.2.json`.
//!
//! The test asks everything again, and compares byte for byte. With `EGG_RECORD=1` it writes the file.

mod cases;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::vectors::{self, Observation, Vector, Words, observed, value_of};
use egg_testkit::client::Client;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::ids::Id;
use egg_testkit::resp::commands_in;

#[test]
fn redis_8_6_does_what_was_recorded_of_it() {
    if !Kind::Redis86.is_there() {
        return;
    }
    let server = Options::new(Kind::Redis86).without_module().line("appendonly yes").line("appendfsync no").start();
    let mut client = server.connect();
    assert_eq!(client.info("server", "redis_version"), "8.6.2");

    let of_8_2 = vectors::load();
    assert_eq!(of_8_2.len(), 490);
    let mut recorded: Vec<Vector> = of_8_2.iter().map(|old| (old, record(&server, old))).filter_map(changed).collect();
    let changes = recorded.len();
    recorded.extend(cases::all().iter().map(|case| record(&server, case)));
    println!("Redis 8.6.2: {changes} vectors of 8.2.3 changed, {} new ones", recorded.len() - changes);

    let lines: Vec<String> = recorded.iter().map(|vector| serde_json::to_string(vector).expect("JSON")).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/8.6.json");
    if std::env::var_os("EGG_RECORD").is_some() {
        fs::write(&path, &text).expect("the vectors can be written");
    }
    let known = fs::read_to_string(&path).expect("tests/vectors/8.6.json");
    for (line, known) in text.lines().zip(known.lines()) {
        assert_eq!(line, known);
    }
    assert_eq!(text.len(), known.len());
}

/// A vector whose answer is not that of 8.2.3.
fn changed((old, mut new): (&Vector, Vector)) -> Option<Vector> {
    let tags = std::mem::replace(&mut new.tags, old.tags.clone());
    let is_changed = new != *old;
    new.tags = tags;
    is_changed.then_some(new)
}

/// Asks a vector's questions again. Its tags are those of a server without `quirk-*` that Redis 8.6 has no more.
fn record(server: &Server, asked: &Vector) -> Vector {
    let mut client = server.connect();
    let mut vector = asked.clone();
    asked.setup_on(&mut client);
    let before = client.run("XRANGE s - +");
    let dirty = changes(&mut client);
    let file = server.aof_file();
    let written = fs::read(&file).expect("an append only file").len();

    let events = server.events_of(|client| vector.reply = value_of(&client.send(&asked.call)));
    vector.events = events.iter().filter_map(|event| event.split_once(' ')).map(owned).collect();
    vector.dirty = changes(&mut client) - dirty;
    let mut propagated = commands_in(&fs::read(&file).expect("an append only file")[written..]);
    propagated.retain(|words| words[0] != "SELECT");
    vector.propagated = propagated;
    for Observation { call, reply } in &mut vector.after {
        *reply = observed(call, reply, &client.send(call));
    }

    asked.setup_on(&mut client);
    vector.watch_aborted = asked.aborts_watch(server, &mut client);

    let known = ["quirk-stale-min", "quirk-approx-noop"];
    vector.tags.retain(|tag| !known.contains(&tag.as_str()));
    if ["xtrim", "xadd"].contains(&asked.group.as_str()) && vector.error().is_none() {
        let mut ids = ids_in(&value_of(&before));
        ids.extend(vector.reply.is_string().then(|| id_of(&vector.reply)));
        tag(&mut vector, &ids);
    }
    vector
}

fn owned((key, event): (&str, &str)) -> (String, String) {
    (key.to_owned(), event.to_owned())
}

fn changes(client: &mut Client) -> i64 {
    client.info("persistence", "rdb_changes_since_last_save").parse().expect("a number")
}

fn ids_in(entries: &Value) -> Vec<Id> {
    entries.as_array().into_iter().flatten().map(|entry| id_of(&entry[0])).collect()
}

/// Adds what makes another server differ, as far as the answer itself shows it.
fn tag(vector: &mut Vector, before: &[Id]) {
    if !vector.after.iter().any(|observation| observation.call.join(" ") == "XINFO GROUPS s") {
        return;
    }
    let left = ids_in(vector.observed("XRANGE s - +"));
    let stream = vector.observed("XINFO STREAM s").clone();
    let groups = vector.observed("XINFO GROUPS s").clone();
    if left.len() == before.len() {
        return;
    }
    let mut add = |tag: &str| {
        if !vector.has_tag(tag) {
            vector.tags.push(tag.to_owned());
        }
    };
    // Entries went from behind one that stayed.
    if !before.ends_with(&left) {
        add("max-deleted-by-xdel");
    }
    let [last, deleted] = ["last-generated-id", "max-deleted-entry-id"].map(|field| id_of(&stream[field]));
    let first = left.first().copied();
    for group in groups.as_array().into_iter().flatten() {
        let delivered = id_of(&group["last-delivered-id"]);
        let differs = match (stream["entries-added"].as_i64(), group["entries-read"].as_i64()) {
            (Some(added), Some(read)) => group["lag"].as_i64() != Some(added - read) || deleted >= delivered,
            _ => first.is_none() && delivered < last,
        };
        if differs && first.is_none_or(|first| first > delivered) {
            add("lag-differs-in-7.4-core");
        }
    }
}

fn id_of(value: &Value) -> Id {
    Id::of(value.as_str().expect("an id"))
}

/// A vector that has not been asked yet: the questions, with the names of the fields that are kept of the answers.
fn question(name: String, setup: Vec<Words>, call: Words, groups: &[&str]) -> Vector {
    let stream = ["length", "last-generated-id", "max-deleted-entry-id", "entries-added", "recorded-first-entry-id"];
    let group = ["name", "pending", "last-delivered-id", "entries-read", "lag"];
    let row = |fields: &[&str]| Value::Object(fields.iter().map(|field| ((*field).to_owned(), Value::Null)).collect());
    let mut after = vec![
        ("EXISTS s".to_owned(), Value::Null),
        ("XRANGE s - +".to_owned(), Value::Null),
        ("XINFO STREAM s".to_owned(), row(&stream)),
        ("XINFO GROUPS s".to_owned(), groups.iter().map(|_| row(&group)).collect()),
    ];
    for group in groups {
        after.push((format!("XPENDING s {group}"), Value::Null));
        after.push((format!("XPENDING s {group} - + 1000"), Value::Null));
    }
    Vector {
        name,
        group: call[0].to_lowercase(),
        setup,
        call,
        reply: Value::Null,
        after: after.into_iter().map(|(call, reply)| Observation { call: words(&call), reply }).collect(),
        events: Vec::new(),
        propagated: Vec::new(),
        dirty: 0,
        watch_aborted: false,
        tags: Vec::new(),
    }
}

fn words(line: &str) -> Words {
    line.split(' ').map(str::to_owned).collect()
}
