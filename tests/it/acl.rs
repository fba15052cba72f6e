//! Access control: who may run the commands, on which keys. Permission for EGG.ACKDEL is permission for its effect.

use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    permission_for_ackdel_is_permission_for_its_effect,
    categories_allow_and_deny,
    reading_needs_read_permission_and_deleting_needs_write_permission,
    groups_are_named_to_those_who_may_read_the_stream,
    a_denied_key_is_refused_and_logged,
    a_denied_command_is_refused_and_logged,
}

const ACKDEL: &str = "EGG.ACKDEL s g IDS 1 1-0";

fn permission_for_ackdel_is_permission_for_its_effect(kind: Kind) {
    let server = Server::start(kind);
    server.connect().stream(5, &["g", "h"]);
    let mut client = server.login("~s +egg.ackdel");
    for line in ["XACK s g 1-0", "XDEL s 1-0", "XINFO GROUPS s", "XPENDING s h", "XSETID s 9-0", "EGG.GROUPGUARD s g"] {
        assert!(client.run(line).is_denied(), "{line}");
    }
    assert!(client.run(ACKDEL).error().starts_with("FOREIGNGROUP "));
    assert_eq!(client.run("EGG.ACKDEL s g ACKED IDS 1 1-0"), [2]);
    assert_eq!(client.run("EGG.ACKDEL s h ACKED IDS 1 1-0"), [1]);
    assert_eq!(client.run("EGG.ACKDEL s g DELREF IDS 1 5-0"), [1]);
    assert!(client.run("EGG.ACKDEL none g IDS 1 5-0").is_denied());
    let mut admin = server.connect();
    assert_eq!(admin.ids("s"), ["2-0", "3-0", "4-0"]);
    assert_eq!(admin.pending("s", "h"), ["2-0", "3-0", "4-0"]);
    // The lag was mended, too: 5-0 was the last one read.
    admin.run("XGROUP DESTROY s h");
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 4-0"), [1]);
    assert_eq!(*admin.group("s", "g").field("lag"), 0);
}

fn dryrun(admin: &mut Client, call: &str) -> String {
    admin.run(&format!("ACL DRYRUN u {call}")).text()
}

fn categories_allow_and_deny(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    let calls = [ACKDEL, "EGG.GROUPGUARD s g", "EGG.VERSION"];
    for (rules, allowed) in [
        ("", [false, false, false]),
        ("+@all", [true, true, true]),
        ("+@egg", [true, true, true]),
        ("+@all -@egg", [false, false, false]),
        ("+@stream", [true, true, false]),
        ("+@write", [true, false, false]),
        ("+@read", [false, true, true]),
        ("+@fast", [true, true, true]),
        ("+@slow", [false, false, false]),
        ("+@all -@stream", [false, false, true]),
        ("+@all -@write", [false, true, true]),
        ("+@dangerous +@admin +@keyspace", [false, false, false]),
        ("+egg.ackdel", [true, false, false]),
        ("+@egg -egg.ackdel", [false, true, true]),
    ] {
        admin.all(&[&format!("ACL SETUSER u reset on nopass ~s {rules}")]);
        for (call, allowed) in calls.iter().zip(allowed) {
            let name = call.split(' ').next().unwrap_or_default().to_lowercase();
            let denied = format!("User u has no permissions to run the '{name}' command");
            assert_eq!(dryrun(&mut admin, call), if allowed { "OK" } else { &denied }, "{rules}: {call}");
        }
    }
    assert!(admin.run("ACL CAT").array().iter().any(|category| *category == "egg"));
}

fn reading_needs_read_permission_and_deleting_needs_write_permission(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    let denied = "User u has no permissions to access the 's' key";
    for (rules, ackdel, guard) in [
        ("%RW~s", "OK", "OK"),
        ("%R~s", denied, "OK"),
        ("%W~s", "OK", denied),
        ("~other", denied, denied),
        ("resetkeys", denied, denied),
    ] {
        admin.all(&["DEL s", &format!("ACL SETUSER u reset on >p +@egg {rules}")]);
        admin.stream(1, &["g"]);
        assert_eq!(dryrun(&mut admin, ACKDEL), ackdel, "{rules}");
        assert_eq!(dryrun(&mut admin, "EGG.GROUPGUARD s g"), guard, "{rules}");
        let mut client = server.login(&format!("+@egg {rules}"));
        assert_eq!(client.run("EGG.GROUPGUARD s g").is_denied(), guard == denied, "{rules}");
        let reply = client.run(ACKDEL);
        assert_eq!(reply.is_denied(), ackdel == denied, "{rules}: {reply:?}");
        assert_eq!(admin.run("XLEN s"), if ackdel == denied { 1 } else { 0 }, "{rules}");
        assert_eq!(client.run("EGG.VERSION"), env!("CARGO_PKG_VERSION"), "{rules}");
    }
}

