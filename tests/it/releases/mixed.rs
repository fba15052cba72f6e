//! A master and a replica with different releases of EGG, while work goes on: with the one that `EGG_OLD_MODULE` names.

use super::old_module;
use crate::work::{Ledger, Site};
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, module, wait_until};

each_server! { an_old_release_follows_a_new_one_and_leads_it }

const REFUSALS: [&str; 4] = ["FOREIGNGROUP", "BUSYGROUP", "READONLY", "LOADING"];

fn role(server: &Server) -> String {
    server.connect().info("replication", "role")
}

fn hand_over(from: &Server, to: &Server) {
    let failover = format!("FAILOVER TO 127.0.0.1 {} TIMEOUT 10000", to.port());
    wait_until(|| from.connect().run(&failover) == "OK");
    wait_until(|| [role(from), role(to)] == ["slave", "master"]);
    wait_until(|| from.connect().info("replication", "master_link_status") == "up");
}

fn an_old_release_follows_a_new_one_and_leads_it(kind: Kind) {
    let new = Options::new(kind).tcp().module(module()).start();
    let old = Options::new(kind).tcp().module(old_module()).start();
    let sockets = [&new, &old].map(|server| server.path("socket"));
    let connect = || {
        let clients = sockets.iter().filter_map(|socket| Client::try_connect(socket, false));
        clients.into_iter().find_map(|mut client| {
            let role = client.try_send(&["ROLE"]).ok()?;
            matches!(&role, Reply::Array(words) if words[0] == "master").then_some(client)
        })
    };
    old.connect().send(&["REPLICAOF", "127.0.0.1", &new.port().to_string()]);
    old.wait_in_step(&new);
    let site = Site::new(&connect, &REFUSALS);
    site.prepare();
    let mut ledger = Ledger::default();
    let mut pair = [&new, &old];
    for round in 0..3 {
        let [master, replica] = pair;
        site.work(&mut ledger, round, 3, || {
            site.wait_for_calls(300);
            hand_over(master, replica);
            site.wait_for_calls(300);
        });
        master.wait_in_step(replica);
        for server in pair {
            ledger.check(&mut server.connect()).unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        }
        pair.reverse();
    }
    // Three times handed over: the old one leads.
    assert_eq!([role(&new), role(&old)], ["slave", "master"]);
    assert_eq!(new.connect().info("stats", "sync_full"), "1");
    site.finish(&mut ledger);
}
