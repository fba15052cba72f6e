//! All that a server tells of a stream, in a form that can be compared and reasoned about.

use std::fmt;

use egg_testkit::client::Reply;
use egg_testkit::ids::Id;

/// `XINFO STREAM key FULL`, but for times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// How many nodes it has. Not compared: layout is the server's own business.
    pub nodes: i64,
    pub length: i64,
    pub last: Id,
    pub max_deleted: Id,
    pub added: i64,
    /// recorded-first-entry-id
    pub first: Id,
    pub entries: Vec<(Id, Reply)>,
    pub groups: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub name: String,
    pub delivered: Id,
    /// entries-read
    pub read: Option<i64>,
    pub lag: Option<i64>,
    /// Id, consumer, and number of deliveries.
    pub pending: Vec<(Id, String, i64)>,
    /// Name, and ids pending.
    pub consumers: Vec<(String, Vec<Id>)>,
}

impl Group {
    pub fn holds(&self, id: Id) -> bool {
        self.pending.binary_search_by_key(&id, |(pending, ..)| *pending).is_ok()
    }

    /// Acknowledges an id; false if it was not pending.
    pub fn ack(&mut self, id: Id) -> bool {
        let held = self.holds(id);
        self.pending.retain(|(pending, ..)| *pending != id);
        self.consumers.iter_mut().for_each(|(_, ids)| ids.retain(|pending| *pending != id));
        held
    }
}

impl Stream {
    /// The answer to `XINFO STREAM key FULL COUNT 0`; None if it is an error: no key, or no stream.
    pub fn read(reply: &Reply) -> Option<Self> {
        if matches!(reply, Reply::Error(_)) {
            return None;
        }
        let entries =
            reply.field("entries").array().iter().map(|row| (Id::from(&row.array()[0]), row.array()[1].clone()));
        Some(Self {
            nodes: reply.field("radix-tree-keys").integer(),
            length: reply.field("length").integer(),
            last: Id::from(reply.field("last-generated-id")),
            max_deleted: Id::from(reply.field("max-deleted-entry-id")),
            added: reply.field("entries-added").integer(),
            first: Id::from(reply.field("recorded-first-entry-id")),
            entries: entries.collect(),
            groups: reply.field("groups").array().iter().map(group).collect(),
        })
    }

    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }

    pub fn has(&self, id: Id) -> bool {
        self.entries.binary_search_by_key(&id, |(entry, _)| *entry).is_ok()
    }

    pub fn ids(&self) -> impl Iterator<Item = Id> {
        self.entries.iter().map(|(id, _)| *id)
    }

    /// The rule of the project: whether some group still needs an id.
    pub fn needs(&self, id: Id) -> bool {
        self.groups.iter().any(|group| group.delivered < id || group.holds(id))
    }

    /// No group needs an entry below this. None if no group needs any.
    pub fn first_needed(&self) -> Option<Id> {
        let pending = |group: &Group| group.pending.iter().map(|(id, ..)| *id).find(|id| self.has(*id));
        self.groups.iter().flat_map(|group| pending(group).into_iter().chain(group.delivered.successor())).min()
    }

    /// No group needs an id below this, be there an entry or not. None if no group needs any.
    pub fn frontier(&self) -> Option<Id> {
        let pending = |group: &Group| group.pending.first().map(|(id, ..)| *id);
        self.groups.iter().flat_map(|group| pending(group).into_iter().chain(group.delivered.successor())).min()
    }

    /// Deletes entries.
    pub fn remove(&mut self, ids: &[Id]) {
        self.entries.retain(|(id, _)| !ids.contains(id));
        self.length = i64::try_from(self.entries.len()).unwrap_or(i64::MAX);
        self.first = self.entries.first().map_or(Id(0, 0), |(id, _)| *id);
    }

    /// The same without what two cores, or two ways to delete, may see differently: the mark of deletions, the count of
    /// entries read, lag; and without the layout.
    pub fn essence(&self) -> Self {
        let mut essence = self.clone();
        (essence.nodes, essence.max_deleted) = (0, Id(0, 0));
        essence.groups.iter_mut().for_each(|group| (group.read, group.lag) = (None, None));
        essence
    }
}

fn number(reply: &Reply) -> Option<i64> {
    if *reply == Reply::Nil { None } else { Some(reply.integer()) }
}

fn group(reply: &Reply) -> Group {
    let pending = |row: &Reply| (Id::from(&row.array()[0]), row.array()[1].text(), row.array()[3].integer());
    let consumer = |row: &Reply| {
        let ids = row.field("pending").array().iter().map(|row| Id::from(&row.array()[0]));
        (row.field("name").text(), ids.collect())
    };
    Group {
        name: reply.field("name").text(),
        delivered: Id::from(reply.field("last-delivered-id")),
        read: number(reply.field("entries-read")),
        lag: number(reply.field("lag")),
        pending: reply.field("pending").array().iter().map(pending).collect(),
        consumers: reply.field("consumers").array().iter().map(consumer).collect(),
    }
}

/// What differs between two states, in words.
pub fn differences(left: Option<&Stream>, right: Option<&Stream>) -> Vec<String> {
    let (Some(left), Some(right)) = (left, right) else {
        return match (left, right) {
            (None, None) => Vec::new(),
            _ => vec![format!("a stream: {} / {}", left.is_some(), right.is_some())],
        };
    };
    let mut found = Vec::new();
    let mut compare = |what: &str, left: &dyn fmt::Debug, right: &dyn fmt::Debug| {
        let (left, right) = (format!("{left:?}"), format!("{right:?}"));
        if left != right {
            found.push(format!("{what}: {left} / {right}"));
        }
    };
    compare("length", &left.length, &right.length);
    compare("last-generated-id", &left.last, &right.last);
    compare("max-deleted-entry-id", &left.max_deleted, &right.max_deleted);
    compare("entries-added", &left.added, &right.added);
    compare("recorded-first-entry-id", &left.first, &right.first);
    compare("entries", &left.entries, &right.entries);
    let names = |stream: &Stream| stream.groups.iter().map(|group| group.name.clone()).collect::<Vec<_>>();
    compare("groups", &names(left), &names(right));
    for (left, right) in left.groups.iter().zip(&right.groups) {
        let mut field = |field: &str, a: &dyn fmt::Debug, b: &dyn fmt::Debug| {
            compare(&format!("group {}: {field}", left.name), a, b);
        };
        field("last-delivered-id", &left.delivered, &right.delivered);
        field("entries-read", &left.read, &right.read);
        field("lag", &left.lag, &right.lag);
        field("pending", &left.pending, &right.pending);
        field("consumers", &left.consumers, &right.consumers);
    }
    found
}
