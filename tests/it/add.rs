//! EGG.ADD: replies, and what is left behind.

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::table;

each_server! {
    appends_and_trims_what_no_group_needs,
    acked_is_the_default,
    without_groups_it_is_xadd,
    what_comes_before_the_first_group_is_not_trimmed,
    the_new_entry_is_a_candidate,
    ids_are_those_of_xadd,
    errors_have_the_texts_of_8_2_and_change_nothing,
    lag_stays_a_number,
    any_bytes,
}

/// Entries 1-0 to 8-0. Group g has read six; 2-0 and 5-0 are pending.
pub fn prepare(client: &mut Client) {
    client.all(&["FLUSHALL"]);
    client.add(1..=8);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 6 STREAMS s >", "XACK s g 1-0 3-0 4-0 6-0"]);
}

pub fn numbers(client: &mut Client) -> String {
    client.ids("s").iter().map(|id| id.trim_end_matches("-0").to_owned()).collect::<Vec<_>>().join(" ")
}

fn appends_and_trims_what_no_group_needs(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (options, left, pending) in [
        ("", "1 2 3 4 5 6 7 8 9", &["2-0", "5-0"][..]),
        ("ACKED MAXLEN 7", "2 4 5 6 7 8 9", &["2-0", "5-0"]),
        ("MAXLEN = 0 ACKED", "2 5 7 8 9", &["2-0", "5-0"]),
        ("ACKED MINID 4", "2 4 5 6 7 8 9", &["2-0", "5-0"]),
        ("MINID 99", "2 5 7 8 9", &["2-0", "5-0"]),
        ("KEEPREF MAXLEN 3", "7 8 9", &["2-0", "5-0"]),
        ("DELREF MAXLEN 5", "5 6 7 8 9", &["5-0"]),
        ("DELREF", "1 2 3 4 5 6 7 8 9", &["2-0", "5-0"]),
        ("ACKED MAXLEN ~ 3", "2 5 7 8 9", &["2-0", "5-0"]),
        ("MAXLEN ~ 7", "2 4 5 6 7 8 9", &["2-0", "5-0"]),
        ("MINID ~ 4", "2 4 5 6 7 8 9", &["2-0", "5-0"]),
        ("MAXLEN ~ 3 LIMIT 2", "2 4 5 6 7 8 9", &["2-0", "5-0"]),
        ("DELREF MAXLEN ~ 5", "5 6 7 8 9", &["5-0"]),
        // A node holds a hundred entries, and so none goes whole.
        ("DELREF MAXLEN ~ 5 LIMIT 3", "1 2 3 4 5 6 7 8 9", &["2-0", "5-0"]),
    ] {
        prepare(&mut client);
        assert_eq!(client.run(&format!("EGG.ADD s {options} 9-0 f v")), "9-0", "{options}");
        assert_eq!(numbers(&mut client), left, "{options}");
        assert_eq!(client.pending("s", "g"), pending, "{options}");
    }
}

fn acked_is_the_default(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    assert_eq!(client.run("EGG.ADD s MAXLEN 1 9-0 f v"), "9-0");
    assert_eq!(numbers(&mut client), "2 5 7 8 9");
}

fn without_groups_it_is_xadd(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    assert_eq!(client.run("EGG.ADD s NOMKSTREAM * f v"), Reply::Nil);
    assert_eq!(client.run("EGG.ADD s NOMKSTREAM ACKED MAXLEN 3 1-0 f v"), Reply::Nil);
    assert_eq!(server.connect_resp3().run("EGG.ADD s NOMKSTREAM * f v"), Reply::Nil);
    assert_eq!(client.run("EXISTS s"), 0);
    for policy in ["KEEPREF", "DELREF"] {
        client.all(&["FLUSHALL"]);
        client.add(1..=5);
        assert_eq!(client.run(&format!("EGG.ADD s {policy} MAXLEN 3 6-0 f v")), "6-0", "{policy}");
        assert_eq!(numbers(&mut client), "4 5 6", "{policy}");
    }
    client.all(&["DEL s"]);
    assert_eq!(client.run("EGG.ADD s 1-0 f v g w"), "1-0");
    assert_eq!(format!("{:?}", client.run("XRANGE s - +")), "[[\"1-0\", [\"f\", \"v\", \"g\", \"w\"]]]");
}

