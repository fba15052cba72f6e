//! What the server and its users are told of a command: COMMAND INFO and COMMAND DOCS.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use redis_module::raw;

use crate::stats::Counter;

/// The metadata of a command, as in COMMAND INFO and COMMAND DOCS.
#[derive(Debug)]
pub struct Spec {
    /// Its name, in lower case.
    pub name: &'static CStr,
    /// Command flags, in the words of `RedisModule_CreateCommand`.
    pub flags: &'static CStr,
    /// The server's own ACL categories; `egg` is added where the server allows it.
    pub acl_categories: &'static str,
    /// Number of arguments, the name included; negative: at least so many.
    pub arity: c_int,
    /// One sentence.
    pub summary: &'static CStr,
    /// Time complexity.
    pub complexity: &'static CStr,
    /// The version of EGG that brought it.
    pub since: &'static CStr,
    /// Counts its calls, those that are answered an error included.
    pub calls: Option<&'static Counter>,
    /// Its keys.
    pub keys: &'static [Key],
    /// Its arguments.
    pub arguments: &'static [Argument],
}

/// A key of a command.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub(super) position: c_int,
    pub(super) flags: u32,
}

impl Key {
    /// Reads what is in the key, and answers something of it.
    pub const fn read(position: c_int) -> Self {
        Self { position, flags: raw::REDISMODULE_CMD_KEY_RO | raw::REDISMODULE_CMD_KEY_ACCESS }
    }

    /// Changes what is in the key.
    pub const fn update(position: c_int) -> Self {
        Self { position, flags: raw::REDISMODULE_CMD_KEY_RW | raw::REDISMODULE_CMD_KEY_UPDATE }
    }

    /// Adds to what is in the key.
    pub const fn insert(position: c_int) -> Self {
        Self { position, flags: raw::REDISMODULE_CMD_KEY_RW | raw::REDISMODULE_CMD_KEY_INSERT }
    }

    /// Deletes something in the key.
    pub const fn delete(position: c_int) -> Self {
        Self { position, flags: raw::REDISMODULE_CMD_KEY_RW | raw::REDISMODULE_CMD_KEY_DELETE }
    }

    /// Reads something in the key, and deletes it.
    pub const fn take(position: c_int) -> Self {
        Self { position, flags: Self::delete(position).flags | raw::REDISMODULE_CMD_KEY_ACCESS }
    }
}

/// One argument in COMMAND DOCS.
#[derive(Debug)]
pub struct Argument {
    name: &'static CStr,
    kind: raw::RedisModuleCommandArgType,
    token: Option<&'static CStr>,
    flags: u32,
    key: Option<c_int>,
    parts: &'static [Argument],
}

impl Argument {
    const fn new(name: &'static CStr, kind: raw::RedisModuleCommandArgType) -> Self {
        Self { name, kind, token: None, flags: raw::REDISMODULE_CMD_ARG_NONE, key: None, parts: &[] }
    }

    /// A key; `index` says which of [`Spec::keys`] it is.
    pub const fn key(name: &'static CStr, index: c_int) -> Self {
        let mut argument = Self::new(name, raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_KEY);
        argument.key = Some(index);
        argument
    }

    /// A string.
    pub const fn string(name: &'static CStr) -> Self {
        Self::new(name, raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_STRING)
    }

    /// An integer.
    pub const fn integer(name: &'static CStr) -> Self {
        Self::new(name, raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_INTEGER)
    }

    /// A string behind a word.
    pub const fn string_option(name: &'static CStr, token: &'static CStr) -> Self {
        let mut argument = Self::string(name);
        argument.token = Some(token);
        argument
    }

    /// A glob pattern behind a word.
    pub const fn pattern_option(name: &'static CStr, token: &'static CStr) -> Self {
        let mut argument = Self::new(name, raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_PATTERN);
        argument.token = Some(token);
        argument
    }

    /// An integer behind a word.
    pub const fn integer_option(name: &'static CStr, token: &'static CStr) -> Self {
        let mut argument = Self::integer(name);
        argument.token = Some(token);
        argument
    }

    /// A word that stands for itself.
    pub const fn token(name: &'static CStr, token: &'static CStr) -> Self {
        let mut argument = Self::new(name, raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_PURE_TOKEN);
        argument.token = Some(token);
        argument
    }

    /// One of several arguments.
    pub const fn one_of(name: &'static CStr, parts: &'static [Argument]) -> Self {
        let mut argument = Self::new(name, raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_ONEOF);
        argument.parts = parts;
        argument
    }

    /// Several arguments that belong together.
    pub const fn group(name: &'static CStr, parts: &'static [Argument]) -> Self {
        let mut argument = Self::new(name, raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_BLOCK);
        argument.parts = parts;
        argument
    }

