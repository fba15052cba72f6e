//! Lines in the server's log.

use std::ffi::{CStr, CString};

use redis_module::raw::RedisModuleCtx;

use super::api::api;

/// Writes a warning. Takes any text: whatever could break a line, end a C string or leave ASCII is replaced by `?`, and
/// the text is an argument of the format, never the format itself.
///
/// # Safety
/// `context` is null or the context of the running call.
pub unsafe fn warning(context: *mut RedisModuleCtx, text: &str) {
    // SAFETY: the caller vouches for the context.
    unsafe { write(context, c"warning", text) }
}

/// Writes a notice, likewise.
///
/// # Safety
/// `context` is null or the context of the running call.
pub unsafe fn notice(context: *mut RedisModuleCtx, text: &str) {
    // SAFETY: the caller vouches for the context.
    unsafe { write(context, c"notice", text) }
}

unsafe fn write(context: *mut RedisModuleCtx, level: &CStr, text: &str) {
    let clean: Vec<u8> = text.bytes().map(|byte| if matches!(byte, b' '..=b'~') { byte } else { b'?' }).collect();
    let Ok(line) = CString::new(clean) else { return };
    // SAFETY: the format takes one C string, which lives until the call returns.
    unsafe { api!(RedisModule_Log(context, level.as_ptr(), c"%s".as_ptr(), line.as_ptr())) }
}
