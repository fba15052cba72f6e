//! Loading the module: is the server fit for it, and what it is told.

use std::ffi::CStr;
use std::io;

use redis_module::{Context, RedisString, Status, raw};

use super::call::{CallReply, Inner};
use super::command::{Command, register};
use super::native::{self, NativeNames};
use super::{api, info, log, options, panics, service, settings, shutdown};
use crate::config;

/// What it takes to register one command.
pub type Registration = unsafe fn(*mut raw::RedisModuleCtx) -> Result<(), String>;

/// The registration of a command.
pub const fn registration<C: Command>() -> Registration {
    register::<C>
}

/// Loads the module with these commands. Says in the log why, if it cannot.
pub fn load(context: &Context, arguments: &[RedisString], commands: &[Registration], native: &NativeNames) -> Status {
    panics::install_hook();
    match try_load(context, arguments, commands, native) {
        Ok(()) => Status::Ok,
        Err(reason) => {
            // SAFETY: the context of the module's load.
            unsafe { log::warning(context.ctx, &format!("EGG was not loaded: {reason}")) };
            Status::Err
        }
    }
}

fn try_load(
    context: &Context,
    arguments: &[RedisString],
    commands: &[Registration],
    native: &NativeNames,
) -> Result<(), String> {
    check_server(context)?;
    if !arguments.is_empty() {
        return Err(
            "it takes no module arguments. Use configuration lines such as \"egg.default-policy acked\", or MODULE \
             LOADEX with CONFIG egg.default-policy acked"
                .to_owned(),
        );
    }
    if !settings::register(context) {
        return Err("an egg.* configuration value is wrong".to_owned());
    }
    // SAFETY: the context of the module's load. AddACLCategory answers EBUSY when the category is there from an earlier
    // load, which is as good.
    unsafe {
        if let Some(add_category) = raw::RedisModule_AddACLCategory {
            add_category(context.ctx, c"egg".as_ptr());
        }
        commands.iter().try_for_each(|register| register(context.ctx))?;
        let names = if config::native_names() { native::load(context.ctx, native)? } else { "off".to_owned() };
        info::register(context.ctx);
        options::declare(context.ctx);
        service::watch(context.ctx);
        shutdown::watch(context.ctx);
        let version = env!("CARGO_PKG_VERSION");
        let line = format!(
            "EGG {version}. egg.native-names: {names}. (A line about defrag callbacks is no trouble: EGG keeps no data)"
        );
        log::notice(context.ctx, &line);
    }
    Ok(())
}

/// The functions of a list that the server does not have.
macro_rules! missing {
    ($($function:ident,)*) => {{
        // SAFETY: reads a table of function pointers that is filled in before any code of the module runs.
        let present = unsafe { [$((stringify!($function), { raw::$function }.is_some())),*] };
        present.into_iter().filter(|(_, present)| !present).map(|(name, _)| name)
    }};
}

/// Refuses a server that lacks what EGG calls, by looking for it and not at a version: clones count theirs differently.
fn check_server(context: &Context) -> Result<(), String> {
    let mut missing = missing![
        RedisModule_ACLCheckKeyPermissions,
        RedisModule_CachedMicroseconds,
        RedisModule_Call,
        RedisModule_CallReplyArrayElement,
        RedisModule_CallReplyInteger,
        RedisModule_CallReplyLength,
        RedisModule_CallReplyProto,
        RedisModule_CallReplyStringPtr,
        RedisModule_CallReplyType,
        RedisModule_CloseKey,
        RedisModule_RegisterCommandFilter,
        RedisModule_CommandFilterArgsCount,
        RedisModule_CommandFilterArgGet,
        RedisModule_CommandFilterArgDelete,
        RedisModule_CommandFilterArgReplace,
        RedisModule_CreateCommand,
        RedisModule_CreateString,
        RedisModule_CreateTimer,
        RedisModule_FreeCallReply,
        RedisModule_FreeModuleUser,
        RedisModule_FreeServerInfo,
        RedisModule_FreeString,
        RedisModule_GetApi,
        RedisModule_GetCommand,
        RedisModule_GetCurrentUserName,
        RedisModule_GetModuleUserFromUserName,
        RedisModule_GetServerInfo,
        RedisModule_IsKeysPositionRequest,
        RedisModule_KeyAtPosWithFlags,
        RedisModule_LoadConfigs,
        RedisModule_Log,
        RedisModule_Milliseconds,
        RedisModule_OpenKey,
        RedisModule_RegisterInfoFunc,
        RedisModule_Replicate,
        RedisModule_ReplyWithArray,
        RedisModule_ReplyWithError,
        RedisModule_ReplyWithLongLong,
        RedisModule_ReplyWithMap,
        RedisModule_StreamIteratorStop,
        RedisModule_ReplyWithNull,
        RedisModule_ReplyWithSimpleString,
        RedisModule_ReplyWithStringBuffer,
        RedisModule_ServerInfoGetFieldUnsigned,
        RedisModule_SetCommandACLCategories,
        RedisModule_SetCommandInfo,
        RedisModule_SetModuleOptions,
        RedisModule_StopTimer,
        RedisModule_StreamIteratorNextField,
        RedisModule_StreamIteratorNextID,
        RedisModule_StreamIteratorStart,
        RedisModule_StreamTrimByID,
        RedisModule_StringPtrLen,
        RedisModule_SubscribeToServerEvent,
    ];
    if let Some(function) = missing.next() {
        return Err(format!("this server is too old: it lacks {function}. It takes Redis 7.2 or newer, or Valkey"));
    }
    for name in Inner::NAMES {
        // SAFETY: the context of the module's load.
        if !unsafe { has_command(context.ctx, name) } {
            return Err(format!("this server has no command {}. Was it renamed?", name.to_string_lossy()));
        }
    }
    Ok(())
}

/// Whether the server has a command of this name, one that takes arguments. (COMMAND INFO would tell, too, but hardened
/// servers have COMMAND renamed.)
///
/// # Safety
/// `context` is a valid context.
pub(super) unsafe fn has_command(context: *mut raw::RedisModuleCtx, name: &CStr) -> bool {
    // SAFETY: the format names no arguments, and none follow. So nothing runs: the server finds either no command, or
    // too few arguments for it.
    let reply = CallReply::new(unsafe { api!(RedisModule_Call(context, name.as_ptr(), c"".as_ptr())) });
    // RedisModule_Call sets errno: ENOENT, or EINVAL.
    let error = io::Error::last_os_error();
    drop(reply);
    error.kind() != io::ErrorKind::NotFound
}
