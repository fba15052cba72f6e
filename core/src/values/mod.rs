//! Small things that everything else is about.

pub mod entry_id;
pub mod error;
pub mod glob;
pub mod id_set;
pub mod integer;
pub mod policy;
pub mod reply;
