use super::arguments::{DELETE_POLICY, TRIM};
use super::outcome::count_policy;
use crate::config;
use crate::error::Error;
use crate::policy::{AckPolicy, DeletePolicy};
use crate::reply::Reply;
use crate::request::Add;
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;
use crate::trim::{Manner, Trim, trim};

/// `EGG.ADD key [NOMKSTREAM] [ACKED | KEEPREF | DELREF] [MAXLEN | MINID [= | ~] threshold [LIMIT n]] <* | id> field value
/// [field value ...]`
///
/// Appends an entry, then trims: by default (ACKED) only what no consumer group needs any more.
///
/// Replies the id of the new entry; nil with NOMKSTREAM and no stream. Errors, in order: `WRONGTYPE`; those of XADD with
/// their texts; `NOPERM` if the caller may not run XADD on the key; those of XADD about the id's value.
///
/// An exact MAXLEN under ACKED does not walk a stream that lags behind on every call: the walk ends where the slowest group
/// stands, and after 1,000 pending entries; what is behind them is left to EGG.TRIM. As XADD in Redis 8.2 (spec-8.2, part 2) else.
pub struct AddCommand;

/// Pending entries that one call walks past: a few tenths of a millisecond.
pub const PATIENCE: u64 = 1_000;

impl Command for AddCommand {
    const SPEC: Spec = Spec {
        name: c"egg.add",
        flags: c"write deny-oom fast",
        acl_categories: "write stream fast",
        arity: -5,
        summary: c"Appends an entry to a stream, and trims what no consumer group needs any more.",
        complexity: c"O(1) when adding, O(G+N) when trimming with G the number of consumer groups and N the number of entries removed or passed over (at most 1000 of these).",
        since: c"0.1.0",
        keys: &[Key::update(1)],
        arguments: &[
            Argument::key(c"key", 0),
            Argument::token(c"nomkstream", c"NOMKSTREAM").optional(),
            DELETE_POLICY,
            TRIM,
            Argument::one_of(c"id-selector", &[Argument::token(c"auto-id", c"*"), Argument::string(c"id")]),
            Argument::group(c"data", &[Argument::string(c"field"), Argument::string(c"value")]).multiple(),
        ],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let request = Add::parse(call, "egg.add")?;
        ServerStream::new(call).require_xadd(request.id)?;
        let manner = Manner { keep_lag: config::keep_lag(), tidy: true, patience: PATIENCE };
        run_add(call, &list, &request, DeletePolicy::Acked, &manner)
    }
}

/// Adds as requested: the part that EGG.ADD and XADD have in common.
pub fn run_add(
    call: &Call<'_>,
    list: &GroupList,
    request: &Add,
    default: DeletePolicy,
    manner: &Manner,
) -> Result<Reply, Error> {
    stats::ADD_CALLS.add(1);
    let mut stream = ServerStream::new(call);
    let plan = Trim::new(&request.trim, default);
    count_policy(AckPolicy::Delete(plan.policy));
    let groups = list.rows()?.unwrap_or_default();
    // Where no group has a say, the core adds and trims in one go.
    if plan.policy == DeletePolicy::KeepRef || groups.is_empty() {
        let by_core = plan.threshold.map(|threshold| (threshold, plan.exactness));
        return stream.add(request.id, request.nomkstream, by_core);
    }
    let id = stream.add(request.id, request.nomkstream, None)?;
    if plan.threshold.is_some() {
        stats::TRIMMED.add(trim(&mut stream, &groups, &plan, manner));
    }
    Ok(id)
}
