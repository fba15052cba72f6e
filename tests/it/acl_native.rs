//! Who may add and trim, and by which name: each user against the plain commands, the options of 8.2 and EGG's own commands.

use crate::native_names::{each_old_server, native};
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_old_server! {
    the_table_of_permissions_with_native_names,
    xackdel_and_xdelex_are_commands_of_their_own,
    a_denied_call_leaves_no_trace_but_in_the_log,
}

each_server! {
    eggs_commands_need_permission_for_what_they_do,
    keys_are_checked_too,
    denied_in_scripts_and_transactions,
}

const CALLS: [&str; 8] = [
    "XADD s 9-0 f v",
    "XADD s KEEPREF MAXLEN 3 9-0 f v",
    "XADD s ACKED MAXLEN 3 9-0 f v",
    "EGG.ADD s MAXLEN 3 9-0 f v",
    "XTRIM s MAXLEN 3",
    "XTRIM s MAXLEN 3 KEEPREF",
    "XTRIM s MAXLEN 3 ACKED",
    "EGG.TRIM s MAXLEN 3",
];

/// Which of `CALLS` are allowed. A name in a cell is the command that permission is missing for.
const TABLE: [(&str, [&str; 8]); 9] = [
    // KEEPREF is only taken out, so the plain permission is enough; ACKED becomes EGG.XADD, which has to be allowed, too.
    ("+xadd", ["", "", "egg.xadd", "egg.add", "xtrim", "xtrim", "egg.xtrim", "egg.trim"]),
    ("+@all -xadd", ["xadd", "xadd", "xadd", "xadd", "", "", "", ""]),
    ("+@all -xtrim", ["", "", "", "", "xtrim", "xtrim", "xtrim", "xtrim"]),
    ("+egg.add", ["xadd", "xadd", "egg.xadd", "xadd", "xtrim", "xtrim", "egg.xtrim", "egg.trim"]),
    ("+xadd +egg.xadd", ["", "", "", "egg.add", "xtrim", "xtrim", "egg.xtrim", "egg.trim"]),
    ("+egg.xadd +egg.xtrim", ["xadd", "xadd", "xadd", "egg.add", "xtrim", "xtrim", "xtrim", "egg.trim"]),
    ("+xtrim +egg.xtrim +egg.trim", ["xadd", "xadd", "egg.xadd", "egg.add", "", "", "", ""]),
    ("+xadd +xtrim +@egg", ["", "", "", "", "", "", "", ""]),
    ("+@stream", ["", "", "", "", "", "", "", ""]),
];

fn prepare(admin: &mut Client) {
    admin.all(&["FLUSHALL", "ACL LOG RESET"]);
    admin.add(1..=6);
    admin.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 4 STREAMS s >", "XACK s g 1-0 2-0 4-0"]);
}

fn denied(command: &str) -> String {
    format!("NOPERM User u has no permissions to run the '{command}' command")
}

fn the_table_of_permissions_with_native_names(kind: Kind) {
    let server = native(kind).start();
    let mut admin = server.connect();
    for (rules, cells) in TABLE {
        let mut client = server.login(&format!("~s {rules}"));
        for (call, missing) in CALLS.iter().zip(cells) {
            prepare(&mut admin);
            let before = admin.state("s");
            let reply = client.run(call);
            let log = admin.run("ACL LOG");
            if missing.is_empty() {
                assert!(!matches!(reply, Reply::Error(_)), "{rules}: {call}: {reply:?}");
                assert_ne!(admin.state("s"), before, "{rules}: {call}");
                assert!(log.array().is_empty(), "{rules}: {call}: {log:?}");
            } else {
                assert_eq!(reply.error(), denied(missing), "{rules}: {call}");
                assert_eq!(admin.state("s"), before, "{rules}: {call}");
                let entry = &log.array()[0];
                let found = ["username", "reason", "object"].map(|field| entry.field(field).text());
                assert_eq!(found, ["u", "command", missing], "{rules}: {call}");
            }
        }
    }
}

fn xackdel_and_xdelex_are_commands_of_their_own(kind: Kind) {
    let server = native(kind).start();
    let mut admin = server.connect();
    for (rules, xackdel, xdelex) in [
        ("+xackdel", true, false),
        ("+xdelex", false, true),
        ("+@stream", true, true),
        ("+@write", true, true),
        ("+@fast", true, true),
        ("+@all -@egg", false, false),
        ("+@all -xack -xdel", true, true),
        ("+xack +xdel +egg.ackdel +egg.delex", false, false),
    ] {
        prepare(&mut admin);
        let mut client = server.login(&format!("%W~s {rules}"));
        for (call, name, is_allowed) in
            [("XACKDEL s g IDS 1 3-0", "xackdel", xackdel), ("XDELEX s IDS 1 2-0", "xdelex", xdelex)]
        {
            let reply = client.run(call);
            if is_allowed {
                assert_eq!(reply, [1], "{rules}: {call}");
            } else {
                assert_eq!(reply.error(), denied(name), "{rules}");
            }
        }
    }
    let mut client = server.login("%R~s +@stream");
    prepare(&mut admin);
    assert!(client.run("XACKDEL s g IDS 1 3-0").is_denied());
    // Too few arguments are found before permissions are looked at.
    assert!(server.login("~s").run("XACKDEL s g").error().starts_with("ERR wrong number of arguments"));
}

