//! Redis 8.2's own names on servers that lack them: `XACKDEL`, `XDELEX`, and `XADD` and `XTRIM` with `KEEPREF`, `DELREF` or
//! `ACKED`. Only with `egg.native-names yes`.
//!
//! The first two are commands like any other. `XADD` and `XTRIM` are the core's own: a command filter sees each call before
//! it is looked up, takes out the words that the core does not know where that is enough, and else changes the name to that of
//! a hidden command, [`XAdd`] or [`XTrim`], which speaks 8.2's grammar.

use egg_core::requests::add::AddRequest;
use egg_core::requests::arguments::Dialect;
use egg_core::requests::ids::{IdsRequest, parse_ids};
use egg_core::requests::trim::TrimRequest;
use egg_core::rules::deletion::{ABSENT, AckDelete, ack_delete, delete_entries};
use egg_core::rules::trimming::plan::Style;
use egg_core::values::error::Error;
use egg_core::values::policy::{AckPolicy, DeletePolicy};
use egg_core::values::reply::Reply;

use super::add::{self, Ungrouped};
use super::arguments::IDS;
use super::{counting, trim};
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;

/// `[KEEPREF | DELREF | ACKED]`, as 8.2 documents it.
const CONDITION: Argument = Argument::one_of(
    c"condition",
    &[
        Argument::token(c"keepref", c"KEEPREF"),
        Argument::token(c"delref", c"DELREF"),
        Argument::token(c"acked", c"ACKED"),
    ],
)
.optional();

/// A trim by 8.2 and 8.6 leaves no mark in max-deleted-entry-id, and so no lag turns null: what XDEL turns null here is mended.
/// No dangling reference is dropped, no empty node freed.
const TRIM_AS_8_6: Style = Style { keep_lag: true, thorough: false, most_passed: u64::MAX };

/// A deletion by 8.2 turns lag null where XDEL does.
const KEEP_LAG: bool = false;

/// `XACKDEL key group [KEEPREF | DELREF | ACKED] IDS numids id [id ...]`, as in Redis 8.2 (spec-8.2, part 1.1).
///
/// Replies as EGG.ACKDEL with that policy, but -1 for each id where the key or the group is missing, ids unread.
pub struct XAckDel;

impl Command for XAckDel {
    const SPEC: Spec = Spec {
        name: c"xackdel",
        flags: c"write fast",
        acl_categories: "write stream fast",
        arity: -6,
        summary: c"Acknowledges and deletes one or multiple messages for a stream consumer group.",
        complexity: c"O(1) for each message ID processed.",
        since: c"8.2.0",
        calls: Some(&stats::ACKDEL_CALLS),
        keys: &[Key::delete(1)],
        arguments: &[Argument::key(c"key", 0), Argument::string(c"group"), CONDITION, IDS],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let request = IdsRequest::parse(call, 3, Dialect::Native, DeletePolicy::parse)?;
        let groups = list.rows()?.unwrap_or_default();
        let Some(own) = groups.iter().find(|group| group.name == call.group()) else {
            return Ok(Reply::Integers(vec![ABSENT; request.block.len()]));
        };
        let ids = parse_ids(call, request.block)?;
        let policy = AckPolicy::Delete(request.policy.unwrap_or(DeletePolicy::KeepRef));
        counting::count_policy(policy);
        let how = AckDelete { group: own.name, policy, owner: None, keep_lag: KEEP_LAG };
        let outcome = ack_delete(&mut ServerStream::new(call), &groups, &how, &ids);
        counting::count_ack_delete(&outcome);
        Ok(Reply::Integers(outcome.replies))
    }
}

/// `XDELEX key [KEEPREF | DELREF | ACKED] IDS numids id [id ...]`, as in Redis 8.2 (spec-8.2, part 1.2).
///
/// Replies as EGG.DELEX with that policy, but -1 for each id where the key is missing, ids unread.
pub struct XDelEx;

impl Command for XDelEx {
    const SPEC: Spec = Spec {
        name: c"xdelex",
        flags: c"write fast",
        acl_categories: "write stream fast",
        arity: -5,
        summary: c"Deletes one or multiple entries from the stream.",
        complexity: c"O(1) for each single item to delete in the stream, regardless of the stream size.",
        since: c"8.2.0",
        calls: Some(&stats::DELEX_CALLS),
        keys: &[Key::delete(1)],
        arguments: &[Argument::key(c"key", 0), CONDITION, IDS],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let request = IdsRequest::parse(call, 2, Dialect::Native, DeletePolicy::parse)?;
        let Some(groups) = list.rows()? else {
            return Ok(Reply::Integers(vec![ABSENT; request.block.len()]));
        };
        let ids = parse_ids(call, request.block)?;
        let policy = request.policy.unwrap_or(DeletePolicy::KeepRef);
        counting::count_policy(AckPolicy::Delete(policy));
        let outcome = delete_entries(&mut ServerStream::new(call), &groups, policy, &ids, KEEP_LAG);
        counting::count_delete(&outcome);
        Ok(Reply::Integers(outcome.replies))
    }
}

/// `EGG.XADD`: what `XADD` becomes when it asks for ACKED or DELREF. Not for direct use.
///
/// Replies and errors are those of XADD in Redis 8.2 (spec-8.2, part 2); `NOPERM` comes first, as it would there.
pub struct XAdd;

impl Command for XAdd {
    const SPEC: Spec = Spec {
        name: c"egg.xadd",
        flags: c"write deny-oom fast",
        acl_categories: "write stream fast",
        arity: -2,
        summary: c"What XADD with a policy becomes under egg.native-names. Not for direct use.",
        complexity: c"As EGG.ADD.",
        since: c"0.1.0",
        calls: Some(&stats::ADD_CALLS),
        keys: &[Key::update(1)],
        arguments: &[Argument::key(c"key", 0), Argument::string(c"argument").multiple()],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let stream = ServerStream::new(call);
        stream.require_xadd(2)?;
        let request = AddRequest::parse(call, "xadd")?;
        if stream.require_stream() == Err(Error::WrongType) {
            // The core refuses it, and knows whether WRONGTYPE or the id's value comes first.
            return stream.add(request.id, request.nomkstream, None);
        }
        let style = Style { most_passed: add::MOST_PASSED, ..TRIM_AS_8_6 };
        add::run_add(call, &request, DeletePolicy::KeepRef, style, Ungrouped::IsTrimmed)
    }
}

/// `EGG.XTRIM`: what `XTRIM` becomes when it asks for ACKED or DELREF. Not for direct use.
///
/// Replies and errors are those of XTRIM in Redis 8.2 (spec-8.2, part 2); `NOPERM` comes first, as it would there.
pub struct XTrim;

impl Command for XTrim {
    const SPEC: Spec = Spec {
        name: c"egg.xtrim",
        flags: c"write",
        acl_categories: "write stream slow",
        arity: -2,
        summary: c"What XTRIM with a policy becomes under egg.native-names. Not for direct use.",
        complexity: c"As EGG.TRIM.",
        since: c"0.1.0",
        calls: Some(&stats::TRIM_CALLS),
        keys: &[Key::delete(1)],
        arguments: &[Argument::key(c"key", 0), Argument::string(c"argument").multiple()],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        ServerStream::new(call).require_xtrim()?;
        let request = TrimRequest::parse(call, Dialect::Native)?;
        let list = GroupList::of(call)?;
        trim::run_trim(call, &list, &request, DeletePolicy::KeepRef, TRIM_AS_8_6)
    }
}
