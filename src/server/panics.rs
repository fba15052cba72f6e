//! Panics: faults of EGG's own. Each becomes an error reply and one line in the log, and the server goes on.

use std::any::Any;
use std::panic::{self, PanicHookInfo};
use std::sync::Mutex;

/// Where the last panic began: file, line and column. Servers run a module's code in one thread.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Has panics noted, and nothing else done about them.
///
/// The standard library's own hook writes to standard error and, with RUST_BACKTRACE set, names the frames of the stack. For
/// that it hands memory of the C library to `free`, which crashes a server that loads modules with RTLD_DEEPBIND and has
/// another allocator (Debian's Valkey 8.1): the two names are found in different libraries there.
pub fn install_hook() {
    panic::set_hook(Box::new(note));
}

fn note(panic: &PanicHookInfo<'_>) {
    if let (Some(location), Ok(mut place)) = (panic.location(), PLACE.try_lock()) {
        *place = location.to_string();
    }
}

/// What is said of a panic that was caught: where it began, and its message.
pub fn describe(panic: &(dyn Any + Send)) -> String {
    let place = PLACE.try_lock().map(|place| place.clone()).unwrap_or_default();
    let text = panic.downcast_ref::<&str>().copied();
    let message = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    format!("panicked at {place}: {message}")
}
