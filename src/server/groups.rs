//! The consumer groups of a stream: listed and destroyed.

use egg_core::resp;
use egg_core::stream::Group;
use egg_core::values::error::{Error, Escaped};

use super::call::Call;
use super::core_command::CoreCommand;
use super::core_reply::CoreReply;
use super::log;
use super::string::OwnedString;

/// The consumer groups of a stream, as the server lists them.
#[derive(Debug)]
pub struct GroupList(Option<CoreReply>);

impl GroupList {
    /// Asks for the groups of the stream at a call's key: once per call, and never remembered. `WRONGTYPE` if there is
    /// something else at the key. Whatever else the server has to say is handed on.
    pub fn of(call: &Call<'_>) -> Result<Self, Error> {
        Self::at(call, 1)
    }

    /// The same for the key that is this argument of the call.
    pub fn at(call: &Call<'_>, argument: usize) -> Result<Self, Error> {
        let reply = call.groups(call.raw(argument));
        match resp::error(reply.bytes()) {
            None => Ok(Self(Some(reply))),
            Some(text) if text.starts_with(b"WRONGTYPE") => Err(Error::WrongType),
            Some(text) if text.starts_with(b"ERR no such key") => Ok(Self(None)),
            Some(text) => Err(Error::Core(text.to_vec())),
        }
    }

    /// The groups. None if there is no key.
    pub fn rows(&self) -> Result<Option<Vec<Group<'_>>>, Error> {
        match &self.0 {
            Some(reply) => resp::groups(reply.bytes()).map(Some).ok_or(Error::Internal),
            None => Ok(None),
        }
    }
}

/// Checks that the caller may run `XGROUP DESTROY` on the stream at a call's key.
pub fn require_destroy(call: &Call<'_>) -> Result<(), Error> {
    let destroy = call.string(b"DESTROY");
    call.require_permission(CoreCommand::Group, destroy.raw(), &[call.raw(1), call.raw(2)])
}

/// Destroys a group of the stream at a call's key.
pub fn destroy(call: &Call<'_>, group: &Group<'_>) {
    let words: [OwnedString; 2] = [b"DESTROY", group.name].map(|word| call.string(word));
    let [destroy, name] = words.each_ref().map(OwnedString::raw);
    call.run(CoreCommand::Group, destroy, &[call.raw(1), name]);
}

/// So many destroyed groups are named in the log, for each call: a client could flood it with groups that it made.
const NAMED: usize = 10;

/// Says in the log which groups were destroyed: what was pending in them is gone with them.
pub fn report_destroyed<'a>(call: &Call<'_>, groups: impl ExactSizeIterator<Item = &'a Group<'a>>) {
    let (key, total) = (Escaped(call.key()), groups.len());
    // SAFETY: the context of the running command.
    let say = |line: &str| unsafe { log::notice(call.context(), line) };
    for group in groups.take(NAMED) {
        let name = Escaped(group.name);
        say(&format!("destroyed group \"{name}\" of stream \"{key}\", with {} pending entries", group.pending));
    }
    if total > NAMED {
        say(&format!("destroyed {} more groups of stream \"{key}\"", total - NAMED));
    }
}
