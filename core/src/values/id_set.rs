//! A set of ids.

use crate::values::entry_id::EntryId;

/// A set that is made once and asked often: a sorted list. Ids mostly come in order, which makes sorting them cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdSet(Vec<EntryId>);

impl IdSet {
    /// Whether an id is in it.
    pub fn contains(&self, id: EntryId) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Its ids, ascending.
    pub fn as_slice(&self) -> &[EntryId] {
        &self.0
    }
}

impl FromIterator<EntryId> for IdSet {
    fn from_iter<I: IntoIterator<Item = EntryId>>(ids: I) -> Self {
        let mut ids: Vec<EntryId> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self(ids)
    }
}
