//! The tests under valgrind: `make valgrind` sets `EGG_VALGRIND=1`, and every Valkey server runs under memcheck then. (It
//! allocates with the C library, so that each block is watched; Redis brings an allocator of its own.) A server that is
//! stopped with an error found, or with memory lost, fails its test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How much longer everything may take.
pub const PATIENCE: u32 = 20;

/// Whether all servers run under valgrind.
pub fn is_asked_for() -> bool {
    std::env::var_os("EGG_VALGRIND").is_some_and(|value| value == "1")
}

/// Runs a server's program under memcheck. What is found goes to files `valgrind.<pid>`; without findings they are empty.
pub fn command(program: &Path) -> Command {
    // The server itself: `server` is a script around it.
    let binary = program.with_file_name("bin").join("valkey-server");
    let suppressions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/valgrind.supp");
    let mut command = Command::new("valgrind");
    // To name the frames of a panic's backtrace, Rust reads debug information, and keeps it for the next one.
    command.env("RUST_BACKTRACE", "0");
    command.args(["--quiet", "--log-file=valgrind.%p", "--child-silent-after-fork=yes"]);
    command.args(["--keep-debuginfo=yes", "--num-callers=40"]);
    command.args(["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]);
    command.arg(format!("--suppressions={}", suppressions.display())).arg(binary);
    command
}

/// What was found of the servers that ran in a directory.
pub fn findings(directory: &Path) -> String {
    let files = fs::read_dir(directory).into_iter().flatten().filter_map(|file| Some(file.ok()?.path()));
    let is_report =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("valgrind."));
    files.filter(is_report).map(|path| fs::read_to_string(path).unwrap_or_default()).collect()
}