    /// Several arguments behind a word.
    pub const fn block(name: &'static CStr, token: &'static CStr, parts: &'static [Argument]) -> Self {
        let mut argument = Self::new(name, raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_BLOCK);
        argument.token = Some(token);
        argument.parts = parts;
        argument
    }

    /// May be left out.
    pub const fn optional(mut self) -> Self {
        self.flags |= raw::REDISMODULE_CMD_ARG_OPTIONAL;
        self
    }

    /// May be repeated.
    pub const fn multiple(mut self) -> Self {
        self.flags |= raw::REDISMODULE_CMD_ARG_MULTIPLE;
        self
    }
}

/// A [`Spec`] in the server's form: arrays that end in a zeroed element.
pub(super) struct Info {
    version: raw::RedisModuleCommandInfoVersion,
    summary: *const c_char,
    complexity: *const c_char,
    since: *const c_char,
    arity: c_int,
    keys: Vec<raw::RedisModuleCommandKeySpec>,
    arguments: Vec<raw::RedisModuleCommandArg>,
    /// Keeps the arrays of nested arguments alive.
    _nested: Vec<Vec<raw::RedisModuleCommandArg>>,
}

impl Info {
    pub(super) fn new(spec: &Spec) -> Self {
        let mut nested = Vec::new();
        let arguments = arguments(spec.arguments, &mut nested);
        let mut keys: Vec<_> = spec.keys.iter().map(key_spec).collect();
        // SAFETY: a structure of integers and pointers, for which all zeros is a valid value.
        keys.push(unsafe { std::mem::zeroed() });
        Self {
            version: raw::RedisModuleCommandInfoVersion {
                version: 1,
                sizeof_historyentry: size_of::<raw::RedisModuleCommandHistoryEntry>(),
                sizeof_keyspec: size_of::<raw::RedisModuleCommandKeySpec>(),
                sizeof_arg: size_of::<raw::RedisModuleCommandArg>(),
            },
            summary: spec.summary.as_ptr(),
            complexity: spec.complexity.as_ptr(),
            since: spec.since.as_ptr(),
            arity: spec.arity,
            keys,
            arguments,
            _nested: nested,
        }
    }

    /// The structure, valid while `self` is neither moved nor dropped.
    pub(super) fn raw(&mut self) -> raw::RedisModuleCommandInfo {
        raw::RedisModuleCommandInfo {
            version: &self.version,
            summary: self.summary,
            complexity: self.complexity,
            since: self.since,
            history: ptr::null_mut(),
            tips: ptr::null(),
            arity: self.arity,
            key_specs: self.keys.as_mut_ptr(),
            args: self.arguments.as_mut_ptr(),
        }
    }
}

/// One key, at one position.
fn key_spec(key: &Key) -> raw::RedisModuleCommandKeySpec {
    // SAFETY: a structure of integers, pointers and unions of integers, for which all zeros is a valid value.
    let mut spec: raw::RedisModuleCommandKeySpec = unsafe { std::mem::zeroed() };
    spec.flags = u64::from(key.flags);
    spec.begin_search_type = raw::RedisModuleKeySpecBeginSearchType_REDISMODULE_KSPEC_BS_INDEX;
    spec.bs.index.pos = key.position;
    spec.find_keys_type = raw::RedisModuleKeySpecFindKeysType_REDISMODULE_KSPEC_FK_RANGE;
    spec.fk.range.lastkey = 0;
    spec.fk.range.keystep = 1;
    spec
}

fn arguments(specs: &[Argument], nested: &mut Vec<Vec<raw::RedisModuleCommandArg>>) -> Vec<raw::RedisModuleCommandArg> {
    let mut all: Vec<_> = specs.iter().map(|spec| argument(spec, nested)).collect();
    // SAFETY: a structure of integers and pointers, for which all zeros is a valid value.
    all.push(unsafe { std::mem::zeroed() });
    all
}

fn argument(spec: &Argument, nested: &mut Vec<Vec<raw::RedisModuleCommandArg>>) -> raw::RedisModuleCommandArg {
    let mut subargs = ptr::null_mut();
    if !spec.parts.is_empty() {
        let mut parts = arguments(spec.parts, nested);
        // The heap block of a vector stays where it is when the vector moves.
        subargs = parts.as_mut_ptr();
        nested.push(parts);
    }
    raw::RedisModuleCommandArg {
        name: spec.name.as_ptr(),
        type_: spec.kind,
        key_spec_index: spec.key.unwrap_or(-1),
        token: spec.token.map_or(ptr::null(), CStr::as_ptr),
        summary: ptr::null(),
        since: ptr::null(),
        flags: c_int::try_from(spec.flags).unwrap_or_default(),
        deprecated_since: ptr::null(),
        subargs,
        display_text: ptr::null(),
    }
}
