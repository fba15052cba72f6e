//! The functions of the module API that EGG calls, all of which a server must have.

/// What this folder may call: a function that is not listed cannot be called, and a server that lacks one is refused.
macro_rules! functions {
    ($($function:ident)*) => {
        /// The functions themselves. The table of pointers is filled in when the module loads, before any code of EGG runs, and
        /// never changes after.
        pub mod table {
            pub use redis_module::raw::{$($function),*};
        }

        /// The functions that this server does not have.
        pub fn missing() -> impl Iterator<Item = &'static str> {
            // SAFETY: reads the table of pointers, which does not change any more.
            let present = unsafe { [$((stringify!($function), { table::$function }.is_some())),*] };
            present.into_iter().filter(|(_, present)| !present).map(|(name, _)| name)
        }
    };
}

functions! {
    RedisModule_ACLCheckKeyPermissions
    RedisModule_CachedMicroseconds
    RedisModule_Call
    RedisModule_CallReplyProto
    RedisModule_CloseKey
    RedisModule_CommandFilterArgDelete
    RedisModule_CommandFilterArgGet
    RedisModule_CommandFilterArgReplace
    RedisModule_CommandFilterArgsCount
    RedisModule_CreateCommand
    RedisModule_CreateString
    RedisModule_CreateTimer
    RedisModule_FreeCallReply
    RedisModule_FreeModuleUser
    RedisModule_FreeServerInfo
    RedisModule_FreeString
    RedisModule_GetApi
    RedisModule_GetCommand
    RedisModule_GetCurrentUserName
    RedisModule_GetModuleUserFromUserName
    RedisModule_GetServerInfo
    RedisModule_IsKeysPositionRequest
    RedisModule_KeyAtPosWithFlags
    RedisModule_LoadConfigs
    RedisModule_Log
    RedisModule_Milliseconds
    RedisModule_OpenKey
    RedisModule_RegisterCommandFilter
    RedisModule_RegisterInfoFunc
    RedisModule_Replicate
    RedisModule_ReplyWithArray
    RedisModule_ReplyWithError
    RedisModule_ReplyWithLongLong
    RedisModule_ReplyWithMap
    RedisModule_ReplyWithNull
    RedisModule_ReplyWithSimpleString
    RedisModule_ReplyWithStringBuffer
    RedisModule_ServerInfoGetFieldUnsigned
    RedisModule_SetCommandACLCategories
    RedisModule_SetCommandInfo
    RedisModule_SetModuleOptions
    RedisModule_StopTimer
    RedisModule_StreamIteratorNextField
    RedisModule_StreamIteratorNextID
    RedisModule_StreamIteratorStart
    RedisModule_StreamIteratorStop
    RedisModule_StreamTrimByID
    RedisModule_StringPtrLen
    RedisModule_SubscribeToServerEvent
}

/// Calls a function of the module API: `api!(RedisModule_X(arguments))`.
macro_rules! api {
    ($function:ident($($argument:expr),* $(,)?)) => {
        match $crate::server::api::table::$function {
            Some(function) => function($($argument),*),
            None => $crate::server::api::broken(concat!(stringify!($function), " is missing")),
        }
    };
}
pub(crate) use api;

/// Gives up on the running call, where the server broke a promise. The handler's `catch_unwind` makes an error reply of it:
/// the one thing that EGG must not do then is to go on and guess.
#[cold]
#[track_caller]
#[allow(clippy::panic)]
pub fn broken(promise: &'static str) -> ! {
    std::panic::panic_any(promise)
}
