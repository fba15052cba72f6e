//! From a command's arguments to what is asked. Everything is parsed before anything is done.

pub mod ackdel;
pub mod ackmove;
pub mod add;
pub mod arguments;
pub mod groupreap;
pub mod ids;
pub mod native;
pub mod trim;
mod trim_option;
