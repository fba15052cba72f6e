//! What EGG tells the server that it can bear.

use std::ffi::{c_int, c_void};

use redis_module::raw::{self, RedisModuleCtx};

use super::api::api;

/// Valkey's VALKEYMODULE_OPTIONS_HANDLE_ATOMIC_SLOT_MIGRATION, of Valkey 9.0. Redis counts its options differently.
const HANDLE_ATOMIC_SLOT_MIGRATION: c_int = 1 << 5;

/// Says that keys may be replaced, and moved to another node of a cluster, behind EGG's back.
///
/// A server with a module that does not say so never loads a full sync beside the old data (`repl-diskless-load swapdb`), and
/// says so in its log again and again; Valkey 9 refuses CLUSTER MIGRATESLOTS. EGG keeps nothing of any key: each call opens
/// its key anew, and closes it.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn declare(context: *mut RedisModuleCtx) {
    // SAFETY: a valid context. Nothing of a database outlives the call that read it, so nothing can be stale when the server
    // puts another database in its place, answers calls from the old one meanwhile, or takes the keys of a slot away. What a
    // slot's new node is sent are the core commands that replicas get.
    unsafe {
        let options = raw::REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD as c_int;
        let of_valkey = known_to_valkey() & HANDLE_ATOMIC_SLOT_MIGRATION;
        api!(RedisModule_SetModuleOptions(context, options | of_valkey));
    }
}

/// The options that this server knows, if it is Valkey: only there do the functions of modules have names of Valkey's, too.
///
/// # Safety
/// Called while the module is loaded.
unsafe fn known_to_valkey() -> c_int {
    let mut function: Option<unsafe extern "C" fn() -> c_int> = None;
    // SAFETY: the server writes a pointer to the function of that name, or nothing. The function has that type since Valkey
    // 7.2.4, the first of all.
    unsafe {
        api!(RedisModule_GetApi(c"ValkeyModule_GetModuleOptionsAll".as_ptr(), (&raw mut function).cast::<c_void>()));
        function.map_or(0, |function| function())
    }
}
