use egg_core::requests::ackdel::AckDelRequest;
use egg_core::requests::ids::{parse_ids, require_length};
use egg_core::rules::deletion::ack_delete;
use egg_core::rules::guard::find_group;
use egg_core::values::error::Error;
use egg_core::values::reply::Reply;

use super::admission::admit;
use super::arguments::{ACK_POLICY, IDS, OWNER};
use super::counting::count_ack_delete;
use crate::config;
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
pub struct AckDel;

impl Command for AckDel {
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
        let request = AckDelRequest::parse(call)?;
        let ids = parse_ids(call, request.block.clone())?;
        let groups = list.rows()?.unwrap_or_default();
        let own = find_group(&groups, call.key(), call.group())?.name;
        let plan = request.plan(own, config::default_policy(), config::keep_lag());
        admit(call, &groups, own, plan.policy, &stats::ACKDEL_REFUSED)?;
        let outcome = ack_delete(&mut ServerStream::new(call), &groups, &plan, &ids);
        count_ack_delete(&outcome);
        Ok(Reply::Integers(outcome.replies))
    }
}
