//! The front of a stream, as far as it is to be deleted.
//!
//! Work is mostly finished in about the order in which it came, so the ids of a call are mostly the oldest entries of their
//! stream; and a stream gives up its front at once, where XDEL looks for each entry by itself.

use crate::id_set::IdSet;
use crate::stream::{EntryId, Front, Stream};
use crate::stream_id::StreamId;

/// Walks from the first entry on until it meets one that is not among `ids`.
pub fn front_among(stream: &impl Stream, ids: &[EntryId]) -> Front {
    let ids: IdSet = ids.iter().map(|id| id.id).collect();
    let mut ahead = ids.as_slice().iter().copied().peekable();
    let mut front = Front::default();
    stream.visit(StreamId::MIN, &mut |entry| {
        // Both ascend. Ids passed over belong to entries that had gone before.
        while ahead.next_if(|id| *id < entry).is_some() {}
        if ahead.next_if_eq(&entry).is_some() {
            front = Front { length: front.length + 1, last: entry, rest: None };
            return true;
        }
        front.rest = Some(entry);
        false
    });
    front
}

#[cfg(test)]
mod tests {
    use super::front_among;
    use crate::mem_stream::MemStream;
    use crate::stream::{EntryId, Front};
    use crate::stream_id::StreamId;

    const fn id(ms: u64) -> StreamId {
        StreamId { ms, seq: 0 }
    }

    /// The front of a stream of the entries 3-0, 5-0, 7-0 and 9-0.
    fn front(ids: &[u64]) -> Front {
        let mut stream = MemStream::default();
        [3, 5, 7, 9].into_iter().for_each(|ms| stream.add(id(ms)));
        let ids: Vec<EntryId> = ids.iter().map(|&ms| id(ms).into()).collect();
        front_among(&stream, &ids)
    }

    #[test]
    fn is_the_run_of_the_oldest_entries() {
        let run = |length, last, rest| Front { length, last: id(last), rest: Some(id(rest)) };
        assert_eq!(front(&[3]), run(1, 3, 5));
        assert_eq!(front(&[3, 5, 9]), run(2, 5, 7));
        assert_eq!(front(&[7, 5, 3, 3]), run(3, 7, 9));
        assert_eq!(front(&[5, 7]), run(0, 0, 3));
        assert_eq!(front(&[]), run(0, 0, 3));
    }

    #[test]
    fn passes_over_ids_without_an_entry() {
        assert_eq!(front(&[1, 3, 4, 5, 6]), Front { length: 2, last: id(5), rest: Some(id(7)) });
        assert_eq!(front(&[3, 5, 6, 7, 8, 9, 10]), Front { length: 4, last: id(9), rest: None });
    }
}
