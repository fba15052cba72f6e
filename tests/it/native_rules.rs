//! What EGG answers to a recorded call where 8.2.3 is at fault (tags `quirk-*`) or where it is bound to what its server's own
//! commands do (the other tags). Each by a rule that works on the recorded state, so that nothing is left uncompared.

use serde_json::{Value, json};

use crate::harness::Kind;
use crate::vectors::Vector;

pub type Id = (u64, u64);

/// What the native names are to do where 8.2.3 was recorded.
pub fn for_native_names(recorded: &Vector, kind: Kind) -> Vector {
    let mut vector = recorded.clone();
    let before = History::before(recorded);
    for tag in &recorded.tags {
        match tag.as_str() {
            "quirk-stale-min" => without_stale_minimum(&mut vector),
            "quirk-approx-noop" => whole_nodes_go(&mut vector, &before, kind),
            "quirk-node-stop" => without_node_stop(&mut vector),
            "lag-differs-in-7.4-core" => lag_of_the_core(&mut vector, kind),
            "max-deleted-by-xdel" => holes_go_by_xdel(&mut vector, &before),
            // The replica is where this one shows: the effects are propagated here.
            "quirk-no-propagation" => {}
            other => panic!("{}: no rule for {other}", vector.name),
        }
    }
    vector
}

/// The entries of the stream before the call, from the commands that made them.
struct History {
    entries: Vec<Id>,
    node: usize,
}

impl History {
    fn before(vector: &Vector) -> Self {
        let (mut entries, mut node) = (Vec::new(), 100);
        for words in &vector.setup {
            match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                ["XADD", "s", id, ..] => entries.push(self::id(id)),
                ["XDEL", "s", ids @ ..] => entries.retain(|entry| !ids.iter().any(|gone| id(gone) == *entry)),
                ["CONFIG", "SET", "stream-node-max-entries", value] => node = value.parse().expect("a number"),
                _ => {}
            }
        }
        Self { entries, node }
    }
}

/// 8.2.3 remembers how far a group had come that was destroyed meanwhile, and keeps what only that group needed.
fn without_stale_minimum(vector: &mut Vector) {
    let unneeded: Vec<Id> = entries(vector).into_iter().filter(|entry| !is_needed(vector, *entry)).collect();
    let named: Vec<Id> = match vector.group.as_str() {
        "xtrim" => unneeded.clone(),
        _ => vector.call.last().map(|word| vec![id(word)]).unwrap_or_default(),
    };
    assert!(named.iter().all(|id| unneeded.contains(id)), "{}", vector.name);
    remove(vector, &named, false);
    let (event, reply) = match vector.group.as_str() {
        "xtrim" => ("xtrim", json!(named.len())),
        _ => ("xdel", json!([1])),
    };
    if event == "xdel" {
        raise_max_deleted(vector, named.iter().copied().max());
    }
    vector.reply = reply;
    vector.events = vec![("s".to_owned(), event.to_owned())];
    vector.watch_aborted = true;
}

/// 8.2.3 stops a MAXLEN trim under ACKED at a node that could not give enough. EGG goes on to the next entry.
fn without_node_stop(vector: &mut Vector) {
    let target: usize = vector.call[3].parse().expect("MAXLEN is a number");
    let excess = entries(vector).len() - target;
    let more: Vec<Id> = entries(vector).into_iter().filter(|entry| !is_needed(vector, *entry)).take(excess).collect();
    assert_eq!(more.len(), excess, "{}", vector.name);
    remove(vector, &more, false);
    vector.reply = json!(vector.reply.as_u64().expect("a count") + more.len() as u64);
}

/// 8.2.3 removes nothing under `~` with DELREF or ACKED. EGG removes whole nodes, as `~` says: under ACKED those in which
/// nothing is needed, under DELREF with what refers to their entries.
fn whole_nodes_go(vector: &mut Vector, before: &History, kind: Kind) {
    let call = vector.call.clone();
    let word = |name: &str| call.iter().position(|word| word.eq_ignore_ascii_case(name));
    let value = |index: usize| call[index].clone();
    let acked = word("ACKED").is_some();
    let most: usize = match word("LIMIT") {
        Some(index) if value(index + 1) != "0" => value(index + 1).parse().expect("LIMIT is a number"),
        Some(_) => usize::MAX,
        None => 100 * before.node,
    };
    let mut left = entries(vector);
    let mut gone = Vec::new();
    for node in entries(vector).chunks(before.node) {
        let is_beyond = match (word("MAXLEN"), word("MINID")) {
            (Some(index), _) => left.len() - node.len() >= value(index + 2).parse().expect("MAXLEN is a number"),
            (_, Some(index)) => *node.last().expect("nodes are not empty") < id(&value(index + 2)),
            _ => panic!("{}: no strategy", vector.name),
        };
        let is_kept = acked && node.iter().any(|entry| is_needed(vector, *entry));
        if !is_beyond || is_kept || gone.len() + node.len() > most {
            break;
        }
        left.drain(..node.len());
        gone.extend_from_slice(node);
    }
    remove(vector, &gone, !acked);
    if !gone.is_empty() {
        vector.events.push(("s".to_owned(), "xtrim".to_owned()));
        vector.watch_aborted = true;
        lag_of_the_core(vector, kind);
    }
    if vector.group == "xtrim" {
        vector.reply = json!(gone.len());
    }
}

