//! Every error that EGG can answer, with its exact text. The only place with error strings.
//!
//! Texts are ASCII, and begin with a code of the server's own where there is one: clients tell errors apart by it.

use std::fmt::{self, Write as _};

/// What EGG refuses. A command that answers an error has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The key holds something other than a stream.
    WrongType,
    /// Unknown, repeated or contradicting options; no `IDS` block.
    Syntax,
    /// `numids` is no integer from 1 up.
    NumIds,
    /// `numids` promises more ids than there are arguments.
    NumIdsMismatch,
    /// Ids without `IDS numids` in front, as XACK takes them.
    IdsForm,
    /// An id that is none.
    InvalidId,
    /// A wrong number of arguments for this command.
    Arity(&'static str),
    /// Something that is no integer where one is wanted.
    NotAnInteger,
    /// MAXLEN below 0.
    NegativeMaxLen,
    /// LIMIT below 0.
    NegativeLimit,
    /// MAXLEN and MINID, or one of them twice.
    TwoStrategies,
    /// LIMIT without MAXLEN or MINID.
    LimitWithoutStrategy,
    /// LIMIT with an exact trim.
    LimitWithoutTilde,
    /// XTRIM without MAXLEN and MINID.
    NoStrategy,
    /// What follows this option is no integer from 1 up.
    NotPositive(&'static str),
    /// `numpairs` is no integer from 1 up.
    NumPairs,
    /// `numpairs` promises more fields and values than there are arguments.
    NumPairsMismatch,
    /// The destination has not that many ids left.
    NoIdsLeft,
    /// An entry would be larger than a stream can hold.
    TooLarge,
    /// What a core command answered that EGG ran on the caller's behalf.
    Core(Vec<u8>),
    /// No such key, or no such consumer group.
    NoGroup {
        /// The key's name, as given.
        key: Vec<u8>,
        /// The group's name, as given.
        group: Vec<u8>,
    },
    /// Other consumer groups exist, and the policy is REJECT.
    ForeignGroup(Foreign),
    /// The same, answered to EGG.GROUPGUARD: a worker that starts.
    NotAlone {
        /// The key's name, as given.
        key: Vec<u8>,
        /// The group's name, as given.
        group: Vec<u8>,
        /// The other groups.
        others: Foreign,
    },
    /// A fault of EGG itself: the call was abandoned.
    Internal,
}

/// The consumer groups of a stream besides the one of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The names of the first few; none if the caller may not know them.
    pub names: Vec<Vec<u8>>,
    /// How many there are in all.
    pub total: usize,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FOREIGNGROUP the stream has ")?;
        match (self.names.len(), self.total) {
            (0, 1) => return f.write_str("1 other consumer group"),
            (0, total) => return write!(f, "{total} other consumer groups"),
            _ => f.write_str("other consumer groups: ")?,
        }
        for (index, name) in self.names.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}\"{}\"", Escaped(name))?;
        }
        let more = self.total.saturating_sub(self.names.len());
        if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

/// How many foreign groups an error names.
pub const GROUPS_NAMED: usize = 3;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongType => f.write_str("WRONGTYPE Operation against a key holding the wrong kind of value"),
            Self::Syntax => f.write_str("ERR syntax error"),
            Self::NumIds => f.write_str("ERR Number of IDs must be a positive integer"),
            Self::NumIdsMismatch => f.write_str("ERR The `numids` parameter must match the number of arguments"),
            Self::IdsForm => f.write_str("ERR syntax error, ids are given as IDS numids id [id ...]"),
            Self::InvalidId => f.write_str("ERR Invalid stream ID specified as stream command argument"),
            Self::Arity(command) => write!(f, "ERR wrong number of arguments for '{command}' command"),
            Self::NotAnInteger => f.write_str("ERR value is not an integer or out of range"),
            Self::NegativeMaxLen => f.write_str("ERR The MAXLEN argument must be >= 0."),
            Self::NegativeLimit => f.write_str("ERR The LIMIT argument must be >= 0."),
            Self::TwoStrategies => {
                f.write_str("ERR syntax error, MAXLEN and MINID options at the same time are not compatible")
            }
            Self::LimitWithoutStrategy => {
                f.write_str("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy")
            }
            Self::LimitWithoutTilde => {
                f.write_str("ERR syntax error, LIMIT cannot be used without the special ~ option")
            }
            Self::NoStrategy => f.write_str("ERR syntax error, XTRIM must be called with a trimming strategy"),
            Self::NotPositive(option) => write!(f, "ERR {option} must be a positive integer"),
            Self::NumPairs => f.write_str("ERR Number of pairs must be a positive integer"),
            Self::NumPairsMismatch => f.write_str("ERR The `numpairs` parameter must match the number of arguments"),
            Self::NoIdsLeft => {
                f.write_str("ERR The destination stream has exhausted the last possible ID, unable to add more items")
            }
            Self::TooLarge => f.write_str("ERR Elements are too large to be stored"),
            Self::Core(text) => f.write_str(&String::from_utf8_lossy(text)),
            Self::NoGroup { key, group } => {
                let (key, group) = (Escaped(key), Escaped(group));
                write!(f, "NOGROUP No such key '{key}' or consumer group '{group}'")
            }
            Self::ForeignGroup(others) => write!(
                f,
                "{others}; nothing was acknowledged or deleted. Repeat the call with ACKONLY (acknowledge, keep the entry) or ACKED \
                 (delete it once no group needs it). EGG.PINS shows what each group needs, EGG.GROUPREAP destroys groups that \
                 nobody uses. Last, XGROUP DESTROY a group that you know to be left over"
            ),
            Self::NotAlone { key, group, others } => {
                let (key, group) = (Escaped(key), Escaped(group));
                write!(f, "{others}; EGG.ACKDEL would refuse the workers of \"{group}\". ")?;
                if let Some(other) = others.names.first() {
                    let other = Escaped(other);
                    write!(
                        f,
                        "If \"{other}\" is what a renamed handler left behind, let it finish (EGG.PINS shows what it needs), then \
                         XGROUP DESTROY \"{key}\" \"{other}\". "
                    )?;
                }
                f.write_str("If all are to stay, the workers name ACKED or ACKONLY, or egg.default-policy does")
            }
            Self::Internal => f.write_str("ERR internal error"),
        }
    }
}