/// Producers that start before the workers: what they add is the workers' backlog.
fn what_comes_before_the_first_group_is_not_trimmed(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for options in ["MAXLEN 10", "ACKED MAXLEN 10", "MAXLEN ~ 10", "MAXLEN 0", "MINID 99999", "MINID ~ 99999 LIMIT 0"] {
        client.all(&["FLUSHALL"]);
        for n in 1..=100 {
            assert_eq!(client.run(&format!("EGG.ADD s {options} {n}-0 f v")), format!("{n}-0").as_str());
        }
        client.all(&["XGROUP CREATE s g 0"]);
        assert_eq!(client.read("g", 200).len(), 100, "{options}");
    }
    // Once all groups are gone, again nobody says that it is done with.
    client.all(&["XGROUP DESTROY s g"]);
    assert_eq!(client.run("EGG.ADD s MAXLEN 10 101-0 f v"), "101-0");
    assert_eq!(client.run("XLEN s"), 101);
    // A trim that is asked for, and the names of 8.2, are another matter.
    assert_eq!(client.run("EGG.TRIM s MAXLEN 50"), 51);
    let native = Options::new(kind).line("egg.native-names yes").start();
    let mut client = native.connect();
    client.add(1..=100);
    client.all(&["XADD s ACKED MAXLEN 10 101-0 f v"]);
    assert_eq!(client.run("XLEN s"), 10);
}

fn the_new_entry_is_a_candidate(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    // A group that stands above the new entry needs nothing.
    client.all(&["XADD s 1-0 f v", "XGROUP CREATE s g 99"]);
    assert_eq!(client.run("EGG.ADD s MAXLEN 0 2-0 f v"), "2-0");
    assert_eq!(client.run("XLEN s"), 0);
    client.all(&["XGROUP SETID s g 2-0"]);
    assert_eq!(client.run("EGG.ADD s MAXLEN 0 3-0 f v"), "3-0");
    assert_eq!(client.ids("s"), ["3-0"]);
}

fn ids_are_those_of_xadd(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for setup in [&["FLUSHALL"][..], &["FLUSHALL", "XGROUP CREATE s g 0 MKSTREAM"]] {
        client.all(setup);
        assert_eq!(client.run("EGG.ADD s MAXLEN 5 5 f v"), "5-0");
        assert_eq!(client.run("EGG.ADD s MAXLEN 5 5-* f v"), "5-1");
        assert_eq!(client.run("EGG.ADD s MAXLEN 5 7-7 f v"), "7-7");
        let id = client.run("EGG.ADD s MAXLEN 5 * f v").text();
        assert_eq!(client.ids("s").last(), Some(&id));
        assert_eq!(
            client.run("EGG.ADD s MAXLEN 1 7-7 f v").error(),
            "ERR The ID specified in XADD is equal or smaller than the target stream top item"
        );
        assert_eq!(
            client.run("EGG.ADD s MAXLEN 1 0-0 f v").error(),
            "ERR The ID specified in XADD must be greater than 0-0"
        );
        assert_eq!(client.run("XLEN s"), 4);
    }
    client.all(&["FLUSHALL", "XADD s 18446744073709551615-18446744073709551615 f v", "XGROUP CREATE s g 0"]);
    let exhausted = client.run("EGG.ADD s MAXLEN 1 * f v");
    assert!(exhausted.error().starts_with("ERR The stream has exhausted the last possible ID"), "{exhausted:?}");
}

const ARITY: &str = "ERR wrong number of arguments for 'egg.add' command";
const INVALID: &str = "ERR Invalid stream ID specified as stream command argument";
const INTEGER: &str = "ERR value is not an integer or out of range";
const NO_TILDE: &str = "ERR syntax error, LIMIT cannot be used without the special ~ option";
const NO_STRATEGY: &str = "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy";
const TWO: &str = "ERR syntax error, MAXLEN and MINID options at the same time are not compatible";

