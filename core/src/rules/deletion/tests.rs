use super::{AckDelete, Outcome, ack_delete};
use crate::mem_stream::MemStream;
use crate::rules::guard::admit;
use crate::values::entry_id::{EntryId, GivenId};
use crate::values::error::Foreign;
use crate::values::policy::{AckPolicy, DeletePolicy};

const fn id(ms: u64) -> EntryId {
    EntryId { ms, seq: 0 }
}

/// Entries 1-0 to `added`-0, of which group g has read some and acknowledged none.
fn stream(added: u64, read: usize) -> MemStream {
    let mut stream = MemStream { own: b"g".to_vec(), ..MemStream::default() };
    stream.place_group(b"g", id(0));
    (1..=added).for_each(|ms| stream.add(id(ms)));
    stream.read(b"g", b"c", read, false);
    stream
}

/// Another group, which has read so many.
fn with_other(mut stream: MemStream, read: usize) -> MemStream {
    stream.place_group(b"h", id(0));
    stream.read(b"h", b"c", read, false);
    stream
}

fn ackdel(stream: &mut MemStream, policy: AckPolicy, ids: &[u64], keep_lag: bool) -> Outcome {
    let ids: Vec<GivenId> = ids.iter().map(|&ms| id(ms).into()).collect();
    let before = stream.clone();
    let how = AckDelete { group: b"g", policy, owner: None, keep_lag };
    ack_delete(stream, &before.group_rows(), &how, &ids)
}

const REJECT: AckPolicy = AckPolicy::Reject;
const ACKED: AckPolicy = AckPolicy::Delete(DeletePolicy::Acked);
const KEEPREF: AckPolicy = AckPolicy::Delete(DeletePolicy::KeepRef);
const DELREF: AckPolicy = AckPolicy::Delete(DeletePolicy::DelRef);
const POLICIES: [AckPolicy; 5] = [REJECT, AckPolicy::AckOnly, ACKED, KEEPREF, DELREF];

/// The reply for 2-0, and whether its entry is there afterwards, under REJECT, ACKONLY, ACKED, KEEPREF and DELREF.
fn for_each_policy(state: &str, stream: &MemStream, expected: [(i64, bool); 5]) {
    for (policy, (reply, stays)) in POLICIES.into_iter().zip(expected) {
        let mut stream = stream.clone();
        let outcome = ackdel(&mut stream, policy, &[2], true);
        assert_eq!(outcome.replies, [reply], "{state}, {policy:?}");
        assert_eq!(stream.entries.contains(&id(2)), stays, "{state}, {policy:?}");
        assert!(!stream.groups[b"g".as_slice()].pending.contains_key(&id(2)), "{state}, {policy:?}");
    }
}

#[test]
fn each_policy_in_each_state_of_an_id() {
    const DONE: (i64, bool) = (1, false);
    const KEPT: (i64, bool) = (2, true);
    for_each_policy("pending in the only group", &stream(3, 2), [DONE; 5]);
    for_each_policy("not delivered", &stream(3, 1), [(-1, true); 5]);

    let mut acked = stream(3, 2);
    ackdel(&mut acked, AckPolicy::AckOnly, &[2], false);
    acked.add(id(2));
    for_each_policy("acknowledged before", &acked, [(-1, true); 5]);

    let mut rewound = stream(3, 2);
    rewound.place_group(b"g", id(1));
    for_each_policy("own group moved back", &rewound, [KEPT, KEPT, KEPT, DONE, DONE]);

    let pending = with_other(stream(3, 2), 2);
    for_each_policy("pending in another group", &pending, [KEPT, KEPT, KEPT, DONE, DONE]);
    for_each_policy("not delivered to another group", &with_other(stream(3, 2), 1), [KEPT, KEPT, KEPT, DONE, DONE]);

    let mut done = pending.clone();
    done.delete_consumer(b"h", b"c");
    for_each_policy("done in another group", &done, [KEPT, KEPT, DONE, DONE, DONE]);

    let mut dangling = stream(3, 2);
    dangling.remove([id(2)]);
    for_each_policy("dangling", &dangling, [DONE; 5]);
    let mut dangling = pending;
    dangling.remove([id(2)]);
    for_each_policy("dangling, in another group too", &dangling, [(2, false), (2, false), (2, false), DONE, DONE]);
}

