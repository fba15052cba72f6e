//! A call of an EGG command, and the core commands called from inside it.

use std::ffi::{CStr, c_int};

use egg_core::requests::arguments::Arguments;
use egg_core::resp;
use egg_core::values::error::Error;
use redis_module::raw::{RedisModuleCtx, RedisModuleString};

use super::api::{api, broken};
use super::core_command::CoreCommand;
use super::core_reply::CoreReply;
use super::string::{self, OwnedString, RawString};

/// One running call of a command: the server's context, and the arguments. Lives as long as the handler runs.
#[derive(Debug)]
pub struct Call<'a> {
    context: *mut RedisModuleCtx,
    arguments: &'a [RawString],
}

impl Call<'_> {
    /// Wraps what the server hands to a command's handler.
    ///
    /// # Safety
    /// The arguments are those that the server passed to the handler that is running now.
    pub unsafe fn new(context: *mut RedisModuleCtx, argv: *mut *mut RedisModuleString, argc: c_int) -> Self {
        let count = usize::try_from(argc).unwrap_or_default();
        // SAFETY: argv holds argc strings, none null; NonNull has the layout of the pointer.
        let arguments = unsafe { std::slice::from_raw_parts(argv.cast::<RawString>(), count) };
        Self { context, arguments }
    }

    /// The server's context.
    pub(super) fn context(&self) -> *mut RedisModuleCtx {
        self.context
    }

    /// An argument, to be handed on to the server uncopied.
    pub(super) fn raw(&self, index: usize) -> RawString {
        match self.arguments.get(index) {
            Some(argument) => *argument,
            None => broken("an argument below the arity is missing"),
        }
    }

    /// The arguments from `first` on.
    pub(super) fn raw_from(&self, first: usize) -> &[RawString] {
        self.arguments.get(first..).unwrap_or_default()
    }

    /// A new string of the server's.
    pub(super) fn string(&self, bytes: &[u8]) -> OwnedString {
        // SAFETY: the context of the running command.
        unsafe { OwnedString::new(self.context, bytes) }
    }

    /// The key, the first argument of every command that has one.
    pub fn key(&self) -> &[u8] {
        self.get(1).unwrap_or_default()
    }

    /// The group, the second argument of every command that has one.
    pub fn group(&self) -> &[u8] {
        self.get(2).unwrap_or_default()
    }

    /// The time, in Unix milliseconds.
    pub fn now(&self) -> i64 {
        // SAFETY: takes no arguments.
        unsafe { api!(RedisModule_Milliseconds()) }
    }

    /// Runs a core command on a key: `command key rest...`.
    pub(super) fn run(&self, command: CoreCommand, key: RawString, rest: &[RawString]) -> CoreReply {
        let (name, format) = command.name_and_format();
        self.invoke(name, format, key, rest)
    }

    /// Runs `XINFO GROUPS key`.
    ///
    /// This and the next two are what EGG runs most often, so their words are passed one by one: the server makes room for a
    /// list of words in a second step.
    pub(super) fn groups(&self, key: RawString) -> CoreReply {
        // SAFETY: the format names a C string and a string, and that is what follows; both live until the call returns.
        CoreReply::new(unsafe {
            api!(RedisModule_Call(self.context, c"XINFO".as_ptr(), c"Ecs".as_ptr(), c"GROUPS".as_ptr(), key.as_ptr(),))
        })
    }

    /// Runs `XACK key group id`. Propagates it, if it changed anything and is to be propagated by itself.
    pub(super) fn acknowledge(&self, key: RawString, group: RawString, id: RawString, propagate: bool) -> CoreReply {
        let format = if propagate { c"E!sss" } else { c"Esss" };
        // SAFETY: the format names three strings, and that is what follows; all live until the call returns.
        CoreReply::new(unsafe {
            api!(RedisModule_Call(
                self.context,
                c"XACK".as_ptr(),
                format.as_ptr(),
                key.as_ptr(),
                group.as_ptr(),
                id.as_ptr(),
            ))
        })
    }

    /// Runs `XDEL key id`, and propagates it if it changed anything.
    pub(super) fn delete(&self, key: RawString, id: RawString) -> CoreReply {
        // SAFETY: the format names two strings, and that is what follows; both live until the call returns.
        CoreReply::new(unsafe {
            api!(RedisModule_Call(self.context, c"XDEL".as_ptr(), c"E!ss".as_ptr(), key.as_ptr(), id.as_ptr()))
        })
    }

    /// Checks that the caller may run a core command on a key itself, where a command is not to give what that one is denied for.
    ///
    /// A dry run as the caller (`C`, `D`): it stops after the permission check, which logs a refusal in ACL LOG. A call that
    /// comes from another module has no user, and may do all that modules may.
    pub(super) fn require_permission(
        &self,
        command: CoreCommand,
        key: RawString,
        rest: &[RawString],
    ) -> Result<(), Error> {
        let (name, _) = command.name_and_format();
        let reply = self.invoke(name, c"CDEsv", key, rest);
        match resp::error(reply.bytes()) {
            Some(text) if text.starts_with(b"NOPERM") => Err(Error::Core(text.to_vec())),
            _ => Ok(()),
        }
    }

    fn invoke(&self, name: &CStr, format: &CStr, key: RawString, rest: &[RawString]) -> CoreReply {
        // SAFETY: the format names one string and one vector with its length, and that is what follows; all strings
        // live until the call returns.
        let reply = unsafe {
            api!(RedisModule_Call(
                self.context,
                name.as_ptr(),
                format.as_ptr(),
                key.as_ptr(),
                rest.as_ptr(),
                rest.len(),
            ))
        };
        CoreReply::new(reply)
    }

    /// Propagates `XACK key group ids...` to replicas and the AOF without running it.
    pub(super) fn propagate_xack(&self, key: RawString, group: RawString, ids: &[RawString]) {
        // SAFETY: as in `run`: two strings and one vector with its length.
        unsafe {
            api!(RedisModule_Replicate(
                self.context,
                c"XACK".as_ptr(),
                c"ssv".as_ptr(),
                key.as_ptr(),
                group.as_ptr(),
                ids.as_ptr(),
                ids.len(),
            ));
        }
    }

    /// Propagates `XDEL key ids...`, likewise.
    pub(super) fn propagate_xdel(&self, key: RawString, ids: &[RawString]) {
        // SAFETY: as in `run`: one string and one vector with its length.
        unsafe {
            api!(RedisModule_Replicate(
                self.context,
                c"XDEL".as_ptr(),
                c"sv".as_ptr(),
                key.as_ptr(),
                ids.as_ptr(),
                ids.len(),
            ));
        }
    }
}

impl Arguments for Call<'_> {
    fn len(&self) -> usize {
        self.arguments.len()
    }

    fn get(&self, index: usize) -> Option<&[u8]> {
        // SAFETY: the server keeps the arguments until the handler returns, and the call does not outlive it.
        self.arguments.get(index).map(|argument| unsafe { string::bytes(*argument) })
    }
}
