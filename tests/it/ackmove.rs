//! EGG.ACKMOVE: which entries go, what their copies look like, and what is left behind.

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    an_entry_goes_to_the_destination_and_leaves_the_source,
    what_may_not_be_moved_is_nil_and_stays,
    a_poison_message_goes_to_the_dead_letters_with_its_history,
    set_replaces_every_occurrence_and_appends_what_is_new,
    an_entry_must_have_been_delivered_often_enough,
    the_policy_says_what_becomes_of_the_original,
    an_entry_that_is_gone_is_acknowledged_and_not_moved,
    an_entry_can_be_put_back_at_the_tail_of_its_own_stream,
    an_entry_put_back_a_hundred_times_does_not_grow,
    every_byte_of_a_large_payload_arrives,
    a_thousand_entries_go_in_one_call,
    the_copies_come_in_the_order_of_the_call,
}

/// A fresh stream `s` of three entries, which these groups have read; no stream `d`.
fn three(client: &mut Client, groups: &[&str]) {
    client.run("DEL s d");
    client.stream(3, groups);
}

/// The ids in a reply; an empty string where it says nil.
fn moved(reply: &Reply) -> Vec<String> {
    reply.array().iter().map(|id| if *id == Reply::Nil { String::new() } else { id.text() }).collect()
}

fn an_entry_goes_to_the_destination_and_leaves_the_source(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XADD s 1-0 b 1 a 2 b 3", "XADD s 2-0 x y", "XGROUP CREATE s g 0"]);
    client.read("g", 2);
    let ids = moved(&client.run("EGG.ACKMOVE s g d IDS 1 1-0"));
    assert_eq!(client.entries("d"), [(ids[0].clone(), "b 1 a 2 b 3".to_owned())]);
    assert_eq!((client.ids("s"), client.pending("s", "g")), (vec!["2-0".into()], vec!["2-0".into()]));
    let group = client.group("s", "g");
    for (field, expected) in [("lag", 0), ("pending", 1), ("entries-read", 2)] {
        assert_eq!(*group.field(field), expected, "{field}");
    }
    // To a stream that is there already, at its end; its last id may be ahead of the clock.
    client.all(&["XADD d 99999999999999-5 f v"]);
    assert_eq!(moved(&client.run("eGG.ackMOVE s g d iDs 1 2-0")), ["99999999999999-6"]);
    assert_eq!(client.entries("d")[2].1, "x y");
    assert_eq!((client.run("XLEN s"), client.run("XLEN d")), (Reply::Integer(0), Reply::Integer(3)));
    assert_eq!(client.run("XINFO GROUPS d"), Reply::Array(Vec::new()));
}

fn what_may_not_be_moved_is_nil_and_stays(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.add(1..=5);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g other COUNT 1 STREAMS s >"]);
    client.read("g", 3);
    client.all(&["XACK s g 4-0"]);
    let before = client.state("s");
    // Of another consumer, acknowledged before, never delivered, never there.
    assert_eq!(moved(&client.run("EGG.ACKMOVE s g d OWNER c IDS 5 1-0 4-0 5-0 9-0 1-0")), [""; 5]);
    assert_eq!(moved(&client.run("EGG.ACKMOVE s g d OWNER nobody IDS 2 1-0 2-0")), ["", ""]);
    assert_eq!(client.run("EXISTS d"), 0);
    assert_eq!(client.state("s"), before);
    // Named twice: moved once.
    let ids = moved(&client.run("EGG.ACKMOVE s g d OWNER c IDS 5 1-0 3-0 2-0 3-0 2-0"));
    assert_eq!([&ids[0], &ids[3], &ids[4]], ["", "", ""]);
    assert_eq!(client.ids("d"), ids[1..3]);
    assert_eq!(
        (client.ids("s"), client.pending("s", "g")),
        (words("1-0 4-0 5-0").into_iter().map(String::from).collect(), vec!["1-0".into()])
    );
}

