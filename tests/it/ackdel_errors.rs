//! EGG.ACKDEL: every error, word by word, the order in which they are looked for, and that none changes anything.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    every_error_has_its_exact_text,
    what_is_no_id_is_refused_and_what_the_core_takes_is_taken,
    numids_is_read_as_the_core_reads_numbers,
    errors_are_looked_for_in_a_fixed_order,
    the_refusal_names_the_other_groups_and_the_way_out,
    one_bad_id_among_thousands_refuses_them_all,
}

const SYNTAX: &str = "ERR syntax error";
const IDS_FORM: &str = "ERR syntax error, ids are given as IDS numids id [id ...]";
const NUMIDS: &str = "ERR Number of IDs must be a positive integer";
const MISMATCH: &str = "ERR The `numids` parameter must match the number of arguments";
const INVALID_ID: &str = "ERR Invalid stream ID specified as stream command argument";
const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
const ARITY: &str = "ERR wrong number of arguments for 'egg.ackdel' command";
const WAY_OUT: &str = "; nothing was acknowledged or deleted. Repeat the call with ACKONLY (acknowledge, keep the entry) or ACKED \
                       (delete it once no group needs it). EGG.PINS shows what each group needs, EGG.GROUPREAP destroys groups \
                       that nobody uses. Last, XGROUP DESTROY a group that you know to be left over";

/// Asserts an error, and that `s` is as it was.
fn refused<A: AsRef<[u8]>>(client: &mut Client, words: &[A], expected: &str) {
    let before = client.state("s");
    let reply = client.send(words);
    let shown: Vec<_> = words.iter().take(10).map(|word| word.as_ref().escape_ascii().to_string()).collect();
    assert_eq!(reply, Reply::Error(expected.to_owned()), "{shown:?}");
    assert_eq!(client.state("s"), before, "{shown:?}");
}

fn refused_line(client: &mut Client, line: &str, expected: &str) {
    refused(client, &line.split(' ').collect::<Vec<_>>(), expected);
}

/// A server with a stream `s` of three entries, pending in `g`, and a string `string`.
fn server(kind: Kind) -> (Server, Client) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    client.all(&["SET string x"]);
    (server, client)
}

fn every_error_has_its_exact_text(kind: Kind) {
    let (_server, mut client) = server(kind);
    for (line, expected) in [
        ("EGG.ACKDEL", ARITY),
        ("EGG.ACKDEL s", ARITY),
        ("EGG.ACKDEL s g IDS 1", ARITY),
        ("EGG.ACKDEL s g", ARITY),
        ("EGG.ACKDEL s g ACKED", ARITY),
        // As XACK takes them.
        ("EGG.ACKDEL s g 1-0", IDS_FORM),
        ("EGG.ACKDEL s g 1-0 2-0", IDS_FORM),
        ("EGG.ACKDEL s g 1-0 2-0 3-0", IDS_FORM),
        ("EGG.ACKDEL s g ACKED 1-0", IDS_FORM),
        ("EGG.ACKDEL s g OWNER c 1796076683494-0", IDS_FORM),
        ("EGG.ACKDEL string g 1-0", IDS_FORM),
        ("EGG.ACKDEL none none 1-0", IDS_FORM),
        ("EGG.ACKDEL s g ACKED REJECT ACKONLY", SYNTAX),
        ("EGG.ACKDEL s g ACKED ACKED IDS 1 1-0", SYNTAX),
        ("EGG.ACKDEL s g ACKED IDS 1 1-0 KEEPREF", SYNTAX),
        ("EGG.ACKDEL s g FORCE IDS 1 1-0", SYNTAX),
        ("EGG.ACKDEL s g IDS 1 1-0 FORCE", SYNTAX),
        ("EGG.ACKDEL s g IDS 1 1-0 2-0", SYNTAX),
        ("EGG.ACKDEL s g IDS 1 1-0 IDS", SYNTAX),
        ("EGG.ACKDEL s g  IDS 1 1-0", SYNTAX),
        ("EGG.ACKDEL s g IDS 0 1-0", NUMIDS),
        ("EGG.ACKDEL s g IDS -1 1-0", NUMIDS),
        ("EGG.ACKDEL s g IDS 2 1-0", MISMATCH),
        ("EGG.ACKDEL s g KEEPREF IDS 1", MISMATCH),
        ("EGG.ACKDEL s g IDS 1 foo", INVALID_ID),
        ("EGG.ACKDEL s g IDS 3 1-0 foo 2-0", INVALID_ID),
        ("EGG.ACKDEL s g IDS 2 1-0 ACKED", INVALID_ID),
        ("EGG.ACKDEL string g IDS 1 1-0", WRONG_TYPE),
        ("EGG.ACKDEL none g IDS 1 1-0", "NOGROUP No such key 'none' or consumer group 'g'"),
        ("EGG.ACKDEL s none IDS 1 1-0", "NOGROUP No such key 's' or consumer group 'none'"),
        ("EGG.ACKDEL s G IDS 1 1-0", "NOGROUP No such key 's' or consumer group 'G'"),
        ("EGG.ACKDEL s  IDS 1 1-0", "NOGROUP No such key 's' or consumer group ''"),
    ] {
        refused_line(&mut client, line, expected);
    }
    assert_eq!(client.run("EXISTS none"), 0);
    // A stream without any group.
    client.all(&["XADD groupless 1-0 f v"]);
    refused_line(
        &mut client,
        "EGG.ACKDEL groupless g IDS 1 1-0",
        "NOGROUP No such key 'groupless' or consumer group 'g'",
    );
}

