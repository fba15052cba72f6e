//! The tests on real servers. Run with `make test`, which builds the module and fetches the servers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod ackdel;
mod ackdel_errors;
mod acl;
mod aof;
mod batches;
mod client;
mod clients_and_scripts;
mod config;
mod conformance;
mod dangling;
mod docs;
mod durability;
mod events;
mod faults;
mod groupguard;
mod harness;
mod hostile;
mod info;
mod lag;
mod lag_history;
mod loading;
mod model;
mod native_names;
mod propagation;
mod public_cases;
mod random;
mod readme;
mod same_as_core;
mod tidy;
mod vectors;
mod wire;
