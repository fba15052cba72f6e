//! Every command against every way to give a key: reading, writing, both, by a selector. What is refused leaves no trace.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::table;

each_server! {
    each_command_needs_its_own_permission_on_its_own_keys,
    users_who_may_only_read_or_only_write,
    a_selector_gives_a_command_and_a_key_together_only,
}

const CALLS: [(&str, &str); 8] = [
    ("ackdel", "EGG.ACKDEL s g ACKED IDS 1 1-0"),
    ("delex", "EGG.DELEX s DELREF IDS 1 2-0"),
    ("trim", "EGG.TRIM s DELREF MAXLEN 1"),
    ("add", "EGG.ADD s 9-0 f v"),
    ("reap", "EGG.GROUPREAP s g IDLE 1 EMPTY"),
    ("move", "EGG.ACKMOVE s g d ACKED IDS 1 1-0"),
    ("guard", "EGG.GROUPGUARD s g"),
    ("pins", "EGG.PINS s"),
];

const ALL: &str = "ackdel delex trim add reap move guard pins";
const WRITERS: &str = "ackdel delex trim add";

fn prepare(admin: &mut Client) {
    admin.run("DEL s d");
    admin.stream(3, &["g"]);
    admin.all(&["XGROUP CREATE s empty 0-1"]);
}

/// All that a call could leave behind.
fn traces(server: &Server, admin: &mut Client) -> (Vec<Reply>, Vec<Vec<String>>) {
    let lines = ["DUMP s", "DUMP d", "DBSIZE", "XINFO STREAM s FULL"];
    (lines.iter().map(|line| admin.run(line)).collect(), server.aof())
}

/// Makes each call as a user with these rules: those named are let through, the others change and cause nothing.
fn check(server: &Server, rules: &str, allowed: &str) {
    let mut admin = server.connect();
    let mut client = server.login(rules);
    table::each(CALLS, |(name, call)| {
        prepare(&mut admin);
        let before = traces(server, &mut admin);
        let mut reply = Reply::Nil;
        let events = server.events_of(|_| reply = client.run(call));
        let is_allowed = allowed.split(' ').any(|word| word == *name);
        assert_eq!(reply.is_denied(), !is_allowed, "{rules}: {call}: {reply:?}");
        if !is_allowed {
            assert_eq!(events, [""; 0], "{rules}: {call}");
            assert_eq!(traces(server, &mut admin), before, "{rules}: {call}");
        }
    });
}

fn each_command_needs_its_own_permission_on_its_own_keys(kind: Kind) {
    let server = Options::new(kind).aof().start();
    for (keys, allowed) in [
        ("~*", ALL),
        ("%RW~s %W~d", ALL),
        ("%R~s %W~s %W~d", ALL),
        ("%R~* %W~*", ALL),
        ("%R~*", "guard pins"),
        ("%R~s %W~d", "guard pins"),
        ("%W~*", WRITERS),
        ("%W~s %RW~d", WRITERS),
        ("%RW~s %R~d", "ackdel delex trim add reap guard pins"),
        ("%RW~d", ""),
        ("~other", ""),
        ("resetkeys", ""),
    ] {
        check(&server, &format!("+@all {keys}"), allowed);
    }
}

fn users_who_may_only_read_or_only_write(kind: Kind) {
    let server = Options::new(kind).aof().start();
    for (rules, allowed) in [
        ("~* +@read", "guard pins"),
        ("~* +@write", "ackdel delex trim add reap move"),
        ("~* +@all -@write", "guard pins"),
        ("~* +@all -@read", "ackdel delex trim add reap move"),
        // EGG's commands alone: those that do what other commands do ask for these, too.
        ("~* +@egg", "ackdel delex guard pins"),
        ("~* +@egg +xadd", "ackdel delex add move guard pins"),
        ("~* +@egg +xtrim +xgroup|destroy", "ackdel delex trim reap guard pins"),
        ("~* +@all -@egg", ""),
        ("~* +@all -@stream", ""),
    ] {
        check(&server, rules, allowed);
    }
}

fn a_selector_gives_a_command_and_a_key_together_only(kind: Kind) {
    let server = Options::new(kind).aof().start();
    for (rules, allowed) in [
        ("(~s +egg.ackdel)", "ackdel"),
        ("~s +egg.pins (%W~s +egg.ackdel)", "ackdel pins"),
        ("(%R~s +egg.ackdel) (%W~s +egg.pins)", ""),
        ("+@all ~other (%R~s +@read)", "guard pins"),
        ("~other +@all (~s +egg.trim)", ""),
        ("(~s +egg.trim) (~s +xtrim)", "trim"),
        ("(~s +egg.trim) (~other +xtrim)", ""),
        ("(%RW~s %W~d +egg.ackmove) (~s +xadd)", ""),
        ("(%RW~s %W~d +egg.ackmove) (~d +xadd)", "move"),
        ("(~s +egg.ackmove) (~d +egg.ackmove +xadd)", ""),
    ] {
        check(&server, rules, allowed);
    }
}
