//! Unloading the module: is it safe.
//!
//! The servers keep pointers to the commands of a module after it is gone. Both checks refuse what would follow one.

use redis_module::{Context, Status};

use super::call::CallReply;
use super::{api, load, log};
use crate::resp::{Reader, Token};

/// Refuses to be unloaded while an ACL user has a rule about one of EGG's commands by name, or while a connected client has
/// sent one of them last.
///
/// Redis 7.4 and 8.2 work all users' rules out again once the commands are gone, and abort on one that names a command that
/// they do not know any more. Rules about the category `@egg` are no trouble; Valkey 9.1 looks by itself.
///
/// Every server remembers the last command of each client for CLIENT LIST, and Redis 8.2 runs it without looking it up when
/// the client sends the same name again: it jumps into the code that was unloaded.
pub fn may_unload(context: &Context) -> Status {
    let refusals = [
        (
            c"ACL",
            names_a_command as fn(&[u8], bool) -> bool,
            "an ACL user has a rule that names one of its commands, on which the server would abort. Take such rules away \
             first; rules about @egg may stay",
        ),
        (
            c"CLIENT",
            called_last,
            "a connected client has called it last, and the server could crash when that client calls it again. Stop such \
             clients first, or send CLIENT KILL TYPE normal SKIPME yes and MODULE UNLOAD in one go",
        ),
    ];
    let has_native_names = load::has_native_names();
    for (command, forbids, reason) in refusals {
        // SAFETY: the context of the unload; the format names one C string, and one follows.
        let reply = unsafe {
            CallReply::new(api!(RedisModule_Call(context.ctx, command.as_ptr(), c"Ec".as_ptr(), c"LIST".as_ptr())))
        };
        let mut reader = Reader::new(reply.bytes());
        while let Some(token) = reader.token() {
            let forbids = |line: &[u8]| forbids(line, has_native_names);
            if matches!(token, Token::Text(text) if text.split(|byte| *byte == b'\n').any(forbids)) {
                // SAFETY: the context of the unload.
                unsafe { log::warning(context.ctx, &format!("EGG was not unloaded: {reason}")) };
                return Status::Err;
            }
        }
    }
    Status::Ok
}

/// Whether a line of ACL LIST has a rule such as `+egg.trim`, or `-xackdel` where that name is EGG's.
fn names_a_command(user: &[u8], has_native_names: bool) -> bool {
    user.split(|byte| matches!(byte, b' ' | b'(' | b')')).any(|word| match word {
        [b'+' | b'-', command @ ..] => is_ours(command, has_native_names),
        _ => false,
    })
}

/// Whether a line of CLIENT LIST is about a client whose last command is EGG's.
fn called_last(client: &[u8], has_native_names: bool) -> bool {
    let command = |word: &'_ [u8]| word.strip_prefix(b"cmd=").is_some_and(|command| is_ours(command, has_native_names));
    client.split(|byte| *byte == b' ').any(command)
}

fn is_ours(command: &[u8], has_native_names: bool) -> bool {
    let begins = |name: &[u8]| command.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    begins(b"egg.") || has_native_names && (begins(b"xackdel") || begins(b"xdelex"))
}

#[cfg(test)]
mod tests {
    use super::{called_last, names_a_command};

    #[test]
    fn finds_clients_whose_last_command_is_eggs() {
        for client in ["id=3 name= cmd=egg.ackdel user=default", "id=3 cmd=xackdel"] {
            assert!(called_last(client.as_bytes(), true), "{client}");
        }
        for client in ["id=3 name=cmd=egg.trim cmd=module|unload user=egg.trim", "id=4 cmd=NULL", ""] {
            assert!(!called_last(client.as_bytes(), true), "{client}");
        }
    }

    #[test]
    fn finds_rules_about_commands_in_selectors_too() {
        for user in
            ["user a on +egg.trim", "user a on ~* -@all -EGG.ADD", "user a on (%R~x +egg.pins)", "user a +xackdel"]
        {
            assert!(names_a_command(user.as_bytes(), true), "{user}");
        }
        for user in
            ["user default on nopass sanitize-payload ~* &* +@all", "user a on ~egg.* +@egg -@all", "user egg. on"]
        {
            assert!(!names_a_command(user.as_bytes(), true), "{user}");
        }
    }

    #[test]
    fn leaves_names_alone_that_the_server_has_of_its_own() {
        assert!(!called_last(b"id=3 cmd=xackdel", false) && called_last(b"id=3 cmd=egg.add", false));
        assert!(!names_a_command(b"user a +xdelex", false) && names_a_command(b"user a +egg.add", false));
    }
}
