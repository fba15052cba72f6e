//! The commands, one file each: what the server and its users are told of it, and parse, act, reply.

mod ackdel;
#[cfg(feature = "faults")]
mod fault;
mod groupguard;
mod version;

use crate::server::load::{Registration, registration};

/// Every command of the module.
pub const ALL: &[Registration] = &[
    registration::<ackdel::AckDel>(),
    registration::<groupguard::GroupGuard>(),
    registration::<version::Version>(),
    #[cfg(feature = "faults")]
    registration::<fault::Fault>(),
];
