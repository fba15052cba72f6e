//! What a caller may see.

use super::api::api;
use super::call::Call;
use super::string::OwnedString;

/// Whether the caller may read what is in the key of a call. A call that comes from another module has no user, and may.
pub fn may_read(call: &Call<'_>) -> bool {
    // SAFETY: the context of the running command; the server answers null where there is no user.
    let name = unsafe { api!(RedisModule_GetCurrentUserName(call.context())) };
    if name.is_null() {
        return true;
    }
    // SAFETY: the name is a string that the server made for EGG; the user is a handle that is freed below, and null if the user
    // is gone; the key is an argument of the running call.
    unsafe {
        let name = OwnedString::adopt(call.context(), name);
        let user = api!(RedisModule_GetModuleUserFromUserName(name.raw().as_ptr()));
        if user.is_null() {
            return false;
        }
        let flags = redis_module::raw::REDISMODULE_CMD_KEY_ACCESS as std::ffi::c_int;
        let allowed = api!(RedisModule_ACLCheckKeyPermissions(user, call.raw(1).as_ptr(), flags)) == 0;
        api!(RedisModule_FreeModuleUser(user));
        allowed
    }
}
