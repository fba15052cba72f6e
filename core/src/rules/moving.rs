//! Moving an entry to another stream: which ones may go, and what the copy looks like.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::stream::{Delivery, Stream};
use crate::values::entry_id::{EntryId, GivenId};

/// A field and its value.
pub type Pair<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// Where a moved entry comes from: the fields that META adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// `egg-source-stream`
    pub stream: &'a [u8],
    /// `egg-source-id`
    pub id: EntryId,
    /// `egg-source-group`
    pub group: &'a [u8],
    /// `egg-deliveries`: how often it was delivered there.
    pub deliveries: u64,
    /// `egg-moved-at`, in Unix milliseconds.
    pub moved_at: i64,
}

/// Fields of this prefix are META's own.
const PREFIX: &[u8] = b"egg-";

/// The most bytes that a stream entry may have (the core's STREAM_LISTPACK_MAX_SIZE).
pub const LARGEST_ENTRY: usize = 1 << 30;

/// Which of `ids` may be moved, with their deliveries: pending in the group, with the owner, delivered often enough, and not
/// named before in the call.
pub fn movable(
    stream: &impl Stream,
    group: &[u8],
    ids: &[GivenId],
    owner: Option<&[u8]>,
    min_deliveries: u64,
) -> Vec<Option<Delivery>> {
    let mut seen = HashSet::new();
    let mut delivery = |given: &GivenId| {
        let delivery = if seen.insert(given.id) { stream.delivery(group, given.id) } else { None };
        delivery
            .filter(|delivery| owner.is_none_or(|owner| owner == delivery.consumer) && delivery.count >= min_deliveries)
    };
    ids.iter().map(&mut delivery).collect()
}

/// The fields of the copy. SET replaces each occurrence of a field where it stands, and appends the fields that were not
/// there, in order. META first drops what an earlier META left, so that an entry that is moved again and again does not grow.
pub fn moved_fields<'a>(
    fields: &'a [(&'a [u8], &'a [u8])],
    set: &'a [(&'a [u8], &'a [u8])],
    origin: Option<&Origin<'a>>,
) -> Vec<Pair<'a>> {
    let is_meta = |field: &[u8]| origin.is_some() && field.starts_with(PREFIX);
    // Of a field that is set twice the last value counts.
    let values: HashMap<&[u8], &[u8]> = set.iter().copied().collect();
    let mut present: HashSet<&[u8]> = HashSet::new();
    let mut moved: Vec<Pair<'a>> = Vec::with_capacity(fields.len() + set.len() + 5);
    for &(field, value) in fields.iter().filter(|(field, _)| !is_meta(field)) {
        let new = values.get(field).copied();
        if new.is_some() {
            present.insert(field);
        }
        moved.push((field.into(), new.unwrap_or(value).into()));
    }
    for &(field, value) in set {
        if present.insert(field) {
            moved.push((field.into(), values.get(field).copied().unwrap_or(value).into()));
        }
    }
    if let Some(origin) = origin {
        let text = |text: String| Cow::Owned(text.into_bytes());
        moved.extend([
            (Cow::Borrowed(&b"egg-source-stream"[..]), Cow::Borrowed(origin.stream)),
            (Cow::Borrowed(&b"egg-source-id"[..]), text(origin.id.to_string())),
            (Cow::Borrowed(&b"egg-source-group"[..]), Cow::Borrowed(origin.group)),
            (Cow::Borrowed(&b"egg-deliveries"[..]), text(origin.deliveries.to_string())),
            (Cow::Borrowed(&b"egg-moved-at"[..]), text(origin.moved_at.to_string())),
        ]);
    }
    moved
}

/// Whether a stream whose last id this is has room for so many more that the server makes itself.
pub fn has_ids_left(last_generated: EntryId, count: usize) -> bool {
    last_generated.ms < u64::MAX || u64::MAX - last_generated.seq >= count as u64
}

#[cfg(test)]
mod tests {
    use super::{Origin, has_ids_left, moved_fields};
    use crate::values::entry_id::EntryId;

    type Pairs<'a> = &'a [(&'a [u8], &'a [u8])];

    fn moved(fields: Pairs<'_>, set: Pairs<'_>, origin: Option<&Origin<'_>>) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let moved = moved_fields(fields, set, origin);
        moved.iter().map(|(field, value)| text(field) + "=" + &text(value)).collect::<Vec<_>>().join(" ")
    }

    const ORIGIN: Origin<'_> =
        Origin { stream: b"jobs", id: EntryId { ms: 7, seq: 1 }, group: b"g", deliveries: 3, moved_at: 99 };

    #[test]
    fn set_replaces_every_occurrence_and_appends_the_rest() {
        let fields: Pairs<'_> = &[(b"a", b"1"), (b"b", b"2"), (b"a", b"3")];
        assert_eq!(moved(fields, &[], None), "a=1 b=2 a=3");
        assert_eq!(moved(fields, &[(b"a", b"x"), (b"c", b"y")], None), "a=x b=2 a=x c=y");
        assert_eq!(moved(fields, &[(b"c", b"1"), (b"c", b"2")], None), "a=1 b=2 a=3 c=2");
        assert_eq!(moved(fields, &[(b"a", b"1"), (b"c", b""), (b"a", b"2")], None), "a=2 b=2 a=2 c=");
    }

    #[test]
    fn many_fields_take_no_quadratic_time() {
        let names: Vec<String> = (0..200_000).map(|n| format!("field {n}")).collect();
        let pairs: Vec<(&[u8], &[u8])> = names.iter().map(|name| (name.as_bytes(), &b"v"[..])).collect();
        assert_eq!(moved_fields(&pairs[100_000..], &pairs, None).len(), 200_000);
    }

    #[test]
    fn meta_says_where_it_comes_from_and_does_not_pile_up() {
        let meta = "egg-source-stream=jobs egg-source-id=7-1 egg-source-group=g egg-deliveries=3 egg-moved-at=99";
        assert_eq!(moved(&[(b"a", b"1")], &[], Some(&ORIGIN)), format!("a=1 {meta}"));
        let again: Pairs<'_> = &[(b"egg-source-id", b"1-1"), (b"a", b"1"), (b"egg-other", b"2")];
        assert_eq!(moved(again, &[], Some(&ORIGIN)), format!("a=1 {meta}"));
        assert_eq!(moved(again, &[], None), "egg-source-id=1-1 a=1 egg-other=2");
    }

    #[test]
    fn the_last_id_leaves_no_room() {
        assert!(has_ids_left(EntryId { ms: 5, seq: u64::MAX }, 1000));
        assert!(has_ids_left(EntryId { ms: u64::MAX, seq: u64::MAX - 2 }, 2));
        assert!(!has_ids_left(EntryId { ms: u64::MAX, seq: u64::MAX - 2 }, 3));
    }
}
