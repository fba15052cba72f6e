use crate::config;
use crate::error::Error;
use crate::policy::{self, GONE, KEPT, NOT_PENDING, Policy};
use crate::reply::Reply;
use crate::request;
use crate::resp;
use crate::server::alarm;
use crate::server::call::Call;
use crate::server::command::{Argument, Command, Spec, key};
use crate::server::stream::{ServerStream, groups_of};
use crate::stats::{self, Counter};

/// `EGG.ACKDEL key group [REJECT | ACKONLY | ACKED | KEEPREF | DELREF] IDS numids id [id ...]`
///
/// Acknowledges entries in a consumer group and deletes them from the stream, in one step. The policy (default:
/// `egg.default-policy`) says what happens when other groups exist.
///
/// Replies one integer per id, in order:
/// - `1`: acknowledged, and the entry is gone: deleted now, or it had been before and no group needs it;
/// - `2`: acknowledged, and the entry stays, since a group needs it or the policy says so;
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
        arity: -6,
        summary: c"Acknowledges and deletes entries of a stream, unless another consumer group needs them.",
        complexity: c"O(N+G) with N the number of ids and G the number of consumer groups of the stream. With ACKED and DELREF, O(N*G).",
        since: c"0.1.0",
        keys: &[key::RW_DELETE],
        arguments: &[
            Argument::key(c"key", 0),
            Argument::string(c"group"),
            Argument::one_of(c"policy", POLICIES).optional(),
            Argument::block(c"ids", c"IDS", &[Argument::integer(c"numids"), Argument::string(c"id").multiple()]),
        ],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        stats::ACKDEL_CALLS.add(1);
        let info = groups_of(call)?;
        let request = request::AckDel::parse(call)?;
        let groups =
            info.as_ref().map_or(Some(Vec::new()), |info| resp::groups(info.bytes())).ok_or(Error::Internal)?;
        let own = policy::find_group(&groups, call.key(), call.group())?.name;
        let policy = request.policy.unwrap_or_else(config::default_policy);
        calls_of(policy).add(1);
        if policy == Policy::Reject {
            policy::require_sole_group(&groups, own).inspect_err(|_| {
                stats::ACKDEL_REFUSED.add(1);
                alarm::refused(call);
            })?;
        }
        let outcome =
            policy::ack_delete(&mut ServerStream::new(call), &groups, own, policy, &request, config::keep_lag());
        count(&outcome);
        Ok(Reply::Integers(outcome.replies))
    }
}

const POLICIES: &[Argument] = &[
    Argument::token(c"reject", c"REJECT"),
    Argument::token(c"ackonly", c"ACKONLY"),
    Argument::token(c"acked", c"ACKED"),
    Argument::token(c"keepref", c"KEEPREF"),
    Argument::token(c"delref", c"DELREF"),
];

fn calls_of(policy: Policy) -> &'static Counter {
    match policy {
        Policy::Reject => &stats::POLICY_REJECT,
        Policy::AckOnly => &stats::POLICY_ACKONLY,
        Policy::Acked => &stats::POLICY_ACKED,
        Policy::KeepRef => &stats::POLICY_KEEPREF,
        Policy::DelRef => &stats::POLICY_DELREF,
    }
}

fn count(outcome: &policy::Outcome) {
    let replies = |wanted: i64| outcome.replies.iter().filter(|reply| **reply == wanted).count();
    let kept = replies(KEPT);
    stats::ACKED.add(replies(GONE) + kept);
    stats::KEPT.add(kept);
    stats::NOT_PENDING.add(replies(NOT_PENDING));
    stats::DELETED.add(outcome.deleted);
    stats::LAG_REPAIRS.add(usize::from(outcome.lag_repaired));
}
