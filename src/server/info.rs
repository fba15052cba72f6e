//! `INFO egg`: the counters, as the server asks for them.

use std::ffi::{CString, c_int};

use redis_module::raw::{self, RedisModuleCtx, RedisModuleInfoCtx};

use super::api::api;
use crate::stats;

/// Has the server ask for the counters.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn register(context: *mut RedisModuleCtx) {
    // SAFETY: a valid context, and a function that lives as long as the module.
    unsafe { api!(RedisModule_RegisterInfoFunc(context, Some(report))) };
}

unsafe extern "C" fn report(info: *mut RedisModuleInfoCtx, for_crash_report: c_int) {
    // A crash report is written by a process that is about to die: allocate nothing there.
    // SAFETY: reads a table of function pointers that never changes after load.
    let (add_section, add_field) = unsafe { (raw::RedisModule_InfoAddSection, raw::RedisModule_InfoAddFieldULongLong) };
    let (Some(add_section), Some(add_field), 0) = (add_section, add_field, for_crash_report) else { return };
    let mut current = "";
    let mut wanted = false;
    for &(section, field, counter) in stats::ALL {
        let (Ok(section_name), Ok(field)) = (CString::new(section), CString::new(field)) else { continue };
        // SAFETY: the context of the running INFO, and C strings that live until the calls return.
        unsafe {
            if section != current {
                current = section;
                wanted = add_section(info, section_name.as_ptr()) == 0;
            }
            if wanted {
                add_field(info, field.as_ptr(), counter.get());
            }
        }
    }
}
