//! The native names on every way into a server, and where they are absent.

use crate::native_names::{each_old_server, native};
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, module, wait_until};

each_old_server! {
    they_work_in_transactions,
    they_work_in_scripts,
    they_work_in_functions,
    resp2_and_resp3_answer_alike,
    what_is_behind_the_id_is_data,
    effects_are_propagated_as_core_commands,
    switched_off_nothing_is_there,
    loading_at_run_time_takes_the_setting,
    command_info_is_that_of_8_2,
    what_the_server_lacks_is_found_out_by_asking,
}

each_server! {
    the_setting_cannot_be_changed,
    a_trim_leaves_the_nodes_that_8_2_3_leaves,
}

/// Entries 1-0 to 6-0; group g has read four and acknowledged 1-0 and 3-0.
fn prepare(client: &mut Client) {
    client.all(&["FLUSHALL"]);
    client.add(1..=6);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 4 STREAMS s >", "XACK s g 1-0 3-0"]);
}

/// A call of each of the four, and its reply after `prepare`.
const CALLS: [(&str, &str, &str); 4] = [
    ("XACKDEL s g ACKED IDS 2 2-0 3-0", "[1, -1]", "1-0 3-0 4-0 5-0 6-0"),
    ("XDELEX s ACKED IDS 3 1-0 2-0 9-0", "[1, 2, 2]", "2-0 3-0 4-0 5-0 6-0"),
    ("XTRIM s MAXLEN 3 ACKED", "2", "2-0 4-0 5-0 6-0"),
    ("XADD s DELREF MAXLEN = 2 7-0 f v", "\"7-0\"", "6-0 7-0"),
];

fn check(client: &mut Client, what: &str, mut call: impl FnMut(&mut Client, &str) -> Reply) {
    for (line, reply, left) in CALLS {
        prepare(client);
        assert_eq!(format!("{:?}", call(client, line)), reply, "{what}: {line}");
        assert_eq!(client.ids("s").join(" "), left, "{what}: {line}");
    }
}

fn they_work_in_transactions(kind: Kind) {
    let server = native(kind).start();
    let mut client = server.connect();
    check(&mut client, "MULTI", |client, line| {
        client.all(&["MULTI"]);
        assert_eq!(client.run(line), "QUEUED");
        client.run("EXEC").array()[0].clone()
    });
    // As in 8.2: what is too short fails when it is queued, what is wrong fails by itself.
    client.all(&["MULTI"]);
    assert_eq!(client.run("XTRIM s ACKED").error(), "ERR wrong number of arguments for 'xtrim' command");
    assert!(client.run("EXEC").error().starts_with("EXECABORT "));
    prepare(&mut client);
    client.all(&["MULTI", "XTRIM s ACKED ACKED MAXLEN 1", "XTRIM s MAXLEN 0 DELREF"]);
    let replies = client.run("EXEC");
    assert_eq!(replies.array(), [Reply::Error("ERR syntax error".to_owned()), Reply::Integer(6)]);
}

fn they_work_in_scripts(kind: Kind) {
    let server = native(kind).start();
    let mut client = server.connect();
    check(&mut client, "EVAL", |client, line| {
        let mut words = vec!["EVAL", "return redis.call(unpack(ARGV))", "1", "s"];
        words.extend(line.split(' '));
        client.send(&words)
    });
    let words = ["EVAL", "return redis.pcall('XTRIM', KEYS[1], 'ACKED', 'FOO', '1').err", "1", "s"];
    assert_eq!(client.send(&words), "ERR syntax error");
    let words = ["EVAL_RO", "return redis.call('XDELEX', KEYS[1], 'IDS', '1', '1-0')", "1", "s"];
    assert!(client.send(&words).error().starts_with("ERR Write commands are not allowed from read-only scripts."));
}

fn they_work_in_functions(kind: Kind) {
    let server = native(kind).start();
    let library =
        "#!lua name=lib\nredis.register_function('f', function(keys, args) return redis.call(unpack(args)) end)";
    server.connect().send(&["FUNCTION", "LOAD", library]);
    check(&mut server.connect(), "FCALL", |client, line| {
        // FLUSHALL leaves functions alone.
        let mut words = vec!["FCALL", "f", "1", "s"];
        words.extend(line.split(' '));
        client.send(&words)
    });
}

fn resp2_and_resp3_answer_alike(kind: Kind) {
    let server = native(kind).start();
    check(&mut server.connect(), "RESP2", |client, line| client.run(line));
    check(&mut server.connect_resp3(), "RESP3", |client, line| client.run(line));
    let mut client = server.connect_resp3();
    assert_eq!(client.run("XADD none NOMKSTREAM ACKED MAXLEN 3 * f v"), Reply::Nil);
    assert_eq!(client.run("XTRIM none ACKED MAXLEN 3"), 0);
    assert_eq!(client.run("XACKDEL none g IDS 2 bad 1-0"), [-1, -1]);
    assert_eq!(client.run("XDELEX none IDS 1 bad"), [-1]);
}

