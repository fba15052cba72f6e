//! Replies, written to the client.

use std::ffi::{CString, c_int, c_long};

use redis_module::raw::RedisModuleCtx;

use super::api;
use crate::error::Error;
use crate::reply::Reply;

/// Sends a command's result to its client.
///
/// # Safety
/// `context` is the context of the running command, which has not replied yet.
pub unsafe fn send(context: *mut RedisModuleCtx, result: &Result<Reply, Error>) -> c_int {
    // SAFETY: the caller vouches for the context; every pointer passed lives until its call returns.
    unsafe {
        match result {
            Ok(Reply::Ok) => api!(RedisModule_ReplyWithSimpleString(context, c"OK".as_ptr())),
            Ok(Reply::Nil) => api!(RedisModule_ReplyWithNull(context)),
            Ok(Reply::Integer(value)) => api!(RedisModule_ReplyWithLongLong(context, *value)),
            Ok(Reply::Bulk(bytes)) => {
                api!(RedisModule_ReplyWithStringBuffer(context, bytes.as_ptr().cast(), bytes.len()))
            }
            Ok(Reply::Integers(values)) => {
                api!(RedisModule_ReplyWithArray(context, c_long::try_from(values.len()).unwrap_or_default()));
                values.iter().for_each(|value| {
                    api!(RedisModule_ReplyWithLongLong(context, *value));
                });
                0
            }
            Err(error) => api!(RedisModule_ReplyWithError(context, error_line(error).as_ptr())),
        }
    }
}

/// An error's text as a C string. The texts are ASCII without control characters by construction; should one ever not
/// be, its odd bytes become `?` rather than a broken protocol.
fn error_line(error: &Error) -> CString {
    let clean: Vec<u8> =
        error.to_string().bytes().map(|byte| if matches!(byte, b' '..=b'~') { byte } else { b'?' }).collect();
    CString::new(clean).unwrap_or_default()
}
