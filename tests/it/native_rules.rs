//! What EGG answers to a recorded call where 8.2.3 is at fault (tags `quirk-*`) or where it is bound to what its server's own
//! commands do (the other tags). Each by a rule that works on the recorded state, so that nothing is left uncompared.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::vectors::{self, Vector};
use egg_testkit::harness::Kind;
use egg_testkit::ids::Id;

/// All that was recorded, each as the native names are to do it.
pub fn all_vectors(kind: Kind) -> Vec<Vector> {
    let of_8_2 = vectors::load();
    let names: HashSet<&str> = of_8_2.iter().map(|vector| vector.name.as_str()).collect();
    let more = vectors_of_8_6().iter().filter(|vector| !names.contains(vector.name.as_str()));
    let all: Vec<Vector> = of_8_2.iter().chain(more).map(|vector| for_native_names(vector, kind)).collect();
    assert_eq!((of_8_2.len(), all.len()), (490, 610));
    all
}

fn vectors_of_8_6() -> &'static [Vector] {
    static VECTORS: OnceLock<Vec<Vector>> = OnceLock::new();
    VECTORS.get_or_init(vectors::load_8_6)
}

/// What the native names are to do where this was recorded. Where 8.6 has mended a fault of 8.2.3, its answer is the right one.
pub fn for_native_names(recorded: &Vector, kind: Kind) -> Vector {
    let is_mended = recorded.has_tag("quirk-approx-noop") || recorded.has_tag("quirk-stale-min");
    let mended = vectors_of_8_6().iter().find(|vector| is_mended && vector.name == recorded.name);
    assert_eq!(is_mended, mended.is_some(), "{}", recorded.name);
    let recorded = mended.unwrap_or(recorded);
    let mut vector = recorded.clone();
    let before = History::before(recorded);
    let is_limited = goes_as_far_as_the_limit(&mut vector, &before, kind);
    for tag in recorded.tags.iter().filter(|tag| !is_limited || *tag != "max-deleted-by-xdel") {
        match tag.as_str() {
            "quirk-node-stop" => without_node_stop(&mut vector),
            "lag-differs-in-7.4-core" => lag_of_the_core(&mut vector, kind),
            "max-deleted-by-xdel" => holes_go_by_xdel(&mut vector, &before),
            "limit-by-nodes" => {}
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
}

impl History {
    fn before(vector: &Vector) -> Self {
        let mut entries = Vec::new();
        for words in &vector.setup {
            match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                ["XADD", "s", id, ..] => entries.push(Id::of(id)),
                ["XDEL", "s", ids @ ..] => entries.retain(|entry| !ids.iter().any(|gone| Id::of(gone) == *entry)),
                _ => {}
            }
        }
        Self { entries }
    }
}

/// 8.2.3 stops a MAXLEN trim under ACKED at a node that could not give enough. EGG goes on to the next entry.
fn without_node_stop(vector: &mut Vector) {
    let at = vector.call.iter().position(|word| word == "MAXLEN").expect("it is about MAXLEN") + 1;
    let target = vector.call[at..].iter().find_map(|word| word.parse::<usize>().ok()).expect("MAXLEN is a number");
    let excess = entries(vector).len() - target;
    let more: Vec<Id> = entries(vector).into_iter().filter(|entry| !is_needed(vector, *entry)).take(excess).collect();
    assert_eq!(more.len(), excess, "{}", vector.name);
    remove(vector, &more, false);
    if let Some(removed) = vector.reply.as_u64() {
        vector.reply = json!(removed + more.len() as u64);
    }
}

/// Under `~` 8.6 ends before the node whose entries would take it over the LIMIT, be it that few of them would go. EGG cannot
/// see nodes: if the front has more entries to go than the limit allows, whole nodes go, as there; else as many entries as the
/// limit allows. (Without LIMIT that is 10,000, where 8.6 takes a hundred times `stream-node-max-entries`.)
///
/// Answers whether something else goes than was recorded; then all of it has been seen to.
fn goes_as_far_as_the_limit(vector: &mut Vector, before: &History, kind: Kind) -> bool {
    let call = vector.call.clone();
    let number = |option: &str| {
        let at = call.iter().position(|word| word == option)? + 1;
        call.get(at + usize::from(call[at] == "~")).cloned()
    };
    let is_acked = call.iter().any(|word| word == "ACKED");
    let is_approximate = call.iter().any(|word| word == "~") && (is_acked || call.iter().any(|word| word == "DELREF"));
    if !is_approximate || vector.error().is_some() {
        return false;
    }
    let limit: usize = number("LIMIT").map_or(10_000, |limit| limit.parse().expect("a number"));
    let mut all = before.entries.clone();
    if vector.group == "xadd" {
        all.push(Id::of(text(&vector.reply)));
    }
    let excess =
        number("MAXLEN").map_or(usize::MAX, |length| all.len().saturating_sub(length.parse().expect("a number")));
    let minimum = number("MINID").map_or(Id::MAX, |minimum| Id::of(&minimum));
    let is_free = |vector: &mut Vector, entry: Id| entry < minimum && (!is_acked || !is_needed(vector, entry));
    let front = all.iter().take_while(|entry| is_free(vector, **entry)).take(excess).count();
    if limit == 0 || front > limit {
        return false;
    }
    let gone: Vec<Id> = all.iter().copied().filter(|entry| is_free(vector, *entry)).take(excess.min(limit)).collect();
    let left = entries(vector);
    let more: Vec<Id> = gone.iter().copied().filter(|entry| left.contains(entry)).collect();
    assert_eq!(gone.len() - more.len(), all.len() - left.len(), "{}: 8.6 removed what is not to go", vector.name);
    if more.is_empty() {
        return false;
    }
    remove(vector, &more, !is_acked);
    if vector.group == "xtrim" {
        vector.reply = json!(gone.len());
    }
    vector.watch_aborted = true;
    vector.events.retain(|(_, event)| event == "xadd");
    if gone.len() > front {
        holes_go_by_xdel(vector, &History { entries: all });
    } else {
        vector.events.push(("s".to_owned(), "xtrim".to_owned()));
    }
    lag_of_the_core(vector, kind);
    true
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
    let (added, deleted) = (stream["entries-added"].as_i64(), Id::of(text(&stream["max-deleted-entry-id"])));
    for group in groups(vector) {
        let delivered = Id::of(text(&group["last-delivered-id"]));
        if first.is_some_and(|first| first <= delivered) {
            continue;
        }
        group["lag"] = match (kind, added, group["entries-read"].as_i64()) {
            (Kind::Redis82, ..) => stream["length"].clone(),
            (Kind::Valkey91, ..) if deleted >= delivered => Value::Null,
            (_, Some(added), Some(read)) => json!(added - read),
            // Nothing was ever deleted behind the front: whatever is left is still to come.
            _ if deleted == Id::MIN => stream["length"].clone(),
            _ => Value::Null,
        };
    }
}

/// Takes entries out of what was observed, and their ids out of every pending entries list if `with_references`.
fn remove(vector: &mut Vector, gone: &[Id], with_references: bool) {
    let left: Vec<Value> = list(vector.observed("XRANGE s - +"))
        .iter()
        .filter(|entry| !gone.contains(&Id::of(text(&entry[0]))))
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
        let left: Vec<Value> =
            list(rows).iter().filter(|row| !gone.contains(&Id::of(text(&row[0])))).cloned().collect();
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
    let recorded = Id::of(text(&stream["max-deleted-entry-id"]));
    let highest = highest.map_or(recorded, |highest| highest.max(recorded));
    stream["max-deleted-entry-id"] = json!(highest.to_string());
}

/// Whether a group needs an entry: by what was observed after the call, which changed no group.
fn is_needed(vector: &mut Vector, entry: Id) -> bool {
    let rows: Vec<Value> = groups(vector).to_vec();
    rows.iter().any(|group| {
        let question = format!("XPENDING s {} - + 1000", text(&group["name"]));
        let is_pending = list(vector.observed(&question)).iter().any(|row| Id::of(text(&row[0])) == entry);
        is_pending || Id::of(text(&group["last-delivered-id"])) < entry
    })
}

fn entries(vector: &mut Vector) -> Vec<Id> {
    list(vector.observed("XRANGE s - +")).iter().map(|entry| Id::of(text(&entry[0]))).collect()
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
