//! Entry ids, as the tests read and write them. The module's own are in egg-core: what it is tested with shares none of it.

use std::fmt;

use crate::reply::Reply;

/// An entry id.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(pub u64, pub u64);

impl Id {
    pub const MIN: Self = Self(0, 0);
    pub const MAX: Self = Self(u64::MAX, u64::MAX);

    /// An id as the commands take it, a missing sequence number being 0.
    pub fn parse(text: &str) -> Option<Self> {
        let (ms, sequence) = text.split_once('-').unwrap_or((text, "0"));
        Some(Self(ms.parse().ok()?, sequence.parse().ok()?))
    }

    /// What must be an id.
    pub fn of(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(|| panic!("no id: {text:?}"))
    }

    /// The next id; None after the largest.
    pub fn successor(self) -> Option<Self> {
        match self.1.checked_add(1) {
            Some(sequence) => Some(Self(self.0, sequence)),
            None => self.0.checked_add(1).map(|ms| Self(ms, 0)),
        }
    }

    /// The id before; 0-0 before 0-0.
    pub fn previous(self) -> Self {
        match (self.0, self.1) {
            (ms, 0) => ms.checked_sub(1).map_or(self, |ms| Self(ms, u64::MAX)),
            (ms, sequence) => Self(ms, sequence - 1),
        }
    }
}

impl From<&Reply> for Id {
    fn from(reply: &Reply) -> Self {
        Self::of(&reply.text())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0, self.1)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn an_id_is_read_and_written() {
        assert_eq!(Id::parse("5-2").map(|id| id.to_string()).as_deref(), Some("5-2"));
        assert_eq!(Id::parse("5"), Some(Id(5, 0)));
        for wrong in ["", "-", "5-", "a", "1-1-1", "$", "99999999999999999999"] {
            assert_eq!(Id::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ids_have_neighbours() {
        for (id, previous, successor) in [
            (Id(5, 2), Id(5, 1), Some(Id(5, 3))),
            (Id(5, 0), Id(4, u64::MAX), Some(Id(5, 1))),
            (Id(5, u64::MAX), Id(5, u64::MAX - 1), Some(Id(6, 0))),
            (Id::MIN, Id::MIN, Some(Id(0, 1))),
            (Id::MAX, Id(u64::MAX, u64::MAX - 1), None),
        ] {
            assert_eq!((id.previous(), id.successor()), (previous, successor), "{id}");
        }
    }
}
