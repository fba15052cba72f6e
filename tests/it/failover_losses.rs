//! What a failover that nobody planned loses: what the replica that takes over had not been told of.

use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    what_no_replica_had_is_done_again,
    what_a_replica_confirmed_stays_acknowledged,
    a_master_that_no_replica_follows_refuses_to_write_if_told_to,
}

fn pair(kind: Kind) -> (Server, Server) {
    let master = Options::new(kind).tcp().start();
    let replica = Options::new(kind).tcp().start();
    master.connect().stream(2, &["g"]);
    replica.replicate(&master);
    (master, replica)
}

/// Cuts the link: the replica looks for its master where there is none.
fn cut(master: &Server, replica: &Server) {
    replica.connect().all(&["REPLICAOF 127.0.0.1 1"]);
    wait_until(|| master.connect().info("replication", "connected_slaves") == "0");
}

/// The master dies, and the replica takes its place.
fn fail_over(mut master: Server, replica: &Server) -> Client {
    master.kill();
    let mut client = replica.connect();
    client.all(&["REPLICAOF NO ONE"]);
    client
}

fn what_no_replica_had_is_done_again(kind: Kind) {
    let (master, replica) = pair(kind);
    cut(&master, &replica);
    let mut client = master.connect();
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    assert_eq!(client.run("WAIT 1 100"), 0);
    // No answer of WAIT takes anything back.
    assert_eq!((client.ids("s"), client.pending("s", "g")), (vec!["2-0".to_owned()], vec!["2-0".to_owned()]));
    let mut client = fail_over(master, &replica);
    assert_eq!(client.ids("s"), ["1-0", "2-0"]);
    assert_eq!(client.pending("s", "g"), ["1-0", "2-0"]);
    let claimed = client.run("XAUTOCLAIM s g other 0 - COUNT 1 JUSTID");
    assert_eq!(claimed.array()[1].array()[0], "1-0");
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
}

fn what_a_replica_confirmed_stays_acknowledged(kind: Kind) {
    let (master, replica) = pair(kind);
    let mut client = master.connect();
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    assert_eq!(client.run("WAIT 1 60000"), 1);
    cut(&master, &replica);
    let mut client = fail_over(master, &replica);
    assert_eq!(client.ids("s"), ["2-0"]);
    assert_eq!(client.pending("s", "g"), ["2-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [-1]);
}

fn a_master_that_no_replica_follows_refuses_to_write_if_told_to(kind: Kind) {
    let (master, replica) = pair(kind);
    let mut client = master.connect();
    client.all(&["CONFIG SET min-replicas-to-write 1"]);
    wait_until(|| client.info("replication", "min_slaves_good_slaves") == "1");
    client.all(&["XGROUP CREATE s old 0"]);
    assert_eq!(client.run("EGG.ACKDEL s g ACKONLY IDS 1 1-0"), [2]);
    cut(&master, &replica);
    let before = client.state("s");
    for call in [
        "EGG.ACKDEL s g ACKONLY IDS 1 2-0",
        "EGG.ACKMOVE s g dead ACKONLY IDS 1 2-0",
        "EGG.DELEX s KEEPREF IDS 1 1-0",
        "EGG.TRIM s KEEPREF MAXLEN 0",
        "EGG.ADD s * f v",
        "EGG.GROUPREAP s g IDLE 1 EMPTY FORCE",
    ] {
        assert_eq!(client.run(call).error(), "NOREPLICAS Not enough good replicas to write.", "{call}");
    }
    assert_eq!(client.state("s"), before);
    assert_eq!(client.run("EGG.PINS s").array().len(), 2);
}
