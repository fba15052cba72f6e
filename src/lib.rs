//! EGG: a Redis module that takes finished stream entries out of memory safely.
//!
//! `EGG.ACKDEL` acknowledges entries and deletes them, in one step inside the server, and refuses to delete while another
//! consumer group needs them. Around it: the stream family of Redis 8.2, an atomic dead-letter move, and what it takes to
//! find and remove groups that nobody uses.
//!
//! # Layout
//!
//! Arrows point down only:
//!
//! - [`commands`]: one file per command: its metadata, and parse, act, reply
//! - [`server`]: the only folder with `unsafe`, and the only one that calls the server
//! - [`native_names`]: Redis 8.2's own names on servers that lack them
//! - [`deletion`], [`trim`], [`acked_move`], [`pins`], [`reap`]: what each command decides. Pure
//! - [`reference`]: which entries a group still needs, the rule under all of them; [`front`],
//!   [`known`]: what is deleted, and acknowledged, at once. Pure
//! - [`request`], [`policy`], [`resp`]: what is asked, what may be done, what the server answered. Pure
//! - [`stream`]: what the core asks of a server; [`stream_id`], [`id_set`], [`glob`], [`reply`], [`error`]. Pure
//! - [`config`], [`stats`]: the knobs and the counters. Leaves
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::panic))]

mod acked_move;
mod commands;
mod config;
mod deletion;
mod error;
mod front;
mod glob;
mod id_set;
mod known;
#[cfg(test)]
mod mem_stream;
mod native_names;
#[cfg(test)]
#[path = "../fuzz/checks.rs"]
mod parser_checks;
mod pins;
mod policy;
mod reap;
mod reference;
mod reply;
mod request;
mod resp;
mod server;
mod stats;
mod stream;
mod stream_id;
mod trim;

/// What the server looks up when it loads the module. The generated functions have no doc comments.
#[allow(missing_docs)]
mod entry_points {
    use redis_module::{Context, RedisString, Status};

    #[cfg(not(test))]
    type Allocator = redis_module::alloc::RedisAlloc;
    #[cfg(not(test))]
    const ALLOCATOR: Allocator = redis_module::alloc::RedisAlloc;
    // The unit tests run in a process without a server, and so without the server's allocator.
    #[cfg(test)]
    type Allocator = std::alloc::System;
    #[cfg(test)]
    const ALLOCATOR: Allocator = std::alloc::System;

    fn init(context: &Context, arguments: &[RedisString]) -> Status {
        crate::server::load::load(context, arguments, crate::commands::ALL, &crate::commands::NATIVE)
    }

    fn deinit(context: &Context) -> Status {
        crate::server::shutdown::may_unload(context)
    }

    redis_module::redis_module! {
        name: "egg",
        version: 200,
        allocator: (Allocator, ALLOCATOR),
        data_types: [],
        init: init,
        deinit: deinit,
    }
}