/// EGG removes what lies between needed entries by XDEL, which says so: the event is `xdel` (after `xtrim`, if the front went,
/// too), and max-deleted-entry-id is the highest hole.
fn holes_go_by_xdel(vector: &mut Vector, before: &History) {
    let left = entries(vector);
    let gone: Vec<Id> = before.entries.iter().copied().filter(|entry| !left.contains(entry)).collect();
    let first = left.first().copied().expect("what is needed is left");
    let (front, holes): (Vec<Id>, Vec<Id>) = gone.into_iter().partition(|id| *id < first);
    assert!(!holes.is_empty(), "{}: no holes", vector.name);
    raise_max_deleted(vector, holes.into_iter().max());
    vector.events.retain(|(_, event)| event != "xtrim");
    let cut = (!front.is_empty()).then_some("xtrim");
    vector.events.extend(cut.into_iter().chain(["xdel"]).map(|event| ("s".to_owned(), event.to_owned())));
}

/// When everything up to a group's last-delivered-id is gone, 8.2.3 takes the length for its lag. The older cores take
/// entries-added less entries-read, and count what was removed unread; Valkey answers null if the last deletion shows.
fn lag_of_the_core(vector: &mut Vector, kind: Kind) {
    let first = entries(vector).first().copied();
    let stream = vector.observed("XINFO STREAM s").clone();
    let (added, deleted) = (stream["entries-added"].as_i64(), id(text(&stream["max-deleted-entry-id"])));
    for group in groups(vector) {
        let delivered = id(text(&group["last-delivered-id"]));
        if first.is_some_and(|first| first <= delivered) {
            continue;
        }
        group["lag"] = match (kind, added, group["entries-read"].as_i64()) {
            (Kind::Redis82, ..) => stream["length"].clone(),
            (Kind::Valkey91, ..) if deleted >= delivered => Value::Null,
            (_, Some(added), Some(read)) => json!(added - read),
            _ => Value::Null,
        };
    }
}

/// Takes entries out of what was observed, and their ids out of every pending entries list if `with_references`.
fn remove(vector: &mut Vector, gone: &[Id], with_references: bool) {
    let left: Vec<Value> = list(vector.observed("XRANGE s - +"))
        .iter()
        .filter(|entry| !gone.contains(&id(text(&entry[0]))))
        .cloned()
        .collect();
    let first = left.first().map_or(json!("0-0"), |entry| entry[0].clone());
    let stream = vector.observed("XINFO STREAM s");
    stream["length"] = json!(left.len());
    stream["recorded-first-entry-id"] = first;
    *vector.observed("XRANGE s - +") = left.into();
    if !with_references {
        return;
    }
    let names: Vec<String> = groups(vector).iter().map(|group| text(&group["name"]).to_owned()).collect();
    for name in names {
        let rows = vector.observed(&format!("XPENDING s {name} - + 1000"));
        let left: Vec<Value> = list(rows).iter().filter(|row| !gone.contains(&id(text(&row[0])))).cloned().collect();
        *rows = json!(left);
        *vector.observed(&format!("XPENDING s {name}")) = summary(&left);
        groups(vector).iter_mut().filter(|group| group["name"] == name.as_str()).for_each(|group| {
            group["pending"] = json!(left.len());
        });
    }
}

/// `XPENDING s g` of these rows, which belong to one consumer.
fn summary(rows: &[Value]) -> Value {
    match (rows.first(), rows.last()) {
        (Some(first), Some(last)) => json!([rows.len(), first[0], last[0], [[first[1], rows.len().to_string()]]]),
        _ => json!([0, null, null, null]),
    }
}

fn raise_max_deleted(vector: &mut Vector, highest: Option<Id>) {
    let stream = vector.observed("XINFO STREAM s");
    let recorded = id(text(&stream["max-deleted-entry-id"]));
    let (ms, seq) = highest.map_or(recorded, |highest| highest.max(recorded));
    stream["max-deleted-entry-id"] = json!(format!("{ms}-{seq}"));
}

/// Whether a group needs an entry: by what was observed after the call, which changed no group.
fn is_needed(vector: &mut Vector, entry: Id) -> bool {
    let rows: Vec<Value> = groups(vector).to_vec();
    rows.iter().any(|group| {
        let question = format!("XPENDING s {} - + 1000", text(&group["name"]));
        let is_pending = list(vector.observed(&question)).iter().any(|row| id(text(&row[0])) == entry);
        is_pending || id(text(&group["last-delivered-id"])) < entry
    })
}

fn entries(vector: &mut Vector) -> Vec<Id> {
    list(vector.observed("XRANGE s - +")).iter().map(|entry| id(text(&entry[0]))).collect()
}

fn groups(vector: &mut Vector) -> &mut [Value] {
    vector.observed("XINFO GROUPS s").as_array_mut().expect("groups are a list")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn id(text: &str) -> Id {
    let (ms, seq) = text.split_once('-').unwrap_or((text, "0"));
    (ms.parse().expect("milliseconds"), seq.parse().expect("a sequence number"))
}
