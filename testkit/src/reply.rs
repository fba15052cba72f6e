//! What servers answer, in a form that is easy to compare.

use std::fmt;

use redis::Value;

/// What a server answered. RESP2 and RESP3 look alike, but for maps.
#[derive(Clone, PartialEq, Eq)]
pub enum Reply {
    Nil,
    Integer(i64),
    /// A bulk or simple string.
    Text(Vec<u8>),
    Error(String),
    Array(Vec<Reply>),
    Map(Vec<(Reply, Reply)>),
}

impl Reply {
    pub fn array(&self) -> &[Reply] {
        match self {
            Self::Array(items) => items,
            other => panic!("no array: {other:?}"),
        }
    }

    pub fn integer(&self) -> i64 {
        match self {
            Self::Integer(value) => *value,
            other => panic!("no integer: {other:?}"),
        }
    }

    pub fn integers(&self) -> Vec<i64> {
        self.array().iter().map(Reply::integer).collect()
    }

    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => String::from_utf8_lossy(text).into_owned(),
            other => panic!("no string: {other:?}"),
        }
    }

    pub fn error(&self) -> &str {
        match self {
            Self::Error(text) => text,
            other => panic!("no error: {other:?}"),
        }
    }

    /// Whether an ACL refused the call.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Error(text) if text.starts_with("NOPERM "))
    }

    /// A field of a map, or of a flat array of names and values.
    pub fn field(&self, name: &str) -> &Reply {
        let found = match self {
            Self::Map(pairs) => pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value),
            other => other.array().chunks_exact(2).find(|pair| pair[0] == name).map(|pair| &pair[1]),
        };
        found.unwrap_or_else(|| panic!("no field {name} in {self:?}"))
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("nil"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "\"{}\"", text.escape_ascii()),
            Self::Error(text) => write!(f, "(error) {text}"),
            Self::Array(items) => f.debug_list().entries(items).finish(),
            Self::Map(pairs) => f.debug_map().entries(pairs.iter().map(|(key, value)| (key, value))).finish(),
        }
    }
}

impl PartialEq<str> for Reply {
    fn eq(&self, text: &str) -> bool {
        matches!(self, Self::Text(bytes) if bytes == text.as_bytes())
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }
}

impl PartialEq<&str> for Reply {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

impl PartialEq<i64> for Reply {
    fn eq(&self, value: &i64) -> bool {
        matches!(self, Self::Integer(integer) if integer == value)
    }
}

impl<const N: usize> PartialEq<[i64; N]> for Reply {
    fn eq(&self, values: &[i64; N]) -> bool {
        matches!(self, Self::Array(items) if items.len() == N && items.iter().zip(values).all(|(item, value)| item == value))
    }
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        match value {
            Value::Nil => Self::Nil,
            Value::Int(value) => Self::Integer(value),
            Value::BulkString(text) => Self::Text(text),
            Value::SimpleString(text) | Value::VerbatimString { text, .. } => Self::Text(text.into_bytes()),
            Value::Okay => Self::Text(b"OK".to_vec()),
            Value::Array(items) | Value::Set(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Map(pairs) => Self::Map(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect()),
            Value::Boolean(value) => Self::Integer(value.into()),
            Value::Double(value) => Self::Text(value.to_string().into_bytes()),
            Value::ServerError(error) => Self::Error(text_of(error.code(), error.details())),
            other => panic!("unexpected reply: {other:?}"),
        }
    }
}

/// An error as the server wrote it, which the crate takes apart.
pub(crate) fn text_of(code: &str, detail: Option<&str>) -> String {
    detail.map_or_else(|| code.to_owned(), |detail| format!("{code} {detail}"))
}
