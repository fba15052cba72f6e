use egg_core::requests::groupreap::GroupReapRequest;
use egg_core::rules::abandoned::{Dead, dead};
use egg_core::rules::guard::find_group;
use egg_core::values::error::Error;
use egg_core::values::reply::Reply;

use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::{self, GroupList};
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;

/// `EGG.GROUPREAP key group IDLE ms [MATCH pattern] [EMPTY] [FORCE] [DRYRUN]`
///
/// Destroys the consumer groups other than `group` that nobody uses any more: all of whose consumers have been idle for at
/// least `ms` milliseconds, and that have nothing pending.
///
/// - `MATCH`: only groups whose name matches this glob.
/// - `EMPTY`: groups without consumers, too. They get no grace period: one that was made at `$` a moment ago goes as well. One that
///   has read nothing (last-delivered-id 0-0) stays, as it may be waiting for its first worker; only FORCE with MATCH takes it.
/// - `FORCE`: groups with pending entries, too.
/// - `DRYRUN`: destroy nothing, only say what would be.
///
/// Idle time is counted from when this server was started, loaded or made master. It is evidence, not proof: a consumer that
/// blocks for longer than `ms`, or works for longer on one entry, looks dead.
///
/// Replies one row per group that was (or would be) destroyed: name, number of pending entries, lag (nil if unknown),
/// milliseconds idle (nil without consumers). The server's log names the first ten, and counts the others.
///
/// Errors, in order: `WRONGTYPE`; `ERR syntax error`, `ERR IDLE must be a positive integer`; `NOGROUP`; `NOPERM` if the caller
/// may not run XGROUP DESTROY on the key.
pub struct GroupReap;

impl Command for GroupReap {
    const SPEC: Spec = Spec {
        name: c"egg.groupreap",
        flags: c"write",
        acl_categories: "write stream slow",
        arity: -5,
        summary: c"Destroys the consumer groups of a stream that nobody uses any more.",
        complexity: c"O(G+C+P) with G the number of consumer groups, C the number of their consumers and P the number of pending entries destroyed.",
        since: c"0.1.0",
        calls: Some(&stats::GROUPREAP_CALLS),
        keys: &[Key::take(1)],
        arguments: &[
            Argument::key(c"key", 0),
            Argument::string(c"group"),
            Argument::integer_option(c"ms", c"IDLE"),
            Argument::pattern_option(c"pattern", c"MATCH").optional(),
            Argument::token(c"empty", c"EMPTY").optional(),
            Argument::token(c"force", c"FORCE").optional(),
            Argument::token(c"dryrun", c"DRYRUN").optional(),
        ],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let request = GroupReapRequest::parse(call)?;
        let all = list.rows()?.unwrap_or_default();
        let own = find_group(&all, call.key(), call.group())?.name;
        groups::require_destroy(call)?;
        let dead = dead(&ServerStream::new(call), &all, own, &request.criteria);
        if !request.dry_run {
            dead.iter().for_each(|dead| groups::destroy(call, &dead.group));
            groups::report_destroyed(call, dead.iter().map(|dead| &dead.group));
            stats::REAPED.add(dead.len());
        }
        Ok(Reply::Array(dead.iter().map(row).collect()))
    }
}

fn row(dead: &Dead<'_>) -> Reply {
    let integer = |value: u64| Reply::Integer(i64::try_from(value).unwrap_or(i64::MAX));
    Reply::Array(vec![
        Reply::Bulk(dead.group.name.to_vec()),
        integer(dead.group.pending),
        dead.group.lag.map_or(Reply::Nil, Reply::Integer),
        dead.idle.map_or(Reply::Nil, integer),
    ])
}
