//! Coverage-guided fuzzing of what reads bytes: requests, ids, patterns, and the server's replies. The modules are those of
//! EGG, compiled here a second time: a module for the server is no library that could be linked.
#![no_main]
#![allow(dead_code, unused_imports, missing_docs)]

#[path = "../src/error.rs"]
mod error;
#[path = "../src/glob.rs"]
mod glob;
#[path = "../src/id_set.rs"]
mod id_set;
#[path = "../src/policy.rs"]
mod policy;
#[path = "../src/request/mod.rs"]
mod request;
#[path = "../src/resp.rs"]
mod resp;
#[path = "../src/stream.rs"]
mod stream;
#[path = "../src/stream_id.rs"]
mod stream_id;

mod checks;

libfuzzer_sys::fuzz_target!(|input: &[u8]| checks::check(input));
