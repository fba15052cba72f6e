//! Commands: what a command is, how it is registered, and how the server gets into it and out again.

use std::ffi::{CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use egg_core::values::error::Error;
use egg_core::values::reply::Reply;
use redis_module::raw::{self, RedisModuleCtx, RedisModuleString};

use super::api::api;
use super::call::Call;
use super::spec::{Info, Key, Spec};
use super::{log, panics, reply};

/// A command of the module.
pub trait Command {
    /// What the server and its users are told of it.
    const SPEC: Spec;

    /// Runs it: parse, act, say what to reply. An error means that nothing was changed.
    fn run(call: &Call<'_>) -> Result<Reply, Error>;
}

/// What it takes to register one command.
pub type Registration = unsafe fn(*mut RedisModuleCtx) -> Result<(), String>;

/// The registration of a command.
pub const fn registration<C: Command>() -> Registration {
    register::<C>
}

/// Registers a command with the server. The error says what the server would not take.
///
/// # Safety
/// `context` is the context of the module's load.
unsafe fn register<C: Command>(context: *mut RedisModuleCtx) -> Result<(), String> {
    let spec = C::SPEC;
    let refused = |what: &str| format!("the server refused {what} of command {}", spec.name.to_string_lossy());
    // The key specs say all of this again, and more exactly; servers want it here as well.
    let first_key = spec.keys.first().map_or(0, |key| key.position);
    let last_key = spec.keys.last().map_or(0, |key| key.position);
    let step = if spec.keys.is_empty() { 0 } else { (last_key - first_key).max(1) };
    // SAFETY: a valid context, static strings, and a handler that lives as long as the module.
    let command = unsafe {
        let (name, flags) = (spec.name.as_ptr(), spec.flags.as_ptr());
        if api!(RedisModule_CreateCommand(context, name, Some(entry::<C>), flags, first_key, last_key, step)) != 0 {
            return Err(refused("the name"));
        }
        api!(RedisModule_GetCommand(context, name))
    };
    if command.is_null() {
        return Err(refused("the registration"));
    }
    let mut info = Info::new(&spec);
    // SAFETY: the command exists; the server copies all that the structure points to, which `info` keeps alive.
    if unsafe { api!(RedisModule_SetCommandInfo(command, &info.raw())) } != 0 {
        return Err(refused("the description"));
    }
    // SAFETY: reads a function pointer that is set before any code of the module runs, and never after.
    let can_add_categories = unsafe { raw::RedisModule_AddACLCategory }.is_some();
    let categories = format!("{}{}", spec.acl_categories, if can_add_categories { " egg" } else { "" });
    let categories = CString::new(categories).unwrap_or_default();
    // SAFETY: the command exists, and the string lives until the call returns.
    if unsafe { api!(RedisModule_SetCommandACLCategories(command, categories.as_ptr())) } != 0 {
        return Err(refused("the ACL categories"));
    }
    Ok(())
}

/// What the server calls. No panic leaves it: one that unwound into the server's C code would take the server down.
unsafe extern "C" fn entry<C: Command>(
    context: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: the context that the server passed.
    if C::SPEC.keys.len() > 1 && unsafe { api!(RedisModule_IsKeysPositionRequest(context)) } != 0 {
        // SAFETY: the server asked.
        unsafe { tell_keys(context, C::SPEC.keys, argc) };
        return 0;
    }
    if let Some(counter) = C::SPEC.calls {
        counter.add(1);
    }
    // SAFETY: context and arguments of the running command, as the server passed them.
    let call = unsafe { Call::new(context, argv, argc) };
    let result = catch_unwind(AssertUnwindSafe(|| C::run(&call))).unwrap_or_else(|panic| {
        let line = format!("{} {}", C::SPEC.name.to_string_lossy(), panics::describe(panic.as_ref()));
        // SAFETY: the context of the running command.
        unsafe { log::warning(context, &line) };
        Err(Error::Internal)
    });
    // SAFETY: the context of the running command, to which nothing has been replied yet.
    unsafe { reply::send(context, &result) }
}

/// Tells the server which arguments are keys. Cluster nodes ask commands flagged `getkeys-api`, and look at no key specs: of
/// two keys that are not next to each other they would see the first one only, and miss that the other is in another slot.
///
/// # Safety
/// `context` is that of the server's question.
unsafe fn tell_keys(context: *mut RedisModuleCtx, keys: &[Key], argc: c_int) {
    for key in keys.iter().filter(|key| key.position < argc) {
        let flags = c_int::try_from(key.flags).unwrap_or_default();
        // SAFETY: the caller vouches for the context, and the position is that of an argument.
        unsafe { api!(RedisModule_KeyAtPosWithFlags(context, key.position, flags)) };
    }
}
