//! What each command decides, over [`crate::stream::Stream`].

pub mod abandoned;
pub mod deletion;
pub mod guard;
pub mod holding;
pub mod moving;
mod needed;
mod prefix;
mod surely_pending;
pub mod trimming;
