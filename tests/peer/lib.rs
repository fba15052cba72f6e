//! Another module, for the tests of what modules do to each other. Its module arguments say what it does:
//!
//! - `xackdel`: it has a command XACKDEL, as a server may have that has no more of Redis 8.2's names;
//! - `group-on-xadd`: when it hears that an entry was added to `s`, `dead` or `d`, it makes a group `late` of the stream `s` that
//!   has read nothing. (It breaks the rule that no module writes while it is notified, as modules do.)
//! - `append-on-xdel`: when it hears that an entry of `s` was deleted, it adds one, once.
#![allow(missing_docs)]

use std::ffi::{CString, c_int};
use std::sync::atomic::{AtomicBool, Ordering};

use redis_module::{Context, NotifyEvent, RedisString, Status, raw, redis_module};

static GROUP_ON_XADD: AtomicBool = AtomicBool::new(false);
static APPEND_ON_XDEL: AtomicBool = AtomicBool::new(false);

#[allow(unsafe_code)]
unsafe extern "C" fn xackdel(
    context: *mut raw::RedisModuleCtx,
    _: *mut *mut raw::RedisModuleString,
    _: c_int,
) -> c_int {
    // SAFETY: the context of the running command, and a static string.
    unsafe { raw::RedisModule_ReplyWithSimpleString.map_or(1, |reply| reply(context, c"peer".as_ptr())) }
}

fn notified(context: &Context, _: NotifyEvent, event: &str, key: &[u8]) {
    match (event, key) {
        ("xadd", b"s" | b"dead" | b"d") if GROUP_ON_XADD.load(Ordering::Relaxed) => {
            let _ = context.call("XGROUP", &["CREATE", "s", "late", "0"]);
        }
        ("xdel", b"s") if APPEND_ON_XDEL.swap(false, Ordering::Relaxed) => {
            let _ = context.call("XADD", &["s", "1000-0", "f", "peer"]);
        }
        _ => {}
    }
}

#[allow(unsafe_code)]
fn init(context: &Context, arguments: &[RedisString]) -> Status {
    for argument in arguments {
        match argument.as_slice() {
            b"group-on-xadd" => GROUP_ON_XADD.store(true, Ordering::Relaxed),
            b"append-on-xdel" => APPEND_ON_XDEL.store(true, Ordering::Relaxed),
            b"xackdel" => {
                let [name, flags] = ["xackdel", "write"].map(|text| CString::new(text).unwrap_or_default());
                // SAFETY: the context of the load, strings that live until the call returns, and a static function.
                let created = unsafe {
                    raw::RedisModule_CreateCommand
                        .map_or(1, |create| create(context.ctx, name.as_ptr(), Some(xackdel), flags.as_ptr(), 1, 1, 1))
                };
                if created != 0 {
                    return Status::Err;
                }
            }
            _ => return Status::Err,
        }
    }
    Status::Ok
}

redis_module! {
    name: "peer",
    version: 1,
    allocator: (redis_module::alloc::RedisAlloc, redis_module::alloc::RedisAlloc),
    data_types: [],
    init: init,
    commands: [],
    event_handlers: [
        [@STREAM: notified],
    ],
}
