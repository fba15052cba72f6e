//! Access control of the commands that do what other commands do: loading EGG hands nobody what was denied to him.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server, wait_until};

each_server! {
    moving_needs_read_and_write_on_the_source_and_write_on_the_destination,
    moving_needs_permission_for_xadd,
    reaping_needs_permission_for_xgroup_destroy,
    pins_needs_read_permission,
    categories_allow_and_deny,
    a_hostile_user_name_is_shown_cleanly,
}

/// Entries 1-0 to 3-0 in `secret`, pending in `g`, and a stream `mine` with a group.
fn prepare(admin: &mut Client) {
    admin.run("DEL secret mine s");
    admin.stream(3, &["g"]);
    admin.all(&["RENAME s secret", "XADD mine 1-0 f v", "XGROUP CREATE mine g 0"]);
}

fn state(admin: &mut Client) -> Vec<Reply> {
    [admin.state("secret"), admin.state("mine"), vec![admin.run("DBSIZE")]].concat()
}

fn moving_needs_read_and_write_on_the_source_and_write_on_the_destination(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    for (keys, allowed) in [
        ("%W~secret %RW~mine", false),
        ("%R~secret %RW~mine", false),
        ("%RW~secret %R~mine", false),
        ("~secret", false),
        ("~mine", false),
        ("%RW~secret %W~mine", true),
        ("~secret ~mine", true),
        ("%R~secret %W~secret %W~m*", true),
    ] {
        prepare(&mut admin);
        let before = state(&mut admin);
        let mut client = server.login(&format!("{keys} +egg.ackmove +xadd"));
        let mut reply = Reply::Nil;
        let events = server.events_of(|_| reply = client.run("EGG.ACKMOVE secret g mine META IDS 1 1-0"));
        assert_eq!(reply.is_denied(), !allowed, "{keys}: {reply:?}");
        if allowed {
            assert_eq!(admin.run("XLEN mine"), 2, "{keys}");
            continue;
        }
        assert_eq!(events, [""; 0], "{keys}");
        assert_eq!(state(&mut admin), before, "{keys}");
        // Nor does an error tell what is there.
        assert_eq!(client.run("EGG.ACKMOVE secret none mine IDS 1 9-0"), reply, "{keys}");
        let entry = admin.run("ACL LOG").array()[0].clone();
        assert_eq!(
            (entry.field("reason").text(), entry.field("username").text()),
            ("key".into(), "u".into()),
            "{keys}"
        );
    }
}

fn moving_needs_permission_for_xadd(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    let call = "EGG.ACKMOVE secret g mine IDS 1 1-0";
    let script = "return redis.call('EGG.ACKMOVE', KEYS[1], 'g', KEYS[2], 'IDS', '1', '1-0')";
    for (rules, destination, allowed) in [
        ("~* +@all -xadd", "mine", false),
        ("~* +@all -xadd", "secret", false),
        ("~* +@all -xadd", "new", false),
        ("~* +egg.ackmove", "mine", false),
        ("~* +egg.ackmove (~mine +xadd)", "new", false),
        ("~* +egg.ackmove (%R~new +xadd)", "new", false),
        ("~* +egg.ackmove (~mine +xadd)", "mine", true),
        ("~* +egg.ackmove +xadd -xtrim -xack -xdel -xinfo", "new", true),
    ] {
        prepare(&mut admin);
        admin.run("DEL new");
        let before = state(&mut admin);
        let mut client = server.login(&format!("+@transaction {rules}"));
        let call = call.replace("mine", destination);
        if allowed {
            assert_eq!(
                client.run(&format!("{call} MAXLEN 9")).array()[0].text(),
                admin.ids(destination).pop().unwrap()
            );
            continue;
        }
        let events = server.events_of(|_| assert!(client.run(&call).is_denied(), "{rules}"));
        assert_eq!(events, [""; 0], "{rules}");
        let entry = admin.run("ACL LOG").array()[0].clone();
        let object = entry.field("object").text();
        assert!(["xadd", destination].contains(&&*object), "{rules}: {object}");
        client.run("MULTI");
        client.run(&call);
        assert!(client.run("EXEC").array()[0].is_denied(), "{rules}");
        // Also if nothing would be moved, and behind what the contract looks for first.
        assert!(client.run(&call.replace("1-0", "9-0")).is_denied(), "{rules}");
        assert!(client.run(&call.replace(" g ", " none ")).error().starts_with("NOGROUP "), "{rules}");
        assert_eq!(state(&mut admin), before, "{rules}");
    }
    // In a script the caller is the one who runs it.
    prepare(&mut admin);
    let mut client = server.login("~* +@all -xadd");
    let reply = client.send(&["EVAL", script, "2", "secret", "mine"]);
    assert!(reply.error().contains("NOPERM") || reply.error().contains("no permissions"), "{reply:?}");
    assert_eq!((admin.run("XLEN secret"), admin.run("XLEN mine")), (Reply::Integer(3), Reply::Integer(1)));
}

