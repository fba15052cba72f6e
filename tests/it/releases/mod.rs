//! EGG beside itself: what another release of it wrote, and a server that still runs one.

mod calls;
mod mixed;
mod recorded;
mod words;

use std::path::PathBuf;

use egg_testkit::harness::module;

/// The module of an earlier release, if `EGG_OLD_MODULE` names one; else the one under test stands in for it.
fn old_module() -> PathBuf {
    std::env::var_os("EGG_OLD_MODULE").map_or_else(module, Into::into)
}