#[test]
fn delref_alone_takes_the_id_from_other_groups() {
    for policy in POLICIES {
        let mut stream = with_other(stream(3, 2), 2);
        ackdel(&mut stream, policy, &[2], true);
        let kept = stream.groups[b"h".as_slice()].pending.contains_key(&id(2));
        assert_eq!(kept, policy != DELREF, "{policy:?}");
    }
}

#[test]
fn delref_touches_no_group_for_an_id_that_is_not_pending_here() {
    let mut stream = with_other(stream(3, 1), 2);
    assert_eq!(ackdel(&mut stream, DELREF, &[2], true).replies, [-1]);
    assert!(stream.groups[b"h".as_slice()].pending.contains_key(&id(2)));
}

#[test]
fn the_second_occurrence_of_an_id_is_not_pending() {
    let mut stream = stream(4, 3);
    let outcome = ackdel(&mut stream, REJECT, &[3, 1, 3, 9, 1], true);
    assert_eq!(outcome.replies, [1, 1, -1, -1, -1]);
    assert_eq!((outcome.deleted, stream.deletions), (2, 1));
}

#[test]
fn acked_tells_ids_apart_among_many_that_another_group_has_pending() {
    let mut stream = with_other(stream(9, 9), 9);
    let other = stream.groups.get_mut(b"h".as_slice());
    other.into_iter().for_each(|group| group.pending.retain(|id, _| !matches!(id.ms, 1 | 9)));
    assert_eq!(ackdel(&mut stream, ACKED, &[9, 1, 5], true).replies, [1, 1, 2]);
}

#[test]
fn lag_survives_the_deletion_of_the_entry_read_last() {
    let mut stream = stream(5, 3);
    for (ms, repaired) in [(3, true), (1, false), (2, false)] {
        let outcome = ackdel(&mut stream, REJECT, &[ms], true);
        assert_eq!((outcome.replies, outcome.lag_repaired), (vec![1], repaired), "{ms}");
        assert_eq!(stream.lag(b"g"), Some(2), "{ms}");
    }
    assert_eq!(stream.bookkeeping.max_deleted, EntryId { ms: 2, seq: u64::MAX });
    assert_eq!((stream.bookkeeping.last_generated, stream.bookkeeping.entries_added), (id(5), 5));
}

#[test]
fn lag_is_left_to_the_core_where_it_is_not_to_be_kept() {
    for (policy, keep_lag) in [(ACKED, false), (KEEPREF, true), (DELREF, true)] {
        let mut stream = stream(5, 3);
        assert!(!ackdel(&mut stream, policy, &[3], keep_lag).lag_repaired);
        assert_eq!((stream.lag(b"g"), stream.bookkeeping.max_deleted), (None, id(3)), "{policy:?}");
    }
}

#[test]
fn the_mark_is_left_alone_where_lag_is_not_lost() {
    // Nothing older is left; or the group has read on; or the entry had been deleted before.
    let mut oldest = stream(5, 1);
    assert!(!ackdel(&mut oldest, REJECT, &[1], true).lag_repaired);
    let mut middle = stream(5, 3);
    assert!(!ackdel(&mut middle, REJECT, &[2], true).lag_repaired);
    let mut dangling = stream(5, 3);
    dangling.remove([id(3)]);
    assert!(!ackdel(&mut dangling, REJECT, &[3], true).lag_repaired);
    let marks = [&oldest, &middle, &dangling].map(|stream| stream.bookkeeping.max_deleted);
    assert_eq!(marks, [id(1), id(2), id(3)]);
}

#[test]
fn the_guard_lets_the_only_group_pass() {
    let sole = stream(1, 1);
    assert_eq!(admit(&sole.group_rows(), b"g", AckPolicy::Reject), Ok(()));
    let two = with_other(sole, 0);
    let others = Foreign { names: vec![b"h".to_vec()], total: 1 };
    assert_eq!(admit(&two.group_rows(), b"g", AckPolicy::Reject), Err(others));
    assert_eq!(admit(&two.group_rows(), b"g", AckPolicy::AckOnly), Ok(()));
}
