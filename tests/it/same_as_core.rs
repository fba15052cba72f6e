//! What EGG.ACKDEL leaves behind is what XACK and XDEL leave behind: counters, nodes, entries, groups, consumers.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options};
use egg_testkit::random::Random;

each_server! {
    acked_batches_leave_what_xack_and_xdel_leave,
    rejecting_batches_leave_what_xack_and_xdel_leave_but_for_the_mark_and_lag,
}

const ENTRIES: usize = 2_000;
/// The last two end where a node does, and with the stream.
const BATCHES: [usize; 7] = [1, 8, 9, 100, 1_000, 82, 800];
/// To XINFO STREAM FULL COUNT.
const ALL: usize = 0;
const NODE_SIZES: [usize; 2] = [100, 10];

const ORDERS: [Order; 4] = [Order::Ascending, Order::Descending, Order::Almost, Order::Random];

#[derive(Clone, Copy, Debug)]
enum Order {
    Ascending,
    Descending,
    /// As several workers finish: out of order, but the oldest soon.
    Almost,
    Random,
}

fn acked_batches_leave_what_xack_and_xdel_leave(kind: Kind) {
    compare(kind, "ACKED", "no");
}

fn rejecting_batches_leave_what_xack_and_xdel_leave_but_for_the_mark_and_lag(kind: Kind) {
    compare(kind, "REJECT", "yes");
}

/// Two equal streams, all read by one group: `egg` loses entries to EGG.ACKDEL, `core` to XACK and XDEL of the same ids.
fn compare(kind: Kind, policy: &str, keep_lag: &str) {
    let server = Options::new(kind).tcp().start();
    let replica = Options::new(kind).without_module().start();
    replica.replicate(&server);
    let mut client = server.connect();
    client.send(&["CONFIG", "SET", "egg.keep-lag", keep_lag]);
    let mut random = Random::new(7);
    let mut compared = 0;
    for node_size in NODE_SIZES {
        for order in ORDERS {
            client.all(&["FLUSHALL"]);
            client.send(&["CONFIG", "SET", "stream-node-max-entries", &node_size.to_string()]);
            replica.connect().send(&["CONFIG", "SET", "stream-node-max-entries", &node_size.to_string()]);
            equal_streams(&mut client);
            let mut ids: Vec<String> = (1..=ENTRIES).map(|n| format!("{n}-0")).collect();
            match order {
                Order::Ascending => {}
                Order::Descending => ids.reverse(),
                Order::Almost => ids.chunks_mut(40).for_each(|window| random.shuffle(window)),
                Order::Random => random.shuffle(&mut ids),
            }
            let mut rest = ids.as_slice();
            for size in BATCHES {
                let (batch, others) = rest.split_at(size);
                rest = others;
                let what = format!("{size} ids, {order:?}, nodes of {node_size}");
                let cuts = client.info("egg", "egg_head_cuts");
                finish(&mut client, policy, batch);
                let is_cut = cuts != client.info("egg", "egg_head_cuts");
                match order {
                    Order::Ascending => assert_eq!(is_cut, size > 1, "{what}"),
                    Order::Almost => assert!(is_cut || size < 100, "{what}"),
                    Order::Descending | Order::Random => {}
                }
                assert_same(&mut client, 100, keep_lag == "yes", &what);
                compared += 1;
            }
            let what = format!("{order:?}, nodes of {node_size}");
            assert_same(&mut client, ALL, keep_lag == "yes", &what);
            replica.wait_in_step(&server);
            assert_same(&mut replica.connect(), ALL, keep_lag == "yes", &format!("on a replica, {what}"));
            client.all(&["DEBUG RELOAD"]);
            assert_same(&mut client, ALL, keep_lag == "yes", &format!("reloaded, {what}"));
        }
    }
    assert_eq!(compared, NODE_SIZES.len() * ORDERS.len() * BATCHES.len());
}

/// Two streams of the same entries, all read by a consumer of the same group.
fn equal_streams(client: &mut Client) {
    for key in ["egg", "core"] {
        let add = |n: usize| ["XADD", key, &format!("{n}-0"), "field", "value"].map(str::to_owned).to_vec();
        client.pipeline(&(1..=ENTRIES).map(add).collect::<Vec<_>>());
        client.send(&["XGROUP", "CREATE", key, "g", "0"]);
        client.send(&["XREADGROUP", "GROUP", "g", "c", "COUNT", &ENTRIES.to_string(), "STREAMS", key, ">"]);
    }
}

fn finish(client: &mut Client, policy: &str, ids: &[String]) {
    let count = ids.len().to_string();
    let command = |words: &[&str]| -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).chain(ids.iter().cloned()).collect()
    };
    let reply = client.send(&command(&["EGG.ACKDEL", "egg", "g", policy, "IDS", &count]));
    assert_eq!(reply.integers(), vec![1; ids.len()]);
    assert_eq!(client.send(&command(&["XACK", "core", "g"])), Reply::Integer(ids.len() as i64));
    assert_eq!(client.send(&command(&["XDEL", "core"])), Reply::Integer(ids.len() as i64));
}

/// XINFO STREAM FULL of both streams, with so many entries, but for when the entries were read, and for the mark and lag where lag is kept.
fn assert_same(client: &mut Client, entries: usize, lag_is_kept: bool, what: &str) {
    const TIMES: [&str; 2] = ["seen-time", "active-time"];
    const KEPT: [&str; 2] = ["max-deleted-entry-id", "lag"];
    let fields: Vec<&str> = TIMES.into_iter().chain(KEPT.into_iter().filter(|_| lag_is_kept)).collect();
    let [egg, core] = ["egg", "core"].map(|key| {
        let mut info = client.send(&["XINFO", "STREAM", key, "FULL", "COUNT", &entries.to_string()]);
        assert!(info.array().len() >= 18, "{info:?}");
        blank(&mut info, &fields);
        info
    });
    assert!(egg == core, "{what}: EGG.ACKDEL leaves\n{egg:?}\nXACK and XDEL leave\n{core:?}");
}

/// Takes out fields, and the delivery time of pending entries, wherever they stand.
fn blank(reply: &mut Reply, fields: &[&str]) {
    let Reply::Array(items) = reply else { return };
    for index in 1..items.len() {
        let is_field = fields.iter().any(|field| items[index - 1] == **field);
        let is_time = matches!(items[index], Reply::Integer(value) if value > 1_000_000_000_000);
        if is_field || is_time {
            items[index] = Reply::Nil;
        }
    }
    items.iter_mut().for_each(|item| blank(item, fields));
}
