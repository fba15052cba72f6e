//! EGG.ACKMOVE with MAXLEN or MINID: the destination is trimmed once, after the last move, and never of pending work.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    a_destination_without_groups_is_trimmed_as_asked,
    what_a_group_of_the_destination_needs_is_never_trimmed,
    a_stream_that_takes_back_its_entries_keeps_what_is_pending,
    the_destination_is_trimmed_once_after_the_last_move,
    the_source_is_not_trimmed,
    no_node_of_the_destination_is_left_behind_empty,
}

/// Three pending entries in `s`; in `d` the entries 1-0 to 5-0.
fn prepare(client: &mut Client) {
    client.run("DEL s d");
    client.stream(5, &[]);
    client.all(&["RENAME s d"]);
    client.stream(3, &["g"]);
}

fn moved(client: &mut Client, call: &str) -> Vec<String> {
    client.run(call).array().iter().map(Reply::text).collect()
}

fn a_destination_without_groups_is_trimmed_as_asked(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (trim, old, new) in [
        ("MAXLEN 3", &["5-0"][..], 2),
        ("maxlen = 2", &[], 2),
        ("MAXLEN 1", &[], 1),
        ("MAXLEN 0", &[], 0),
        ("MAXLEN 7", &["1-0", "2-0", "3-0", "4-0", "5-0"], 2),
        ("MINID 4", &["4-0", "5-0"], 2),
        ("MINID = 6-0", &[], 2),
        ("MAXLEN ~ 1", &[], 1),
        // A node holds a hundred entries: none of them goes whole within the limit.
        ("MINID ~ 4-0 LIMIT 2", &["1-0", "2-0", "3-0", "4-0", "5-0"], 2),
    ] {
        prepare(&mut client);
        let ids = moved(&mut client, &format!("EGG.ACKMOVE s g d {trim} IDS 2 1-0 3-0"));
        assert_eq!(ids.len(), 2);
        let expected: Vec<_> = old.iter().map(|id| (*id).to_owned()).chain(ids[2 - new..].iter().cloned()).collect();
        assert_eq!(client.ids("d"), expected, "{trim}");
    }
    client.all(&["CONFIG SET stream-node-max-entries 2"]);
    prepare(&mut client);
    let ids = moved(&mut client, "EGG.ACKMOVE s g d MAXLEN ~ 2 IDS 1 1-0");
    assert_eq!(client.ids("d"), ["5-0", &ids[0]]);
}

fn what_a_group_of_the_destination_needs_is_never_trimmed(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for policy in ["", "KEEPREF", "DELREF", "ACKED", "ACKONLY"] {
        for trim in ["MAXLEN 0", "MINID 99999999999999"] {
            // Nothing was read there.
            prepare(&mut client);
            client.all(&["XGROUP CREATE d dg 0"]);
            moved(&mut client, &format!("EGG.ACKMOVE s g d {policy} {trim} IDS 2 1-0 2-0"));
            assert_eq!(client.run("XLEN d"), 7, "{policy} {trim}");
            // 2-0 and 4-0 are being worked at, and what came just now was not read.
            prepare(&mut client);
            client.all(&["XGROUP CREATE d dg 0", "XREADGROUP GROUP dg c STREAMS d >", "XACK d dg 1-0 3-0 5-0"]);
            let ids = moved(&mut client, &format!("EGG.ACKMOVE s g d {policy} {trim} IDS 2 1-0 2-0"));
            assert_eq!(client.ids("d"), ["2-0", "4-0", &ids[0], &ids[1]], "{policy} {trim}");
            assert_eq!(client.pending("d", "dg"), ["2-0", "4-0"], "{policy} {trim}");
            assert_eq!(*client.group("d", "dg").field("lag"), 2, "{policy} {trim}");
        }
    }
}

fn a_stream_that_takes_back_its_entries_keeps_what_is_pending(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(5, &["g"]);
    client.run("XACK s g 2-0");
    let ids = moved(&mut client, "EGG.ACKMOVE s g s MAXLEN 0 IDS 1 3-0");
    assert_eq!(client.ids("s"), ["1-0", "4-0", "5-0", &ids[0]]);
    assert_eq!(client.pending("s", "g"), ["1-0", "4-0", "5-0"]);
    assert_eq!(*client.group("s", "g").field("lag"), 1);
    assert_eq!(client.info("egg", "egg_trimmed"), "1");
}

fn the_destination_is_trimmed_once_after_the_last_move(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    prepare(&mut client);
    let mut ids = Vec::new();
    let commands = server.propagated(|| ids = moved(&mut client, "EGG.ACKMOVE s g d MAXLEN 4 IDS 3 1-0 2-0 3-0"));
    let copies = ids.iter().map(|id| format!("XADD d {id} f v"));
    let expected: Vec<_> = std::iter::once("MULTI".to_owned())
        .chain(copies)
        .chain(["XACK s g 1-0 2-0 3-0", "XDEL s 1-0 2-0 3-0", "XTRIM d MAXLEN = 4", "EXEC"].map(String::from))
        .collect();
    assert_eq!(commands, expected);
    assert_eq!(client.ids("d"), ["5-0", &ids[0], &ids[1], &ids[2]]);
    assert_eq!(client.info("egg", "egg_trimmed"), "4");
    // Nothing moved: nothing is trimmed.
    client.run("EGG.ACKMOVE s g d MAXLEN 0 IDS 1 9-0");
    assert_eq!(client.run("XLEN d"), 4);
    prepare(&mut client);
    let events = server.events_of(|client| {
        client.run("EGG.ACKMOVE s g d MAXLEN 1 IDS 2 1-0 2-0");
    });
    assert_eq!(events, ["d xadd", "d xadd", "s xdel", "d xtrim"]);
}

fn the_source_is_not_trimmed(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.run("XACK s g 1-0");
    assert_eq!(moved(&mut client, "EGG.ACKMOVE s g d MAXLEN 0 IDS 1 2-0").len(), 1);
    assert_eq!(client.ids("s"), ["1-0", "3-0"]);
    assert_eq!(client.run("XLEN d"), 0);
}

/// An entry that was deleted before, behind the last one that goes, keeps its node alive in the eyes of the core.
fn no_node_of_the_destination_is_left_behind_empty(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["CONFIG SET stream-node-max-entries 5"]);
    for (groups, trim) in
        [(&[][..], "MINID 4"), (&["XGROUP CREATE d h 3-0"], "MINID 9"), (&["XGROUP CREATE d h 3-0"], "MAXLEN 1")]
    {
        prepare(&mut client);
        client.all(&["XDEL d 4-0 5-0"]);
        client.all(groups);
        assert_eq!(moved(&mut client, &format!("EGG.ACKMOVE s g d {trim} IDS 1 1-0")).len(), 1);
        let info = client.run("XINFO STREAM d");
        assert_eq!((info.field("length").integer(), info.field("radix-tree-keys").integer()), (1, 1), "{trim}");
    }
}
