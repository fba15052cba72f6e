use egg_core::requests::ackmove::AckMoveRequest;
use egg_core::requests::ids::{parse_ids, require_length};
use egg_core::rules::deletion::{AckDelete, ack_delete};
use egg_core::rules::guard::find_group;
use egg_core::rules::moving::{LARGEST_ENTRY, Origin, Pair, has_ids_left, movable, moved_fields};
use egg_core::rules::trimming::trim;
use egg_core::stream::{Delivery, Stream as _};
use egg_core::values::entry_id::{EntryId, GivenId};
use egg_core::values::error::Error;
use egg_core::values::policy::{AckPolicy, DeletePolicy};
use egg_core::values::reply::Reply;

use super::add::MOST_PASSED;
use super::admission::admit;
use super::arguments::{ACK_POLICY, IDS, OWNER, TRIM};
use super::counting::count_ack_delete;
use super::trim::style;
use crate::config;
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;

/// `EGG.ACKMOVE key group destination [REJECT | ACKONLY | ACKED | KEEPREF | DELREF] [OWNER consumer] [MINDELIVERIES n]
/// [MAXLEN | MINID [= | ~] threshold [LIMIT n]] [META] [SET numpairs field value [field value ...]] IDS numids id [id ...]`
///
/// Moves pending entries to another stream (retry, dead letter), and acknowledges and deletes them here as EGG.ACKDEL does,
/// in one step. The copy is made inside the server. `destination` may be `key` itself: then the entry is requeued.
///
/// - `OWNER consumer`: only ids that this consumer has.
/// - `MINDELIVERIES n`: only entries that were delivered at least n times.
/// - `SET`: sets fields in the copy; each occurrence is replaced, new fields are appended.
/// - `META`: adds `egg-source-stream`, `egg-source-id`, `egg-source-group`, `egg-deliveries`, `egg-moved-at` (Unix
///   milliseconds), in place of any `egg-*` fields that the entry had.
/// - `MAXLEN`, `MINID`: trims the destination once, after the last move, under ACKED: moving eats no pending work.
///
/// Replies, per id in order: the id of the new entry, or nil where nothing was moved: not pending, not the owner's, delivered
/// too few times, named twice. A pending id whose entry is gone is acknowledged, and nil.
///
/// Errors, in order: `WRONGTYPE` for source or destination; those of EGG.ACKDEL and, alike, `numpairs`; `NOPERM` if the caller
/// may not run XADD on the destination; no ids left in the destination; too large. An error means that nothing has changed.
pub struct AckMove;

impl Command for AckMove {
    const SPEC: Spec = Spec {
        name: c"egg.ackmove",
        flags: c"write deny-oom getkeys-api",
        acl_categories: "write stream slow",
        arity: -5,
        summary: c"Moves pending entries to another stream, and acknowledges and deletes them, in one step.",
        complexity: c"O(N*(F+G)) with N the number of ids, F the size of an entry and G the number of consumer groups of the stream.",
        since: c"0.1.0",
        calls: Some(&stats::ACKMOVE_CALLS),
        keys: &[Key::take(1), Key::insert(3)],
        arguments: &[
            Argument::key(c"key", 0),
            Argument::string(c"group"),
            Argument::key(c"destination", 1),
            ACK_POLICY,
            OWNER,
            Argument::integer_option(c"deliveries", c"MINDELIVERIES").optional(),
            TRIM,
            Argument::token(c"meta", c"META").optional(),
            Argument::block(
                c"set",
                c"SET",
                &[
                    Argument::integer(c"numpairs"),
                    Argument::group(c"data", &[Argument::string(c"field"), Argument::string(c"value")]).multiple(),
                ],
            )
            .optional(),
            IDS,
        ],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        require_length(call, "egg.ackmove", 7, 4)?;
        let list = GroupList::of(call)?;
        GroupList::at(call, DESTINATION)?;
        let request = AckMoveRequest::parse(call)?;
        let ids = parse_ids(call, request.block.clone())?;
        let groups = list.rows()?.unwrap_or_default();
        let own = find_group(&groups, call.key(), call.group())?.name;
        let policy = request.policy.unwrap_or_else(config::default_policy);
        admit(call, &groups, own, policy, &stats::ACKMOVE_REFUSED)?;
        let mut source = ServerStream::new(call);
        let destination = ServerStream::at(call, DESTINATION);
        destination.require_append()?;
        let deliveries = movable(&source, own, &ids, request.owner, request.min_deliveries);
        let moving: Vec<(GivenId, &Delivery)> =
            ids.iter().zip(&deliveries).filter_map(|(given, delivery)| Some((*given, delivery.as_ref()?))).collect();
        let copier = Copier { source: &source, destination: &destination, request: &request, call };
        copier.check(&moving)?;

        let mut replies = vec![Reply::Nil; ids.len()];
        let mut moved = 0;
        let mut acked = Vec::with_capacity(moving.len());
        for ((reply, given), delivery) in replies.iter_mut().zip(&ids).zip(&deliveries) {
            let Some(delivery) = delivery else { continue };
            match copier.copy(given.id, delivery) {
                Ok(Some(new)) => {
                    moved += 1;
                    *reply = new;
                }
                Ok(None) => {}
                // All that could fail was looked at before; what fails all the same stays where it is, pending.
                Err(_) => continue,
            }
            acked.push(*given);
        }
        stats::MOVED.add(moved);
        acknowledge_moved(call, &mut source, policy, &acked);
        if moved > 0 && request.trim.threshold.is_some() {
            stats::TRIMMED.add(trim_destination(call, &request).unwrap_or_default());
        }
        Ok(Reply::Array(replies))
    }
}

