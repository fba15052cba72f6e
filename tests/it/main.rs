//! The tests on real servers. Run with `make test`, which builds the module and fetches the servers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod ackdel;
mod acl_native;
mod add;
mod add_walks;
mod client;
mod clients;
mod conformance;
mod delex;
mod family_docs;
mod harness;
mod native_names;
mod native_quirks;
mod native_rules;
mod native_ways;
mod trim;
mod trim_effects;
mod trim_idle;
mod vectors;
