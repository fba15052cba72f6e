//! What core commands answer.

use std::ptr::NonNull;

use egg_core::resp::{self, Reader, Token};
use redis_module::raw::RedisModuleCallReply;

use super::api::{api, broken};

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

/// What an answer says, read by `parse`. The core promises one that can be read: to guess would be to delete what is needed.
pub fn answer<'a, T>(reply: &'a CoreReply, promise: &'static str, parse: impl FnOnce(&'a [u8]) -> Option<T>) -> T {
    parse(reply.bytes()).unwrap_or_else(|| broken(promise))
}

/// What a core command says it has done. An error says that it has done nothing: another module may have taken the stream away
/// when it heard of the step before.
pub fn count(reply: &CoreReply) -> usize {
    answer(reply, "a command that counts answers an integer or an error", |reply| match Reader::new(reply).token()? {
        Token::Integer(count) => usize::try_from(count).ok(),
        Token::Error(_) => Some(0),
        _ => None,
    })
}

/// The same for what is looked up after a step: None where there is nothing any more.
pub fn if_there<'a, T>(
    reply: &'a CoreReply,
    promise: &'static str,
    parse: impl FnOnce(&'a [u8]) -> Option<T>,
) -> Option<T> {
    let is_gone = resp::error(reply.bytes()).is_some();
    (!is_gone).then(|| answer(reply, promise, parse))
}