fn what_is_no_id_is_refused_and_what_the_core_takes_is_taken(kind: Kind) {
    let (_server, mut client) = server(kind);
    let long = "0".repeat(126) + "1-0";
    for id in [
        "",
        "-",
        "+",
        "*",
        "$",
        ">",
        "foo",
        "1-*",
        "(1-0",
        "1-",
        "-1",
        "1-0-0",
        "1--1",
        "1-0 ",
        "1.0",
        "0x1",
        &long,
        "18446744073709551616-0",
        "0-18446744073709551616",
        "99999999999999999999",
        "1-0\r\n",
        "一",
        "1-0\u{100}",
    ] {
        refused(&mut client, &["EGG.ACKDEL", "s", "g", "IDS", "1", id], INVALID_ID);
        // The core refuses it, too.
        assert_eq!(client.send(&["XACK", "s", "g", id]), Reply::Error(INVALID_ID.to_owned()), "{id:?}");
    }
    let zeros = "0".repeat(124) + "2-0";
    let largest = "18446744073709551615-18446744073709551615";
    client.all(&[&format!("XADD s {largest} f v"), "XREADGROUP GROUP g c STREAMS s >"]);
    for id in ["1", &zeros, "03-00", largest] {
        assert_eq!(client.send(&["EGG.ACKDEL", "s", "g", "IDS", "1", id]), [1], "{id:?}");
    }
    assert_eq!(client.run("XLEN s"), 0);
    for id in [" 1-1", "\t1-1", "+1-1", "1-+1", "1- 1", "1-1\0junk"] {
        client.all(&["DEL s", "XADD s 1-1 f v", "XGROUP CREATE s g 0", "XREADGROUP GROUP g c STREAMS s >"]);
        assert_eq!(client.send(&["EGG.ACKDEL", "s", "g", "IDS", "1", id]), [1], "{id:?}");
        assert_eq!(client.run("XLEN s"), 0);
    }
}

fn numids_is_read_as_the_core_reads_numbers(kind: Kind) {
    let (_server, mut client) = server(kind);
    for numids in [
        "0",
        "-1",
        "-0",
        "01",
        "+1",
        " 1",
        "1 ",
        "",
        "1.0",
        "1e3",
        "0x1",
        "one",
        "IDS",
        "1-0",
        "9223372036854775808",
        "18446744073709551617",
        "99999999999999999999",
        "-9223372036854775808",
    ] {
        refused(&mut client, &["EGG.ACKDEL", "s", "g", "IDS", numids, "1-0"], NUMIDS);
    }
    for numids in ["2", "2147483647", "2147483648", "4294967296", "4294967297", "9223372036854775807"] {
        refused(&mut client, &["EGG.ACKDEL", "s", "g", "IDS", numids, "1-0"], MISMATCH);
    }
}

