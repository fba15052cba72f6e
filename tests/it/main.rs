//! The tests on real servers. Run with `make test`, which builds the module and fetches the servers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod ackdel;
mod client;
mod conformance;
mod fuzz;
mod harness;
mod native_names;
mod vectors;
