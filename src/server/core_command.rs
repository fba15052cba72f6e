//! The core commands that EGG runs.

use std::ffi::CStr;
use std::io;

use redis_module::raw::RedisModuleCtx;

use super::api::api;
use super::core_reply::CoreReply;

/// The core commands that EGG runs. Each answers errors as replies (`E`); those with `!` propagate themselves, if they
/// changed anything.
#[derive(Clone, Copy, Debug)]
pub enum CoreCommand {
    /// `XACK`
    Ack,
    /// `XACK`, not propagated: all ids that were pending are, together, at the end.
    AckQuietly,
    /// `XINFO`, the subcommand being passed as the "key".
    Info,
    /// `XDEL`
    Del,
    /// `XDEL`, not propagated: what was cut off at once is, together with these ids.
    DelQuietly,
    /// `XPENDING`
    Pending,
    /// `XSETID`
    SetId,
    /// `XADD`
    Add,
    /// `XTRIM`
    Trim,
    /// `XLEN`
    Len,
    /// `XGROUP`, the subcommand being passed as the "key".
    Group,
}

impl CoreCommand {
    /// Every command that must exist for EGG to work: a server with one of them renamed away is refused at load.
    pub const NAMES: [&'static CStr; 9] =
        [c"XINFO", c"XACK", c"XDEL", c"XPENDING", c"XSETID", c"XADD", c"XTRIM", c"XLEN", c"XGROUP"];

    /// Its name, and the format of its arguments for `RedisModule_Call`: one string, and a list of them.
    pub fn name_and_format(self) -> (&'static CStr, &'static CStr) {
        match self {
            Self::Info => (c"XINFO", c"Esv"),
            Self::Ack => (c"XACK", c"E!sv"),
            Self::AckQuietly => (c"XACK", c"Esv"),
            Self::Del => (c"XDEL", c"E!sv"),
            Self::DelQuietly => (c"XDEL", c"Esv"),
            Self::Pending => (c"XPENDING", c"Esv"),
            Self::SetId => (c"XSETID", c"E!sv"),
            Self::Add => (c"XADD", c"E!sv"),
            Self::Trim => (c"XTRIM", c"E!sv"),
            Self::Len => (c"XLEN", c"Esv"),
            Self::Group => (c"XGROUP", c"E!sv"),
        }
    }
}

/// Whether the server has a command of this name, one that takes arguments. (COMMAND INFO would tell, too, but hardened
/// servers have COMMAND renamed.)
///
/// # Safety
/// `context` is a valid context.
pub unsafe fn exists(context: *mut RedisModuleCtx, name: &CStr) -> bool {
    // SAFETY: the format names no arguments, and none follow. So nothing runs: the server finds either no command, or
    // too few arguments for it.
    let reply = CoreReply::new(unsafe { api!(RedisModule_Call(context, name.as_ptr(), c"".as_ptr())) });
    // RedisModule_Call sets errno: ENOENT, or EINVAL.
    let error = io::Error::last_os_error();
    drop(reply);
    error.kind() != io::ErrorKind::NotFound
}
