use super::ids::set_once;
use super::{Arguments, positive};
use crate::error::Error;

/// `IDLE ms [MATCH pattern] [EMPTY] [FORCE] [DRYRUN]` of EGG.GROUPREAP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reap<'a> {
    /// All consumers of a group have been idle for at least so many milliseconds.
    pub idle: u64,
    /// Its name matches this glob.
    pub pattern: Option<&'a [u8]>,
    /// Groups without consumers go, too.
    pub empty: bool,
    /// Groups with pending entries go, too.
    pub force: bool,
    /// Only say what would go.
    pub dry_run: bool,
}

impl<'a> Reap<'a> {
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
        Ok(Self {
            idle: idle.ok_or(Error::Syntax)?,
            pattern,
            empty: empty.unwrap_or(false),
            force: force.unwrap_or(false),
            dry_run: dry_run.unwrap_or(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Reap;
    use crate::error::Error;

    type Parsed = (u64, Option<Vec<u8>>, [bool; 3]);

    fn parse(options: &str) -> Result<Parsed, Error> {
        let line = format!("EGG.GROUPREAP s g {options}");
        let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let flags = |reap: &Reap<'_>| [reap.empty, reap.force, reap.dry_run];
        Reap::parse(&arguments).map(|reap| (reap.idle, reap.pattern.map(<[u8]>::to_vec), flags(&reap)))
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
