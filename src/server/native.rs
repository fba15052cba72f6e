//! Redis 8.2's own names: which of them this server lacks, and so gets from EGG.
//!
//! Each command, and each policy of XADD and XTRIM, is looked for by itself, and by asking: servers take these names over one by
//! one (Valkey 9.2 has XACKDEL and XDELEX, but no policies), and their versions say little.

use std::ffi::CStr;

use egg_core::requests::native::Lacking;
use egg_core::resp::{Reader, Token};
use egg_core::values::policy::DeletePolicy;
use redis_module::raw::RedisModuleCtx;

use super::api::api;
use super::command::Registration;
use super::core_command;
use super::core_reply::CoreReply;
use super::filter;

/// The registrations of the commands behind the names.
#[derive(Clone, Copy, Debug)]
pub struct NativeNames {
    /// `XACKDEL`
    pub xackdel: Registration,
    /// `XDELEX`
    pub xdelex: Registration,
    /// What `XADD` with a policy becomes.
    pub xadd: Registration,
    /// What `XTRIM` with a policy becomes.
    pub xtrim: Registration,
}

const POLICIES: [(DeletePolicy, &CStr); 3] =
    [(DeletePolicy::KeepRef, c"KEEPREF"), (DeletePolicy::DelRef, c"DELREF"), (DeletePolicy::Acked, c"ACKED")];

/// Registers what the server lacks, and answers what that is, in words.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn load(context: *mut RedisModuleCtx, names: &NativeNames) -> Result<String, String> {
    let mut added = Vec::new();
    // SAFETY: the caller vouches for the context.
    unsafe {
        for (name, register) in [(c"XACKDEL", names.xackdel), (c"XDELEX", names.xdelex)] {
            if !core_command::exists(context, name) {
                register(context)?;
                added.push(name.to_string_lossy().into_owned());
            }
        }
        let lacking = Lacking { xadd: lacks(context, c"XADD"), xtrim: lacks(context, c"XTRIM") };
        for (name, policies, register) in [("XADD", &lacking.xadd, names.xadd), ("XTRIM", &lacking.xtrim, names.xtrim)]
        {
            if !policies.is_empty() {
                register(context)?;
                let words = POLICIES.iter().filter(|(policy, _)| policies.contains(policy));
                let words: Vec<_> = words.map(|(_, word)| word.to_string_lossy()).collect();
                added.push(format!("{name} with {}", words.join(", ")));
            }
        }
        if !lacking.xadd.is_empty() || !lacking.xtrim.is_empty() {
            filter::install(context, lacking);
        }
    }
    Ok(if added.is_empty() { "this server has them all".to_owned() } else { added.join("; ") })
}

/// The policies that the server's own XADD or XTRIM does not know. What cannot be asked counts as known.
///
/// # Safety
/// `context` is the context of the module's load.
unsafe fn lacks(context: *mut RedisModuleCtx, command: &CStr) -> Vec<DeletePolicy> {
    let is_lacking = |word: &CStr| {
        // SAFETY: the caller vouches for the context.
        let knows = unsafe { parses(context, command, word).or_else(|| documents(context, command, word)) };
        knows == Some(false)
    };
    POLICIES.iter().filter(|(_, word)| is_lacking(word)).map(|(policy, _)| *policy).collect()
}

/// Whether the command's parser takes the word, told by which argument it complains of: the word, or the threshold behind it,
/// which is none. So nothing is ever changed, whatever there is at the key. None if the parser is not reached: a node of a cluster
/// refuses keys of slots that it does not serve.
///
/// # Safety
/// `context` is the context of the module's load.
unsafe fn parses(context: *mut RedisModuleCtx, command: &CStr, word: &CStr) -> Option<bool> {
    let (key, option, none) = (c"egg:none", c"MAXLEN", c"none");
    // SAFETY: the format names as many C strings as follow.
    let reply = CoreReply::new(unsafe {
        if command == c"XADD" {
            let [id, field] = [c"*", c"f"].map(CStr::as_ptr);
            let (name, format) = (command.as_ptr(), c"Ecccccccc".as_ptr());
            let nomkstream = c"NOMKSTREAM".as_ptr();
            let (key, word, option, none) = (key.as_ptr(), word.as_ptr(), option.as_ptr(), none.as_ptr());
            api!(RedisModule_Call(context, name, format, key, nomkstream, word, option, none, id, field, field))
        } else {
            let (key, word, option, none) = (key.as_ptr(), word.as_ptr(), option.as_ptr(), none.as_ptr());
            api!(RedisModule_Call(context, command.as_ptr(), c"Ecccc".as_ptr(), key, word, option, none))
        }
    });
    match Reader::new(reply.bytes()).token() {
        Some(Token::Error(text)) if text.starts_with(b"ERR value is not an integer") => Some(true),
        Some(Token::Error(text)) if text.starts_with(b"ERR syntax error") => Some(false),
        Some(Token::Error(text)) if text.starts_with(b"ERR Invalid stream ID") => Some(false),
        _ => None,
    }
}

/// Whether COMMAND DOCS has the word among the command's arguments. None if there is no such command, or it is renamed.
///
/// # Safety
/// `context` is the context of the module's load.
unsafe fn documents(context: *mut RedisModuleCtx, command: &CStr, word: &CStr) -> Option<bool> {
    // SAFETY: the format names two C strings, and two follow.
    let reply = CoreReply::new(unsafe {
        api!(RedisModule_Call(context, c"COMMAND".as_ptr(), c"Ecc".as_ptr(), c"DOCS".as_ptr(), command.as_ptr()))
    });
    let mut reader = Reader::new(reply.bytes());
    let (mut has_threshold, mut has_word) = (false, false);
    while let Some(token) = reader.token() {
        if let Token::Text(text) = token {
            has_threshold |= text == b"MAXLEN";
            has_word |= text == word.to_bytes();
        }
    }
    has_threshold.then_some(has_word)
}