fn what_is_behind_the_id_is_data(kind: Kind) {
    let server = native(kind).start();
    let mut client = server.connect();
    client.all(&["XADD s 1-0 ACKED DELREF", "XADD s KEEPREF MAXLEN 5 2-0 MAXLEN 0 DELREF ACKED"]);
    client.all(&["XADD s MAXLEN 5 ACKED 3-0 KEEPREF ACKED", "xadd s nomkstream delref * acked 1"]);
    let entries = client.run("XRANGE s - +");
    let fields = |index: usize| format!("{:?}", entries.array()[index].array()[1]);
    assert_eq!(fields(0), "[\"ACKED\", \"DELREF\"]");
    assert_eq!(fields(1), "[\"MAXLEN\", \"0\", \"DELREF\", \"ACKED\"]");
    assert_eq!(fields(2), "[\"KEEPREF\", \"ACKED\"]");
    assert_eq!(fields(3), "[\"acked\", \"1\"]");
}

fn effects_are_propagated_as_core_commands(kind: Kind) {
    let server = native(kind).aof().start();
    let mut client = server.connect();
    let mut effect = |call: &str| {
        prepare(&mut client);
        server.propagated(|| client.all(&[call])).join("; ")
    };
    assert_eq!(effect("XACKDEL s g ACKED IDS 2 2-0 3-0"), "MULTI; XACK s g 2-0; XDEL s 2-0; EXEC");
    assert_eq!(effect("XDELEX s DELREF IDS 2 2-0 9-0"), "MULTI; XACK s g 2-0 9-0; XDEL s 2-0; EXEC");
    assert_eq!(effect("XDELEX s ACKED IDS 1 2-0"), "");
    assert_eq!(effect("XTRIM s ACKED MAXLEN 3"), "MULTI; XTRIM s MINID = 2-0; XDEL s 3-0; EXEC");
    assert_eq!(effect("XTRIM s MINID 3 DELREF"), "MULTI; XTRIM s MINID = 3-0; XACK s g 2-0; EXEC");
    assert_eq!(effect("XADD s KEEPREF MAXLEN 6 7-0 f v"), "XADD s MAXLEN 6 7-0 f v");
    assert_eq!(effect("XADD s ACKED MAXLEN 6 7-0 f v"), "MULTI; XADD s 7-0 f v; XTRIM s MINID = 2-0; EXEC");
}

/// On 8.2.3 its own XTRIM runs: it leaves a node behind empty. What a later `~` may remove depends on it.
fn a_trim_leaves_the_nodes_that_8_2_3_leaves(kind: Kind) {
    let server = native(kind).start();
    let mut client = server.connect();
    client.all(&["CONFIG SET stream-node-max-entries 4", "XADD s 1-0 f v", "XADD s 2-0 f v", "XADD s 3-0 f v"]);
    client.all(&["XDEL s 3-0", "XGROUP CREATE s g $", "XTRIM s MINID 3 ACKED"]);
    let info = client.run("XINFO STREAM s");
    assert_eq!((info.field("length").integer(), info.field("radix-tree-keys").integer()), (0, 1));
    client.all(&["XADD s 4-0 f v", "XADD s MINID ~ 5 6-0 f v"]);
    assert_eq!(client.ids("s"), ["6-0"]);
}

fn switched_off_nothing_is_there(kind: Kind) {
    let server = Options::new(kind).start();
    let mut client = server.connect();
    prepare(&mut client);
    for call in ["XACKDEL s g IDS 1 1-0", "XDELEX s IDS 1 1-0", "EGG.XADD s * f v", "EGG.XTRIM s MAXLEN 0"] {
        let name = call.split(' ').next().unwrap_or_default();
        assert!(client.run(call).error().starts_with(&format!("ERR unknown command '{name}'")), "{call}");
    }
    let error = "ERR Invalid stream ID specified as stream command argument";
    assert_eq!(client.run("XADD s ACKED MAXLEN 3 7-0 f v").error(), error);
    assert_eq!(client.run("XTRIM s MAXLEN 3 ACKED").error(), "ERR syntax error");
    assert_eq!(client.run("XLEN s"), 6);
    assert_eq!(client.run("CONFIG GET egg.native-names").array()[1], "no");
}

/// A node of a cluster that serves no slot yet does not let a module use keys, and COMMAND may be renamed. What cannot be asked is
/// left to the server.
fn what_the_server_lacks_is_found_out_by_asking(kind: Kind) {
    let policies = "XADD with KEEPREF, DELREF, ACKED; XTRIM with KEEPREF, DELREF, ACKED.";
    let (cluster, renamed) = ("cluster-enabled yes", "rename-command COMMAND \"\"");
    for (lines, has_policies) in [(&[][..], true), (&[cluster], true), (&[renamed], true), (&[cluster, renamed], false)]
    {
        let options = lines.iter().fold(native(kind).tcp(), |options, line| options.line(line));
        let server = options.start();
        let names = if has_policies { policies } else { "" };
        let line = format!("egg.native-names: XACKDEL; XDELEX{}{names}", if has_policies { "; " } else { "." });
        assert!(server.log().contains(&line), "{lines:?}: {}", server.log());
        if lines.contains(&cluster) {
            let all: Vec<String> = (0..16384).map(|slot: u32| slot.to_string()).collect();
            let mut client = server.connect();
            client.send(&[vec!["CLUSTER", "ADDSLOTS"], all.iter().map(String::as_str).collect()].concat());
            wait_until(|| client.run("GET x") == Reply::Nil);
        }
        let mut client = server.connect();
        client.stream(2, &["g"]);
        assert_eq!(client.run("XACKDEL s g IDS 1 1-0"), [1]);
        let trim = client.run("XTRIM s MAXLEN 0 ACKED");
        assert_eq!(trim, if has_policies { Reply::Integer(0) } else { Reply::Error("ERR syntax error".to_owned()) });
        assert_eq!(client.run("EXISTS egg:none"), 0);
    }
}

