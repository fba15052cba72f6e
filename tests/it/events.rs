//! EGG.ACKDEL: keyspace events, and whose WATCH is aborted.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    a_call_that_deletes_is_one_xdel_event,
    a_call_that_deletes_nothing_is_no_event,
    mending_the_lag_adds_one_xsetid_event,
    a_watch_is_aborted_by_deletions_alone,
}

/// What to do to a stream of three entries pending in `g` (and in `h`, which some calls add), and what to call then.
struct Case {
    setup: &'static [&'static str],
    call: &'static str,
}

const H: &str = "XGROUP CREATE s h 0";
const READ_H: &str = "XREADGROUP GROUP h c STREAMS s >";

const DELETING: &[Case] = &[
    Case { setup: &[], call: "EGG.ACKDEL s g IDS 1 1-0" },
    Case { setup: &[], call: "EGG.ACKDEL s g IDS 3 1-0 2-0 3-0" },
    Case { setup: &["XDEL s 1-0"], call: "EGG.ACKDEL s g IDS 3 9-0 1-0 2-0" },
    Case { setup: &[], call: "EGG.ACKDEL s g ACKONLY IDS 2 1-0 2-0" },
    Case { setup: &[H, READ_H, "XACK s h 1-0 3-0"], call: "EGG.ACKDEL s g ACKED IDS 2 1-0 2-0" },
    Case { setup: &[H], call: "EGG.ACKDEL s g KEEPREF IDS 2 1-0 2-0" },
    Case { setup: &[H, READ_H], call: "EGG.ACKDEL s g DELREF IDS 3 1-0 2-0 3-0" },
];

const NOT_DELETING: &[Case] = &[
    Case { setup: &[], call: "EGG.ACKDEL s g IDS 2 0-0 9-0" },
    Case { setup: &["XACK s g 1-0 2-0 3-0"], call: "EGG.ACKDEL s g IDS 3 1-0 2-0 3-0" },
    Case { setup: &["XDEL s 1-0 2-0"], call: "EGG.ACKDEL s g IDS 2 1-0 2-0" },
    Case { setup: &["XGROUP SETID s g 0"], call: "EGG.ACKDEL s g IDS 2 1-0 2-0" },
    Case { setup: &[H], call: "EGG.ACKDEL s g IDS 2 1-0 2-0" },
    Case { setup: &[H], call: "EGG.ACKDEL s g ACKONLY IDS 2 1-0 2-0" },
    Case { setup: &[H], call: "EGG.ACKDEL s g ACKED IDS 2 1-0 2-0" },
    Case { setup: &[H, READ_H], call: "EGG.ACKDEL s g ACKED IDS 2 1-0 2-0" },
    Case { setup: &[H, READ_H, "XDEL s 1-0"], call: "EGG.ACKDEL s g DELREF IDS 1 1-0" },
    Case { setup: &[], call: "EGG.ACKDEL s g IDS 2 1-0 foo" },
    Case { setup: &[], call: "EGG.ACKDEL s none IDS 1 1-0" },
    Case { setup: &[], call: "EGG.ACKDEL none g IDS 1 1-0" },
    Case { setup: &[], call: "EGG.GROUPGUARD s g" },
    Case { setup: &[H], call: "EGG.GROUPGUARD s g" },
    Case { setup: &[], call: "EGG.VERSION" },
];

fn prepare(client: &mut Client, case: &Case) {
    client.run("DEL s");
    client.stream(3, &["g"]);
    client.all(case.setup);
}

fn events(server: &Server, case: &Case) -> Vec<String> {
    prepare(&mut server.connect(), case);
    server.events_of(|client| {
        client.run(case.call);
    })
}

fn a_call_that_deletes_is_one_xdel_event(kind: Kind) {
    let server = Server::start(kind);
    for case in DELETING {
        assert_eq!(events(&server, case), ["s xdel"], "{} after {:?}", case.call, case.setup);
    }
}

fn a_call_that_deletes_nothing_is_no_event(kind: Kind) {
    let server = Server::start(kind);
    for case in NOT_DELETING {
        assert_eq!(events(&server, case), [""; 0], "{} after {:?}", case.call, case.setup);
    }
}

fn mending_the_lag_adds_one_xsetid_event(kind: Kind) {
    let server = Server::start(kind);
    let last = Case { setup: &[], call: "EGG.ACKDEL s g IDS 1 3-0" };
    assert_eq!(events(&server, &last), ["s xdel", "s xsetid"]);
    server.connect().all(&["CONFIG SET egg.keep-lag no"]);
    assert_eq!(events(&server, &last), ["s xdel"]);
}

fn a_watch_is_aborted_by_deletions_alone(kind: Kind) {
    let server = Server::start(kind);
    let (mut watcher, mut client) = (server.connect(), server.connect());
    let mut aborts = |case: &Case| {
        prepare(&mut client, case);
        watcher.all(&["WATCH s"]);
        client.run(case.call);
        watcher.all(&["MULTI", "PING"]);
        watcher.run("EXEC") == Reply::Nil
    };
    for case in DELETING {
        assert!(aborts(case), "{} after {:?}", case.call, case.setup);
    }
    for case in NOT_DELETING {
        assert!(!aborts(case), "{} after {:?}", case.call, case.setup);
    }
}
