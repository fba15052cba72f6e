//! The arguments of a command, and what all grammars have in common.

use crate::values::error::Error;
use crate::values::integer::parse_integer;

/// The arguments of a command, its name at index 0.
#[allow(clippy::len_without_is_empty, reason = "the name of the command is always there")]
pub trait Arguments {
    /// How many there are, the command's name included.
    fn len(&self) -> usize;

    /// The bytes of one of them.
    fn get(&self, index: usize) -> Option<&[u8]>;
}

/// Whose grammar is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// EGG's own: each option once; EGG.TRIM has IGNOREIDLE, and a janitor without a threshold.
    Egg,
    /// That of Redis 8.2's own commands.
    Native,
}

/// An option that may be given once.
pub fn set_once<T>(option: &mut Option<T>, value: T) -> Result<(), Error> {
    match option.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::Syntax),
    }
}

/// An integer from 1 up that follows the option at `index`. `ERR <option> must be a positive integer` if it is none.
pub fn positive(arguments: &impl Arguments, index: usize, option: &'static str) -> Result<u64, Error> {
    let text = arguments.get(index + 1).ok_or(Error::Syntax)?;
    let value = parse_integer(text).and_then(|value| u64::try_from(value).ok()).filter(|&value| value > 0);
    value.ok_or(Error::NotPositive(option))
}

/// The words of a line, for the tests.
#[cfg(test)]
pub fn words(line: &str) -> Vec<&[u8]> {
    line.split(' ').map(str::as_bytes).collect()
}

impl Arguments for Vec<&[u8]> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn get(&self, index: usize) -> Option<&[u8]> {
        <[_]>::get(self, index).copied()
    }
}
