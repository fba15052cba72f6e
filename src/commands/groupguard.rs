use egg_core::rules::guard::{admit, find_group};
use egg_core::values::error::Error;
use egg_core::values::policy::AckPolicy;
use egg_core::values::reply::Reply;

use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::stats;

/// `EGG.GROUPGUARD key group`
///
/// The check that EGG.ACKDEL makes under REJECT, on its own: for a worker that starts. Changes nothing; runs on replicas.
///
/// Replies `OK` if `group` is the only consumer group of the stream. Errors: `WRONGTYPE`; `NOGROUP` if the key or the group
/// is missing; `FOREIGNGROUP` if there are others. Units: none. It says what is true now: EGG.ACKDEL looks again each time.
pub struct GroupGuard;

impl Command for GroupGuard {
    const SPEC: Spec = Spec {
        name: c"egg.groupguard",
        flags: c"readonly fast",
        acl_categories: "read stream fast",
        arity: 3,
        summary: c"Checks that a consumer group is the only one of its stream.",
        complexity: c"O(G) with G the number of consumer groups of the stream.",
        since: c"0.1.0",
        calls: Some(&stats::GROUPGUARD_CALLS),
        keys: &[Key::read(1)],
        arguments: &[Argument::key(c"key", 0), Argument::string(c"group")],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let groups = list.rows()?.unwrap_or_default();
        let own = find_group(&groups, call.key(), call.group())?.name;
        let Err(others) = admit(&groups, own, AckPolicy::Reject) else { return Ok(Reply::Ok) };
        stats::GROUPGUARD_REFUSED.add(1);
        Err(Error::NotAlone { key: call.key().to_vec(), group: own.to_vec(), others })
    }
}
