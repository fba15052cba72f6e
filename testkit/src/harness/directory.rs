//! What a server takes of the machine: a directory of its own, and a port.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A temporary directory. Removed when dropped.
#[derive(Debug)]
pub struct Directory(pub PathBuf);

impl Default for Directory {
    fn default() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("egg-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary directory can be made");
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A loopback port. Nodes of a cluster talk to each other on the one that is 10,000 higher, which must be one, too.
pub fn free_port() -> u16 {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        if port <= 55_535 {
            return port;
        }
    }
}
