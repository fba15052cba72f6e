//! Redis 8.2's own names on servers that lack them: `XACKDEL`, `XDELEX`, and `XADD` and `XTRIM` with `KEEPREF`, `DELREF` or
//! `ACKED`. Only with `egg.native-names yes`.
//!
//! The first two are commands like any other. `XADD` and `XTRIM` are the core's own: a command filter sees each call before
//! it is looked up, takes out the words that the core does not know where that is enough, and else changes the name to that of
//! a hidden command, [`XAdd`] or [`XTrim`], which speaks 8.2's grammar.

use crate::commands::add::{self, Ungrouped};
use crate::commands::{outcome, trim};
use crate::deletion::{ABSENT, AckDelete, ack_delete, delete_entries};
use crate::error::Error;
use crate::policy::{AckPolicy, DeletePolicy};
use crate::reply::Reply;
use crate::request::{Add, Arguments, Dialect, Ids, TrimRequest, parse_ids};
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;
use crate::trim::Manner;

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
const TRIM_AS_8_6: Manner = Manner { keep_lag: true, tidy: false, patience: u64::MAX };

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
        arguments: &[Argument::key(c"key", 0), Argument::string(c"group"), CONDITION, crate::commands::arguments::IDS],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let request = Ids::parse(call, 3, Dialect::Native, DeletePolicy::parse)?;
        let groups = list.rows()?.unwrap_or_default();
        let Some(own) = groups.iter().find(|group| group.name == call.group()) else {
            return Ok(Reply::Integers(vec![ABSENT; request.block.len()]));
        };
        let ids = parse_ids(call, request.block)?;
        let policy = AckPolicy::Delete(request.policy.unwrap_or(DeletePolicy::KeepRef));
        outcome::count_policy(policy);
        let how = AckDelete { group: own.name, policy, owner: None, keep_lag: KEEP_LAG };
        let outcome = ack_delete(&mut ServerStream::new(call), &groups, &how, &ids);
        outcome::count_ack_delete(&outcome);
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
        arguments: &[Argument::key(c"key", 0), CONDITION, crate::commands::arguments::IDS],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let request = Ids::parse(call, 2, Dialect::Native, DeletePolicy::parse)?;
        let Some(groups) = list.rows()? else {
            return Ok(Reply::Integers(vec![ABSENT; request.block.len()]));
        };
        let ids = parse_ids(call, request.block)?;
        let policy = request.policy.unwrap_or(DeletePolicy::KeepRef);
        outcome::count_policy(AckPolicy::Delete(policy));
        let outcome = delete_entries(&mut ServerStream::new(call), &groups, policy, &ids, KEEP_LAG);
        outcome::count_delete(&outcome);
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
        let request = Add::parse(call, "xadd")?;
        if stream.require_stream() == Err(Error::WrongType) {
            // The core refuses it, and knows whether WRONGTYPE or the id's value comes first.
            return stream.add(request.id, request.nomkstream, None);
        }
        let manner = Manner { patience: add::PATIENCE, ..TRIM_AS_8_6 };
        add::run_add(call, &request, DeletePolicy::KeepRef, &manner, Ungrouped::IsTrimmed)
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
        trim::run_trim(call, &list, &request, DeletePolicy::KeepRef, &TRIM_AS_8_6)
    }
}

/// The policies that the server's own commands do not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lacking {
    /// Those of XADD.
    pub xadd: Vec<DeletePolicy>,
    /// Those of XTRIM.
    pub xtrim: Vec<DeletePolicy>,
}

/// What the filter does with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Take out this argument: the core does all the rest.
    Strip(usize),
    /// Call this command instead.
    Rename(&'static [u8]),
}

