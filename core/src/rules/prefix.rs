//! The prefix of a stream that is to be deleted.
//!
//! Work is mostly finished in about the order in which it came, so the ids of a call are mostly the oldest entries of their
//! stream; and a stream gives up its prefix at once, where XDEL looks for each entry by itself.

use crate::stream::{Prefix, Stream};
use crate::values::entry_id::{EntryId, GivenId};
use crate::values::id_set::IdSet;

/// Walks from the first entry on until it meets one that is not among `ids`.
pub fn prefix_among(stream: &impl Stream, ids: &[GivenId]) -> Prefix {
    let ids: IdSet = ids.iter().map(|given| given.id).collect();
    let mut ahead = ids.as_slice().iter().copied().peekable();
    let mut prefix = Prefix { length: 0, last: EntryId::MIN, rest: None };
    stream.visit(EntryId::MIN, &mut |entry| {
        // Both ascend. Ids passed over belong to entries that had gone before.
        while ahead.next_if(|id| *id < entry).is_some() {}
        if ahead.next_if_eq(&entry).is_some() {
            prefix = Prefix { length: prefix.length + 1, last: entry, rest: None };
            return true;
        }
        prefix.rest = Some(entry);
        false
    });
    prefix
}

#[cfg(test)]
mod tests {
    use super::prefix_among;
    use crate::mem_stream::MemStream;
    use crate::stream::Prefix;
    use crate::values::entry_id::{EntryId, GivenId};

    const fn id(ms: u64) -> EntryId {
        EntryId { ms, seq: 0 }
    }

    /// The prefix of a stream of the entries 3-0, 5-0, 7-0 and 9-0.
    fn prefix(ids: &[u64]) -> Prefix {
        let mut stream = MemStream::default();
        [3, 5, 7, 9].into_iter().for_each(|ms| stream.add(id(ms)));
        let ids: Vec<GivenId> = ids.iter().map(|&ms| id(ms).into()).collect();
        prefix_among(&stream, &ids)
    }

    #[test]
    fn is_the_run_of_the_oldest_entries() {
        let run = |length, last, rest| Prefix { length, last: id(last), rest: Some(id(rest)) };
        assert_eq!(prefix(&[3]), run(1, 3, 5));
        assert_eq!(prefix(&[3, 5, 9]), run(2, 5, 7));
        assert_eq!(prefix(&[7, 5, 3, 3]), run(3, 7, 9));
        assert_eq!(prefix(&[5, 7]), run(0, 0, 3));
        assert_eq!(prefix(&[]), run(0, 0, 3));
    }

    #[test]
    fn passes_over_ids_without_an_entry() {
        assert_eq!(prefix(&[1, 3, 4, 5, 6]), Prefix { length: 2, last: id(5), rest: Some(id(7)) });
        assert_eq!(prefix(&[3, 5, 6, 7, 8, 9, 10]), Prefix { length: 4, last: id(9), rest: None });
    }
}
