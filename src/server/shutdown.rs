//! The end of the module: with the server, and never before it.
//!
//! Servers keep pointers to a module's commands in places that no module can look into: in transactions that are queued, in
//! clients that are blocked, in what a client has called last, in the rules of users. Each of them crashes the server when
//! the module is gone.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleEvent};
use redis_module::{Context, Status};

use super::api::api;
use super::{log, refusal_log};

/// Steps of the server's in which the module may go, by the server's own time in microseconds. That time stands still while one
/// command or transaction runs, or a shutdown. A shutdown can fail, and the server goes on: only what happens in the same step
/// belongs to it.
static LOAD: AtomicI64 = AtomicI64::new(0);
static SHUTDOWN: AtomicI64 = AtomicI64::new(0);

/// How many commands the server had carried out when the load ended.
static COMMANDS: AtomicU64 = AtomicU64::new(0);

/// Refuses MODULE UNLOAD.
///
/// Two who ask are let pass: a server that shuts down (Valkey 9.1 unloads its modules then), and one that turns down the very
/// load that is under way, for a setting of MODULE LOADEX that EGG does not have (Redis 8.2 aborts if that is refused). In a
/// transaction other commands may have followed the load in the same step, and made use of it.
pub fn may_unload(context: &Context) -> Status {
    let is_now = |step: &AtomicI64| step.load(Ordering::Relaxed) == now();
    // SAFETY: the context of the unload.
    let commands = || unsafe { commands_so_far(context.ctx) };
    if is_now(&SHUTDOWN) || is_now(&LOAD) && COMMANDS.load(Ordering::Relaxed) == commands() {
        return Status::Ok;
    }
    let line = "EGG was not unloaded: it stays as long as the server runs. To upgrade, put the new file in place and restart \
                the server, or fail over to a replica that runs it";
    // SAFETY: the context of the unload.
    unsafe { log::warning(context.ctx, line) };
    Status::Err
}

/// Notes the load that is under way, at its end, and has the server tell when it shuts down.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn watch(context: *mut RedisModuleCtx) {
    LOAD.store(now(), Ordering::Relaxed);
    // SAFETY: the caller vouches for the context.
    COMMANDS.store(unsafe { commands_so_far(context) }, Ordering::Relaxed);
    let event = RedisModuleEvent { id: raw::REDISMODULE_EVENT_SHUTDOWN, dataver: 1 };
    // SAFETY: a valid context, and a function that lives as long as the module.
    unsafe { api!(RedisModule_SubscribeToServerEvent(context, event, Some(shuts_down))) };
}

unsafe extern "C" fn shuts_down(context: *mut RedisModuleCtx, _: RedisModuleEvent, _: u64, _: *mut c_void) {
    // SAFETY: reads a function pointer that never changes after load. A panic must not unwind into the server.
    if unsafe { raw::RedisModule_CachedMicroseconds }.is_some() {
        SHUTDOWN.store(now(), Ordering::Relaxed);
        // SAFETY: the context of the event.
        unsafe { refusal_log::stop(context) };
    }
}

/// How many commands the server has carried out; the one that runs is not among them.
///
/// # Safety
/// `context` is a valid context.
unsafe fn commands_so_far(context: *mut RedisModuleCtx) -> u64 {
    // SAFETY: the caller vouches for the context; C strings that live until the calls return; the answer is freed once.
    unsafe {
        let info = api!(RedisModule_GetServerInfo(context, c"stats".as_ptr()));
        let field = c"total_commands_processed".as_ptr();
        let count = api!(RedisModule_ServerInfoGetFieldUnsigned(info, field, ptr::null_mut()));
        api!(RedisModule_FreeServerInfo(context, info));
        count
    }
}

fn now() -> i64 {
    // SAFETY: takes no arguments.
    unsafe { api!(RedisModule_CachedMicroseconds()) }
}
