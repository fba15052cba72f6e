//! A master is killed under load, and its replica takes over by itself.

use std::path::Path;
use std::sync::atomic::Ordering;

use super::{Cluster, is_long, kinds};
use crate::work::{Ledger, SOLO, Site, Violation};
use egg_testkit::client::{Client, Reply};
use egg_testkit::harness::wait_until;

/// What clients of a cluster meet while it finds a new master.
const REFUSALS: [&str; 6] = ["FOREIGNGROUP", "BUSYGROUP", "MOVED", "CLUSTERDOWN", "LOADING", "READONLY"];

/// With workers that wait for the replica to confirm each write nothing is lost, and nothing comes back. Without, the last
/// writes may be unknown to the new master, as replication is asynchronous; but no step is half done.
#[test]
fn a_failover_under_load_keeps_what_a_replica_confirmed() {
    for kind in kinds() {
        let mut cluster = Cluster::start(kind);
        let (one, other) = (cluster.owner(SOLO.key), cluster.owner(SOLO.key) + 3);
        let sockets = [one, other].map(|node| cluster.nodes[node].path("socket"));
        let connect = || sockets.iter().find_map(|socket| master_at(socket));
        let mut site = Site::new(&connect, &REFUSALS);
        site.prepare();
        let mut ledger = Ledger::default();
        let mut roles = (one, other);
        let waits: &[bool] = if is_long() { &[true, false, true, false, true] } else { &[true] };
        for (round, wait) in waits.iter().enumerate() {
            let (old, new) = roles;
            site.wait = *wait;
            site.work(&mut ledger, round as u64, 3, || {
                site.wait_for_calls(300);
                cluster.nodes[old].kill();
                wait_until(|| is_master(&mut cluster.nodes[new].connect()));
                cluster.nodes[old].restart();
                wait_until(|| cluster.nodes[old].connect().info("replication", "role") == "slave");
                wait_until(|| cluster.nodes[old].connect().info("replication", "master_link_status") == "up");
                site.wait_for_calls(200);
            });
            let violations = ledger.violations(&mut cluster.client(new));
            println!("{kind:?}, wait {wait}: {} violations: {:?}", violations.len(), violations.first());
            let is_half_done = |violation: &&Violation| matches!(violation, Violation::HalfDone(_));
            let wrong: Vec<_> = violations.iter().filter(|violation| *wait || is_half_done(violation)).collect();
            assert!(wrong.is_empty(), "round {round}: {wrong:#?}");
            cluster.nodes[old].wait_in_step(&cluster.nodes[new]);
            let mut replica = cluster.client(old);
            replica.all(&["READONLY"]);
            ledger.check(&mut replica).unwrap_or_else(|error| panic!("the replica: {error:?}"));
            roles = (new, old);
        }
        site.wait = false;
        site.finish(&mut ledger);
        let (calls, refused) = (site.calls.load(Ordering::Relaxed), site.refused.load(Ordering::Relaxed));
        println!(
            "{kind:?}: {} failovers, {calls} calls, {refused} refused, {} messages",
            waits.len(),
            ledger.finished()
        );
    }
}

fn is_master(client: &mut Client) -> bool {
    matches!(client.try_send(&["XLEN", SOLO.key]), Ok(Reply::Integer(_)))
}

fn master_at(socket: &Path) -> Option<Client> {
    let mut client = Client::try_connect(socket, false)?;
    is_master(&mut client).then_some(client)
}
