//! The grammar of EGG.GROUPREAP.

use super::arguments::{Arguments, positive, set_once};
use crate::rules::abandoned::Criteria;
use crate::values::error::Error;

/// `IDLE ms [MATCH pattern] [EMPTY] [FORCE] [DRYRUN]` of EGG.GROUPREAP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupReapRequest<'a> {
    /// Which groups are meant.
    pub criteria: Criteria<'a>,
    /// Only say what would go.
    pub dry_run: bool,
}

impl<'a> GroupReapRequest<'a> {
    /// Parses what follows key and group: options in any order, each once.
    pub fn parse(arguments: &'a impl Arguments) -> Result<Self, Error> {
        let (mut idle, mut pattern, mut empty, mut force, mut dry_run) = (None, None, None, None, None);
        let mut index = 3;
        while let Some(token) = arguments.get(index) {
            let is = |name: &[u8]| token.eq_ignore_ascii_case(name);
            index += 1;
            if is(b"IDLE") {
                set_once(&mut idle, positive(arguments, index - 1, "IDLE")?)?;
                index += 1;
            } else if is(b"MATCH") {
                set_once(&mut pattern, arguments.get(index).ok_or(Error::Syntax)?)?;
                index += 1;
            } else if is(b"EMPTY") {
                set_once(&mut empty, true)?;
            } else if is(b"FORCE") {
                set_once(&mut force, true)?;
            } else if is(b"DRYRUN") {
                set_once(&mut dry_run, true)?;
            } else {
                return Err(Error::Syntax);
            }
        }
        let criteria = Criteria {
            idle: idle.ok_or(Error::Syntax)?,
            pattern,
            empty: empty.unwrap_or(false),
            force: force.unwrap_or(false),
        };
        Ok(Self { criteria, dry_run: dry_run.unwrap_or(false) })
    }
}

#[cfg(test)]
mod tests {
    use super::GroupReapRequest;
    use crate::requests::arguments::words;
    use crate::values::error::Error;

    /// IDLE, MATCH, and whether EMPTY, FORCE and DRYRUN are given.
    type Parsed = (u64, Option<Vec<u8>>, [bool; 3]);

    fn parse(options: &str) -> Result<Parsed, Error> {
        let line = format!("EGG.GROUPREAP s g {options}");
        let arguments = words(&line);
        let GroupReapRequest { criteria, dry_run } = GroupReapRequest::parse(&arguments)?;
        let flags = [criteria.empty, criteria.force, dry_run];
        Ok((criteria.idle, criteria.pattern.map(<[u8]>::to_vec), flags))
    }

    #[test]
    fn takes_options_in_any_order() {
        let all = Ok((5, Some(b"old*".to_vec()), [true, true, true]));
        assert_eq!(parse("IDLE 5 MATCH old* EMPTY FORCE DRYRUN"), all);
        assert_eq!(parse("dryrun force empty match old* idle 5"), all);
        assert_eq!(parse("IDLE 5 MATCH FORCE"), Ok((5, Some(b"FORCE".to_vec()), [false; 3])));
    }

    #[test]
    fn answers_the_first_error_from_the_left() {
        for options in
            ["FORCE EMPTY", "IDLE 5 FOO", "IDLE 5 IDLE 5", "IDLE 5 FORCE FORCE", "IDLE 5 MATCH", "FORCE IDLE"]
        {
            assert_eq!(parse(options), Err(Error::Syntax), "{options}");
        }
        for options in ["IDLE 0", "IDLE -1", "IDLE x", "IDLE 1.5"] {
            assert_eq!(parse(options), Err(Error::NotPositive("IDLE")), "{options}");
        }
    }
}
