//! Coverage-guided fuzzing of what reads bytes: requests, ids, patterns, and the server's replies.
#![no_main]
#![allow(missing_docs)]

libfuzzer_sys::fuzz_target!(|input: &[u8]| egg_core::checks::check(input));
