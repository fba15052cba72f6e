//! Calls go where their keys are: by slot, and while a slot moves from one master to another.

use super::{Cluster, kinds};
use egg_testkit::client::{Client, Reply};

fn stream(client: &mut Client, key: &str) {
    client.all(&[&format!("XADD {key} 1-0 f v"), &format!("XADD {key} 2-0 f v"), &format!("XGROUP CREATE {key} g 0")]);
    client.all(&[&format!("XREADGROUP GROUP g c STREAMS {key} >")]);
}

const WRITES: [&str; 6] = [
    "EGG.ACKDEL {k} g IDS 1 9-0",
    "EGG.DELEX {k} IDS 1 9-0",
    "EGG.TRIM {k} MAXLEN 100",
    "EGG.ADD {k} NOMKSTREAM * f v",
    "EGG.ACKMOVE {k} g {k} IDS 1 9-0",
    "EGG.GROUPREAP {k} g IDLE 1 DRYRUN",
];
const READS: [&str; 2] = ["EGG.GROUPGUARD {k} g", "EGG.PINS {k}"];

#[test]
fn calls_go_to_the_node_of_their_slot() {
    for cluster in kinds().into_iter().map(Cluster::start) {
        for key in ["{a}jobs", "{b}jobs", "{c}jobs", "{q}jobs"] {
            let owner = cluster.owner(key);
            stream(&mut cluster.client(owner), key);
            let moved = cluster.sent("MOVED", key, owner);
            for call in WRITES.into_iter().chain(READS) {
                let line = call.replace("{k}", key);
                for node in (0..6).filter(|node| *node != owner) {
                    assert_eq!(cluster.client(node).run(&line), moved, "{line} on node {node}");
                }
                let reply = cluster.client(owner).run(&line);
                assert!(!matches!(reply, Reply::Error(_)), "{line}: {reply:?}");
            }
            // Its replica answers those that only read, to clients that ask for it.
            cluster.nodes[owner + 3].wait_in_step(&cluster.nodes[owner]);
            let mut replica = cluster.client(owner + 3);
            replica.all(&["READONLY"]);
            assert_eq!(replica.run(&format!("EGG.GROUPGUARD {key} g")), "OK");
            assert_eq!(replica.run(&format!("EGG.PINS {key}")).array().len(), 1);
            assert_eq!(replica.run(&format!("EGG.ACKDEL {key} g IDS 1 1-0")), moved);
        }
        let mut client = cluster.client(cluster.owner("{a}jobs"));
        let before = client.state("{a}jobs");
        let crossslot = "CROSSSLOT Keys in request don't hash to the same slot";
        assert_eq!(client.run("EGG.ACKMOVE {a}jobs g {b}dead IDS 1 1-0").error(), crossslot);
        assert_eq!(client.state("{a}jobs"), before);
        a_slot_moves(&cluster);
    }
}

/// A slot moves from one master to another: first the stream, then its dead letters.
fn a_slot_moves(cluster: &Cluster) {
    const JOBS: &str = "{m}jobs";
    const DEAD: &str = "{m}dead";
    let from = cluster.owner(JOBS);
    let to = (from + 1) % 3;
    let slot = cluster.slot(JOBS);
    let [mut source, mut target] = [from, to].map(|node| cluster.client(node));
    stream(&mut source, JOBS);
    source.all(&[&format!("XADD {DEAD} 1-0 f v")]);
    target.all(&[&format!("CLUSTER SETSLOT {slot} IMPORTING {}", cluster.id(from))]);
    source.all(&[&format!("CLUSTER SETSLOT {slot} MIGRATING {}", cluster.id(to))]);
    let (ask, moved) = (cluster.sent("ASK", JOBS, to), cluster.sent("MOVED", JOBS, from));
    let again = |reply: Reply| assert!(reply.error().starts_with("TRYAGAIN "), "{reply:?}");
    let asking = |client: &mut Client, line: &str| {
        client.all(&["ASKING"]);
        client.run(line)
    };
    let ackdel = format!("EGG.ACKDEL {JOBS} g IDS 1 1-0");
    let ackmove = format!("EGG.ACKMOVE {JOBS} g {DEAD} IDS 1 2-0");
    let requeue = format!("EGG.ACKMOVE {JOBS} g {JOBS} IDS 1 2-0");
    // Both are at the source still. A destination that is nowhere could be anywhere.
    assert_eq!(target.run(&ackdel), moved);
    again(source.run(&format!("EGG.ACKMOVE {JOBS} g {{m}}new IDS 1 2-0")));
    let before = source.state(JOBS);
    source.all(&[&format!("MIGRATE 127.0.0.1 {} {JOBS} 0 5000", cluster.nodes[to].port())]);
    // The stream is there, its dead letters are here.
    assert_eq!(source.run(&ackdel), ask);
    assert_eq!(target.run(&ackdel), moved);
    again(source.run(&ackmove));
    again(asking(&mut target, &ackmove));
    assert_eq!(asking(&mut target, &format!("EGG.PINS {JOBS}")).array().len(), 1);
    assert_eq!(before[0], "stream");
    assert_eq!(asking(&mut target, &ackdel), [1]);
    let id = asking(&mut target, &requeue).array()[0].text();
    source.all(&[&format!("MIGRATE 127.0.0.1 {} {DEAD} 0 5000", cluster.nodes[to].port())]);
    // Both are there.
    assert_eq!(source.run(&ackmove), ask);
    for node in [to, from, (from + 2) % 3] {
        cluster.client(node).all(&[&format!("CLUSTER SETSLOT {slot} NODE {}", cluster.id(to))]);
    }
    assert_eq!(source.run(&ackmove), cluster.sent("MOVED", JOBS, to));
    target.all(&[&format!("XREADGROUP GROUP g c STREAMS {JOBS} >")]);
    let moved = target.run(&format!("EGG.ACKMOVE {JOBS} g {DEAD} IDS 1 {id}"));
    assert_eq!(target.ids(DEAD), ["1-0", &moved.array()[0].text()]);
    assert_eq!(target.run(&format!("XLEN {JOBS}")), 0);
}
