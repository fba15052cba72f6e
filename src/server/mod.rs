//! The shell around the server's module API. Nothing outside this folder holds `unsafe` or calls that API.
//!
//! Why not the crate's own safe layer: several ordinary calls of redis-module 2.0.8 abort the whole server when they meet
//! hostile bytes (an error text with U+0100, a string with NUL, a log line with `%s` or NUL, any panic in a handler), and
//! its argument list and call replies copy what EGG only has to look at. So this folder uses the crate's bindings, its
//! start-up and its configuration, and does the rest itself, in the five places where bytes cross the border:
//! [`call`], [`reply`], [`log`], [`string`] and [`command`].
#![allow(unsafe_code)]

pub mod acl;
pub mod alarm;
pub mod append;
pub mod call;
pub mod command;
pub mod element;
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
pub mod reply;
pub mod service;
pub mod settings;
pub mod shutdown;
pub mod spec;
pub mod stream;
pub mod string;
pub mod walk;

/// Calls a function of the module API: `api!(RedisModule_X(arguments))`.
///
/// The table of function pointers is filled in when the module loads, before any code of EGG runs, and never changes
/// after. [`load`] has made sure that each function used in this folder is there.
macro_rules! api {
    ($function:ident($($argument:expr),* $(,)?)) => {
        match redis_module::raw::$function {
            Some(function) => function($($argument),*),
            None => $crate::server::broken(concat!(stringify!($function), " is missing")),
        }
    };
}
pub(crate) use api;

/// Gives up on the running call, where the server broke a promise. The handler's `catch_unwind` makes an error reply of it:
/// the one thing that EGG must not do then is to go on and guess.
#[cold]
#[track_caller]
#[allow(clippy::panic)]
fn broken(promise: &'static str) -> ! {
    std::panic::panic_any(promise)
}
