//! Replies that are lists, as the server takes them apart.
//!
//! The server does so in any case, when the reply is freed. What is asked in every call is therefore read from here;
//! [`crate::resp`] reads the rest from the bytes.

use std::marker::PhantomData;
use std::ptr::NonNull;

use redis_module::raw::{
    REDISMODULE_REPLY_ARRAY, REDISMODULE_REPLY_ERROR, REDISMODULE_REPLY_INTEGER, REDISMODULE_REPLY_STRING,
    RedisModuleCallReply,
};

use super::api;
use super::call::CallReply;
use crate::stream::Group;
use crate::stream_id::StreamId;

/// A reply, or an element of one. Lives as long as the whole reply does.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    reply: NonNull<RedisModuleCallReply>,
    whole: PhantomData<&'a CallReply>,
}

impl<'a> Element<'a> {
    /// An element of a reply that is alive for `'a`.
    pub(super) fn new(reply: NonNull<RedisModuleCallReply>) -> Self {
        Self { reply, whole: PhantomData }
    }

    fn is(self, kind: isize) -> bool {
        // SAFETY: the reply is alive.
        let actual = unsafe { api!(RedisModule_CallReplyType(self.reply.as_ptr())) };
        isize::try_from(actual) == Ok(kind)
    }

    /// The elements of a list. None if it is something else.
    pub fn items(self) -> Option<impl Iterator<Item = Self>> {
        if !self.is(REDISMODULE_REPLY_ARRAY) {
            return None;
        }
        // SAFETY: the reply is alive.
        let length = unsafe { api!(RedisModule_CallReplyLength(self.reply.as_ptr())) };
        Some((0..length).map_while(move |index| {
            // SAFETY: the reply is alive, and owns its elements.
            let item = unsafe { api!(RedisModule_CallReplyArrayElement(self.reply.as_ptr(), index)) };
            NonNull::new(item).map(Self::new)
        }))
    }

    fn bytes(self) -> &'a [u8] {
        let mut length = 0;
        // SAFETY: the reply is alive; the server hands out a pointer to `length` bytes inside it.
        unsafe {
            let start = api!(RedisModule_CallReplyStringPtr(self.reply.as_ptr(), &mut length));
            if start.is_null() { &[] } else { std::slice::from_raw_parts(start.cast(), length) }
        }
    }

    /// The bytes of a string. None if it is something else.
    pub fn text(self) -> Option<&'a [u8]> {
        self.is(REDISMODULE_REPLY_STRING).then(|| self.bytes())
    }

    /// The text of an error, its code first. None if it is something else.
    pub fn error(self) -> Option<&'a [u8]> {
        self.is(REDISMODULE_REPLY_ERROR).then(|| self.bytes())
    }

    /// An integer. None if it is something else.
    pub fn integer(self) -> Option<i64> {
        // SAFETY: the reply is alive.
        self.is(REDISMODULE_REPLY_INTEGER).then(|| unsafe { api!(RedisModule_CallReplyInteger(self.reply.as_ptr())) })
    }

    /// The groups, if it is what `XINFO GROUPS` answers.
    pub fn groups(self) -> Option<Vec<Group<'a>>> {
        self.items()?.map(Self::group).collect()
    }

    fn group(self) -> Option<Group<'a>> {
        let mut group = Group::default();
        let mut items = self.items()?;
        while let (Some(name), Some(value)) = (items.next(), items.next()) {
            match name.text()? {
                b"name" => group.name = value.text()?,
                b"pending" => group.pending = u64::try_from(value.integer()?).ok()?,
                b"last-delivered-id" => group.last_delivered = StreamId::parse(value.text()?)?,
                b"lag" => group.lag = value.integer(),
                _ => {}
            }
        }
        Some(group)
    }

    /// The ids, if it is what `XPENDING key group min max count` answers.
    pub fn pending_ids(self) -> Option<Vec<StreamId>> {
        self.items()?.map(|row| StreamId::parse(row.items()?.next()?.text()?)).collect()
    }
}
