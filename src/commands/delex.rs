use egg_core::requests::arguments::Dialect;
use egg_core::requests::ids::{IdsRequest, parse_ids, require_length};
use egg_core::rules::deletion::{ABSENT, delete_entries};
use egg_core::values::error::Error;
use egg_core::values::policy::{AckPolicy, DeletePolicy};
use egg_core::values::reply::Reply;

use super::arguments::{DELETE_POLICY, IDS};
use super::counting::{count_delete, count_policy};
use crate::config;
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;

/// `EGG.DELEX key [ACKED | KEEPREF | DELREF] IDS numids id [id ...]`
///
/// Deletes entries, acknowledged or not: by default (ACKED) only those that no consumer group needs any more.
///
/// Replies one integer per id, in order:
/// - `1`: deleted;
/// - `2`: not deleted: some group needs this id (ACKED only), whether there is such an entry or not;
/// - `-1`: there is no such entry, or it is named twice in the call. DELREF takes its id out of all pending entries lists.
///
/// Errors, in order: `WRONGTYPE`; `ERR syntax error`, `ERR Number of IDs …`, `ERR The numids …`; `ERR Invalid stream ID …`.
/// A missing key answers -1 for each id. As XDELEX in Redis 8.2 (spec-8.2, part 1.2), but for the default policy.
pub struct DelEx;

impl Command for DelEx {
    const SPEC: Spec = Spec {
        name: c"egg.delex",
        flags: c"write fast",
        acl_categories: "write stream fast",
        arity: -3,
        summary: c"Deletes entries of a stream that no consumer group needs any more.",
        complexity: c"O(N+G) with N the number of ids and G the number of consumer groups of the stream; O(N*G) if groups have pending entries among them.",
        since: c"0.1.0",
        calls: Some(&stats::DELEX_CALLS),
        keys: &[Key::delete(1)],
        arguments: &[Argument::key(c"key", 0), DELETE_POLICY, IDS],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        require_length(call, "egg.delex", 5, 2)?;
        let list = GroupList::of(call)?;
        let request = IdsRequest::parse(call, 2, Dialect::Egg, DeletePolicy::parse)?;
        let ids = parse_ids(call, request.block)?;
        let Some(groups) = list.rows()? else { return Ok(Reply::Integers(vec![ABSENT; ids.len()])) };
        let policy = request.policy.unwrap_or(DeletePolicy::Acked);
        count_policy(AckPolicy::Delete(policy));
        let outcome = delete_entries(&mut ServerStream::new(call), &groups, policy, &ids, config::keep_lag());
        count_delete(&outcome);
        Ok(Reply::Integers(outcome.replies))
    }
}
