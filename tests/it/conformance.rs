//! EGG and Redis 8.2.3 side by side, by what was recorded of 8.2.3.

use serde_json::json;

use crate::vectors::{self, Vector, Words};
use egg_testkit::client::Reply;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    ackdel_does_what_xackdel_does,
    keeping_lag_changes_lag_and_the_mark_of_deletions,
}

/// The vectors stay honest: the server that they were recorded on still does all of it.
#[test]
fn redis_8_2_does_what_was_recorded_of_it() {
    let server = Options::new(Kind::Redis82).without_module().start();
    let vectors = vectors::load();
    assert_eq!(vectors.len(), 490);
    vectors::check("as recorded", &server, &vectors);
}

fn ackdel_does_what_xackdel_does(kind: Kind) {
    let server = Server::start(kind);
    server.connect().all(&["CONFIG SET egg.keep-lag no"]);
    let vectors: Vec<Vector> = vectors::load_group("xackdel").iter().map(|vector| for_ackdel(vector, kind)).collect();
    assert_eq!(vectors.len(), 153);
    vectors::check("EGG.ACKDEL", &server, &vectors);
}

/// With `egg.keep-lag`, which 8.2 does not have: one thing differs, where 8.2 turns lag into null. No vector does that.
fn keeping_lag_changes_lag_and_the_mark_of_deletions(kind: Kind) {
    let server = Server::start(kind);
    let vectors: Vec<Vector> = vectors::load_group("xackdel").iter().map(|vector| for_ackdel(vector, kind)).collect();
    vectors::check("EGG.ACKDEL with keep-lag", &server, &vectors);

    let mut client = server.connect();
    let mut lag_and_mark = |keep_lag: &str| {
        client.send(&["CONFIG", "SET", "egg.keep-lag", keep_lag]);
        client.all(&["FLUSHALL", "XADD s 1-0 f v", "XADD s 2-0 f v", "XADD s 3-0 f v", "XGROUP CREATE s g 0"]);
        client.all(&["XREADGROUP GROUP g c COUNT 2 STREAMS s >", "EGG.ACKDEL s g ACKED IDS 1 2-0"]);
        let mark = client.run("XINFO STREAM s").field("max-deleted-entry-id").text();
        (client.group("s", "g").field("lag").clone(), mark)
    };
    assert_eq!(lag_and_mark("no"), (Reply::Nil, "2-0".to_owned()));
    assert_eq!(lag_and_mark("yes"), (Reply::Integer(1), "1-18446744073709551615".to_owned()));
}

/// What EGG.ACKDEL is to do where XACKDEL was recorded.
pub fn for_ackdel(recorded: &Vector, kind: Kind) -> Vector {
    let mut vector = recorded.clone();
    vector.call = spelled_out(&recorded.call);
    if let Some(error) = recorded.error() {
        vector.expect_error(&error.replace("'xackdel'", "'egg.ackdel'"));
    }
    if vector.name == "xackdel/parse/no-ids-keyword" {
        vector.expect_error("ERR syntax error, ids are given as IDS numids id [id ...]");
    }
    if recorded.has_tag("quirk-stale-min") {
        without_stale_minimum(&mut vector, kind);
    }
    if recorded.has_tag("lag-differs-in-7.4-core") && !kind.has_native_xackdel() {
        vector.forget("lag");
    }
    expect_no_group(&mut vector);
    vector
}

/// `EGG.ACKDEL` with 8.2's default policy written out. It goes before all other options, where it turns no argument
/// into an id and no error into another; calls that are too short stay too short.
fn spelled_out(call: &[String]) -> Words {
    const SHORTEST: usize = 6;
    let mut words = call.to_vec();
    words[0] = "EGG.ACKDEL".to_owned();
    if call.len() >= SHORTEST && policy_of(call).is_none() {
        words.insert(3, "KEEPREF".to_owned());
    }
    words
}

fn policy_of(call: &[String]) -> Option<&'static str> {
    let is_in_call = |policy: &&str| call.iter().skip(3).any(|word| word.eq_ignore_ascii_case(policy));
    ["KEEPREF", "DELREF", "ACKED"].into_iter().find(is_in_call)
}

/// A missing key or group is an error here, and -1 for each id in 8.2, which does not even look at the ids.
fn expect_no_group(vector: &mut Vector) {
    let [_, key, group, ..] = vector.call.as_slice() else { return };
    let exists = key == "s" && group == "a";
    if exists || vector.error().is_some() {
        return;
    }
    let text = match vector.name.as_str() {
        "xackdel/parse/missing-group-id-not-validated" => {
            "ERR Invalid stream ID specified as stream command argument".to_owned()
        }
        _ => format!("NOGROUP No such key '{key}' or consumer group '{group}'"),
    };
    vector.expect_error(&text);
}

/// 8.2.3 remembers the position of a group that was destroyed, and keeps what only that group needed. EGG does not.
fn without_stale_minimum(vector: &mut Vector, kind: Kind) {
    assert_eq!(vector.name, "xackdel/acked/stale-min/destroy-primed");
    // What makes 8.2.3 remember; it changes nothing else.
    vector.setup.retain(|words| words[0] != "XDELEX" || kind.has_native_xackdel());
    vector.reply = json!([1]);
    let entry = |n: u64| json!([format!("{n}-1"), ["f", format!("v{n}")]]);
    *vector.observed("XRANGE s - +") = [1, 2, 4, 5, 6].map(entry).into();
    let stream = vector.observed("XINFO STREAM s");
    stream["length"] = json!(5);
    stream["max-deleted-entry-id"] = json!("3-1");
    vector.events = vec![("s".to_owned(), "xdel".to_owned())];
    vector.watch_aborted = true;
}
