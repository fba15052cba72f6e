//! The Function library by what was recorded of Redis 8.2.3, on servers without the module.

use serde_json::json;

use crate::conformance::for_ackdel;
use crate::native_rules::for_native_names;
use crate::vectors::{self, Vector};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options};

each_server! {
    egg_ackdel_does_what_xackdel_does,
    egg_delex_does_what_xdelex_does,
}

fn egg_ackdel_does_what_xackdel_does(kind: Kind) {
    let server = Options::new(kind).with_library().start();
    let vectors: Vec<Vector> = vectors::load_group("xackdel").iter().map(|vector| for_ackdel(vector, kind)).collect();
    assert_eq!(vectors.len(), 153);
    vectors::check("egg_ackdel", &server, &vectors);
}

fn egg_delex_does_what_xdelex_does(kind: Kind) {
    let server = Options::new(kind).with_library().start();
    let vectors: Vec<Vector> = vectors::load_group("xdelex").iter().map(|vector| for_delex(vector, kind)).collect();
    assert_eq!(vectors.len(), 154);
    vectors::check("egg_delex", &server, &vectors);
}

/// What EGG.DELEX is to do where XDELEX was recorded: 8.2's default policy is written out, before all other options.
fn for_delex(recorded: &Vector, kind: Kind) -> Vector {
    const SHORTEST: usize = 5;
    let mut vector = for_native_names(recorded, kind);
    vector.call[0] = "EGG.DELEX".to_owned();
    if !kind.has_native_xackdel() {
        // It makes 8.2.3 remember where a group stands, and changes nothing else.
        vector.setup.retain(|words| words[0] != "XDELEX");
    }
    let has_policy = |word: &String| ["KEEPREF", "DELREF", "ACKED"].iter().any(|name| word.eq_ignore_ascii_case(name));
    if recorded.call.len() >= SHORTEST && !recorded.call.iter().skip(2).any(has_policy) {
        vector.call.insert(2, "KEEPREF".to_owned());
    }
    if let Some(error) = recorded.error() {
        vector.expect_error(&error.replace("'xdelex'", "'egg.delex'"));
    }
    match vector.name.as_str() {
        "xdelex/parse/missing-key-id-not-validated" => {
            vector.expect_error("ERR Invalid stream ID specified as stream command argument");
        }
        "xdelex/parse/ids-twice-last-wins" | "xdelex/parse/ids-twice-first-not-validated" => {
            refuse_second_block(&mut vector);
        }
        _ => {}
    }
    vector
}

/// 8.2 takes the last of several blocks of ids. To EGG a second one is an error, which changes nothing.
fn refuse_second_block(vector: &mut Vector) {
    vector.expect_error("ERR syntax error");
    vector.events.clear();
    vector.watch_aborted = false;
    let entry = |n: u64| json!([format!("{n}-1"), ["f", format!("v{n}")]]);
    let count = 6;
    *vector.observed("XRANGE s - +") = (1..=count).map(entry).collect();
    let stream = vector.observed("XINFO STREAM s");
    stream["length"] = json!(count);
    stream["max-deleted-entry-id"] = json!("0-0");
    stream["recorded-first-entry-id"] = json!("1-1");
}