fn errors_are_looked_for_in_a_fixed_order(kind: Kind) {
    let (_server, mut client) = server(kind);
    client.all(&["XGROUP CREATE s other 0"]);
    let nogroup = |key, group| format!("NOGROUP No such key '{key}' or consumer group '{group}'");
    for (line, expected) in [
        // Arity before the type of the key, and that before anything in the options.
        ("EGG.ACKDEL string g IDS 1", ARITY),
        ("EGG.ACKDEL string g FOO IDS 0 foo", WRONG_TYPE),
        ("EGG.ACKDEL string g IDS 0 foo", WRONG_TYPE),
        ("EGG.ACKDEL string g IDS 1 foo", WRONG_TYPE),
        // Options and numids from left to right.
        ("EGG.ACKDEL s g FOO IDS 0 foo", SYNTAX),
        ("EGG.ACKDEL s g IDS 0 foo FOO", NUMIDS),
        ("EGG.ACKDEL s g IDS 9 foo FOO", MISMATCH),
        ("EGG.ACKDEL s g IDS 1 1-0 IDS 0 FOO", NUMIDS),
        // All of the options before the ids.
        ("EGG.ACKDEL s g IDS 1 foo FOO", SYNTAX),
        ("EGG.ACKDEL s g IDS 1 foo ACKED ACKED", SYNTAX),
        // The ids before the group.
        ("EGG.ACKDEL none g IDS 1 foo", INVALID_ID),
        ("EGG.ACKDEL s none IDS 1 foo", INVALID_ID),
        ("EGG.ACKDEL none g IDS 0 foo", NUMIDS),
        ("EGG.ACKDEL none g FOO IDS 1 1-0", SYNTAX),
        // The group before the other groups.
        ("EGG.ACKDEL s none IDS 1 1-0", &nogroup("s", "none")),
        ("EGG.ACKDEL none g ACKED IDS 1 1-0", &nogroup("none", "g")),
        ("EGG.ACKDEL s g IDS 1 foo", INVALID_ID),
        ("EGG.ACKDEL s g IDS 1 1-0", &format!("FOREIGNGROUP the stream has other consumer groups: \"other\"{WAY_OUT}")),
    ] {
        refused_line(&mut client, line, expected);
    }
}

fn the_refusal_names_the_other_groups_and_the_way_out(kind: Kind) {
    let (_server, mut client) = server(kind);
    let refusal = |names: &str| format!("FOREIGNGROUP the stream has other consumer groups: {names}{WAY_OUT}");
    // Groups are listed in the order of their names.
    for (group, names) in [
        ("h1", r#""h1""#),
        ("h2", r#""h1", "h2""#),
        ("h3", r#""h1", "h2", "h3""#),
        ("h4", r#""h1", "h2", "h3" and 1 more"#),
        ("h5", r#""h1", "h2", "h3" and 2 more"#),
    ] {
        client.all(&[&format!("XGROUP CREATE s {group} 0")]);
        refused_line(&mut client, "EGG.ACKDEL s g IDS 1 1-0", &refusal(names));
        refused_line(&mut client, "EGG.ACKDEL s g REJECT IDS 3 1-0 2-0 3-0", &refusal(names));
    }
    for group in ["h1", "h2", "h3", "h4", "h5"] {
        client.run(&format!("XGROUP DESTROY s {group}"));
    }
    for (group, name) in [
        (&b"two words"[..], "two words".to_owned()),
        (b"\"quoted\" \\", r#"\"quoted\" \\"#.to_owned()),
        (b"line\r\nline\t\0", r"line\r\nline\t\x00".to_owned()),
        ("\u{100}一".as_bytes(), r"\xc4\x80\xe4\xb8\x80".to_owned()),
        (b"%s%n", "%s%n".to_owned()),
        (b"", String::new()),
        (&[b'x'; 64], "x".repeat(64)),
        (&[b'x'; 65], "x".repeat(64) + "..."),
        (&[b'x'; 1 << 20], "x".repeat(64) + "..."),
        (&[0xff; 65], r"\xff".repeat(64) + "..."),
    ] {
        client.send(&[b"XGROUP", &b"CREATE"[..], b"s", group, b"0"]);
        refused_line(&mut client, "EGG.ACKDEL s g IDS 1 1-0", &refusal(&format!("\"{name}\"")));
        assert_eq!(client.send(&[b"XGROUP", &b"DESTROY"[..], b"s", group]), 1);
    }
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"), [1, 1, 1]);
}

fn one_bad_id_among_thousands_refuses_them_all(kind: Kind) {
    let (_server, mut client) = server(kind);
    for position in [0, 7, 8, 999, 4999] {
        let mut ids = vec!["1-0"; 5000];
        ids[position] = "1-0-0";
        let words = [&["EGG.ACKDEL", "s", "g", "IDS", "5000"][..], &ids].concat();
        refused(&mut client, &words, INVALID_ID);
    }
}
