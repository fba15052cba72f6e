//! What the tests and the benchmarks stand on: real servers, and clients of theirs. It fails by panicking, as tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

pub mod aof;
pub mod client;
pub mod fcall;
pub mod harness;
pub mod ids;
pub mod memcheck;
pub mod random;
pub mod reply;
pub mod resp;
pub mod table;
pub mod wire;
