//! EGG.ADD: events, WATCH, what replicas and the append only file get, and when it is refused.

use crate::add::{numbers, prepare};
use crate::native_names::{replica_of, state};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! {
    events_and_watch,
    effects_are_propagated_as_core_commands,
    a_replica_without_the_module_agrees,
    is_refused_out_of_memory_and_on_replicas,
}

fn events_and_watch(kind: Kind) {
    let server = Server::start(kind);
    for (call, events, aborts) in [
        ("EGG.ADD s 9-0 f v", &["s xadd"][..], true),
        ("EGG.ADD s MAXLEN 20 9-0 f v", &["s xadd"], true),
        ("EGG.ADD s MAXLEN 8 9-0 f v", &["s xadd", "s xtrim"], true),
        ("EGG.ADD s MAXLEN 7 9-0 f v", &["s xadd", "s xtrim", "s xdel"], true),
        ("EGG.ADD s DELREF MAXLEN 3 9-0 f v", &["s xadd", "s xtrim"], true),
        ("EGG.ADD s KEEPREF MAXLEN 3 9-0 f v", &["s xadd", "s xtrim"], true),
        ("EGG.ADD s MAXLEN x 9-0 f v", &[], false),
        ("EGG.ADD s MAXLEN 0 1-0 f v", &[], false),
    ] {
        server.assert_traces(prepare, call, events, aborts);
    }
}

fn effects_are_propagated_as_core_commands(kind: Kind) {
    let server = Options::new(kind).aof().start();
    let mut client = server.connect();
    let mut effect = |call: &str| {
        prepare(&mut client);
        let mut id = String::new();
        let commands = server.propagated(|| id = client.run(call).text());
        commands.join("; ").replace(&id, "<id>")
    };
    assert_eq!(effect("EGG.ADD s * f v"), "XADD s <id> f v");
    assert_eq!(effect("EGG.ADD s 9-* f v"), "XADD s <id> f v");
    assert_eq!(effect("EGG.ADD s MAXLEN 20 * f v"), "XADD s <id> f v");
    assert_eq!(effect("EGG.ADD s KEEPREF MAXLEN 3 9-0 f v"), "XADD s MAXLEN = 3 <id> f v");
    assert_eq!(effect("EGG.ADD s MAXLEN 7 * f v"), "MULTI; XADD s <id> f v; XTRIM s MINID = 2-0; XDEL s 3-0; EXEC");
    assert_eq!(
        effect("EGG.ADD s DELREF MAXLEN 6 * f v"),
        "MULTI; XADD s <id> f v; XTRIM s MAXLEN = 6; XACK s g 2-0; EXEC"
    );
}

fn a_replica_without_the_module_agrees(kind: Kind) {
    let master = Options::new(kind).tcp().line("stream-node-max-entries 2").start();
    let replica = replica_of(&master);
    let (mut client, mut on_replica) = (master.connect(), replica.connect());
    for call in [
        "EGG.ADD s MAXLEN 3 * f v",
        "EGG.ADD s MINID 6 9-* f v",
        "EGG.ADD s MAXLEN ~ 1 * f v",
        "EGG.ADD s DELREF MAXLEN ~ 1 * f v",
        "EGG.ADD s DELREF MAXLEN 4 * f v",
        "EGG.ADD s KEEPREF MAXLEN ~ 4 * f v",
    ] {
        for more in [&[][..], &["XDEL s 2-0"], &["XACK s g 2-0 5-0"], &["XGROUP DESTROY s g"]] {
            prepare(&mut client);
            client.all(more);
            client.all(&[call]);
            replica.wait_in_step(&master);
            assert_eq!(state(&mut on_replica, "s"), state(&mut client, "s"), "{more:?} {call}");
        }
    }
}

fn is_refused_out_of_memory_and_on_replicas(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["CONFIG SET maxmemory 1"]);
    let oom = "OOM command not allowed when used memory > 'maxmemory'.";
    for call in ["EGG.ADD s * f v", "EGG.ADD s MAXLEN 0 * f v", "EGG.ADD s FOO * f v"] {
        assert_eq!(client.run(call).error(), oom, "{call}");
    }
    client.all(&["CONFIG SET maxmemory 0", "REPLICAOF 127.0.0.1 1"]);
    for call in ["EGG.ADD s * f v", "EGG.ADD none FOO f v"] {
        assert_eq!(client.run(call).error(), "READONLY You can't write against a read only replica.", "{call}");
    }
    assert_eq!(numbers(&mut client), "1 2 3 4 5 6 7 8");
}
