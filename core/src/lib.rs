//! What EGG decides, without a server: what it has to know of a stream it asks through [`stream::Stream`].
//!
//! Each line may use what is below it:
//!
//! - [`requests`]: from a command's arguments to what is asked, one file per grammar
//! - [`rules`]: which entries go, and what each id is answered
//! - [`stream`]: what the rules ask of a server; [`resp`]: what a server answers
//! - [`values`]: ids, policies, errors, replies
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::panic))]

#[cfg(any(test, feature = "checks"))]
#[allow(clippy::indexing_slicing, clippy::panic)]
pub mod checks;
#[cfg(test)]
mod mem_stream;
pub mod requests;
pub mod resp;
pub mod rules;
pub mod stream;
pub mod values;
