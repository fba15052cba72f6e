//! Valkey moves the slots of a cluster by itself (CLUSTER MIGRATESLOTS), also under work, and EGG is no hindrance.

use std::path::Path;
use std::sync::atomic::Ordering;

use crate::work::{Ledger, SOLO, Site, amount};
use egg_testkit::client::{Client, Reply};
use egg_testkit::harness::{Kind, Options, Server, wait_until};

/// Two masters, each with half of the slots: one that has given up its last slot would become a replica.
fn two_masters() -> [Server; 2] {
    let options = Options::new(Kind::Valkey91).tcp().line("cluster-enabled yes").line("cluster-node-timeout 5000");
    let nodes = [options.clone().start(), options.start()];
    for (node, epoch) in nodes.iter().zip(1..) {
        node.connect().all(&[&format!("CLUSTER SET-CONFIG-EPOCH {epoch}")]);
    }
    let [mut first, mut second] = [&nodes[0], &nodes[1]].map(Server::connect);
    second.all(&["CLUSTER ADDSLOTSRANGE 8192 16383"]);
    first.all(&["CLUSTER ADDSLOTSRANGE 0 8191", &format!("CLUSTER MEET 127.0.0.1 {}", nodes[1].port())]);
    for client in [&mut first, &mut second] {
        wait_until(|| {
            let info = client.run("CLUSTER INFO").text();
            info.contains("cluster_known_nodes:2") && info.contains("cluster_state:ok")
        });
    }
    nodes
}

/// Moves the slot of a key, and answers how that ended: its state, and the server's message.
fn migrate(from: &mut Client, to: &mut Client, key: &str) -> (String, String) {
    let slot = from.run(&format!("CLUSTER KEYSLOT {key}")).integer();
    let target = to.run("CLUSTER MYID").text();
    from.all(&[&format!("CLUSTER MIGRATESLOTS SLOTSRANGE {slot} {slot} NODE {target}")]);
    let mut end = (String::new(), String::new());
    wait_until(|| {
        let migrations = from.run("CLUSTER GETSLOTMIGRATIONS");
        let newest = &migrations.array()[0];
        end = (newest.field("state").text(), newest.field("message").text());
        ["success", "failed", "cancelled"].contains(&end.0.as_str())
    });
    end
}

fn owns(client: &mut Client, key: &str) -> bool {
    matches!(client.try_send(&["XLEN", key]), Ok(Reply::Integer(_)))
}

fn owner(socket: &Path) -> Option<Client> {
    let mut client = Client::try_connect(socket, false)?;
    owns(&mut client, SOLO.key).then_some(client)
}

/// `EGG_CLUSTERS=1` moves it twenty times, with 20,000 more messages in it.
#[test]
fn a_slot_moves_under_work_and_nothing_is_lost() {
    let is_long = amount("EGG_CLUSTERS", 0) > 0;
    let nodes = two_masters();
    let sockets = [nodes[0].path("socket"), nodes[1].path("socket")];
    let connect = || sockets.iter().find_map(|socket| owner(socket));
    let site = Site::new(&connect, &["FOREIGNGROUP", "BUSYGROUP", "MOVED"]);
    site.prepare();
    let mut clients = [nodes[0].connect(), nodes[1].connect()];
    // Something to move that takes its time.
    let size = if is_long { 20_000 } else { 1_000 };
    let ballast = format!("{}ballast", &SOLO.key[..SOLO.key.find("solo").expect("a hash tag")]);
    let adds =
        (0..size).map(|n| ["XADD", &ballast, "*", "n", &format!("{n} {}", "x".repeat(200))].map(String::from).to_vec());
    let slot = clients[0].run(&format!("CLUSTER KEYSLOT {ballast}")).integer();
    if slot > 8191 {
        clients.swap(0, 1);
    }
    clients[0].pipeline(&adds.collect::<Vec<_>>());
    clients[0].all(&[&format!("XGROUP CREATE {ballast} g 0")]);

    let mut ledger = Ledger::default();
    for round in 0..if is_long { 20 } else { 2 } {
        let [ref mut source, ref mut target] = clients;
        let end = site.work(&mut ledger, round as u64, 3, || {
            site.wait_for_calls(300);
            let end = migrate(source, target, SOLO.key);
            wait_until(|| owns(target, SOLO.key));
            site.wait_for_calls(300);
            end
        });
        assert_eq!(end, ("success".to_owned(), String::new()), "round {round}");
        wait_until(|| !owns(source, SOLO.key));
        ledger.check(target).unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        assert_eq!(target.run(&format!("XLEN {ballast}")), size);
        assert_eq!(target.run(&format!("EGG.PINS {ballast}")).array().len(), 1);
        clients.swap(0, 1);
    }
    site.finish(&mut ledger);
    println!("{} calls, {} messages", site.calls.load(Ordering::Relaxed), ledger.finished());
}
