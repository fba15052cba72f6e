use egg_core::values::error::Error;
use egg_core::values::reply::Reply;

use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::spec::Spec;

/// `EGG.VERSION`
///
/// Replies the version of the loaded module, such as `0.2.0`; of one with planted faults, `0.2.0+faults`.
pub struct Version;

const VERSION: &str =
    if cfg!(feature = "faults") { concat!(env!("CARGO_PKG_VERSION"), "+faults") } else { env!("CARGO_PKG_VERSION") };

impl Command for Version {
    const SPEC: Spec = Spec {
        name: c"egg.version",
        flags: c"readonly fast",
        acl_categories: "read fast",
        arity: 1,
        summary: c"Returns the version of the EGG module.",
        complexity: c"O(1)",
        since: c"0.1.0",
        calls: None,
        keys: &[],
        arguments: &[],
    };

    fn run(_: &Call<'_>) -> Result<Reply, Error> {
        Ok(Reply::Bulk(VERSION.into()))
    }
}
