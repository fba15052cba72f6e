//! Real servers for the tests: started in a directory of their own, on a unix socket, stopped by process id.

mod directory;
mod kind;
mod options;
mod replication;
mod server;
mod waiting;

pub use directory::Directory;
pub use kind::{Kind, faults_module, library, module};
pub use options::{Options, without_module};
pub use server::Server;
pub use waiting::wait_until;

/// A test on each server that takes the module: `each_server!(name, ...)` makes `name::redis_7_4` and so on of `fn name(Kind)`,
/// and `name::run` for [`without_module`].
#[macro_export]
macro_rules! each_server {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {$(
        pub mod $name {
            use $crate::harness::Kind;

            pub fn run(kind: Kind) {
                super::$name(kind);
            }

            #[test]
            $(#[$attribute])*
            fn redis_7_4() {
                run(Kind::Redis74);
            }

            #[test]
            $(#[$attribute])*
            fn redis_8_2() {
                run(Kind::Redis82);
            }

            #[test]
            $(#[$attribute])*
            fn valkey_9_1() {
                run(Kind::Valkey91);
            }
        }
    )*};
}
