//! Replies, written to the client.

use std::ffi::{CString, c_int, c_long};

use egg_core::values::error::Error;
use egg_core::values::reply::Reply;
use redis_module::raw::RedisModuleCtx;

use super::api::api;

/// Sends a command's result to its client.
///
/// # Safety
/// `context` is the context of the running command, which has not replied yet.
pub unsafe fn send(context: *mut RedisModuleCtx, result: &Result<Reply, Error>) -> c_int {
    // SAFETY: the caller vouches for the context; the error's text lives until the call returns.
    unsafe {
        match result {
            Ok(reply) => send_reply(context, reply),
            Err(error) => {
                api!(RedisModule_ReplyWithError(context, error_line(error).as_ptr()));
            }
        }
    }
    0
}

/// Sends a reply, or a part of one.
///
/// # Safety
/// `context` is the context of the running command.
unsafe fn send_reply(context: *mut RedisModuleCtx, reply: &Reply) {
    let length = |length: usize| c_long::try_from(length).unwrap_or_default();
    // SAFETY: the caller vouches for the context; every pointer passed lives until its call returns.
    unsafe {
        match reply {
            Reply::Ok => {
                api!(RedisModule_ReplyWithSimpleString(context, c"OK".as_ptr()));
            }
            Reply::Nil => {
                api!(RedisModule_ReplyWithNull(context));
            }
            Reply::Integer(value) => {
                api!(RedisModule_ReplyWithLongLong(context, *value));
            }
            Reply::Bulk(bytes) => send_bytes(context, bytes),
            Reply::Integers(values) => {
                api!(RedisModule_ReplyWithArray(context, length(values.len())));
                for value in values {
                    api!(RedisModule_ReplyWithLongLong(context, *value));
                }
            }
            Reply::Array(items) => {
                api!(RedisModule_ReplyWithArray(context, length(items.len())));
                items.iter().for_each(|item| send_reply(context, item));
            }
            Reply::Map(pairs) => {
                // The server makes an array of it for a client that speaks RESP2.
                api!(RedisModule_ReplyWithMap(context, length(pairs.len())));
                for (name, value) in pairs {
                    send_bytes(context, name.as_bytes());
                    send_reply(context, value);
                }
            }
        }
    }
}

/// Sends a bulk string.
///
/// # Safety
/// `context` is the context of the running command.
unsafe fn send_bytes(context: *mut RedisModuleCtx, bytes: &[u8]) {
    // SAFETY: a pointer and its length.
    unsafe { api!(RedisModule_ReplyWithStringBuffer(context, bytes.as_ptr().cast(), bytes.len())) };
}

/// An error's text as a C string. The texts are ASCII without control characters by construction; should one ever not
/// be, its odd bytes become `?` rather than a broken protocol.
fn error_line(error: &Error) -> CString {
    let clean: Vec<u8> =
        error.to_string().bytes().map(|byte| if matches!(byte, b' '..=b'~') { byte } else { b'?' }).collect();
    CString::new(clean).unwrap_or_default()
}
