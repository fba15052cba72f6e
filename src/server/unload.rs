//! Unloading the module: is it safe.

use redis_module::{Context, Status};

use super::call::CallReply;
use super::{api, log};
use crate::resp::{Reader, Token};

/// Refuses to be unloaded while an ACL user has a rule about one of EGG's commands by name.
///
/// Redis 7.4 and 8.2 work all users' rules out again once the commands are gone, and abort on one that names a command that
/// they do not know any more. Rules about the category `@egg` are no trouble; Valkey 9.1 looks by itself.
pub fn may_unload(context: &Context) -> Status {
    // SAFETY: the context of the unload; the format names one C string, and one follows.
    let reply = unsafe {
        CallReply::new(api!(RedisModule_Call(context.ctx, c"ACL".as_ptr(), c"Ec".as_ptr(), c"LIST".as_ptr())))
    };
    let mut reader = Reader::new(reply.bytes());
    while let Some(token) = reader.token() {
        if matches!(token, Token::Text(user) if names_a_command(user)) {
            let line = "EGG was not unloaded: an ACL user has a rule that names one of its commands, on which the server \
                        would abort. Take such rules away first; rules about @egg may stay";
            // SAFETY: the context of the unload.
            unsafe { log::warning(context.ctx, line) };
            return Status::Err;
        }
    }
    Status::Ok
}

/// Whether a line of ACL LIST has a rule such as `+egg.trim` or `-xackdel`. Native names are EGG's commands only where the
/// server lacks them; a rule about them elsewhere is no reason to go, but unloading can wait for it.
fn names_a_command(user: &[u8]) -> bool {
    user.split(|byte| matches!(byte, b' ' | b'(' | b')')).any(|word| match word {
        [b'+' | b'-', command @ ..] => {
            let begins = |name: &[u8]| command.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
            begins(b"egg.") || begins(b"xackdel") || begins(b"xdelex")
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::names_a_command;

    #[test]
    fn finds_rules_about_commands_in_selectors_too() {
        for user in
            ["user a on +egg.trim", "user a on ~* -@all -EGG.ADD", "user a on (%R~x +egg.pins)", "user a +xackdel"]
        {
            assert!(names_a_command(user.as_bytes()), "{user}");
        }
        for user in
            ["user default on nopass sanitize-payload ~* &* +@all", "user a on ~egg.* +@egg -@all", "user egg. on"]
        {
            assert!(!names_a_command(user.as_bytes()), "{user}");
        }
    }
}
