use egg_core::requests::arguments::Arguments as _;
use egg_core::values::error::Error;
use egg_core::values::reply::Reply;

use crate::server::call::Call;
use crate::server::command::Command;
use crate::server::fault::commit;
use crate::server::spec::Spec;

/// `EGG.FAULT text`
///
/// Misuses memory if the text names a way to, else panics with this text. Only in builds with the feature `faults`, for the
/// tests that the server survives the one, and that valgrind finds the other.
pub struct Fault;

impl Command for Fault {
    const SPEC: Spec = Spec {
        name: c"egg.fault",
        flags: c"readonly fast",
        acl_categories: "read fast",
        arity: 2,
        summary: c"Does wrong on purpose.",
        complexity: c"O(1)",
        since: c"0.1.0",
        calls: None,
        keys: &[],
        arguments: &[],
    };

    #[allow(clippy::panic)]
    fn run(call: &Call<'_>) -> Result<Reply, Error> {
        let text = call.get(1).unwrap_or_default();
        if commit(text) {
            return Ok(Reply::Ok);
        }
        std::panic::panic_any(String::from_utf8_lossy(text).into_owned())
    }
}
