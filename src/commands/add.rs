use egg_core::requests::add::AddRequest;
use egg_core::rules::trimming::plan::Style;
use egg_core::rules::trimming::trim;
use egg_core::values::error::Error;
use egg_core::values::policy::{AckPolicy, DeletePolicy};
use egg_core::values::reply::Reply;

use super::arguments::{DELETE_POLICY, TRIM};
use super::counting::count_policy;
use super::trim::style;
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;

/// `EGG.ADD key [NOMKSTREAM] [ACKED | KEEPREF | DELREF] [MAXLEN | MINID [= | ~] threshold [LIMIT n]] <* | id> field value
/// [field value ...]`
///
/// Appends an entry, then trims: by default (ACKED) only what no consumer group needs any more.
///
/// Replies the id of the new entry; nil with NOMKSTREAM and no stream. Errors, in order: `WRONGTYPE`; those of XADD with
/// their texts; `NOPERM` if the caller may not run XADD on the key; those of XADD about the id's value.
///
/// Under ACKED a stream that has no group is not trimmed: what comes before the worker is its backlog. A call passes over at
/// most 1,000 pending entries, and looks at none that the slowest group has not read; what is behind them is left to EGG.TRIM.
/// Else as XADD in Redis 8.6 (spec-8.2, part 2, but for `~`).
pub struct Add;

/// Needed entries that one call passes over: a few tenths of a millisecond.
pub const MOST_PASSED: u64 = 1_000;

impl Command for Add {
    const SPEC: Spec = Spec {
        name: c"egg.add",
        flags: c"write deny-oom fast",
        acl_categories: "write stream fast",
        arity: -5,
        summary: c"Appends an entry to a stream, and trims what no consumer group needs any more.",
        complexity: c"O(1) when adding, O(G+N) when trimming with G the number of consumer groups and N the number of entries removed or passed over (at most 1000 of these).",
        since: c"0.1.0",
        calls: Some(&stats::ADD_CALLS),
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
        let stream = ServerStream::new(call);
        stream.require_stream()?;
        let request = AddRequest::parse(call, "egg.add")?;
        stream.require_xadd(request.id)?;
        run_add(call, &request, DeletePolicy::Acked, style(MOST_PASSED), Ungrouped::Stays)
    }
}

/// What becomes of a stream that no group reads, under ACKED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ungrouped {
    /// It is not trimmed: a worker that comes later finds its backlog.
    Stays,
    /// It is trimmed, as in 8.2: nobody needs anything.
    IsTrimmed,
}

/// Adds as requested: the part that EGG.ADD and XADD have in common.
pub fn run_add(
    call: &Call<'_>,
    request: &AddRequest,
    default: DeletePolicy,
    style: Style,
    ungrouped: Ungrouped,
) -> Result<Reply, Error> {
    let mut stream = ServerStream::new(call);
    let plan = request.trim.plan(default, style);
    count_policy(AckPolicy::Delete(plan.policy));
    // Where no group has a say, the core adds and trims in one go.
    if plan.policy == DeletePolicy::KeepRef {
        let by_core = plan.threshold.map(|threshold| (threshold, plan.exactness));
        return stream.add(request.id, request.nomkstream, by_core);
    }
    let id = stream.add(request.id, request.nomkstream, None)?;
    if plan.threshold.is_some() {
        // Looked up only now: another module may make a group when it hears of the new entry. Where they cannot be told, nothing
        // is trimmed.
        let Ok(list) = GroupList::of(call) else { return Ok(id) };
        let Ok(Some(groups)) = list.rows() else { return Ok(id) };
        if !groups.is_empty() || plan.policy != DeletePolicy::Acked || ungrouped == Ungrouped::IsTrimmed {
            let trimmed = trim(&mut stream, &groups, &plan);
            stats::TRIMMED.add(trimmed.removed);
            stats::ADD_TRIMS_STOPPED.add(usize::from(trimmed.cut_short));
        }
    }
    Ok(id)
}
