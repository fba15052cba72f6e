//! The warning that a guard refused a call: rare enough that no client can flood the log with it.

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use egg_core::values::error::Escaped;
use redis_module::raw::{RedisModuleCtx, RedisModuleTimerID};

use super::api::api;
use super::call::Call;
use super::log;

/// Warnings are at least this many milliseconds apart, for the whole module. There is no state per stream.
const INTERVAL: i64 = 10_000;

/// What was refused since the last warning.
struct Quiet {
    /// When it ends, the rest is told.
    timer: RedisModuleTimerID,
    refused: u64,
    last: String,
}

/// None: the next refusal is reported at once. Servers run a module's code in one thread.
static QUIET: Mutex<Option<Quiet>> = Mutex::new(None);

/// Reports a refused call: the first one at once, and when the interval is over how many there were besides.
pub fn refused(call: &Call<'_>, foreign: &[u8]) {
    let (key, group, foreign) = (Escaped(call.key()), Escaped(call.group()), Escaped(foreign));
    let what = format!("stream \"{key}\", group \"{group}\", which is not alone: there is \"{foreign}\"");
    let Ok(mut quiet) = QUIET.try_lock() else { return };
    if let Some(quiet) = &mut *quiet {
        (quiet.refused, quiet.last) = (quiet.refused + 1, what);
        return;
    }
    // SAFETY: the context of the running command.
    unsafe {
        log::warning(call.context(), &format!("FOREIGNGROUP: refused a call: {what}"));
        *quiet = Some(begin(call.context()));
    }
}

/// # Safety
/// `context` is the context of the running command, or of a timer.
unsafe fn begin(context: *mut RedisModuleCtx) -> Quiet {
    // SAFETY: the caller vouches for the context; the function lives as long as the module, and takes no data.
    let timer = unsafe { api!(RedisModule_CreateTimer(context, INTERVAL, Some(interval_is_over), ptr::null_mut())) };
    Quiet { timer, refused: 0, last: String::new() }
}

/// Stops the timer: a server that shuts down may unload its modules, and complains of one that has a timer.
///
/// # Safety
/// `context` is the context of an event of the server.
pub unsafe fn stop(context: *mut RedisModuleCtx) {
    if let Some(quiet) = QUIET.try_lock().ok().and_then(|mut quiet| quiet.take()) {
        // SAFETY: the caller vouches for the context; the timer is this module's, and no data is asked back.
        unsafe { api!(RedisModule_StopTimer(context, quiet.timer, ptr::null_mut())) };
    }
}

unsafe extern "C" fn interval_is_over(context: *mut RedisModuleCtx, _: *mut c_void) {
    let Ok(mut quiet) = QUIET.try_lock() else { return };
    *quiet = quiet.take().filter(|quiet| quiet.refused > 0).map(|Quiet { refused, last, .. }| {
        let calls = if refused == 1 { "call" } else { "calls" };
        let line =
            format!("FOREIGNGROUP: refused {refused} more {calls} in the last ten seconds, the last one: {last}");
        // SAFETY: the context of the timer. No panic can leave this function: it writes, allocates and calls the server.
        unsafe {
            log::warning(context, &line);
            begin(context)
        }
    });
}