fn a_poison_message_goes_to_the_dead_letters_with_its_history(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XADD s 7-1 body {} retry 0", "XGROUP CREATE s g 0"]);
    let call = "EGG.ACKMOVE s g dead MINDELIVERIES 3 META SET 2 retry 3 error timeout IDS 1 7-1";
    client.read("g", 1);
    for _ in 0..2 {
        assert_eq!(moved(&client.run(call)), [""]);
        client.all(&["XCLAIM s g c 0 7-1"]);
    }
    let now = |client: &mut Client| {
        let time = client.run("TIME");
        time.array()[0].text().parse::<u64>().expect("seconds") * 1000
            + time.array()[1].text().parse::<u64>().expect("microseconds") / 1000
    };
    let before = now(&mut client);
    let ids = moved(&client.run(call));
    let after = now(&mut client);
    let entries = client.entries("dead");
    let (id, line) = &entries[0];
    assert_eq!((entries.len(), id), (1, &ids[0]));
    let (line, moved_at) = line.split_once(" egg-moved-at ").expect("META is there");
    assert_eq!(
        line,
        "body {} retry 3 error timeout egg-source-stream s egg-source-id 7-1 egg-source-group g egg-deliveries 3"
    );
    assert!((before..=after).contains(&moved_at.parse().expect("milliseconds")), "{moved_at}");
    assert_eq!((client.run("XLEN s"), client.pending("s", "g")), (Reply::Integer(0), Vec::new()));
}

fn set_replaces_every_occurrence_and_appends_what_is_new(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (set, expected) in [
        ("", "a 1 b 2 a 3"),
        ("SET 1 a x", "a x b 2 a x"),
        ("SET 2 c y a x", "a x b 2 a x c y"),
        ("SET 3 d 1 c 2 e 3", "a 1 b 2 a 3 d 1 c 2 e 3"),
        // The last value counts, at the place of the first.
        ("SET 4 c 1 d 2 c 3 a 4", "a 4 b 2 a 4 c 3 d 2"),
        // Fields and values are data, whatever they look like.
        ("SET 2 IDS META a DELREF", "a DELREF b 2 a DELREF IDS META"),
        ("set 1 egg-note x", "a 1 b 2 a 3 egg-note x"),
    ] {
        for options in [format!("{set} IDS 1 1-0"), format!("IDS 1 1-0 {set}")] {
            client.run("DEL s d");
            client.all(&["XADD s 1-0 a 1 b 2 a 3", "XGROUP CREATE s g 0"]);
            client.read("g", 1);
            assert_eq!(client.run(&format!("EGG.ACKMOVE s g d {options}")).array().len(), 1);
            assert_eq!(client.entries("d")[0].1, expected, "{options}");
        }
    }
    client.run("DEL s d");
    client.all(&["XADD s 1-0 full x", "XGROUP CREATE s g 0"]);
    client.read("g", 1);
    client.send(&["EGG.ACKMOVE", "s", "g", "d", "SET", "2", "full", "", "", "", "IDS", "1", "1-0"]);
    assert_eq!(client.entries("d")[0].1, "full   ");
}

fn an_entry_must_have_been_delivered_often_enough(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let huge = i64::MAX.to_string();
    // What the count of deliveries is set to, and what is asked for.
    for (count, option, goes) in [
        ("0", "", true),
        ("0", "MINDELIVERIES 1", false),
        ("1", "MINDELIVERIES 1", true),
        ("2", "MINDELIVERIES 3", false),
        ("3", "mindeliveries 3", true),
        ("4", "MINDELIVERIES 3", true),
        (&*huge, "MINDELIVERIES 9223372036854775807", true),
    ] {
        three(&mut client, &["g"]);
        client.all(&[&format!("XCLAIM s g c 0 2-0 RETRYCOUNT {count} JUSTID")]);
        let ids = moved(&client.run(&format!("EGG.ACKMOVE s g d {option} META IDS 1 2-0")));
        assert_eq!(!ids[0].is_empty(), goes, "{count} {option}");
        assert_eq!(client.run("XLEN s"), if goes { 2 } else { 3 }, "{count} {option}");
        if goes {
            assert!(client.entries("d")[0].1.contains(&format!(" egg-deliveries {count} ")), "{count} {option}");
        }
    }
    // The server counts further, and shows a number below zero.
    three(&mut client, &["g"]);
    client.all(&[&format!("XCLAIM s g c 0 2-0 RETRYCOUNT {huge} JUSTID"), "XCLAIM s g c 0 2-0"]);
    assert_eq!(client.run("EGG.ACKMOVE s g d META MINDELIVERIES 9 IDS 1 2-0").array().len(), 1);
    assert!(client.entries("d")[0].1.contains(" egg-deliveries 9223372036854775808 "));
}