/// Bytes as redis-cli prints them, without the quotes around, cut at [`Escaped::LONGEST`] bytes of input: pure ASCII, no
/// control characters, bounded. So no name can forge a reply, a log line or a second error.
pub struct Escaped<'a>(pub &'a [u8]);

impl Escaped<'_> {
    /// Names longer than this many bytes are cut, and end in three dots.
    pub const LONGEST: usize = 64;
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &byte in self.0.iter().take(Self::LONGEST) {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", char::from(byte))?,
                b'\n' => f.write_str("\\n")?,
                b'\r' => f.write_str("\\r")?,
                b'\t' => f.write_str("\\t")?,
                0x07 => f.write_str("\\a")?,
                0x08 => f.write_str("\\b")?,
                b' '..=b'~' => f.write_char(char::from(byte))?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        if self.0.len() > Self::LONGEST { f.write_str("...") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Escaped, Foreign};

    #[test]
    fn names_are_escaped_as_redis_cli_prints_them() {
        for (name, expected) in [
            (&b"plain name"[..], "plain name"),
            (b"a\"b\\c", "a\\\"b\\\\c"),
            (b"\r\n\t\x07\x08\x00", "\\r\\n\\t\\a\\b\\x00"),
            ("\u{100}%s".as_bytes(), "\\xc4\\x80%s"),
            (b"\x7f\xff", "\\x7f\\xff"),
        ] {
            assert_eq!(Escaped(name).to_string(), expected);
        }
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(Escaped(&[b'a'; 64]).to_string(), "a".repeat(64));
        assert_eq!(Escaped(&[b'a'; 65]).to_string(), "a".repeat(64) + "...");
    }

    #[test]
    fn the_guard_names_groups_and_the_way_out() {
        let others = |names: &[&[u8]], total| Foreign { names: names.iter().map(|n| n.to_vec()).collect(), total };
        let error = |names: &[&[u8]], total| Error::ForeignGroup(others(names, total));
        let text = error(&[b"h"], 1).to_string();
        assert!(text.starts_with("FOREIGNGROUP the stream has other consumer groups: \"h\"; nothing was"), "{text}");
        let text = error(&[b"a", b"b", b"c"], 5).to_string();
        assert!(text.contains("\"a\", \"b\", \"c\" and 2 more; nothing was acknowledged or deleted"), "{text}");
        assert!(error(&[], 1).to_string().starts_with("FOREIGNGROUP the stream has 1 other consumer group; nothing"));
        assert!(error(&[], 7).to_string().starts_with("FOREIGNGROUP the stream has 7 other consumer groups; nothing"));
        let guard = Error::NotAlone { key: b"jobs".to_vec(), group: b"new".to_vec(), others: others(&[b"a b"], 1) };
        assert!(
            guard.to_string().contains("; EGG.ACKDEL would refuse the workers of \"new\". If \"a b\" is what"),
            "{guard}"
        );
        assert!(guard.to_string().contains("XGROUP DESTROY \"jobs\" \"a b\". If all are to stay"), "{guard}");
        let ways: Vec<_> = ["ACKONLY", "ACKED", "EGG.PINS", "EGG.GROUPREAP", "XGROUP DESTROY"]
            .iter()
            .map(|way| text.find(way))
            .collect();
        assert!(ways.iter().all(Option::is_some) && ways.is_sorted(), "{text}");
    }
}
