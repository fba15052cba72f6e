//! The commands, one file each: what the server and its users are told of it, and parse, act, reply.

mod ackdel;
mod ackmove;
mod add;
mod admission;
mod arguments;
mod counting;
mod delex;
#[cfg(feature = "faults")]
mod fault;
mod groupguard;
mod groupreap;
mod native;
mod pins;
mod trim;
mod version;

use crate::server::command::{Registration, registration};
use crate::server::native::NativeNames;

/// Every command of the module.
pub const ALL: &[Registration] = &[
    registration::<ackdel::AckDel>(),
    registration::<ackmove::AckMove>(),
    registration::<add::Add>(),
    registration::<delex::DelEx>(),
    registration::<groupguard::GroupGuard>(),
    registration::<groupreap::GroupReap>(),
    registration::<pins::Pins>(),
    registration::<trim::Trim>(),
    registration::<version::Version>(),
    #[cfg(feature = "faults")]
    registration::<fault::Fault>(),
];

/// The commands behind `egg.native-names`.
pub const NATIVE: NativeNames = NativeNames {
    xackdel: registration::<native::XAckDel>(),
    xdelex: registration::<native::XDelEx>(),
    xadd: registration::<native::XAdd>(),
    xtrim: registration::<native::XTrim>(),
};
