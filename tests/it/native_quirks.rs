//! One literal case for each difference from 8.2.3 that the vectors are tagged with: what 8.2.3 answers, what EGG answers
//! instead, and why. The first three servers of a case are real ones.

use crate::native_names::{each_old_server, native, replica_of, state};
use egg_testkit::client::{Client, Reply};
use egg_testkit::harness::{Kind, Options, Server};

each_old_server! {
    a_destroyed_group_is_forgotten,
    master_and_replica_agree_about_a_destroyed_group,
    approximate_trims_remove_what_exact_ones_do,
    an_approximate_trim_does_the_same_on_the_replica,
    a_limit_counts_what_goes_not_what_a_node_holds,
    a_trim_goes_on_behind_a_node_that_keeps_entries,
    references_without_an_entry_go_on_the_replica_too,
    lag_of_an_emptied_stream_is_what_the_core_makes_of_it,
    holes_raise_max_deleted_entry_id,
    a_trim_that_removes_the_last_entry_read_leaves_lag_a_number,
}

/// 8.2.3 itself, without the module.
fn oracle() -> Server {
    Options::new(Kind::Redis82).without_module().tcp().start()
}

/// 8.6.2 itself, where it is there.
fn newer_oracle() -> Option<Server> {
    Kind::Redis86.is_there().then(|| Options::new(Kind::Redis86).without_module().tcp().start())
}

fn both(kind: Kind) -> [Server; 2] {
    [oracle(), native(kind).tcp().start()]
}

const ENTRIES: &[&str] =
    &["XADD s 1-1 f v", "XADD s 2-1 f v", "XADD s 3-1 f v", "XADD s 4-1 f v", "XADD s 5-1 f v", "XADD s 6-1 f v"];

fn with_entries(client: &mut Client, more: &[&str]) {
    client.all(&["FLUSHALL"]);
    client.all(ENTRIES);
    client.all(more);
}

fn mark(client: &mut Client) -> String {
    client.run("XINFO STREAM s").field("max-deleted-entry-id").text()
}

/// `quirk-stale-min`: 8.2.3 remembers the lowest last-delivered-id beyond the group that had it.
fn a_destroyed_group_is_forgotten(kind: Kind) {
    let groups = ["XGROUP CREATE s a $", "XGROUP CREATE s b 0", "XDELEX s ACKED IDS 1 0-5", "XGROUP DESTROY s b"];
    for (server, reply) in both(kind).iter().zip([2, 1]) {
        let mut client = server.connect();
        with_entries(&mut client, &groups);
        assert_eq!(client.run("XDELEX s ACKED IDS 1 3-1"), [reply], "{:?}", server.kind());
        with_entries(&mut client, &groups);
        assert_eq!(client.run("XTRIM s MAXLEN 0 ACKED"), if reply == 2 { 0 } else { 6 }, "{:?}", server.kind());
    }
}

/// 8.2.3 replicates the call, not its effect: its replica has not seen the call that made the master remember.
fn master_and_replica_agree_about_a_destroyed_group(kind: Kind) {
    for (master, (reply, lengths)) in both(kind).iter().zip([(2, [6, 5]), (1, [5, 5])]) {
        let replica = replica_of(master);
        let mut client = master.connect();
        with_entries(&mut client, &["XGROUP CREATE s a 0", "XREADGROUP GROUP a c STREAMS s >"]);
        client.all(&["XGROUP CREATE s b 0", "XDELEX s ACKED IDS 1 0-5", "XGROUP DESTROY s b"]);
        assert_eq!(client.run("XACKDEL s a ACKED IDS 1 3-1"), [reply], "{:?}", master.kind());
        replica.wait_in_step(master);
        let found = [client.run("XLEN s").integer(), replica.connect().run("XLEN s").integer()];
        assert_eq!(found, lengths, "{:?}", master.kind());
    }
}

