use egg_core::rules::holding::{Pin, pin};
use egg_core::values::error::Error;
use egg_core::values::reply::Reply;

use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::groups::GroupList;
use crate::server::spec::{Argument, Key, Spec};
use crate::server::stream::ServerStream;
use crate::stats;

/// `EGG.PINS key`
///
/// Says who holds this stream, and why. Changes nothing; runs on replicas.
///
/// Replies one row per consumer group, in the order of XINFO GROUPS: a map in RESP3, a flat array of names and values in
/// RESP2. Its fields: `name`; `lowest-id`, the lowest id that the group still needs, nil if none; `why`: `pending`,
/// `undelivered` or `nothing`; `consumer`, which has that id pending, nil if it is not pending; `pending`, the number of
/// pending entries. A missing key answers no rows. Error: `WRONGTYPE`.
pub struct Pins;

impl Command for Pins {
    const SPEC: Spec = Spec {
        name: c"egg.pins",
        flags: c"readonly",
        acl_categories: "read stream slow",
        arity: 2,
        summary: c"Says which consumer groups still need entries of a stream, and why.",
        complexity: c"O(G) with G the number of consumer groups of the stream.",
        since: c"0.1.0",
        calls: Some(&stats::PINS_CALLS),
        keys: &[Key::read(1)],
        arguments: &[Argument::key(c"key", 0)],
    };

    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let list = GroupList::of(call)?;
        let stream = ServerStream::new(call);
        let groups = list.rows()?.unwrap_or_default();
        let row = |group| {
            let (id, why, consumer) = match pin(&stream, group) {
                Pin::Pending(id, consumer) => (Some(id), "pending", Reply::Bulk(consumer)),
                Pin::Undelivered(id) => (Some(id), "undelivered", Reply::Nil),
                Pin::Nothing => (None, "nothing", Reply::Nil),
            };
            Reply::Map(vec![
                ("name", Reply::Bulk(group.name.to_vec())),
                ("lowest-id", id.map_or(Reply::Nil, |id| Reply::Bulk(id.to_string().into_bytes()))),
                ("why", Reply::Bulk(why.into())),
                ("consumer", consumer),
                ("pending", Reply::Integer(i64::try_from(group.pending).unwrap_or(i64::MAX))),
            ])
        };
        Ok(Reply::Array(groups.iter().map(row).collect()))
    }
}