fn the_policy_says_what_becomes_of_the_original(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for policy in ["", "REJECT", "ACKONLY", "ACKED", "KEEPREF", "DELREF"] {
        three(&mut client, &["g"]);
        assert_ne!(moved(&client.run(&format!("EGG.ACKMOVE s g d {policy} IDS 1 2-0"))), [""], "{policy}");
        assert_eq!(client.ids("s"), ["1-0", "3-0"], "{policy}");
    }
    for (policy, original_stays, pending_in_h) in [
        ("ACKONLY", true, &["1-0", "2-0", "3-0"][..]),
        ("acked", true, &["1-0", "2-0", "3-0"]),
        ("KEEPREF", false, &["1-0", "2-0", "3-0"]),
        ("DELREF", false, &["1-0", "3-0"]),
    ] {
        three(&mut client, &["g", "h"]);
        let ids = moved(&client.run(&format!("EGG.ACKMOVE s g d {policy} IDS 1 2-0")));
        assert_eq!(client.ids("d"), ids, "{policy}");
        assert_eq!(client.ids("s").contains(&"2-0".into()), original_stays, "{policy}");
        assert_eq!(client.pending("s", "g"), ["1-0", "3-0"], "{policy}");
        assert_eq!(client.pending("s", "h"), pending_in_h, "{policy}");
    }
    // Under ACKED the last group's acknowledgement deletes.
    three(&mut client, &["g", "h"]);
    client.run("XACK s h 2-0");
    client.run("EGG.ACKMOVE s g d ACKED IDS 2 2-0 3-0");
    assert_eq!((client.ids("s"), client.run("XLEN d")), (vec!["1-0".into(), "3-0".into()], Reply::Integer(2)));
    // A group that was set back will read the original again.
    three(&mut client, &["g"]);
    client.run("XGROUP SETID s g 1-0");
    assert_eq!(moved(&client.run("EGG.ACKMOVE s g d IDS 2 1-0 2-0")), client.ids("d"));
    assert_eq!((client.ids("s"), client.pending("s", "g")), (vec!["2-0".into(), "3-0".into()], vec!["3-0".into()]));
    // The knob counts here, too.
    client.all(&["CONFIG SET egg.default-policy ackonly"]);
    three(&mut client, &["g", "h"]);
    assert_ne!(moved(&client.run("EGG.ACKMOVE s g d IDS 1 2-0")), [""]);
    assert_eq!(client.ids("s"), ["1-0", "2-0", "3-0"]);
}

fn an_entry_that_is_gone_is_acknowledged_and_not_moved(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for options in ["", "META SET 1 a b", "MINDELIVERIES 1 OWNER c", "MAXLEN 0"] {
        three(&mut client, &["g"]);
        client.all(&["XDEL s 1-0 3-0"]);
        let ids = moved(&client.run(&format!("EGG.ACKMOVE s g d {options} IDS 3 1-0 1-0 3-0")));
        assert_eq!(ids, ["", "", ""], "{options}");
        assert_eq!(client.pending("s", "g"), ["2-0"], "{options}");
        assert_eq!((client.ids("s"), client.run("EXISTS d")), (vec!["2-0".into()], Reply::Integer(0)), "{options}");
    }
    // Not if it is somebody else's, or was delivered too few times.
    three(&mut client, &["g"]);
    client.all(&["XDEL s 1-0"]);
    for options in ["OWNER other", "MINDELIVERIES 2"] {
        assert_eq!(moved(&client.run(&format!("EGG.ACKMOVE s g d {options} IDS 1 1-0"))), [""]);
        assert_eq!(client.pending("s", "g"), ["1-0", "2-0", "3-0"], "{options}");
    }
}

