//! EGG.TRIM: the janitor, and trims to a threshold.

use crate::trim_approximate::thousands;
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    exact_trims_pass_over_what_is_needed,
    keepref_and_delref_trim_like_xtrim,
    delref_leaves_no_reference_behind,
    without_groups_a_threshold_trims_as_in_xtrim,
    a_reference_without_an_entry_holds_no_front_back,
    a_rewound_group_needs_everything_again,
    lag_stays_a_number,
    the_last_id_there_is,
}

/// Entries 1-0 to 12-0. Group g has read eight and acknowledged 1, 3, 4, 6 and 7: 2, 5 and 8 are pending.
pub fn prepare(client: &mut Client) {
    client.all(&["FLUSHALL"]);
    client.add(1..=12);
    client.all(&["XGROUP CREATE s g 0"]);
    client.read("g", 8);
    client.all(&["XACK s g 1-0 3-0 4-0 6-0 7-0"]);
}

/// The numbers of the entries that are left: `2 5 8-12`.
pub fn left(client: &mut Client) -> String {
    let numbers: Vec<u64> =
        client.ids("s").iter().map(|id| id.split('-').next().unwrap_or_default().parse().expect("a number")).collect();
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[u64]| match run {
        [one] => one.to_string(),
        many => format!("{}-{}", many[0], many[many.len() - 1]),
    };
    runs.map(run).collect::<Vec<_>>().join(" ")
}

fn exact_trims_pass_over_what_is_needed(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for node in [100, 3, 1] {
        client.all(&[&format!("CONFIG SET stream-node-max-entries {node}")]);
        for (options, removed, remain) in [
            ("MAXLEN 5", 5, "2 5 8-12"),
            ("MAXLEN = 9", 3, "2 5-12"),
            ("MAXLEN 11", 1, "2-12"),
            ("MAXLEN 12", 0, "1-12"),
            ("MAXLEN 0", 5, "2 5 8-12"),
            ("MINID 7", 4, "2 5 7-12"),
            ("MINID = 2", 1, "2-12"),
            ("MINID 1", 0, "1-12"),
            ("MINID 99", 5, "2 5 8-12"),
            ("ACKED MAXLEN 10", 2, "2 4-12"),
        ] {
            prepare(&mut client);
            assert_eq!(client.run(&format!("EGG.TRIM s {options}")), removed, "{options}");
            assert_eq!(left(&mut client), remain, "{options}");
            assert_eq!(client.pending("s", "g"), ["2-0", "5-0", "8-0"], "{options}");
        }
    }
}

fn keepref_and_delref_trim_like_xtrim(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (options, removed, remain, pending) in [
        ("KEEPREF MAXLEN 5", 7, "8-12", &["2-0", "5-0", "8-0"][..]),
        ("DELREF MAXLEN 5", 7, "8-12", &["8-0"]),
        ("MINID 5 DELREF", 4, "5-12", &["5-0", "8-0"]),
        ("DELREF MAXLEN 0", 12, "", &[]),
        ("DELREF MAXLEN 12", 0, "1-12", &["2-0", "5-0", "8-0"]),
    ] {
        prepare(&mut client);
        assert_eq!(client.run(&format!("EGG.TRIM s {options}")), removed, "{options}");
        assert_eq!(
            (left(&mut client).as_str(), client.pending("s", "g")),
            (remain, pending.iter().map(|id| (*id).to_owned()).collect()),
            "{options}"
        );
    }
}

/// 8.2.3 leaves one: it looks only at entries that it removes.
fn delref_leaves_no_reference_behind(kind: Kind) {
    let egg = Server::start(kind);
    let native = Options::new(Kind::Redis82).without_module().start();
    for (server, call, pending) in [(&native, "XTRIM s DELREF MAXLEN 0", 1), (&egg, "EGG.TRIM s DELREF MAXLEN 0", 0)] {
        let mut client = server.connect();
        client.stream(3, &["g"]);
        client.all(&["XDEL s 1-0"]);
        assert_eq!(client.run(call), 2, "{call}");
        assert_eq!(client.pending("s", "g").len(), pending, "{call}");
    }
    // Also where no entry is left to be removed.
    let mut client = egg.connect();
    client.all(&["FLUSHALL"]);
    client.stream(3, &["g"]);
    client.all(&["XDEL s 1-0 2-0"]);
    assert_eq!(client.run("EGG.TRIM s DELREF MINID 3"), 0);
    assert_eq!(client.pending("s", "g"), ["3-0"]);
    client.all(&["XDEL s 3-0"]);
    assert_eq!(client.run("EGG.TRIM s DELREF MAXLEN 0"), 0);
    assert!(client.pending("s", "g").is_empty());
}

fn without_groups_a_threshold_trims_as_in_xtrim(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for policy in ["ACKED", "KEEPREF", "DELREF", ""] {
        client.all(&["FLUSHALL"]);
        client.add(1..=12);
        assert_eq!(client.run(&format!("EGG.TRIM s {policy} MAXLEN 7")), 5, "{policy}");
        assert_eq!(client.run(&format!("EGG.TRIM s {policy} MINID 8")), 2, "{policy}");
        assert_eq!(left(&mut client), "8-12");
    }
}

