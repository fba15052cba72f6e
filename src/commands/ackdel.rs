use super::arguments::{ACK_POLICY, IDS, OWNER};
use super::guard::admit;
use super::outcome::count_ack_delete;
use crate::config;
use crate::deletion::{AckDelete, ack_delete};
use crate::error::Error;
use crate::policy::find_group;
use crate::reply::Reply;
use crate::request::{AckDel, parse_ids, require_length};
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;

/// `EGG.ACKDEL key group [REJECT | ACKONLY | ACKED | KEEPREF | DELREF] [OWNER consumer] IDS numids id [id ...]`
///
/// Acknowledges entries in a consumer group and deletes them from the stream, in one step. The policy (default:
/// `egg.default-policy`) says what happens when other groups exist.
///
/// Replies one integer per id, in order:
/// - `1`: acknowledged, and the entry is gone: deleted now, or it had been before and no group needs it;
/// - `2`: acknowledged, and the entry stays, since a group needs it or the policy says so;
/// - `0`: pending, but with another consumer than OWNER; untouched in every group. OWNER never creates the consumer;
/// - `-1`: not pending in this group, and untouched: acknowledged before, read with NOACK, never delivered, never existed,
///   or named twice in the call.
///
/// Errors, in the order in which they are looked for: `WRONGTYPE`; `ERR syntax error`, `ERR Number of IDs …` and `ERR The
/// numids …`, from left to right; `ERR Invalid stream ID …`; `NOGROUP` if the key or the group is missing; `FOREIGNGROUP`
/// if there are other groups and the policy is REJECT. An error means that nothing has changed.
///
/// The semantics of the last three policies, and the texts, are those of XACKDEL in Redis 8.2 (spec-8.2, part 1).
pub struct AckDelCommand;

impl Command for AckDelCommand {
    const SPEC: Spec = Spec {
        name: c"egg.ackdel",
        flags: c"write fast",
        acl_categories: "write stream fast",
        arity: -4,
        summary: c"Acknowledges and deletes entries of a stream, unless another consumer group needs them.",
        complexity: c"O(N+G) with N the number of ids and G the number of consumer groups of the stream. With ACKED and DELREF, O(N*G).",
        since: c"0.1.0",
        calls: Some(&stats::ACKDEL_CALLS),
        keys: &[Key::delete(1)],
        arguments: &[Argument::key(c"key", 0), Argument::string(c"group"), ACK_POLICY, OWNER, IDS],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        require_length(call, "egg.ackdel", 6, 3)?;
        let list = GroupList::of(call)?;
        let request = AckDel::parse(call)?;
        let ids = parse_ids(call, request.block)?;
        let groups = list.rows()?.unwrap_or_default();
        let own = find_group(&groups, call.key(), call.group())?.name;
        let policy = request.policy.unwrap_or_else(config::default_policy);
        admit(call, &groups, own, policy, &stats::ACKDEL_REFUSED)?;
        let how = AckDelete { group: own, policy, owner: request.owner, keep_lag: config::keep_lag() };
        let outcome = ack_delete(&mut ServerStream::new(call), &groups, &how, &ids);
        count_ack_delete(&outcome);
        Ok(Reply::Integers(outcome.replies))
    }
}
