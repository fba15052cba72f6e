//! A stream in memory: the double of a server, for the tests of the core. It is held to the same recorded facts as the
//! servers are.

use std::collections::{BTreeMap, BTreeSet};

use crate::stream::{Bookkeeping, Delivery, Exactness, Group, Prefix, Stream, Threshold};
use crate::values::entry_id::{EntryId, GivenId};
use crate::values::id_set::IdSet;

/// A stream, and the group that a call names. Entries have no fields: nothing here asks for them.
#[derive(Clone, Debug, Default)]
pub struct MemStream {
    /// The group that [`Stream::ack`] acts in.
    pub own: Vec<u8>,
    pub entries: BTreeSet<EntryId>,
    pub groups: BTreeMap<Vec<u8>, MemGroup>,
    pub bookkeeping: Bookkeeping,
    /// XDEL calls of the core that deleted something: one `xdel` event each.
    pub deletions: usize,
}

/// A consumer group.
#[derive(Clone, Debug, Default)]
pub struct MemGroup {
    pub last_delivered: EntryId,
    /// entries-read; None while the core cannot know it.
    pub entries_read: Option<u64>,
    /// What is pending, and whose it is.
    pub pending: BTreeMap<EntryId, Vec<u8>>,
    /// Milliseconds since a consumer was seen; None without consumers.
    pub idle: Option<u64>,
}

impl MemStream {
    /// XADD
    pub fn add(&mut self, id: EntryId) {
        self.entries.insert(id);
        self.bookkeeping.last_generated = id;
        self.bookkeeping.entries_added += 1;
    }

    /// XDEL by somebody else; the number deleted.
    pub fn remove(&mut self, ids: impl IntoIterator<Item = EntryId>) -> usize {
        let deleted: Vec<EntryId> = ids.into_iter().filter(|id| self.entries.remove(id)).collect();
        let hole = deleted.iter().copied().max().unwrap_or_default();
        self.bookkeeping.max_deleted = self.bookkeeping.max_deleted.max(hole);
        deleted.len()
    }

    /// XGROUP CREATE, or XGROUP SETID of a group that exists.
    pub fn place_group(&mut self, name: &[u8], last_delivered: EntryId) {
        let group = self.groups.entry(name.to_vec()).or_default();
        group.last_delivered = last_delivered;
        group.entries_read = None;
    }

    /// `XREADGROUP GROUP group consumer COUNT count [NOACK] STREAMS key >`
    pub fn read(&mut self, name: &[u8], consumer: &[u8], count: usize, noack: bool) {
        let last = self.groups[name].last_delivered;
        let above: Vec<EntryId> = self.entries.iter().filter(|id| **id > last).take(count).copied().collect();
        for id in above {
            let group = &self.groups[name];
            let entries_read = match group.entries_read {
                Some(read) if !self.has_hole_from(group.last_delivered) => Some(read + 1),
                _ => self.estimate_read(id),
            };
            let group = self.groups.entry(name.to_vec()).or_default();
            (group.last_delivered, group.entries_read) = (id, entries_read);
            if !noack {
                group.pending.insert(id, consumer.to_vec());
            }
        }
    }

    /// XCLAIM … 0 of ids that are pending.
    pub fn claim(&mut self, name: &[u8], consumer: &[u8], ids: &[EntryId]) {
        let Some(group) = self.groups.get_mut(name) else { return };
        for (_, owner) in group.pending.iter_mut().filter(|(id, _)| ids.contains(id)) {
            *owner = consumer.to_vec();
        }
    }

    /// XGROUP DELCONSUMER
    pub fn delete_consumer(&mut self, name: &[u8], consumer: &[u8]) {
        if let Some(group) = self.groups.get_mut(name) {
            group.pending.retain(|_, owner| owner != consumer);
        }
    }