fn an_entry_can_be_put_back_at_the_tail_of_its_own_stream(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    three(&mut client, &["g"]);
    let ids = moved(&client.run("EGG.ACKMOVE s g s SET 1 retry 1 IDS 2 3-0 1-0"));
    let expected = [("2-0", "f v"), (&ids[0], "f v retry 1"), (&ids[1], "f v retry 1")];
    assert_eq!(client.entries("s"), expected.map(|(id, line)| (id.to_owned(), line.to_owned())));
    assert_eq!(client.pending("s", "g"), ["2-0"]);
    assert_eq!(*client.group("s", "g").field("lag"), 2);
    assert_eq!(client.read("g", 9), ids);
    assert_eq!(*client.group("s", "g").field("lag"), 0);
}

fn an_entry_put_back_a_hundred_times_does_not_grow(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XADD s 1-0 key k egg-mine gone", "XGROUP CREATE s g 0"]);
    let mut source = "1-0".to_owned();
    for round in 1..=100 {
        assert_eq!(client.read("g", 9), [source.clone()]);
        let call = format!("EGG.ACKMOVE s g s META SET 1 round {round} IDS 1 {source}");
        let new = moved(&client.run(&call)).remove(0);
        let entries = client.entries("s");
        let line = entries[0].1.split(" egg-moved-at ").next().unwrap_or_default();
        let history = format!("egg-source-stream s egg-source-id {source} egg-source-group g egg-deliveries 1");
        assert_eq!((entries.len(), line), (1, &*format!("key k round {round} {history}")));
        source = new;
    }
    assert_eq!(*client.group("s", "g").field("lag"), 1);
}

fn every_byte_of_a_large_payload_arrives(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let payload: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let field: Vec<u8> = (0..=255).rev().collect();
    client.send(&[&b"XADD"[..], b"s", b"1-0", &field, &payload, b"", b""]);
    client.all(&["XGROUP CREATE s g 0"]);
    client.read("g", 1);
    let words = [&b"EGG.ACKMOVE"[..], b"s", b"g", b"d", b"META", b"SET", b"1", &payload, &field, b"IDS", b"1", b"1-0"];
    assert_eq!(client.send(&words).array().len(), 1);
    let entry = client.run("XRANGE d - +").array()[0].array()[1].clone();
    let bytes = |index: usize| match &entry.array()[index] {
        Reply::Text(bytes) => bytes.clone(),
        other => panic!("no string: {other:?}"),
    };
    assert!([(0, &field), (1, &payload), (2, &Vec::new()), (3, &Vec::new())].iter().all(|(at, is)| bytes(*at) == **is));
    assert!(bytes(4) == payload && bytes(5) == field);
    assert_eq!((entry.array().len(), client.run("XLEN s")), (16, Reply::Integer(0)));
}

fn a_thousand_entries_go_in_one_call(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1500, &["g"]);
    let call: String = (1..=1000).map(|n| format!(" {n}-0")).collect();
    let ids = moved(&client.run(&format!("EGG.ACKMOVE s g d META IDS 1000{call}")));
    assert_eq!(client.ids("d"), ids);
    assert_eq!(client.pending("s", "g"), client.ids("s"));
    assert_eq!((client.ids("s").len(), client.ids("s")[0].clone()), (500, "1001-0".to_owned()));
    let sources = client.entries("d").into_iter().map(|(_, line)| words(&line)[5].to_owned());
    assert_eq!(sources.collect::<Vec<_>>(), words(&call));
}

fn the_copies_come_in_the_order_of_the_call(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for n in 1..=3 {
        client.all(&[&format!("XADD s {n}-0 n {n}")]);
    }
    client.all(&["XGROUP CREATE s g 0"]);
    client.read("g", 3);
    let ids = moved(&client.run("EGG.ACKMOVE s g d IDS 3 3-0 1-0 2-0"));
    let lines = ["n 3", "n 1", "n 2"].map(String::from);
    assert_eq!(client.entries("d"), ids.into_iter().zip(lines).collect::<Vec<_>>());
}
