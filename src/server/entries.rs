//! Entriess the ids of a stream without copying an entry.

use std::ffi::c_long;
use std::ptr::{self, NonNull};

use egg_core::values::entry_id::EntryId;
use redis_module::raw::{REDISMODULE_READ, REDISMODULE_WRITE, RedisModuleKey, RedisModuleStreamID};

use super::api::api;
use super::call::Call;
use super::string::{OwnedString, RawString};

/// The ids of a stream, ascending. The key is opened for reading only: opening it for writing would abort every client's
/// WATCH on it.
#[derive(Debug)]
pub struct Entries {
    key: NonNull<RedisModuleKey>,
    /// Fields of the current entry that the server wants taken before it goes on to the next one.
    fields: c_long,
}

impl Entries {
    /// Starts at the first entry from `from` on. None if there is no stream at the key.
    pub fn new(call: &Call<'_>, key: RawString, from: EntryId) -> Option<Self> {
        // SAFETY: a valid context and string; the handle is closed in `drop`.
        let key = unsafe { api!(RedisModule_OpenKey(call.context(), key.as_ptr(), REDISMODULE_READ as i32)) };
        let entries = Self { key: NonNull::new(key.cast())?, fields: 0 };
        let mut from = RedisModuleStreamID { ms: from.ms, seq: from.seq };
        // SAFETY: an open key; the server answers an error if it holds no stream. It copies the id.
        let started =
            unsafe { api!(RedisModule_StreamIteratorStart(entries.key.as_ptr(), 0, &mut from, ptr::null_mut())) };
        (started == 0).then_some(entries)
    }
}

impl Iterator for Entries {
    type Item = EntryId;

    fn next(&mut self) -> Option<EntryId> {
        let key = self.key.as_ptr();
        let mut id = RedisModuleStreamID { ms: 0, seq: 0 };
        // SAFETY: an iterator was started on this open key. Null pointers: the fields are passed over, not copied.
        let found = unsafe {
            for _ in 0..self.fields {
                api!(RedisModule_StreamIteratorNextField(key, ptr::null_mut(), ptr::null_mut()));
            }
            api!(RedisModule_StreamIteratorNextID(key, &mut id, &mut self.fields))
        };
        (found == 0).then_some(EntryId { ms: id.ms, seq: id.seq })
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        // SAFETY: opened in `new`, closed once; closing also stops the iterator.
        unsafe { api!(RedisModule_CloseKey(self.key.as_ptr())) }
    }
}

/// Removes all entries below `end`, and looks at nothing else: no group, no largest deleted id, no event. Answers how many.
pub fn cut_before(call: &Call<'_>, key: RawString, end: EntryId) -> usize {
    // SAFETY: a valid context and string. The handle is closed before anything else runs, which tells those who WATCH the
    // key; the server answers -1 if it holds no stream.
    unsafe {
        let key = api!(RedisModule_OpenKey(call.context(), key.as_ptr(), REDISMODULE_WRITE as i32)).cast();
        let removed = api!(RedisModule_StreamTrimByID(key, 0, &mut RedisModuleStreamID { ms: end.ms, seq: end.seq }));
        api!(RedisModule_CloseKey(key));
        usize::try_from(removed).unwrap_or_default()
    }
}

/// The fields and values of one entry, as the server's own strings. None if there is no such entry.
pub fn fields(call: &Call<'_>, key: RawString, id: EntryId) -> Option<Vec<(OwnedString, OwnedString)>> {
    let mut entries = Entries::new(call, key, id)?;
    if entries.next() != Some(id) {
        return None;
    }
    let (mut field, mut value) = (ptr::null_mut(), ptr::null_mut());
    let pairs = (0..std::mem::take(&mut entries.fields)).map_while(|_| {
        // SAFETY: the iterator stands on an entry with that many fields; the server makes both strings, and they are ours.
        unsafe {
            let found = api!(RedisModule_StreamIteratorNextField(entries.key.as_ptr(), &mut field, &mut value));
            (found == 0).then(|| (OwnedString::adopt(call.context(), field), OwnedString::adopt(call.context(), value)))
        }
    });
    Some(pairs.collect())
}