const ERRORS: &[(&str, &str)] = &[
    ("9-0 f", ARITY),
    ("DELREF 9-0 f", ARITY),
    ("DELREF 9-0 f v g", ARITY),
    ("MAXLEN 3 9-0", ARITY),
    ("* f v g", ARITY),
    ("MAXLEN ~ 3 LIMIT 5", ARITY),
    ("ACKED f v", INVALID),
    ("ACKED ACKED 9-0 f v", INVALID),
    ("DELREF MAXLEN 3 ACKED 9-0 f v", INVALID),
    ("REJECT 9-0 f v", INVALID),
    ("IGNOREIDLE 5 9-0 f v", INVALID),
    ("FOO 9-0 f v", INVALID),
    ("bad f v", INVALID),
    ("9-x f v", INVALID),
    ("- f v", INVALID),
    ("MINID bad 9-0 f v", INVALID),
    ("MAXLEN x 9-0 f v", INTEGER),
    ("MAXLEN DELREF 3 9-0 f v", INTEGER),
    ("MAXLEN ~ x 9-0 f v", INTEGER),
    ("MAXLEN ~ 3 LIMIT x 9-0 f v", INTEGER),
    ("MAXLEN -1 9-0 f v", "ERR The MAXLEN argument must be >= 0."),
    ("MAXLEN ~ 3 LIMIT -1 9-0 f v", "ERR The LIMIT argument must be >= 0."),
    ("MAXLEN 3 LIMIT 5 9-0 f v", NO_TILDE),
    ("MAXLEN = 3 LIMIT 0 9-0 f v", NO_TILDE),
    ("LIMIT 5 9-0 f v", NO_STRATEGY),
    ("ACKED LIMIT 5 * f v", NO_STRATEGY),
    ("MAXLEN 3 MINID 3 9-0 f v", TWO),
    ("MINID 3 MINID 3 9-0 f v", TWO),
];

fn errors_have_the_texts_of_8_2_and_change_nothing(kind: Kind) {
    let server = Server::start(kind);
    let native = Options::new(Kind::Redis82).without_module().start();
    let (mut client, mut oracle) = (server.connect(), native.connect());
    prepare(&mut client);
    prepare(&mut oracle);
    client.all(&["SET str x"]);
    let before = client.state("s");
    table::each(ERRORS, |(rest, error)| {
        assert_eq!(client.run(&format!("EGG.ADD s {rest}")).error(), *error, "{rest}");
        assert_eq!(oracle.run(&format!("XADD s {rest}")).error().replace("'xadd'", "'egg.add'"), *error, "8.2: {rest}");
        assert_eq!(client.run(&format!("EGG.ADD none {rest}")).error(), *error, "{rest}");
        if words(rest).len() > 2 {
            let wrong_type = client.run(&format!("EGG.ADD str {rest}"));
            assert_eq!(
                wrong_type.error(),
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "{rest}"
            );
        }
    });
    assert_eq!(client.state("s"), before);
    assert_eq!(client.run("EXISTS none"), 0);
}

fn lag_stays_a_number(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    assert_eq!(client.run("EGG.ADD s MAXLEN 0 9-0 f v"), "9-0");
    assert_eq!(numbers(&mut client), "2 5 7 8 9");
    assert_eq!(*client.group("s", "g").field("lag"), 3);
}

fn any_bytes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let odd: &[u8] = b"\0\r\n%s\xff\xc4\x80";
    client.all(&["XGROUP CREATE s g 0 MKSTREAM"]);
    client.send(&[b"EGG.ADD", b"s" as &[u8], b"MAXLEN", b"5", b"1-0", odd, odd]);
    assert_eq!(client.run("XRANGE s - +").array()[0].array()[1], Reply::Array(vec![Reply::Text(odd.to_vec()); 2]));
    for position in 1..5 {
        let mut words: Vec<&[u8]> = vec![b"EGG.ADD", b"s", b"MAXLEN", b"5", b"*", b"f", b"v"];
        words[position] = odd;
        let _ = client.send(&words);
        assert_eq!(client.run("PING"), "PONG");
    }
}
