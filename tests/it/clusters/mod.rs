//! Clusters: three masters and three replicas on loopback here; one node, and two masters, in `one_node` and
//! `slot_migration`.
//!
//! `EGG_CLUSTERS=1` runs every scenario on every server; else each is run on Redis 7.4 alone, the failover once.

mod failover;
mod one_node;
mod routing;
mod slot_migration;

use crate::work::amount;
use egg_testkit::client::{Client, Reply};
use egg_testkit::harness::{Kind, Options, Server, wait_until};

fn is_long() -> bool {
    amount("EGG_CLUSTERS", 0) > 0
}

/// The servers to make clusters of.
fn kinds() -> Vec<Kind> {
    if is_long() { vec![Kind::Redis74, Kind::Redis82, Kind::Valkey91] } else { vec![Kind::Redis74] }
}

struct Cluster {
    /// Three masters, and a replica of each.
    nodes: Vec<Server>,
}

const SLOTS: [(usize, usize); 3] = [(0, 5460), (5461, 10922), (10923, 16383)];

impl Cluster {
    fn start(kind: Kind) -> Self {
        let options = Options::new(kind)
            .tcp()
            .line("cluster-enabled yes")
            .line("cluster-node-timeout 3000")
            .line("cluster-replica-validity-factor 0");
        let nodes: Vec<Server> = (0..6).map(|_| options.clone().start()).collect();
        let cluster = Self { nodes };
        for node in 0..6 {
            // As redis-cli does when it creates a cluster: nodes of equal epochs would settle theirs later by themselves, and
            // refuse their votes to a replica that has not heard of it.
            cluster.client(node).all(&[&format!("CLUSTER SET-CONFIG-EPOCH {}", node + 1)]);
        }
        for (node, (first, last)) in SLOTS.into_iter().enumerate() {
            cluster.client(node).all(&[&format!("CLUSTER ADDSLOTSRANGE {first} {last}")]);
        }
        for node in &cluster.nodes {
            cluster.client(0).all(&[&format!("CLUSTER MEET 127.0.0.1 {}", node.port())]);
        }
        for node in 0..6 {
            wait_until(|| cluster.client(node).run("CLUSTER INFO").text().contains("cluster_known_nodes:6"));
        }
        for master in 0..3 {
            let id = cluster.id(master);
            // It may not have heard yet that this one is a master.
            wait_until(|| cluster.client(master + 3).run(&format!("CLUSTER REPLICATE {id}")) == "OK");
        }
        for node in 0..6 {
            wait_until(|| cluster.client(node).run("CLUSTER INFO").text().contains("cluster_state:ok"));
        }
        for node in 3..6 {
            wait_until(|| cluster.client(node).info("replication", "master_link_status") == "up");
        }
        for node in 0..6 {
            wait_until(|| cluster.has_three_pairs(node));
        }
        cluster
    }

    /// Whether a node takes each replica to be in the shard of its master. Redis 7.4 learns shards late; killed before that, it
    /// calls its own cluster configuration file corrupted when it is started again.
    fn has_three_pairs(&self, node: usize) -> bool {
        let shards = self.client(node).run("CLUSTER SHARDS");
        shards.array().len() == 3 && shards.array().iter().all(|shard| shard.field("nodes").array().len() == 2)
    }

    fn client(&self, node: usize) -> Client {
        self.nodes[node].connect()
    }

    fn id(&self, node: usize) -> String {
        self.client(node).run("CLUSTER MYID").text()
    }

    /// The node that a key belongs to at the start.
    fn owner(&self, key: &str) -> usize {
        let slot = self.slot(key);
        SLOTS.iter().position(|(first, last)| (*first..=*last).contains(&slot)).expect("a slot of a master")
    }

    fn slot(&self, key: &str) -> usize {
        usize::try_from(self.client(0).run(&format!("CLUSTER KEYSLOT {key}")).integer()).expect("a slot")
    }

    /// What sends a client to another node.
    fn sent(&self, how: &str, key: &str, node: usize) -> Reply {
        Reply::Error(format!("{how} {} 127.0.0.1:{}", self.slot(key), self.nodes[node].port()))
    }
}