/// The front goes in one cut, whatever dangles in it: one event, and no XDEL entry by entry.
fn a_reference_without_an_entry_holds_no_front_back(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for gone in ["3-0", "1-0", "3-0 5-0 1000-0", "2999-0 3000-0"] {
        thousands(&mut client, &gone.split(' ').collect::<Vec<_>>());
        client.all(&[&format!("XDEL s {gone}")]);
        let count = 3000 - gone.split(' ').count() as i64;
        let events = server.events_of(|client| assert_eq!(client.run("EGG.TRIM s"), count, "{gone}"));
        assert_eq!(events, ["s xtrim"], "{gone}");
        assert_eq!(client.pending("s", "g").join(" "), gone);
    }
    // What is pending and there does hold it back.
    thousands(&mut client, &["3-0", "2000-0"]);
    client.all(&["XDEL s 3-0"]);
    assert_eq!(client.run("EGG.TRIM s MAXLEN ~ 1100 LIMIT 1950"), 1899);
    assert_eq!(client.run("EGG.TRIM s"), 1099);
    assert_eq!(left(&mut client), "2000");
}

fn a_rewound_group_needs_everything_again(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["XGROUP SETID s g 3-0"]);
    assert_eq!(client.run("EGG.TRIM s"), 2);
    assert_eq!(left(&mut client), "2 4-12");
    client.all(&["XGROUP SETID s g 0"]);
    assert_eq!(client.run("EGG.TRIM s MAXLEN 0"), 0);
}

fn lag_stays_a_number(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (keep_lag, call, lag) in [
        ("yes", "EGG.TRIM s", Reply::Integer(4)),
        ("yes", "EGG.TRIM s MAXLEN 0", Reply::Integer(4)),
        ("yes", "EGG.TRIM s MINID 9", Reply::Integer(4)),
        ("yes", "EGG.TRIM s LIMIT 8", Reply::Integer(4)),
        ("no", "EGG.TRIM s", Reply::Nil),
    ] {
        prepare(&mut client);
        client.all(&[&format!("CONFIG SET egg.keep-lag {keep_lag}"), "XACK s g 8-0"]);
        assert_eq!(client.run(call), 6, "{call}");
        assert_eq!(left(&mut client), "2 5 9-12", "{call}");
        assert_eq!(*client.group("s", "g").field("lag"), lag, "{keep_lag} {call}");
        assert_eq!(*client.group("s", "g").field("entries-read"), 8, "{call}");
        if keep_lag == "yes" {
            assert_eq!(client.read("g", 1), ["9-0"]);
            assert_eq!(*client.group("s", "g").field("lag"), 3, "{call}");
        }
    }
}

fn the_last_id_there_is(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let last = "18446744073709551615-18446744073709551615";
    client.all(&["XADD s 1-0 f v", &format!("XADD s {last} f v"), "XGROUP CREATE s g 0"]);
    client.read("g", 2);
    assert_eq!(client.run("EGG.TRIM s"), 0);
    client.all(&[&format!("XACK s g {last}")]);
    assert_eq!(client.run("EGG.TRIM s"), 1);
    assert_eq!(client.ids("s"), ["1-0"]);
    client.all(&["XACK s g 1-0"]);
    assert_eq!(client.run("EGG.TRIM s"), 1);
    assert_eq!(client.run("XLEN s"), 0);
    // Its reference is one like any other, too.
    for (call, removed, pending) in [
        ("EGG.TRIM s DELREF MAXLEN 0", 2, 0),
        ("EGG.TRIM s DELREF MAXLEN ~ 0", 2, 0),
        ("EGG.TRIM s DELREF MAXLEN ~ 0 LIMIT 0", 2, 0),
        ("EGG.TRIM s MAXLEN 0", 0, 2),
        (&format!("EGG.TRIM s DELREF MINID {last}"), 1, 1),
    ] {
        client.all(&["DEL s", "XADD s 1-0 f v", &format!("XADD s {last} f v"), "XGROUP CREATE s g 0"]);
        client.read("g", 2);
        assert_eq!(client.run(call), removed, "{call}");
        assert_eq!(client.pending("s", "g").len(), pending, "{call}");
    }
    // Also where a group that does not count holds it.
    client.all(&[
        "DEL s",
        "XADD s 1-0 f v",
        &format!("XADD s {last} f v"),
        "XGROUP CREATE s g 0",
        "XGROUP CREATE s h 0",
    ]);
    for group in ["g", "h"] {
        client.read(group, 2);
    }
    client.all(&[&format!("XACK s h 1-0 {last}")]);
    egg_testkit::harness::wait_until(|| {
        client.run("XREADGROUP GROUP h c STREAMS s 99");
        client.run("EGG.TRIM s IGNOREIDLE 50") == 2
    });
    assert_eq!(client.pending("s", "g"), [""; 0]);
}
