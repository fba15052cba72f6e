//! The server's strings.

use std::ptr::NonNull;

use redis_module::raw::{RedisModuleCtx, RedisModuleString};

use super::api::{api, broken};

/// A string of the server's, borrowed for the length of a call.
pub type RawString = NonNull<RedisModuleString>;

/// The bytes of a string of the server's.
///
/// # Safety
/// `string` is alive for `'a`, and nothing changes it meanwhile.
pub unsafe fn bytes<'a>(string: RawString) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: the caller vouches for the string; the server hands out a pointer to `length` bytes inside it.
    unsafe {
        let start = api!(RedisModule_StringPtrLen(string.as_ptr(), &mut length));
        std::slice::from_raw_parts(start.cast(), length)
    }
}

/// A string that EGG made, freed when dropped. Any bytes.
#[derive(Debug)]
pub struct OwnedString {
    context: *mut RedisModuleCtx,
    string: RawString,
}

impl OwnedString {
    /// Copies `bytes` into a string of the server's.
    ///
    /// # Safety
    /// `context` is the context of the running command.
    pub unsafe fn new(context: *mut RedisModuleCtx, bytes: &[u8]) -> Self {
        // SAFETY: a valid context, and a pointer with its length; the server copies the bytes.
        unsafe { Self::adopt(context, api!(RedisModule_CreateString(context, bytes.as_ptr().cast(), bytes.len()))) }
    }

    /// Takes over a string that the server made for EGG.
    ///
    /// # Safety
    /// `context` is the context of the running command, and nobody else will free the string.
    pub unsafe fn adopt(context: *mut RedisModuleCtx, string: *mut RedisModuleString) -> Self {
        match NonNull::new(string) {
            Some(string) => Self { context, string },
            None => broken("the server made no string"),
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: alive as long as `self`, and EGG changes no string.
        unsafe { bytes(self.string) }
    }

    /// The string, to be handed to the server while `self` lives.
    pub fn raw(&self) -> RawString {
        self.string
    }
}

impl Drop for OwnedString {
    fn drop(&mut self) {
        // SAFETY: made by CreateString with this context, freed once.
        unsafe { api!(RedisModule_FreeString(self.context, self.string.as_ptr())) }
    }
}