    /// XINFO GROUPS
    pub fn group_rows(&self) -> Vec<Group<'_>> {
        self.groups
            .iter()
            .map(|(name, group)| Group {
                name,
                pending: group.pending.len() as u64,
                last_delivered: group.last_delivered,
                lag: self.lag(name).and_then(|lag| i64::try_from(lag).ok()),
            })
            .collect()
    }

    /// The lag in XINFO GROUPS, as 7.4 works it out; None: unknown.
    pub fn lag(&self, name: &[u8]) -> Option<u64> {
        let group = &self.groups[name];
        let read = match group.entries_read {
            Some(read) if !self.has_hole_from(group.last_delivered) => read,
            _ => self.estimate_read(group.last_delivered)?,
        };
        Some(self.bookkeeping.entries_added - read)
    }

    /// Whether the one hole that the core remembers is at `id` or above.
    fn has_hole_from(&self, id: EntryId) -> bool {
        let hole = self.bookkeeping.max_deleted;
        !self.entries.is_empty() && hole > EntryId::default() && hole >= id
    }

    /// How many entries there ever were up to `id`, where the core can tell: before the first entry, at the first one as
    /// long as nothing behind it was deleted, and at the last id.
    fn estimate_read(&self, id: EntryId) -> Option<u64> {
        let Bookkeeping { last_generated, max_deleted, entries_added } = self.bookkeeping;
        let Some(&first) = self.entries.first() else { return (id <= last_generated).then_some(entries_added) };
        let removed = entries_added - self.entries.len() as u64;
        match id {
            _ if id > EntryId::default() && id < max_deleted || id > last_generated => None,
            _ if id == last_generated => Some(entries_added),
            _ if max_deleted > EntryId::default() && max_deleted >= first => None,
            _ if id < first => Some(removed),
            _ if id == first => Some(removed + 1),
            _ => None,
        }
    }
}

impl Stream for MemStream {
    fn ack(&mut self, ids: &[GivenId], surely_pending: &IdSet) -> Vec<GivenId> {
        let Some(group) = self.groups.get_mut(&self.own) else { return Vec::new() };
        let named_once = |id: &EntryId| ids.iter().filter(|named| named.id == *id).count() == 1;
        let is_right = |id| group.pending.contains_key(id) && named_once(id);
        assert!(surely_pending.as_slice().iter().all(is_right), "{surely_pending:?}");
        ids.iter().filter(|given| group.pending.remove(&given.id).is_some()).copied().collect()
    }

    fn ack_in(&mut self, group: &[u8], ids: &[GivenId]) {
        if let Some(group) = self.groups.get_mut(group) {
            group.pending.retain(|id, _| ids.iter().all(|acked| acked.id != *id));
        }
    }

    fn delete(&mut self, ids: &[GivenId], _: Option<&Prefix>) -> usize {
        let deleted = self.remove(ids.iter().map(|given| given.id));
        self.deletions += usize::from(deleted > 0);
        deleted
    }

    fn pending(&self, group: &[u8], min: EntryId, max: EntryId, limit: usize) -> Vec<EntryId> {
        self.groups[group].pending.range(min..=max).map(|(id, _)| *id).take(limit).collect()
    }

    fn pending_of(&self, consumer: &[u8], min: EntryId, max: EntryId, limit: usize) -> Vec<EntryId> {
        let pending = self.groups[&self.own].pending.range(min..=max);
        pending.filter(|(_, owner)| *owner == consumer).map(|(id, _)| *id).take(limit).collect()
    }

    /// Deliveries are not counted here: each is the first.
    fn delivery(&self, group: &[u8], id: EntryId) -> Option<Delivery> {
        self.groups[group].pending.get(&id).map(|owner| Delivery { consumer: owner.clone(), count: 1 })
    }

    /// Nodes hold one entry here, so that `~` is as exact as `=`, but for its limit.
    fn trim(&mut self, threshold: Threshold, exactness: Exactness) -> usize {
        let excess = match threshold {
            Threshold::MaxLen(length) => {
                self.entries.len().saturating_sub(usize::try_from(length).unwrap_or(usize::MAX))
            }
            Threshold::MinId(id) => self.entries.range(..id).count(),
        };
        let limit = match exactness {
            Exactness::Nodes(Some(limit)) if limit > 0 => usize::try_from(limit).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let removed = excess.min(limit);
        self.entries = self.entries.iter().skip(removed).copied().collect();
        removed
    }

    fn length(&self) -> u64 {
        self.entries.len() as u64
    }

    fn visit(&self, from: EntryId, each: &mut dyn FnMut(EntryId) -> bool) {
        let _ = self.entries.range(from..).copied().all(each);
    }

    fn idle(&self, group: &[u8]) -> Option<u64> {
        self.groups[group].idle
    }

    fn bookkeeping(&self) -> Option<Bookkeeping> {
        Some(self.bookkeeping)
    }

    fn lags(&self) -> Vec<(Vec<u8>, Option<i64>)> {
        self.group_rows().iter().map(|group| (group.name.to_vec(), group.lag)).collect()
    }

    fn set_entries_read(&mut self, group: &Group<'_>, entries_read: u64) {
        if let Some(group) = self.groups.get_mut(group.name) {
            group.entries_read = Some(entries_read);
        }
    }

    fn set_max_deleted(&mut self, id: EntryId, bookkeeping: &Bookkeeping) {
        self.bookkeeping = Bookkeeping { max_deleted: id, ..*bookkeeping };
    }
}

mod tests;
