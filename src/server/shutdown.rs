//! The end of the module: with the server, and never before it.
//!
//! Servers keep pointers to a module's commands in places that no module can look into: in transactions that are queued, in
//! clients that are blocked, in what a client has called last, in the rules of users. Each of them crashes the server when
//! the module is gone.

use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, Ordering};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleEvent};
use redis_module::{Context, Status};

use super::{api, log};

/// Steps of the server's in which the module may go, by the server's own time in microseconds. That time stands still while one
/// command runs, or a shutdown. A shutdown can fail, and the server goes on: only what happens in the same step belongs to it.
static LOAD: AtomicI64 = AtomicI64::new(0);
static SHUTDOWN: AtomicI64 = AtomicI64::new(0);

/// Refuses MODULE UNLOAD.
///
/// Two who ask are let pass: a server that shuts down (Valkey 9.1 unloads its modules then), and one that turns down the very
/// load that is under way, for a setting of MODULE LOADEX that EGG does not have. In a transaction more than the load may have
/// happened in that step.
pub fn may_unload(context: &Context) -> Status {
    let is_now = |step: &AtomicI64| step.load(Ordering::Relaxed) == now();
    // SAFETY: the context of the unload.
    let flags = unsafe { api!(RedisModule_GetContextFlags(context.ctx)) };
    let in_transaction = flags.cast_unsigned() & raw::REDISMODULE_CTX_FLAGS_MULTI != 0;
    if is_now(&SHUTDOWN) || is_now(&LOAD) && !in_transaction {
        return Status::Ok;
    }
    let line = "EGG was not unloaded: it stays as long as the server runs. To upgrade, put the new file in place and restart \
                the server, or fail over to a replica that runs it";
    // SAFETY: the context of the unload.
    unsafe { log::warning(context.ctx, line) };
    Status::Err
}

/// Notes the load that is under way, and has the server tell when it shuts down.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn watch(context: *mut RedisModuleCtx) {
    LOAD.store(now(), Ordering::Relaxed);
    let event = RedisModuleEvent { id: raw::REDISMODULE_EVENT_SHUTDOWN, dataver: 1 };
    // SAFETY: a valid context, and a function that lives as long as the module.
    unsafe { api!(RedisModule_SubscribeToServerEvent(context, event, Some(shuts_down))) };
}

unsafe extern "C" fn shuts_down(_: *mut RedisModuleCtx, _: RedisModuleEvent, _: u64, _: *mut c_void) {
    // SAFETY: reads a function pointer that never changes after load. A panic must not unwind into the server.
    if unsafe { raw::RedisModule_CachedMicroseconds }.is_some() {
        SHUTDOWN.store(now(), Ordering::Relaxed);
    }
}

fn now() -> i64 {
    // SAFETY: takes no arguments.
    unsafe { api!(RedisModule_CachedMicroseconds()) }
}
