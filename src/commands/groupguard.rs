use crate::error::Error;
use crate::policy;
use crate::reply::Reply;
use crate::resp;
use crate::server::call::Call;
use crate::server::command::{Argument, Command, Spec, key};
use crate::server::stream::groups_of;
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
        keys: &[key::RO_ACCESS],
        arguments: &[Argument::key(c"key", 0), Argument::string(c"group")],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        stats::GROUPGUARD_CALLS.add(1);
        let info = groups_of(call)?;
        let groups =
            info.as_ref().map_or(Some(Vec::new()), |info| resp::groups(info.bytes())).ok_or(Error::Internal)?;
        let own = policy::find_group(&groups, call.key(), call.group())?.name;
        policy::require_sole_group(&groups, own).inspect_err(|_| stats::GROUPGUARD_REFUSED.add(1))?;
        Ok(Reply::Ok)
    }
}
