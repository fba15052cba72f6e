use crate::error::Error;
use crate::reply::Reply;
use crate::request::Arguments as _;
use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::spec::Spec;

/// `EGG.FAULT text`
///
/// Panics with this text. Only in builds with the feature `faults`, for the test that the server survives it.
pub struct Fault;

impl Command for Fault {
    const SPEC: Spec = Spec {
        name: c"egg.fault",
        flags: c"readonly fast",
        acl_categories: "read fast",
        arity: 2,
        summary: c"Panics.",
        complexity: c"O(1)",
        since: c"0.1.0",
        keys: &[],
        arguments: &[],
    };

    #[allow(clippy::panic)]
    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        std::panic::panic_any(String::from_utf8_lossy(call.get(1).unwrap_or_default()).into_owned())
    }
}
