//! The grammar of EGG.ADD and XADD.

use super::arguments::{Arguments, Dialect};
use super::trim::TrimRequest;
use crate::values::entry_id::EntryId;
use crate::values::error::Error;

/// `key [NOMKSTREAM] [policy] [MAXLEN | MINID [= | ~] threshold [LIMIT n]] <* | id> field value [field value ...]`
#[derive(Debug, PartialEq, Eq)]
pub struct AddRequest {
    /// Do not create a stream.
    pub nomkstream: bool,
    /// How the stream is trimmed afterwards.
    pub trim: TrimRequest,
    /// Index of the id; the fields and values follow it.
    pub id: usize,
}

impl AddRequest {
    /// Parses as 8.2's XADD does (spec-8.2, part 2): options up to the first word that is none, which has to be the id. What
    /// is behind the id is data, whatever it looks like. `name` is the command that a wrong number of arguments is said of.
    pub fn parse(arguments: &impl Arguments, name: &'static str) -> Result<Self, Error> {
        let mut trim = TrimRequest::default();
        let mut nomkstream = false;
        let mut index = 2;
        let id = loop {
            let Some(word) = arguments.get(index) else { break index };
            if word == b"*" {
                break index;
            }
            if let Some(next) = trim.option(arguments, index, Dialect::Native)? {
                index = next;
            } else if word.eq_ignore_ascii_case(b"NOMKSTREAM") {
                nomkstream = true;
                index += 1;
            } else if is_id(word) {
                break index;
            } else {
                return Err(Error::InvalidId);
            }
        };
        trim.check(false)?;
        match arguments.len().checked_sub(id + 1) {
            Some(data) if data >= 2 && data % 2 == 0 => {}
            _ => return Err(Error::Arity(name)),
        }
        Ok(Self { nomkstream, trim, id })
    }
}

/// An id, or `ms-*`.
fn is_id(word: &[u8]) -> bool {
    let whole = match word.strip_suffix(b"-*") {
        Some(ms) => [ms, b"-0"].concat(),
        None => word.to_vec(),
    };
    EntryId::parse(&whole).is_some()
}

#[cfg(test)]
mod tests {
    use super::AddRequest;
    use crate::requests::arguments::words;
    use crate::stream::Threshold;
    use crate::values::error::Error;
    use crate::values::policy::DeletePolicy;

    fn parse(rest: &str) -> Result<AddRequest, Error> {
        let line = format!("XADD s {rest}");
        let arguments = words(&line);
        AddRequest::parse(&arguments, "xadd")
    }

    #[test]
    fn options_end_at_the_id() {
        let add = parse("nomkstream MAXLEN 3 ACKED 7-1 MAXLEN DELREF");
        let add = add.map(|add| (add.nomkstream, add.trim.policy, add.trim.threshold, add.id));
        assert_eq!(add, Ok((true, Some(DeletePolicy::Acked), Some(Threshold::MaxLen(3)), 6)));
        for id in ["*", "7", "7-1", "7-*", "0-0"] {
            assert_eq!(parse(&format!("{id} f v")).map(|add| add.id), Ok(2), "{id}");
        }
    }

    #[test]
    fn answers_the_cores_errors_in_the_cores_order() {
        let arity = || Error::Arity("xadd");
        for (rest, error) in [
            ("DELREF f v", Error::InvalidId),
            ("DELREF MAXLEN 3 DELREF 7-1 f v", Error::InvalidId),
            ("DELREF MAXLEN 3 foo f v", Error::InvalidId),
            ("DELREF 7-1 f", arity()),
            ("DELREF 7-1 f v x", arity()),
            ("DELREF MAXLEN 3 7-1", arity()),
            ("MAXLEN ~ 3 LIMIT 5", arity()),
            ("MAXLEN 3 LIMIT 5", Error::LimitWithoutTilde),
            ("MAXLEN x 7-1 f v", Error::NotAnInteger),
            ("MAXLEN -3 7-1 f v", Error::NegativeMaxLen),
            ("MAXLEN 3 LIMIT 5 7-1 f v", Error::LimitWithoutTilde),
            ("LIMIT 5 7-1 f v", Error::LimitWithoutStrategy),
            ("LIMIT 5 bad f v", Error::InvalidId),
            ("MAXLEN 3 MINID 5 7-1 f v", Error::TwoStrategies),
        ] {
            assert_eq!(parse(rest), Err(error), "{rest}");
        }
        assert!(parse("LIMIT 0 7-1 f v").is_ok());
    }
}
