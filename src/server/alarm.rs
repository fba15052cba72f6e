//! The warning that a guard refused a call: rare enough that no client can flood the log with it.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::call::Call;
use super::{api, log};
use crate::error::Escaped;

/// Warnings are at least this many milliseconds apart, for the whole module. There is no state per stream.
const INTERVAL: i64 = 10_000;

static NEXT_WARNING: AtomicI64 = AtomicI64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Counts a refused call, and warns if it is time to.
pub fn refused(call: &Call<'_>) {
    let refused = REFUSED.fetch_add(1, Ordering::Relaxed) + 1;
    // SAFETY: takes no arguments.
    let now = unsafe { api!(RedisModule_Milliseconds()) };
    let wait = NEXT_WARNING.load(Ordering::Relaxed) - now;
    // Longer than the interval: the clock was set back meanwhile.
    if (1..=INTERVAL).contains(&wait) {
        return;
    }
    NEXT_WARNING.store(now + INTERVAL, Ordering::Relaxed);
    REFUSED.store(0, Ordering::Relaxed);
    let (key, group) = (Escaped(call.key()), Escaped(call.group()));
    let line = format!(
        "FOREIGNGROUP: refused {refused} call(s) since the last warning. The last one: stream \"{key}\", group \"{group}\""
    );
    // SAFETY: the context of the running command.
    unsafe { log::warning(call.context(), &line) };
}
