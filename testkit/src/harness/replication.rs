//! A server as the replica of another.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::server::Server;
use super::waiting::patience;

impl Server {
    /// Makes this server a replica of another, and waits until it is in step.
    pub fn replicate(&self, master: &Server) {
        self.connect().send(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
        self.wait_in_step(master);
    }

    /// Waits until this replica has received all that its master has sent.
    pub fn wait_in_step(&self, master: &Server) {
        let deadline = Instant::now() + patience(30);
        let offset = |server: &Server, field: &str| server.connect().info("replication", field);
        while Instant::now() < deadline {
            let up = offset(self, "master_link_status") == "up";
            if up && offset(self, "slave_repl_offset") == offset(master, "master_repl_offset") {
                return;
            }
            sleep(Duration::from_millis(10));
        }
        panic!("the replica is not in step after 30 s:\n{}\n{}", self.log(), master.log());
    }
}