fn reaping_needs_permission_for_xgroup_destroy(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    admin.all(&["XGROUP CREATE s g 0 MKSTREAM", "XGROUP CREATE s old 0", "XGROUP CREATECONSUMER s old c"]);
    wait_until(|| !admin.run("EGG.GROUPREAP s g IDLE 1 DRYRUN").array().is_empty());
    let before = admin.state("s");
    for rules in [
        "~* +@all -xgroup",
        "~* +@all -xgroup|destroy",
        "~* +egg.groupreap",
        "~* +egg.groupreap +xgroup|create",
        "%R~s +@all",
        "%W~s +@all",
        "~other +@all",
        "~* +egg.groupreap (~other +xgroup)",
        "~* +@all -egg.groupreap",
    ] {
        let mut client = server.login(rules);
        for options in ["", "DRYRUN", "EMPTY FORCE", "MATCH nobody"] {
            let reply = client.run(&format!("EGG.GROUPREAP s g IDLE 1 {options}"));
            assert!(reply.is_denied(), "{rules} {options}: {reply:?}");
        }
        assert_eq!(admin.state("s"), before, "{rules}");
        assert_eq!(*admin.run("ACL LOG").array()[0].field("username"), "u", "{rules}");
    }
    assert!(!server.log().contains("destroyed group"));
    for rules in ["~* +egg.groupreap +xgroup|destroy", "%RW~s +@egg +xgroup", "~* +egg.groupreap (~s +xgroup|destroy)"]
    {
        let mut client = server.login(rules);
        assert_eq!(client.run("EGG.GROUPREAP s g IDLE 1 DRYRUN").array().len(), 1, "{rules}");
    }
    assert_eq!(server.login("~s +@all").run("EGG.GROUPREAP s g IDLE 1").array().len(), 1);
}

fn pins_needs_read_permission(kind: Kind) {
    let server = Server::start(kind);
    server.connect().stream(1, &["g"]);
    for (rules, allowed) in
        [("%R~s +egg.pins", true), ("~s +egg.pins", true), ("%W~s +egg.pins", false), ("~s +@all -egg.pins", false)]
    {
        assert_eq!(server.login(rules).run("EGG.PINS s").is_denied(), !allowed, "{rules}");
    }
}

fn categories_allow_and_deny(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    let calls = ["EGG.ACKMOVE s g d IDS 1 1-0", "EGG.GROUPREAP s g IDLE 1", "EGG.PINS s"];
    for (rules, allowed) in [
        ("+@all", [true, true, true]),
        ("+@egg", [true, true, true]),
        ("+@stream", [true, true, true]),
        ("+@write", [true, true, false]),
        ("+@read", [false, false, true]),
        ("+@slow", [true, true, true]),
        ("+@fast", [false, false, false]),
        ("+@all -@egg", [false, false, false]),
        ("+@dangerous +@admin +@keyspace", [false, false, false]),
    ] {
        admin.all(&[&format!("ACL SETUSER u reset on nopass ~* {rules}")]);
        for (call, allowed) in calls.iter().zip(allowed) {
            let reply = admin.run(&format!("ACL DRYRUN u {call}"));
            assert_eq!(reply == "OK", allowed, "{rules}: {call}: {reply:?}");
        }
    }
}

fn a_hostile_user_name_is_shown_cleanly(kind: Kind) {
    let server = Server::start(kind);
    let mut admin = server.connect();
    prepare(&mut admin);
    for name in [&b"\xff\x01+OK\x1b"[..], b"%s%n", "\u{100}".as_bytes()] {
        let mut client = server.connect();
        let set = [&b"ACL"[..], b"SETUSER", name, b"reset", b"on", b"nopass", b"~*", b"+@all", b"-xadd", b"-xgroup"];
        assert_eq!(client.send(&set), "OK");
        assert_eq!(client.send(&[&b"AUTH"[..], name, b"p"]), "OK");
        for call in ["EGG.ACKMOVE secret g mine IDS 1 1-0", "EGG.GROUPREAP secret g IDLE 1"] {
            let reply = client.run(call);
            assert!(reply.is_denied() && reply.error().bytes().all(|byte| matches!(byte, b' '..=b'~')), "{reply:?}");
            assert_eq!(client.run("PING"), "PONG");
        }
    }
}
