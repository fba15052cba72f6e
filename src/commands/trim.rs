use egg_core::requests::arguments::Dialect;
use egg_core::requests::trim::TrimRequest;
use egg_core::rules::trimming::plan::Style;
use egg_core::rules::trimming::trim;
use egg_core::values::error::Error;
use egg_core::values::policy::{AckPolicy, DeletePolicy};
use egg_core::values::reply::Reply;

use super::arguments::{DELETE_POLICY, LIMIT, THRESHOLD};
use super::counting::count_policy;
use crate::config;
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;

/// `EGG.TRIM key [ACKED | KEEPREF | DELREF] [MAXLEN | MINID [= | ~] threshold] [LIMIT n] [IGNOREIDLE ms]`
///
/// Removes entries from the front of a stream: by default (ACKED) only those that no consumer group needs any more, passing
/// over those that one does. Without a threshold it is the janitor: whatever no group needs goes; a stream without groups is
/// not touched.
///
/// - `~` removes whole nodes only, and stops before the first entry that is needed. `LIMIT n` goes with it, or with the
///   janitor, which then removes at most so many entries.
/// - `IGNOREIDLE ms` (ACKED only): groups all of whose consumers have been idle for at least so many milliseconds do not
///   count, and what they had pending among the removed entries is taken out of their lists. A group without consumers always
///   counts, and one group always does. Idle time is counted from when this server was started, loaded or made master.
///
/// Replies the number of entries removed. Errors, in order: `WRONGTYPE`; those of XTRIM with their texts, and `ERR IGNOREIDLE
/// must be a positive integer`; `NOPERM` if the caller may not run XTRIM on the key. A missing key answers 0.
///
/// As XTRIM in Redis 8.2 (spec-8.2, part 2), but for the default policy and 8.2.3's own faults (part 4).
pub struct Trim;

impl Command for Trim {
    const SPEC: Spec = Spec {
        name: c"egg.trim",
        flags: c"write",
        acl_categories: "write stream slow",
        arity: -2,
        summary: c"Removes the entries of a stream that no consumer group needs any more.",
        complexity: c"O(G+N) with G the number of consumer groups and N the number of nodes removed from the front, plus O(M) with M the number of entries visited behind the first one that is needed.",
        since: c"0.1.0",
        calls: Some(&stats::TRIM_CALLS),
        keys: &[Key::delete(1)],
        arguments: &[
            Argument::key(c"key", 0),
            DELETE_POLICY,
            THRESHOLD,
            LIMIT,
            Argument::integer_option(c"ms", c"IGNOREIDLE").optional(),
        ],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let request = TrimRequest::parse(call, Dialect::Egg)?;
        run_trim(call, &list, &request, DeletePolicy::Acked, style(u64::MAX))
    }
}

/// How EGG's own commands trim. One that is about something else passes over few needed entries.
pub fn style(most_passed: u64) -> Style {
    Style { keep_lag: config::keep_lag(), thorough: true, most_passed }
}

/// Trims as requested: the part that EGG.TRIM and XTRIM have in common.
pub fn run_trim(
    call: &Call<'_>,
    list: &GroupList,
    request: &TrimRequest,
    default: DeletePolicy,
    style: Style,
) -> Result<Reply, Error> {
    let mut stream = ServerStream::new(call);
    stream.require_xtrim()?;
    let Some(groups) = list.rows()? else { return Ok(Reply::Integer(0)) };
    let plan = request.plan(default, style);
    count_policy(AckPolicy::Delete(plan.policy));
    let removed = trim(&mut stream, &groups, &plan).removed;
    stats::TRIMMED.add(removed);
    Ok(Reply::Integer(i64::try_from(removed).unwrap_or(i64::MAX)))
}