fn a_denied_call_leaves_no_trace_but_in_the_log(kind: Kind) {
    let server = native(kind).aof().start();
    let mut admin = server.connect();
    prepare(&mut admin);
    let before = (admin.state("s"), server.aof());
    let mut client = server.login("~s +@all -xadd -xtrim");
    let events = server.events_of(|_| {
        for call in ["XADD s ACKED MAXLEN 3 * f v", "XTRIM s ACKED MAXLEN 0", "EGG.ADD s MAXLEN 0 * f v", "EGG.TRIM s"]
        {
            let name = if call.contains("ADD") { "xadd" } else { "xtrim" };
            assert_eq!(client.run(call).error(), denied(name), "{call}");
        }
    });
    assert!(events.is_empty(), "{events:?}");
    assert_eq!((admin.state("s"), server.aof()), before);
    let log = admin.run("ACL LOG");
    let seen: Vec<(String, i64)> =
        log.array().iter().map(|entry| (entry.field("object").text(), entry.field("count").integer())).collect();
    assert_eq!(seen, [("xtrim".to_owned(), 2), ("xadd".to_owned(), 2)]);
    assert!(log.array().iter().all(|entry| *entry.field("context") == "module"), "{log:?}");
}

fn eggs_commands_need_permission_for_what_they_do(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    for (rules, add, trim, delex) in [
        ("+egg.add +egg.trim +egg.delex", "xadd", "xtrim", ""),
        ("+egg.add +egg.trim +xadd", "", "xtrim", "egg.delex"),
        ("+egg.add +egg.trim +xtrim", "xadd", "", "egg.delex"),
        ("+@all -xadd", "xadd", "", ""),
        ("+@all -xtrim", "", "xtrim", ""),
        // Trimming is part of adding, as it is in XADD. Permission for DELEX is permission for its effect.
        ("+egg.add +xadd", "", "egg.trim", "egg.delex"),
        ("+@all -xdel -xack -xinfo -xpending -xsetid", "", "", ""),
    ] {
        let mut client = server.login(&format!("~s {rules}"));
        for (call, missing) in
            [("EGG.ADD s MAXLEN 3 9-0 f v", add), ("EGG.TRIM s MAXLEN 3", trim), ("EGG.DELEX s IDS 1 1-0", delex)]
        {
            prepare(&mut admin);
            let before = admin.state("s");
            let reply = client.run(call);
            if missing.is_empty() {
                assert!(!matches!(reply, Reply::Error(_)), "{rules}: {call}: {reply:?}");
                assert_ne!(admin.state("s"), before, "{rules}: {call}");
            } else {
                assert_eq!(reply.error(), denied(missing), "{rules}: {call}");
                assert_eq!(admin.state("s"), before, "{rules}: {call}");
            }
        }
        // What is wrong with a call is said before what is not allowed; both change nothing.
        if add == "xadd" && rules.contains("+egg.add") {
            assert_eq!(client.run("EGG.ADD s MAXLEN x 9-0 f v").error(), "ERR value is not an integer or out of range");
        }
    }
}

fn keys_are_checked_too(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    let calls = ["EGG.ADD s MAXLEN 3 9-0 f v", "EGG.TRIM s MAXLEN 3", "EGG.DELEX s IDS 1 1-0"];
    for (rules, is_allowed) in [("%W~s", true), ("~s", true), ("%R~s", false), ("~other", false)] {
        let mut client = server.login(&format!("+@all {rules}"));
        for call in calls {
            prepare(&mut admin);
            let before = admin.state("s");
            let reply = client.run(call);
            assert_eq!(reply.is_denied(), !is_allowed, "{rules}: {call}: {reply:?}");
            assert_eq!(admin.state("s") == before, !is_allowed, "{rules}: {call}");
        }
    }
    // Selectors: the command here, the key there. EGG.TRIM asks as the caller, who may run XTRIM on another key only.
    prepare(&mut admin);
    let mut client = server.login("~s +egg.trim (~other +xtrim)");
    let reply = client.run("EGG.TRIM s");
    assert!(reply.is_denied(), "{reply:?}");
    assert_eq!(admin.run("XLEN s"), 6);
}

fn denied_in_scripts_and_transactions(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    prepare(&mut admin);
    let before = admin.state("s");
    let mut client = server.login("~s +@all -xtrim -xadd");
    let script = "return redis.pcall(unpack(ARGV)).err";
    assert_eq!(client.send(&["EVAL", script, "1", "s", "EGG.TRIM", "s"]), denied("xtrim").as_str());
    let words = ["EVAL", script, "1", "s", "EGG.ADD", "s", "*", "f", "v"];
    assert_eq!(client.send(&words), denied("xadd").as_str());
    client.all(&["MULTI", "EGG.TRIM s", "EGG.ADD s * f v"]);
    let replies = client.run("EXEC");
    assert_eq!(replies.array(), [Reply::Error(denied("xtrim")), Reply::Error(denied("xadd"))]);
    assert_eq!(admin.state("s"), before);
}
