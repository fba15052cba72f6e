//! EGG: a Redis module that takes finished stream entries out of memory safely.
//!
//! `EGG.ACKDEL` acknowledges entries and deletes them, in one step inside the server, and refuses to delete while another
//! consumer group needs them. Around it: the stream family of Redis 8.2, an atomic dead-letter move, and what it takes to
//! find and remove groups that nobody uses.
//!
//! # Layout
//!
//! Each line may use what is below it:
//!
//! - [`commands`]: one file per command: what users are told of it, and parse, act, reply
//! - [`server`]: the only folder with `unsafe`, and the only one that calls the server
//! - [`config`], [`stats`]: the knobs and the counters
//! - [`egg_core`]: what is decided, and all that needs no server

mod commands;
mod config;
mod server;
mod stats;

/// What the server looks up when it loads the module. The generated functions have no doc comments.
#[allow(missing_docs)]
mod entry_points {
    use redis_module::{Context, RedisString, Status};

    fn init(context: &Context, arguments: &[RedisString]) -> Status {
        crate::server::load::load(context, arguments, crate::commands::ALL, &crate::commands::NATIVE)
    }

    fn deinit(context: &Context) -> Status {
        crate::server::shutdown::may_unload(context)
    }

    redis_module::redis_module! {
        name: "egg",
        version: 200,
        allocator: (redis_module::alloc::RedisAlloc, redis_module::alloc::RedisAlloc),
        data_types: [],
        init: init,
        deinit: deinit,
    }
}