/// What is to be done with a call: nothing, unless it names a policy that the server lacks. Reads options exactly as far as XADD and XTRIM do: what is behind the id is data.
pub fn rewrite(arguments: &impl Arguments, lacking: &Lacking) -> Option<Rewrite> {
    let name = arguments.get(0)?;
    // Every command of every client comes past here: the length alone lets nearly all of them go on.
    let (is_add, hidden, arity): (bool, &'static [u8], usize) = match name.len() {
        4 if name.eq_ignore_ascii_case(b"XADD") => (true, b"EGG.XADD", 5),
        5 if name.eq_ignore_ascii_case(b"XTRIM") => (false, b"EGG.XTRIM", 4),
        _ => return None,
    };
    if arguments.len() < arity {
        return None;
    }
    let mut policy = None;
    let mut has_strategy = false;
    let mut index = 2;
    while let Some(word) = arguments.get(index) {
        let is = |option: &[u8]| word.eq_ignore_ascii_case(option);
        let argument = arguments.get(index + 1);
        if (is(b"MAXLEN") || is(b"MINID")) && argument.is_some() {
            has_strategy = true;
            let has_sign = matches!(argument, Some(b"~" | b"=")) && arguments.get(index + 2).is_some();
            index += 2 + usize::from(has_sign);
        } else if is(b"LIMIT") && argument.is_some() {
            index += 2;
        } else if is_add && is(b"NOMKSTREAM") {
            index += 1;
        } else if let (None, Some(named)) = (policy, DeletePolicy::parse(word)) {
            policy = Some((index, named));
            index += 1;
        } else {
            break;
        }
    }
    let lacked = if is_add { &lacking.xadd } else { &lacking.xtrim };
    let (position, policy) = policy.filter(|(_, policy)| lacked.contains(policy))?;
    let needs_no_group = policy == DeletePolicy::KeepRef || !has_strategy;
    // 8.2 counts the word when it counts arguments: where the core would miss it, the hidden command answers.
    if needs_no_group && arguments.len() > arity {
        Some(Rewrite::Strip(position))
    } else {
        Some(Rewrite::Rename(hidden))
    }
}

#[cfg(test)]
mod tests {
    use super::{Lacking, Rewrite, rewrite};
    use crate::policy::DeletePolicy;

    fn of(line: &str) -> Option<Rewrite> {
        let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let all = vec![DeletePolicy::KeepRef, DeletePolicy::DelRef, DeletePolicy::Acked];
        rewrite(&arguments, &Lacking { xadd: all.clone(), xtrim: all })
    }

    #[test]
    fn leaves_alone_what_the_server_knows_itself() {
        let lacking = Lacking { xadd: vec![DeletePolicy::Acked], xtrim: Vec::new() };
        let of = |line: &str| rewrite(&line.split(' ').map(str::as_bytes).collect::<Vec<_>>(), &lacking);
        assert_eq!(of("XADD s ACKED MAXLEN 3 * f v"), Some(Rewrite::Rename(b"EGG.XADD")));
        for line in ["XADD s DELREF MAXLEN 3 * f v", "XADD s KEEPREF * f v", "XTRIM s ACKED MAXLEN 3"] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn leaves_alone_what_has_no_policy_among_its_options() {
        for line in [
            "SET k ACKED",
            "XADD s * ACKED v",
            "XADD s 1-1 MAXLEN 3 ACKED v",
            "XADD s MAXLEN 3 * KEEPREF DELREF",
            "XADD s NOMKSTREAM MINID ~ 5 LIMIT 3 * f v",
            "XTRIM s MAXLEN 3",
            "XADD",
            "XTRIM s",
            "XACK s ACKED 1-1",
            "XTRIMS s ACKED 1",
            "XTRIM s ACKED",
            "XADD s ACKED 1-1",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn takes_out_what_the_core_need_not_know() {
        for (line, position) in [
            ("XADD s KEEPREF MAXLEN 3 * f v", 2),
            ("xadd s MAXLEN = 3 keepref * f v", 5),
            ("XADD s ACKED * f v", 2),
            ("XADD s NOMKSTREAM DELREF LIMIT 0 * f v", 3),
            ("XTRIM s MAXLEN 3 KEEPREF", 4),
            ("XTRIM s DELREF LIMIT 3", 2),
            ("XADD s KEEPREF DELREF 7-1 f v", 2),
        ] {
            assert_eq!(of(line), Some(Rewrite::Strip(position)), "{line}");
        }
    }

    #[test]
    fn hands_over_what_looks_at_groups() {
        for line in
            ["XADD s ACKED MAXLEN 3 * f v", "xadd s MAXLEN ~ 3 LIMIT 5 DELREF 5-* f v", "XADD s MINID 3 acked * f v"]
        {
            assert_eq!(of(line), Some(Rewrite::Rename(b"EGG.XADD")), "{line}");
        }
        for line in ["XTRIM s MAXLEN 3 ACKED", "XTRIM s DELREF MINID = 3"] {
            assert_eq!(of(line), Some(Rewrite::Rename(b"EGG.XTRIM")), "{line}");
        }
    }

    #[test]
    fn hands_over_what_would_miss_an_argument() {
        assert_eq!(of("XADD s DELREF f v"), Some(Rewrite::Rename(b"EGG.XADD")));
        assert_eq!(of("XTRIM s ACKED 3"), Some(Rewrite::Rename(b"EGG.XTRIM")));
    }
}
