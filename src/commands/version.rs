use crate::error::Error;
use crate::reply::Reply;
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::spec::Spec;

/// `EGG.VERSION`
///
/// Replies the version of the loaded module, such as `0.2.0`.
pub struct Version;

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
        Ok(Reply::Bulk(env!("CARGO_PKG_VERSION").into()))
    }
}
