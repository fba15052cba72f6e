//! In a cluster: a move goes where both of its streams are.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    both_streams_of_a_move_must_be_in_one_slot,
    the_other_commands_go_by_their_key,
}

/// A cluster of one node, which has all slots.
fn cluster(kind: Kind) -> Server {
    let server = Options::new(kind).tcp().line("cluster-enabled yes").start();
    let mut client = server.connect();
    client.all(&["CLUSTER ADDSLOTSRANGE 0 16383"]);
    wait_until(|| client.run("CLUSTER INFO").text().contains("cluster_state:ok"));
    server
}

fn stream(client: &mut Client, key: &str) {
    client.all(&[&format!("XADD {key} 1-0 f v"), &format!("XGROUP CREATE {key} g 0")]);
    client.all(&[&format!("XREADGROUP GROUP g c STREAMS {key} >")]);
}

fn both_streams_of_a_move_must_be_in_one_slot(kind: Kind) {
    let server = cluster(kind);
    let mut client = server.connect();
    stream(&mut client, "jobs");
    stream(&mut client, "{q}jobs");
    let before = client.state("jobs");
    let crossslot = "CROSSSLOT Keys in request don't hash to the same slot";
    assert_eq!(client.run("EGG.ACKMOVE jobs g dead IDS 1 1-0").error(), crossslot);
    assert_eq!(client.run("EGG.ACKMOVE {q}jobs g {p}dead IDS 1 1-0").error(), crossslot);
    assert_eq!(client.state("jobs"), before);
    assert_eq!(client.run("DBSIZE"), 2);
    let reply = client.run("EGG.ACKMOVE {q}jobs g {q}dead META MAXLEN 9 SET 1 a b IDS 1 1-0");
    assert_eq!(client.ids("{q}dead"), [reply.array()[0].text()]);
    assert_eq!(client.run("XLEN {q}jobs"), 0);
    let reply = client.run("EGG.ACKMOVE jobs g jobs IDS 1 1-0");
    assert_eq!(client.ids("jobs"), [reply.array()[0].text()]);
    let script = "return redis.call('EGG.ACKMOVE', KEYS[1], 'g', 'elsewhere', 'IDS', '1', '1-0')";
    assert!(matches!(client.send(&["EVAL", script, "1", "{q}jobs"]), Reply::Error(_)));
}

fn the_other_commands_go_by_their_key(kind: Kind) {
    let server = cluster(kind);
    let mut client = server.connect();
    stream(&mut client, "jobs");
    client.all(&["XGROUP CREATE jobs old 0-1"]);
    assert_eq!(client.run("EGG.PINS jobs").array().len(), 2);
    assert_eq!(client.run("EGG.GROUPREAP jobs g IDLE 1 EMPTY").array().len(), 1);
    assert_eq!(client.run("EGG.ACKDEL jobs g OWNER c IDS 1 1-0"), [1]);
}

/// Valkey 9.1 keeps the state in which a script has left it, and refuses what modules call from then on. What it says is handed
/// on, and nothing changes.
#[test]
fn what_a_server_refuses_to_modules_is_said_as_it_says_it() {
    let server = cluster(Kind::Valkey91);
    let mut client = server.connect();
    stream(&mut client, "s");
    let before = client.state("s");
    client.send(&["EVAL", "redis.pcall('MSET', 'a', '1', 'b', '2') return 1", "0"]);
    let refusal = "ERR Attempted to access a non local key in a cluster node";
    for call in [
        "EGG.ACKDEL s g IDS 1 1-0",
        "EGG.ACKMOVE s g s IDS 1 1-0",
        "EGG.ADD s MAXLEN 0 * f v",
        "EGG.DELEX s IDS 1 1-0",
        "EGG.GROUPGUARD s g",
        "EGG.GROUPREAP s g IDLE 1",
        "EGG.PINS s",
        "EGG.TRIM s",
    ] {
        assert_eq!(client.run(call).error(), refusal, "{call}");
    }
    assert_eq!(client.state("s"), before);
}
