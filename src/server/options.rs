//! What EGG tells the server that it can bear.

use std::ffi::c_int;

use redis_module::raw::{self, RedisModuleCtx};

use super::api;

/// Says that keys may be replaced behind EGG's back.
///
/// A server with a module that does not say so never loads a full sync beside the old data (`repl-diskless-load swapdb`), and
/// says so in its log again and again. EGG keeps nothing of any key: each call opens its key anew, and closes it.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn declare(context: *mut RedisModuleCtx) {
    let options = raw::REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD;
    // SAFETY: a valid context. Nothing of a database outlives the call that read it, so nothing can be stale when the server
    // puts another database in its place, or answers calls from the old one meanwhile.
    unsafe { api!(RedisModule_SetModuleOptions(context, options as c_int)) };
}
