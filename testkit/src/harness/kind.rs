//! Which servers there are, and where their programs and the module are.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The servers that the tests run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Too old for the module.
    Redis70,
    /// The main target. `REDIS_SERVER` names another one to take its place.
    Redis74,
    /// Has XACKDEL and XDELEX of its own.
    Redis82,
    Valkey91,
    /// Debian 13's: loads modules with RTLD_DEEPBIND, so that they do not share its allocator, which is a library.
    Valkey81,
    /// The first Redis whose `~` spares what is needed under ACKED.
    Redis86,
}

impl Kind {
    /// The server's program.
    pub fn program(self) -> PathBuf {
        if let (Self::Redis74, Some(program)) = (self, std::env::var_os("REDIS_SERVER").filter(|path| !path.is_empty()))
        {
            return program.into();
        }
        let folder = match self {
            Self::Redis70 => "redis-7.0",
            Self::Redis74 => "redis-7.4",
            Self::Redis82 => "redis-8.2",
            Self::Valkey91 => "valkey-9.1",
            Self::Valkey81 => "valkey-8.1",
            Self::Redis86 => "redis-8.6",
        };
        path_from("EGG_SERVERS").join(folder).join("server")
    }

    /// Whether the server could be fetched, which those out of Debian's packages cannot be everywhere. A test that needs one
    /// asks first, and passes without it: this says so, past the test runner, which hides what passing tests print.
    pub fn is_there(self) -> bool {
        let is_there = self.program().exists();
        if !is_there {
            let _ = writeln!(
                std::io::stderr(),
                "not run: a test that needs {self:?}, which `make servers` could not fetch"
            );
        }
        is_there
    }

    /// Whether the server has XACKDEL itself.
    pub fn has_native_xackdel(self) -> bool {
        matches!(self, Self::Redis82 | Self::Redis86)
    }
}

/// The module under test.
pub fn module() -> PathBuf {
    let module = path_from("EGG_MODULE");
    assert!(module.exists(), "{} is missing: run `make build`", module.display());
    module
}

/// The module built with the feature `faults`.
pub fn faults_module() -> PathBuf {
    let module = path_from("EGG_FAULTS_MODULE");
    assert!(module.exists(), "{} is missing: build it with --features faults", module.display());
    module
}

fn path_from(variable: &str) -> PathBuf {
    match std::env::var_os(variable) {
        Some(path) => path.into(),
        None => panic!("{variable} is not set: run the tests with `make test`"),
    }
}

/// The source of the Function library.
pub fn library() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../functions/egg.lua");
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
