//! A set of ids.

use crate::stream_id::StreamId;

/// A set that is made once and asked often: a sorted list. Ids mostly come in order, which makes sorting them cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdSet(Vec<StreamId>);

impl IdSet {
    /// Whether an id is in it.
    pub fn contains(&self, id: StreamId) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Its ids, ascending.
    pub fn as_slice(&self) -> &[StreamId] {
        &self.0
    }
}

impl FromIterator<StreamId> for IdSet {
    fn from_iter<I: IntoIterator<Item = StreamId>>(ids: I) -> Self {
        let mut ids: Vec<StreamId> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self(ids)
    }
}