#[test]
fn redis_8_2_keeps_its_own() {
    let server = native(Kind::Redis82).start();
    let notice = "egg.native-names: this server has them all.";
    assert!(server.log().contains(notice), "{}", server.log());
    let mut client = server.connect();
    assert!(client.run("EGG.XADD s * f v").error().starts_with("ERR unknown command"));
    assert!(client.run("EGG.XTRIM s MAXLEN 0").error().starts_with("ERR unknown command"));
    for name in ["xackdel", "xdelex"] {
        let info = client.send(&["COMMAND", "INFO", name]);
        assert!(info.array()[0].array()[2].array().iter().all(|flag| *flag != "module"), "{name}");
    }
    // No filter either: the core counts these calls under their own name.
    prepare(&mut client);
    client.all(&["CONFIG RESETSTAT", "XTRIM s MAXLEN 3 ACKED", "XADD s ACKED MAXLEN 3 * f v"]);
    assert!(client.info("commandstats", "cmdstat_xtrim").starts_with("calls=1,"));
    assert!(client.info("commandstats", "cmdstat_xadd").starts_with("calls=1,"));
}

fn the_setting_cannot_be_changed(kind: Kind) {
    for line in ["egg.native-names yes", "egg.native-names no"] {
        let server = Options::new(kind).line(line).start();
        let mut client = server.connect();
        let error = client.run("CONFIG SET egg.native-names yes");
        assert!(error.error().contains("can't set immutable config"), "{error:?}");
        assert_eq!(client.run("CONFIG GET egg.native-names").array()[1], line.split(' ').nth(1).unwrap_or_default());
    }
}

fn loading_at_run_time_takes_the_setting(kind: Kind) {
    let server = Options::new(kind).without_module().start();
    let mut client = server.connect();
    client.send(&["MODULE", "LOADEX", &module().display().to_string(), "CONFIG", "egg.native-names", "yes"]);
    check(&mut client, "LOADEX", |client, line| client.run(line));
}

fn sorted(reply: &Reply) -> Vec<String> {
    let mut words: Vec<String> = reply.array().iter().map(Reply::text).collect();
    words.sort();
    words
}

fn command_info_is_that_of_8_2(kind: Kind) {
    let server = native(kind).start();
    let oracle = Options::new(Kind::Redis82).without_module().start();
    let (mut client, mut native) = (server.connect(), oracle.connect());
    for name in ["xackdel", "xdelex"] {
        let [ours, theirs] = [&mut client, &mut native].map(|client| client.send(&["COMMAND", "INFO", name]));
        let (ours, theirs) = (ours.array()[0].array(), theirs.array()[0].array());
        assert_eq!(ours[1], theirs[1], "{name}: arity");
        assert_eq!(ours[3..6], theirs[3..6], "{name}: keys");
        let expected = [&theirs[2], &Reply::Array(vec![Reply::Text(b"module".to_vec())])].map(sorted).concat();
        assert_eq!(
            sorted(&ours[2]),
            {
                let mut all = expected;
                all.sort();
                all
            },
            "{name}: flags"
        );
        let categories: Vec<String> = sorted(&ours[6]).into_iter().filter(|category| category != "@egg").collect();
        assert_eq!(categories, sorted(&theirs[6]), "{name}: categories");
        // The module API takes UPDATE or DELETE, not both.
        assert_eq!(sorted(ours[8].array()[0].field("flags")), ["RW", "delete"], "{name}: key");

        let [ours, theirs] =
            [&mut client, &mut native].map(|client| client.send(&["COMMAND", "DOCS", name]).field(name).clone());
        for field in ["summary", "since", "complexity"] {
            assert_eq!(ours.field(field), theirs.field(field), "{name}: {field}");
        }
        assert_eq!(arguments(ours.field("arguments")), arguments(theirs.field("arguments")), "{name}");
    }
}

/// Arguments by type, word and flags; their names are free.
fn arguments(list: &Reply) -> String {
    let one = |argument: &Reply| {
        let field = |name: &str| argument.array().chunks(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone());
        let parts = field("arguments").map_or(String::new(), |parts| format!("({})", arguments(&parts)));
        let flags = field("flags").map_or(Vec::new(), |flags| sorted(&flags));
        format!("{:?} {:?} {flags:?}{parts}", field("type"), field("token"))
    };
    list.array().iter().map(one).collect::<Vec<_>>().join(", ")
}
