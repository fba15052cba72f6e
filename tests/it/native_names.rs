//! Redis 8.2's own names on servers that lack them, held against what was recorded of 8.2.3.

use crate::native_rules::all_vectors;
use crate::vectors;
use egg_testkit::client::{Client, Reply};
use egg_testkit::harness::{Kind, Options, Server};

/// A test on each server that gets the native names.
macro_rules! each_old_server {
    ($($name:ident),* $(,)?) => {$(
        mod $name {
            use egg_testkit::harness::Kind;

            #[test]
            fn redis_7_4() {
                super::$name(Kind::Redis74);
            }

            #[test]
            fn valkey_9_1() {
                super::$name(Kind::Valkey91);
            }
        }
    )*};
}
pub(crate) use each_old_server;

each_old_server! {
    they_do_what_redis_8_2_does,
    a_replica_without_the_module_ends_in_the_same_state,
}

/// A server with the native names.
pub fn native(kind: Kind) -> Options {
    Options::new(kind).line("egg.native-names yes")
}

fn they_do_what_redis_8_2_does(kind: Kind) {
    vectors::check("native names", &native(kind).start(), &all_vectors(kind));
}

fn a_replica_without_the_module_ends_in_the_same_state(kind: Kind) {
    let master = native(kind).tcp().start();
    let replica = replica_of(&master);
    let (mut on_master, mut on_replica) = (master.connect(), replica.connect());
    let vectors = all_vectors(kind);
    for vector in &vectors {
        on_master.pipeline(&vector.setup);
        on_master.send(&vector.call);
        replica.wait_in_step(&master);
        for key in ["s", "n", "nokey"] {
            let (theirs, ours) = (state(&mut on_replica, key), state(&mut on_master, key));
            assert_eq!(theirs, ours, "{}: {key}", vector.name);
        }
    }
    println!("replica on {kind:?}: {} vectors, the same state after each", vectors.len());
}

/// Everything of a stream that a replica has to have alike: entries, counters, groups with their lag, pending entries with
/// their owners and delivery counts. Idle times and node layout are each server's own.
pub fn state(client: &mut Client, key: &str) -> Vec<Reply> {
    let mut state = vec![client.send(&["XRANGE", key, "-", "+"])];
    let Reply::Array(fields) = client.send(&["XINFO", "STREAM", key]) else { return state };
    let is_layout = |name: &Reply| name.text().starts_with("radix-tree");
    state.extend(fields.chunks(2).filter(|pair| !is_layout(&pair[0])).map(|pair| Reply::Array(pair.to_vec())));
    let groups = client.send(&["XINFO", "GROUPS", key]);
    for group in groups.array() {
        let name = group.field("name").text();
        for row in client.send(&["XPENDING", key, &name, "-", "+", "1000000"]).array() {
            let row = row.array();
            state.push(Reply::Array(vec![row[0].clone(), row[1].clone(), row[3].clone()]));
        }
    }
    state.push(groups);
    state
}

/// A replica of `master` without the module, in step with it.
pub fn replica_of(master: &Server) -> Server {
    let replica = Options::new(master.kind()).without_module().tcp().start();
    replica.replicate(master);
    replica
}

/// Found by the fuzz histories: 8.2.3 looks at the id's value before it looks at the key.
#[test]
fn xadd_on_a_string_refuses_the_id_0_0_first() {
    let server = Options::new(Kind::Redis74).line("egg.native-names yes").start();
    let mut client = server.connect();
    client.all(&["SET w string"]);
    for (call, error) in [
        ("XADD w MAXLEN 3 ACKED 0-0 f v", "ERR The ID specified in XADD must be greater than 0-0"),
        ("XADD w MAXLEN 3 ACKED 1-0 f v", "WRONGTYPE Operation against a key holding the wrong kind of value"),
        (
            "XADD w NOMKSTREAM DELREF MINID 3 1-* f v",
            "WRONGTYPE Operation against a key holding the wrong kind of value",
        ),
    ] {
        assert_eq!(client.run(call).error(), error, "{call}");
    }
}