/// A refusal tells a user without read permission how many other groups there are, and no names. Reaping shows names and counts,
/// and so needs the permission to read.
fn groups_are_named_to_those_who_may_read_the_stream(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    admin.stream(1, &["g", "secret"]);
    let eval = ["EVAL", "return redis.pcall('EGG.ACKDEL', 's', 'g', 'IDS', '1', '1-0').err", "0"];
    for (rules, start) in [
        ("%RW~s", "FOREIGNGROUP the stream has other consumer groups: \"secret\"; nothing was acknowledged"),
        ("%W~s", "FOREIGNGROUP the stream has 1 other consumer group; nothing was acknowledged"),
        ("%W~s (%R~other +@all)", "FOREIGNGROUP the stream has 1 other consumer group; nothing was acknowledged"),
        (
            "%W~s (%R~s +@all)",
            "FOREIGNGROUP the stream has other consumer groups: \"secret\"; nothing was acknowledged",
        ),
    ] {
        let mut client = server.login(&format!("+@all {rules}"));
        let refused = client.run(ACKDEL);
        assert!(refused.error().starts_with(start), "{rules}: {refused:?}");
        let refused = client.send(&eval).text();
        assert!(refused.starts_with(start), "{rules}: {refused}");
        client.all(&["MULTI", ACKDEL]);
        let replies = client.run("EXEC");
        assert!(replies.array()[0].error().starts_with(start), "{rules}: {replies:?}");
    }
    admin.all(&["XGROUP CREATE s second 0-1"]);
    let mut writer = server.login("+@all %W~s");
    let refused = writer.run(ACKDEL);
    assert!(refused.error().starts_with("FOREIGNGROUP the stream has 2 other consumer groups; "), "{refused:?}");
    assert!(writer.run("EGG.GROUPREAP s g IDLE 1 EMPTY FORCE DRYRUN").is_denied());
    assert!(writer.run("EGG.GROUPREAP s g IDLE 1 EMPTY FORCE").is_denied());
    assert!(writer.run("EGG.GROUPGUARD s g").is_denied());
    assert_eq!(admin.run("XINFO GROUPS s").array().len(), 3);
    let mut reader = server.login("+@all %RW~s");
    assert_eq!(reader.run("EGG.GROUPREAP s g IDLE 1 EMPTY DRYRUN MATCH second").array().len(), 1);
}

fn a_denied_key_is_refused_and_logged(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    admin.stream(1, &["g"]);
    let mut client = server.login("~other +@egg");
    let reply = client.run(ACKDEL);
    assert!(reply.is_denied(), "{reply:?}");
    assert_eq!((admin.ids("s"), admin.pending("s", "g")), (vec!["1-0".into()], vec!["1-0".into()]));
    let log = admin.run("ACL LOG");
    let entry = &log.array()[0];
    for (field, expected) in [("reason", "key"), ("object", "s"), ("username", "u"), ("context", "toplevel")] {
        assert_eq!(*entry.field(field), expected, "{field}");
    }
}

fn a_denied_command_is_refused_and_logged(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    admin.stream(1, &["g"]);
    let mut client = server.login("~s +@all -egg.ackdel");
    let before = admin.state("s");
    assert!(client.run(ACKDEL).error().contains("no permissions to run the 'egg.ackdel' command"));
    let reply = client.send(&["EVAL", "return redis.call('EGG.ACKDEL', KEYS[1], 'g', 'IDS', '1', '1-0')", "1", "s"]);
    assert!(reply.error().starts_with("ERR ACL failure in script: User u has no permissions to run"), "{reply:?}");
    client.all(&["MULTI"]);
    assert!(client.run(ACKDEL).is_denied());
    assert!(client.run("EXEC").error().starts_with("EXECABORT "));
    assert_eq!(admin.state("s"), before);
    let log = admin.run("ACL LOG");
    assert!(
        log.array().iter().all(|entry| *entry.field("reason") == "command" && *entry.field("object") == "egg.ackdel")
    );
    assert!(!log.array().is_empty());
}
