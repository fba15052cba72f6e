//! Loading the module: is the server fit for it, and what it is told.

use redis_module::{Context, RedisString, Status, raw};

use super::api;
use super::command::Registration;
use super::core_command::{self, CoreCommand};
use super::native::{self, NativeNames};
use super::{info, log, options, panics, settings, shutdown, uptime};
use crate::config;

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
        uptime::watch(context.ctx);
        shutdown::watch(context.ctx);
        let version = env!("CARGO_PKG_VERSION");
        let line = format!(
            "EGG {version}. egg.native-names: {names}. (A line about defrag callbacks is no trouble: EGG keeps no data)"
        );
        log::notice(context.ctx, &line);
    }
    Ok(())
}

/// Refuses a server that lacks what EGG calls, by looking for it and not at a version: clones count theirs differently.
fn check_server(context: &Context) -> Result<(), String> {
    if let Some(function) = api::missing().next() {
        return Err(format!("this server is too old: it lacks {function}. It takes Redis 7.2 or newer, or Valkey"));
    }
    for name in CoreCommand::NAMES {
        // SAFETY: the context of the module's load.
        if !unsafe { core_command::exists(context.ctx, name) } {
            return Err(format!("this server has no command {}. Was it renamed?", name.to_string_lossy()));
        }
    }
    Ok(())
}
