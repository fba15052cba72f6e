//! How long this server has been in a position to see its consumers.
//!
//! A consumer's idle time grows while the server is down, and on a replica, which does not see reads that find nothing. So no
//! consumer is ever taken to be idle for longer than the server has been serving as a master with EGG loaded.

use std::sync::atomic::{AtomicI64, Ordering};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleEvent};

use super::api::api;

/// When the service began, in Unix milliseconds.
static SINCE: AtomicI64 = AtomicI64::new(0);

/// Milliseconds since this server loaded the module, finished loading its data or became a master, whichever was last.
pub fn length() -> u64 {
    u64::try_from(now() - SINCE.load(Ordering::Relaxed)).unwrap_or_default()
}

fn now() -> i64 {
    // SAFETY: takes no arguments.
    unsafe { api!(RedisModule_Milliseconds()) }
}

/// Begins to count, and has the server tell of the events that begin it anew.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn watch(context: *mut RedisModuleCtx) {
    begin();
    for event in [raw::REDISMODULE_EVENT_REPLICATION_ROLE_CHANGED, raw::REDISMODULE_EVENT_LOADING] {
        let event = RedisModuleEvent { id: event, dataver: 1 };
        // SAFETY: a valid context, and a function that lives as long as the module.
        unsafe { api!(RedisModule_SubscribeToServerEvent(context, event, Some(happened))) };
    }
}

fn begin() {
    SINCE.store(now(), Ordering::Relaxed);
}

/// Any change of role and any step of loading begins the service anew: at worst, too little idleness is seen.
unsafe extern "C" fn happened(_: *mut RedisModuleCtx, _: RedisModuleEvent, _: u64, _: *mut std::ffi::c_void) {
    // SAFETY: reads a function pointer that never changes after load. A panic must not unwind into the server.
    if unsafe { raw::RedisModule_Milliseconds }.is_some() {
        begin();
    }
}