/// Which argument the destination is.
const DESTINATION: usize = 3;

/// Acknowledges and deletes what was moved.
///
/// The groups are looked up anew: another module may have made one when it heard of a copy. Under REJECT it is too late then to
/// refuse, so what was moved is acknowledged, and stays.
fn acknowledge_moved(call: &Call<'_>, source: &mut ServerStream<'_>, policy: AckPolicy, moved: &[GivenId]) {
    let list = GroupList::of(call);
    let groups = list.iter().find_map(|list| list.rows().ok()?).unwrap_or_default();
    let Ok(own) = find_group(&groups, call.key(), call.group()) else { return };
    let policy = if policy == AckPolicy::Reject { AckPolicy::AckOnly } else { policy };
    let how = AckDelete { group: own.name, policy, owner: None, keep_lag: config::keep_lag() };
    count_ack_delete(&ack_delete(source, &groups, &how, moved));
}

/// Trims the destination, whose groups may be those that were looked at before: it may be the source.
fn trim_destination(call: &Call<'_>, request: &AckMoveRequest<'_>) -> Result<usize, Error> {
    let list = GroupList::at(call, DESTINATION)?;
    let groups = list.rows()?.unwrap_or_default();
    let plan = request.trim.plan(DeletePolicy::Acked, style(MOST_PASSED));
    Ok(trim(&mut ServerStream::at(call, DESTINATION), &groups, &plan).removed)
}

/// Copies entries from one stream to another.
struct Copier<'a> {
    source: &'a ServerStream<'a>,
    destination: &'a ServerStream<'a>,
    request: &'a AckMoveRequest<'a>,
    call: &'a Call<'a>,
}

impl Copier<'_> {
    /// Looks at all that could make XADD fail later: the ids left, and what SET and META add to the size of an entry.
    fn check(&self, moving: &[(GivenId, &Delivery)]) -> Result<(), Error> {
        let last = self.destination.bookkeeping().map_or(EntryId::MIN, |bookkeeping| bookkeeping.last_generated);
        if !has_ids_left(last, moving.len()) {
            return Err(Error::NoIdsLeft);
        }
        if self.request.set.is_empty() && !self.request.meta {
            return Ok(());
        }
        for (given, delivery) in moving {
            let size = self.with_fields(given.id, delivery, |fields| {
                fields.iter().map(|(field, value)| field.len() + value.len()).sum::<usize>()
            });
            if size.is_some_and(|size| size > LARGEST_ENTRY) {
                return Err(Error::TooLarge);
            }
        }
        Ok(())
    }

    /// Appends a copy to the destination, and answers its id. None if there is no entry any more.
    fn copy(&self, id: EntryId, delivery: &Delivery) -> Result<Option<Reply>, Error> {
        self.with_fields(id, delivery, |fields| self.destination.append(fields)).transpose()
    }

    fn with_fields<T>(&self, id: EntryId, delivery: &Delivery, then: impl FnOnce(&[Pair<'_>]) -> T) -> Option<T> {
        let strings = self.source.fields(id)?;
        let fields: Vec<(&[u8], &[u8])> = strings.iter().map(|(field, value)| (field.bytes(), value.bytes())).collect();
        let origin = self.request.meta.then(|| Origin {
            stream: self.call.key(),
            id,
            group: self.call.group(),
            deliveries: delivery.count,
            moved_at: self.call.now(),
        });
        Some(then(&moved_fields(&fields, &self.request.set, origin.as_ref())))
    }
}
