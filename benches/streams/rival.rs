//! The ways to acknowledge entries and delete them.

use crate::wire::{Packed, Wire};
use egg_testkit::client::Reply;

/// The guard and the replies of EGG.ACKDEL, as well as a script can: refuses if there is another group, tells of each id
/// whether it was pending, deletes what was.
const SCRIPT: &str = "
local groups = redis.call('XINFO', 'GROUPS', KEYS[1])
if #groups ~= 1 or groups[1][2] ~= ARGV[1] then
    return redis.error_reply('FOREIGNGROUP the stream has other consumer groups')
end
local replies, acked = {}, {}
for index = 2, #ARGV do
    if redis.call('XACK', KEYS[1], ARGV[1], ARGV[index]) == 1 then
        replies[index - 1] = 1
        acked[#acked + 1] = ARGV[index]
    else
        replies[index - 1] = -1
    end
end
if #acked > 0 then
    redis.call('XDEL', KEYS[1], unpack(acked))
end
return replies
";

/// A way to acknowledge entries and delete them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    Egg,
    /// No guard, and only the number of ids that were pending for a reply.
    Multi,
    Lua,
    /// Redis 8.2's own: keeps what other groups need, refuses nothing.
    Native,
}

impl Rival {
    pub const ALL: [Self; 4] = [Self::Egg, Self::Multi, Self::Lua, Self::Native];

    pub fn name(self) -> &'static str {
        match self {
            Self::Egg => "EGG.ACKDEL",
            Self::Multi => "MULTI, XACK, XDEL, EXEC",
            Self::Lua => "Lua script with guard",
            Self::Native => "native XACKDEL",
        }
    }
}

/// What a server has to know before the calls.
pub struct Prepared {
    sha: String,
}

impl Prepared {
    pub fn on(wire: &mut Wire) -> Self {
        Self { sha: wire.run(&["SCRIPT", "LOAD", SCRIPT]).text() }
    }

    /// Adds the commands that acknowledge and delete some ids.
    pub fn pack(&self, packed: &mut Packed, rival: Rival, key: &str, ids: &[String]) {
        let count = ids.len().to_string();
        let ids = || ids.iter().map(String::as_str);
        match rival {
            Rival::Egg => packed.add(["EGG.ACKDEL", key, "g", "IDS", &count].into_iter().chain(ids())),
            Rival::Multi => {
                packed.add(["MULTI"]);
                packed.add(["XACK", key, "g"].into_iter().chain(ids()));
                packed.add(["XDEL", key].into_iter().chain(ids()));
                packed.add(["EXEC"]);
            }
            Rival::Lua => packed.add(["EVALSHA", &self.sha, "1", key, "g"].into_iter().chain(ids())),
            Rival::Native => packed.add(["XACKDEL", key, "g", "ACKED", "IDS", &count].into_iter().chain(ids())),
        }
    }
}

/// How many ids a reply says were acknowledged. Panics at anything that should not happen in a measurement.
pub fn acknowledged(rival: Rival, reply: &Reply) -> usize {
    match (rival, reply) {
        (Rival::Multi, Reply::Text(_)) => 0,
        (Rival::Multi, Reply::Array(results)) => match results.as_slice() {
            [Reply::Integer(acked), Reply::Integer(deleted)] if acked == deleted => *acked as usize,
            other => panic!("{rival:?}: {other:?}"),
        },
        (_, Reply::Array(replies)) if replies.iter().all(|reply| *reply == 1) => replies.len(),
        (_, other) => panic!("{rival:?}: {other:?}"),
    }
}
