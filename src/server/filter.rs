//! A command filter: it sees every command before the server looks it up.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::OnceLock;

use egg_core::requests::arguments::Arguments;
use egg_core::requests::native::{Lacking, Rewrite, rewrite};
use redis_module::raw::{REDISMODULE_CMDFILTER_NOSELF, RedisModuleCommandFilterCtx, RedisModuleCtx};

use super::api::api;
use super::string;

/// What the server lacks: the filter is for that alone.
static LACKING: OnceLock<Lacking> = OnceLock::new();

/// Installs the filter. EGG's own inner calls do not pass it.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn install(context: *mut RedisModuleCtx, lacking: Lacking) {
    let _ = LACKING.set(lacking);
    let flags = REDISMODULE_CMDFILTER_NOSELF as c_int;
    // SAFETY: a valid context, and a function that lives as long as the module.
    unsafe { api!(RedisModule_RegisterCommandFilter(context, Some(filter), flags)) };
}

/// The arguments of the command that is being filtered.
struct Filtered(*mut RedisModuleCommandFilterCtx);

impl Arguments for Filtered {
    fn len(&self) -> usize {
        // SAFETY: the filter context of the running command.
        usize::try_from(unsafe { api!(RedisModule_CommandFilterArgsCount(self.0)) }).unwrap_or_default()
    }

    fn get(&self, index: usize) -> Option<&[u8]> {
        // SAFETY: the filter context of the running command; the server answers null for an index out of range, and keeps
        // the argument until the filter replaces it, after the last look at it.
        unsafe {
            let argument = api!(RedisModule_CommandFilterArgGet(self.0, c_int::try_from(index).ok()?));
            NonNull::new(argument).map(|argument| string::bytes(argument))
        }
    }
}

unsafe extern "C" fn filter(context: *mut RedisModuleCommandFilterCtx) {
    // A panic must not unwind into the server; a command that EGG cannot judge goes on as it came.
    let decision = catch_unwind(AssertUnwindSafe(|| rewrite(&Filtered(context), LACKING.get()?))).unwrap_or(None);
    // SAFETY: the filter context of the running command, and an argument that `rewrite` has seen. The server takes over the
    // string, which therefore belongs to no context.
    unsafe {
        match decision {
            None => {}
            Some(Rewrite::Strip(position)) => {
                api!(RedisModule_CommandFilterArgDelete(context, c_int::try_from(position).unwrap_or_default()));
            }
            Some(Rewrite::Rename(name)) => {
                let name = api!(RedisModule_CreateString(std::ptr::null_mut(), name.as_ptr().cast(), name.len()));
                api!(RedisModule_CommandFilterArgReplace(context, 0, name));
            }
        }
    }
}
