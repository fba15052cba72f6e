//! Commands: what a command is, how it is registered, and how the server gets into it and out again.

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use redis_module::raw::{self, RedisModuleCtx, RedisModuleString};

use super::call::Call;
use super::{api, log, reply};
use crate::error::Error;
use crate::reply::Reply;

/// A command of the module.
pub trait Command {
    /// What the server and its users are told of it.
    const SPEC: Spec;

    /// Runs it: parse, act, say what to reply. An error means that nothing was changed.
    fn run(call: &Call<'_>) -> Result<Reply, Error>;
}

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
    /// Its keys.
    pub keys: &'static [Key],
    /// Its arguments.
    pub arguments: &'static [Argument],
}

/// A key of a command.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    position: c_int,
    flags: u32,
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

/// Registers a command with the server. The error says what the server would not take.
///
/// # Safety
/// `context` is the context of the module's load.
pub unsafe fn register<C: Command>(context: *mut RedisModuleCtx) -> Result<(), String> {
    let spec = C::SPEC;
    let refused = |what: &str| format!("the server refused {what} of command {}", spec.name.to_string_lossy());
    // The key specs say all of this again, and more exactly; servers want it here as well.
    let first_key = spec.keys.first().map_or(0, |key| key.position);
    let last_key = spec.keys.last().map_or(0, |key| key.position);
    let step = if spec.keys.is_empty() { 0 } else { (last_key - first_key).max(1) };
    // SAFETY: a valid context, static strings, and a handler that lives as long as the module.
    let command = unsafe {
        let (name, flags) = (spec.name.as_ptr(), spec.flags.as_ptr());
        if api!(RedisModule_CreateCommand(context, name, Some(entry::<C>), flags, first_key, last_key, step)) != 0 {
            return Err(refused("the name"));
        }
        api!(RedisModule_GetCommand(context, name))
    };
    if command.is_null() {
        return Err(refused("the registration"));
    }
    let mut info = Info::new(&spec);
    // SAFETY: the command exists; the server copies all that the structure points to, which `info` keeps alive.
    if unsafe { api!(RedisModule_SetCommandInfo(command, &info.raw())) } != 0 {
        return Err(refused("the description"));
    }
    // SAFETY: reads a function pointer that is set before any code of the module runs, and never after.
    let can_add_categories = unsafe { raw::RedisModule_AddACLCategory }.is_some();
    let categories = format!("{}{}", spec.acl_categories, if can_add_categories { " egg" } else { "" });
    let categories = CString::new(categories).unwrap_or_default();
    // SAFETY: the command exists, and the string lives until the call returns.
    if unsafe { api!(RedisModule_SetCommandACLCategories(command, categories.as_ptr())) } != 0 {
        return Err(refused("the ACL categories"));
    }
    Ok(())
}

/// What the server calls. No panic leaves it: one that unwound into the server's C code would take the server down.
unsafe extern "C" fn entry<C: Command>(
    context: *mut RedisModuleCtx,
    argv: *mut *mut RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: the context that the server passed.
    if C::SPEC.keys.len() > 1 && unsafe { api!(RedisModule_IsKeysPositionRequest(context)) } != 0 {
        // SAFETY: the server asked.
        unsafe { tell_keys(context, C::SPEC.keys, argc) };
        return 0;
    }
    // SAFETY: context and arguments of the running command, as the server passed them.
    let call = unsafe { Call::new(context, argv, argc) };
    let result = catch_unwind(AssertUnwindSafe(|| C::run(&call))).unwrap_or_else(|panic| {
        let line = format!("{} panicked: {}", C::SPEC.name.to_string_lossy(), message(panic.as_ref()));
        // SAFETY: the context of the running command.
        unsafe { log::warning(context, &line) };
        Err(Error::Internal)
    });
    // SAFETY: the context of the running command, to which nothing has been replied yet.
    unsafe { reply::send(context, &result) }
}

/// Tells the server which arguments are keys. Cluster nodes ask commands flagged `getkeys-api`, and look at no key specs: of
/// two keys that are not next to each other they would see the first one only, and miss that the other is in another slot.
///
/// # Safety
/// `context` is that of the server's question.
unsafe fn tell_keys(context: *mut RedisModuleCtx, keys: &[Key], argc: c_int) {
    for key in keys.iter().filter(|key| key.position < argc) {
        let flags = c_int::try_from(key.flags).unwrap_or_default();
        // SAFETY: the caller vouches for the context, and the position is that of an argument.
        unsafe { api!(RedisModule_KeyAtPosWithFlags(context, key.position, flags)) };
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// A [`Spec`] in the server's form: arrays that end in a zeroed element.
struct Info {
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
    fn new(spec: &Spec) -> Self {
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
    fn raw(&mut self) -> raw::RedisModuleCommandInfo {
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