/// `quirk-approx-noop`: with DELREF or ACKED, 8.2.3 removes nothing under `~`. 8.6.2 does, and so does EGG.
fn approximate_trims_remove_what_exact_ones_do(kind: Kind) {
    let setup = ["XGROUP CREATE s a 0", "XREADGROUP GROUP a c COUNT 5 STREAMS s >", "XACK s a 1-1 2-1 3-1 5-1"];
    let servers = both(kind).into_iter().chain(newer_oracle());
    for (server, is_mended) in servers.zip([false, true, true]) {
        let mut client = server.connect();
        client.all(&["CONFIG SET stream-node-max-entries 2"]);
        for (call, removed, left) in [
            ("XTRIM s MAXLEN ~ 0 ACKED", 4, &["4-1", "6-1"][..]),
            ("XTRIM s MINID ~ 2-1 ACKED", 1, &["2-1", "3-1", "4-1", "5-1", "6-1"]),
            ("XTRIM s MAXLEN ~ 3 DELREF", 3, &["4-1", "5-1", "6-1"]),
            ("XTRIM s DELREF MINID ~ 5-1", 4, &["5-1", "6-1"]),
        ] {
            with_entries(&mut client, &setup);
            let reply = client.run(call);
            if !is_mended {
                assert_eq!((reply, client.ids("s").len()), (Reply::Integer(0), 6), "{call}");
                continue;
            }
            let left: Vec<String> = left.iter().map(|id| (*id).to_owned()).collect();
            assert_eq!((reply, client.ids("s")), (Reply::Integer(removed), left.clone()), "{call}");
            assert_eq!(client.pending("s", "a").is_empty(), !left.contains(&"4-1".to_owned()), "{call}");
        }
    }
}

/// 8.6.2 sends the call with `=` for `~`, and LIMIT 0, and its replica then does less. EGG sends what was removed.
fn an_approximate_trim_does_the_same_on_the_replica(kind: Kind) {
    let egg = native(kind).tcp().start();
    for (master, is_egg) in newer_oracle().into_iter().map(|server| (server, false)).chain([(egg, true)]) {
        let replica = replica_of(&master);
        let mut client = master.connect();
        client.all(&["CONFIG SET stream-node-max-entries 3"]);
        for (setup, call, left) in [
            (
                ["XGROUP CREATE s a 0", "XACK s a 1-1"],
                "XTRIM s MINID ~ 3-1 ACKED",
                &["2-1", "3-1", "4-1", "5-1", "6-1"][..],
            ),
            (["XGROUP CREATE s a $", "XACK s a 1-1"], "XTRIM s MINID ~ 5-1 DELREF", &["5-1", "6-1"]),
        ] {
            with_entries(&mut client, &setup[..1]);
            client.all(&["XREADGROUP GROUP a c COUNT 1 STREAMS s >", setup[1], call]);
            replica.wait_in_step(&master);
            assert_eq!(client.ids("s"), left, "{call} on {:?}", master.kind());
            let agrees = replica.connect().ids("s") == left;
            assert_eq!(agrees, is_egg, "{call} on the replica of {:?}", master.kind());
        }
    }
}

/// `limit-by-nodes`: 8.6.2 stops before a node that would take it over the limit, if every entry of it went.
fn a_limit_counts_what_goes_not_what_a_node_holds(kind: Kind) {
    let egg = native(kind).start();
    for (server, removed) in newer_oracle().into_iter().map(|server| (server, [4, 3])).chain([(egg, [4, 4])]) {
        let mut client = server.connect();
        client.all(&["CONFIG SET stream-node-max-entries 2"]);
        let calls = ["XTRIM s MAXLEN ~ 3 LIMIT 5 ACKED", "XTRIM s MAXLEN ~ 3 LIMIT 4 ACKED"];
        let acks = ["XACK s g 3-0", "PING"];
        for ((call, ack), removed) in calls.into_iter().zip(acks).zip(removed) {
            client.all(&["FLUSHALL"]);
            client.stream(10, &["g"]);
            client.all(&["XACK s g 1-0 2-0 4-0 5-0 6-0 7-0 8-0 9-0 10-0", ack]);
            assert_eq!(client.run(call), removed, "{call} on {:?}", server.kind());
        }
    }
}

/// `quirk-node-stop`: 8.2.3 ends a MAXLEN trim at a node, even though that gave too little. So does 8.6.2.
fn a_trim_goes_on_behind_a_node_that_keeps_entries(kind: Kind) {
    let [oracle, egg] = both(kind);
    let native = [oracle].into_iter().chain(newer_oracle());
    let native = native.map(|server| (server, &["1-1", "2-1", "4-1", "5-1", "6-1"][..]));
    for (server, left) in native.chain([(egg, &["1-1", "2-1", "5-1", "6-1"][..])]) {
        let mut client = server.connect();
        client.all(&["CONFIG SET stream-node-max-entries 3"]);
        with_entries(&mut client, &["XGROUP CREATE s a 0", "XREADGROUP GROUP a c STREAMS s >"]);
        client.all(&["XACK s a 3-1 4-1 5-1 6-1"]);
        assert_eq!(client.run("XTRIM s MAXLEN 4 ACKED"), 6 - left.len() as i64, "{:?}", server.kind());
        assert_eq!(client.ids("s"), left, "{:?}", server.kind());
    }
}

