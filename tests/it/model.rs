//! A stream as it should be: what is in it, what each group was delivered, and what may be deleted.

use std::collections::{BTreeMap, BTreeSet};

/// Entry `n-0` is the n-th that was added.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub entries: BTreeSet<u64>,
    pub added: u64,
    pub highest_deleted: u64,
    pub groups: BTreeMap<&'static str, Group>,
}

#[derive(Clone, Debug, Default)]
pub struct Group {
    pub delivered: u64,
    /// Who holds what.
    pub pending: BTreeMap<u64, usize>,
    /// A client has told how many entries it has read.
    pub told: bool,
    /// It was told, and has read past a deleted entry since: older cores count that one in, and lose the right count.
    pub miscounted: bool,
}

impl Model {
    pub fn add(&mut self) -> u64 {
        self.added += 1;
        self.entries.insert(self.added);
        self.added
    }

    /// XREADGROUP … COUNT count STREAMS s >
    pub fn read(&mut self, group: &'static str, consumer: usize, count: usize) {
        let Some(group) = self.groups.get_mut(group) else { return };
        group.miscounted |= group.told && group.delivered < self.highest_deleted;
        for &id in self.entries.range(group.delivered + 1..).take(count) {
            group.delivered = id;
            group.pending.insert(id, consumer);
        }
    }

    /// Whether some group still needs an entry: it has not been delivered that far, or has it pending.
    pub fn is_referenced(&self, id: u64) -> bool {
        self.groups.values().any(|group| group.delivered < id || group.pending.contains_key(&id))
    }

    /// Takes pending ids out of a group; deletes those that nobody needs, if asked to. The deleted ones.
    pub fn ack(&mut self, group: &'static str, ids: &[u64], delete: bool) -> Vec<u64> {
        if let Some(group) = self.groups.get_mut(group) {
            group.pending.retain(|id, _| !ids.contains(id));
        }
        let mut deleted = ids.to_vec();
        deleted.retain(|&id| delete && !self.is_referenced(id) && self.entries.remove(&id));
        self.highest_deleted = deleted.iter().copied().fold(self.highest_deleted, u64::max);
        deleted
    }

    /// The right lag of a group: how many entries are in the stream above its last-delivered-id.
    pub fn lag(&self, group: &str) -> i64 {
        let delivered = self.groups[group].delivered;
        self.entries.range(delivered + 1..).count() as i64
    }
}
