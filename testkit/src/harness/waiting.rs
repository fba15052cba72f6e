//! Waiting for what a server does by itself, with a deadline.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::memcheck;

/// Waits for something that a server does by itself; panics after a minute.
pub fn wait_until(mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience(60);
    while !done() {
        assert!(Instant::now() < deadline, "waited for a minute");
        sleep(Duration::from_millis(2));
    }
}

/// So many seconds, or more if valgrind slows everything down.
pub fn patience(seconds: u64) -> Duration {
    Duration::from_secs(seconds) * if memcheck::is_asked_for() { memcheck::PATIENCE } else { 1 }
}