/// `quirk-no-propagation`: 8.2.3 does not tell its replica when XDELEX DELREF only drops references.
fn references_without_an_entry_go_on_the_replica_too(kind: Kind) {
    for (master, on_replica) in both(kind).iter().zip([3, 2]) {
        let replica = replica_of(master);
        let mut client = master.connect();
        with_entries(&mut client, &["XGROUP CREATE s a 0", "XREADGROUP GROUP a c COUNT 3 STREAMS s >", "XDEL s 2-1"]);
        assert_eq!(client.run("XDELEX s DELREF IDS 1 2-1"), [-1]);
        replica.wait_in_step(master);
        assert_eq!(client.pending("s", "a"), ["1-1", "3-1"]);
        assert_eq!(replica.connect().pending("s", "a").len(), on_replica, "{:?}", master.kind());
    }
}

/// `lag-differs-in-7.4-core`: once everything up to a group's last-delivered-id is gone, 8.2.3 answers the length.
fn lag_of_an_emptied_stream_is_what_the_core_makes_of_it(kind: Kind) {
    let setup = ["XGROUP CREATE s a 0", "XREADGROUP GROUP a c COUNT 2 STREAMS s >"];
    let holes = "XDELEX s DELREF IDS 4 1-1 2-1 3-1 4-1";
    let old_holes = if kind == Kind::Valkey91 { Reply::Nil } else { Reply::Integer(4) };
    for (server, (trimmed, deleted)) in both(kind).iter().zip([(0, Reply::Integer(2)), (4, old_holes)]) {
        let mut client = server.connect();
        with_entries(&mut client, &setup);
        assert_eq!(client.run("XTRIM s DELREF MAXLEN 0"), 6);
        assert_eq!(*client.group("s", "a").field("lag"), trimmed, "{:?}", server.kind());
        with_entries(&mut client, &setup);
        assert_eq!(client.run(holes), [1, 1, 1, 1]);
        assert_eq!(*client.group("s", "a").field("lag"), deleted, "{:?}", server.kind());
    }
}

/// `max-deleted-by-xdel`: a replica without the module learns of a hole by XDEL, which leaves its mark; the event says so.
fn holes_raise_max_deleted_entry_id(kind: Kind) {
    let setup = ["XGROUP CREATE s a 0", "XREADGROUP GROUP a c STREAMS s >", "XACK s a 1-1 3-1 4-1"];
    let expected = [("0-0", &["s xtrim"][..]), ("4-1", &["s xtrim", "s xdel"])];
    for (server, (mark_after, events)) in both(kind).iter().zip(expected) {
        let mut client = server.connect();
        with_entries(&mut client, &setup);
        let found = server.events_of(|client| assert_eq!(client.run("XTRIM s MAXLEN 0 ACKED"), 3));
        assert_eq!(found, events, "{:?}", server.kind());
        assert_eq!(client.ids("s"), ["2-1", "5-1", "6-1"]);
        assert_eq!(
            (mark(&mut client), client.group("s", "a").field("lag").clone()),
            (mark_after.to_owned(), Reply::Integer(0))
        );
    }
}

/// A hole at a group's last-delivered-id would turn its lag null: 8.2.3, which leaves no mark, has a number there.
fn a_trim_that_removes_the_last_entry_read_leaves_lag_a_number(kind: Kind) {
    let setup = ["XGROUP CREATE s a 0", "XREADGROUP GROUP a c COUNT 3 STREAMS s >", "XACK s a 3-1"];
    for server in both(kind) {
        let replica = replica_of(&server);
        let mut client = server.connect();
        for (call, lag) in
            [("XTRIM s MAXLEN 0 ACKED", 3), ("XTRIM s ACKED MINID 6-1", 3), ("XADD s ACKED MAXLEN 6 7-1 f v", 4)]
        {
            with_entries(&mut client, &setup);
            client.all(&[call]);
            assert_eq!(client.ids("s")[..3], ["1-1", "2-1", "4-1"], "{call}");
            assert_eq!(*client.group("s", "a").field("lag"), lag, "{call} on {:?}", server.kind());
            replica.wait_in_step(&server);
            assert_eq!(state(&mut replica.connect(), "s"), state(&mut client, "s"), "{call} on {:?}", server.kind());
        }
    }
}
