//! What core commands answer.

use std::ptr::NonNull;

use redis_module::raw::RedisModuleCallReply;

use super::api::api;

/// The reply of a core command, as the bytes of its protocol; freed when dropped.
#[derive(Debug)]
pub struct CoreReply(Option<NonNull<RedisModuleCallReply>>);

impl CoreReply {
    /// Takes over what RedisModule_Call returned.
    pub(super) fn new(reply: *mut RedisModuleCallReply) -> Self {
        Self(NonNull::new(reply))
    }

    /// The reply in RESP2, for [`egg_core::resp`] to read. Empty if the server gave none.
    pub fn bytes(&self) -> &[u8] {
        let Some(reply) = self.0 else { return &[] };
        let mut length = 0;
        // SAFETY: the reply is alive; the server hands out a pointer to `length` bytes inside it.
        unsafe {
            let start = api!(RedisModule_CallReplyProto(reply.as_ptr(), &mut length));
            if start.is_null() { &[] } else { std::slice::from_raw_parts(start.cast(), length) }
        }
    }
}

impl Drop for CoreReply {
    fn drop(&mut self) {
        if let Some(reply) = self.0 {
            // SAFETY: came from RedisModule_Call, freed once.
            unsafe { api!(RedisModule_FreeCallReply(reply.as_ptr())) }
        }
    }
}
