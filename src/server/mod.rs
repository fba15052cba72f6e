//! The shell around the server's module API. Nothing outside this folder holds `unsafe` or calls that API.
//!
//! Why not the crate's own safe layer: several ordinary calls of redis-module 2.0.8 abort the whole server when they meet
//! hostile bytes (an error text with U+0100, a string with NUL, a log line with `%s` or NUL, any panic in a handler), and
//! its argument list and call replies copy what EGG only has to look at. So this folder uses the crate's bindings, its
//! start-up and its configuration, and does the rest itself, in the places where bytes cross the border:
//! [`call`], [`core_reply`], [`reply`], [`log`], [`string`] and [`command`].
#![allow(unsafe_code)]

pub mod acl;
mod api;
pub mod append;
pub mod call;
pub mod command;
pub mod core_command;
pub mod core_reply;
pub mod entries;
#[cfg(feature = "faults")]
pub mod fault;
pub mod filter;
pub mod groups;
pub mod info;
pub mod load;
pub mod log;
pub mod native;
pub mod options;
pub mod panics;
pub mod refusal_log;
pub mod reply;
pub mod settings;
pub mod shutdown;
pub mod spec;
pub mod stream;
pub mod string;
pub mod uptime;
