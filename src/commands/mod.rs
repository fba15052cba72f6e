//! The commands, one file each: what the server and its users are told of it, and parse, act, reply.

mod ackdel;
mod ackmove;
pub mod add;
pub mod arguments;
mod delex;
#[cfg(feature = "faults")]
mod fault;
mod groupguard;
mod groupreap;
mod guard;
pub mod outcome;
mod pins;
pub mod trim;
mod version;

use crate::native_names;
use crate::server::load::{Registration, registration};
use crate::server::native::NativeNames;

/// Every command of the module.
pub const ALL: &[Registration] = &[
    registration::<ackdel::AckDelCommand>(),
    registration::<ackmove::AckMoveCommand>(),
    registration::<add::AddCommand>(),
    registration::<delex::DelEx>(),
    registration::<groupguard::GroupGuard>(),
    registration::<groupreap::GroupReap>(),
    registration::<pins::Pins>(),
    registration::<trim::TrimCommand>(),
    registration::<version::Version>(),
    #[cfg(feature = "faults")]
    registration::<fault::Fault>(),
];

/// The commands behind `egg.native-names`.
pub const NATIVE: NativeNames = NativeNames {
    xackdel: registration::<native_names::XAckDel>(),
    xdelex: registration::<native_names::XDelEx>(),
    xadd: registration::<native_names::XAdd>(),
    xtrim: registration::<native_names::XTrim>(),
};
