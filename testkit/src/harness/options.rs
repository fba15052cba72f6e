//! How a server is started: with what module, on what files, with what lines in its configuration.

use std::cell::Cell;
use std::path::PathBuf;

use super::kind::{Kind, module};
use crate::memcheck;

thread_local! {
    static WITHOUT_MODULE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a test of the module without it: the servers that this thread starts load `functions/egg.lua` instead, and where the
/// test sends a command of the module, its connections call the function.
pub fn without_module(test: impl FnOnce()) {
    WITHOUT_MODULE.set(true);
    test();
    WITHOUT_MODULE.set(false);
}

/// How a server is to be started.
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) kind: Kind,
    pub(super) module: Option<PathBuf>,
    /// Loads the Function library in place of the module.
    pub(super) library: bool,
    pub(super) module_arguments: Vec<String>,
    pub(super) lines: Vec<String>,
    pub(super) environment: Vec<(&'static str, &'static str)>,
    pub(super) tcp: bool,
    pub(super) valgrind: bool,
    pub(super) expects_findings: bool,
}

impl Options {
    pub fn new(kind: Kind) -> Self {
        let library = WITHOUT_MODULE.get();
        let module = (!library).then(module);
        let valgrind = kind == Kind::Valkey91 && memcheck::is_asked_for();
        Self {
            kind,
            module,
            library,
            module_arguments: Vec::new(),
            lines: Vec::new(),
            environment: Vec::new(),
            tcp: false,
            valgrind,
            expects_findings: false,
        }
    }

    pub fn without_module(mut self) -> Self {
        self.module = None;
        self
    }

    /// The Function library in place of the module.
    pub fn with_library(mut self) -> Self {
        self.library = true;
        self.without_module()
    }

    pub fn module(mut self, path: PathBuf) -> Self {
        self.module = Some(path);
        self
    }

    pub fn module_argument(mut self, argument: &str) -> Self {
        self.module_arguments.push(argument.to_owned());
        self
    }

    /// A line of redis.conf.
    pub fn line(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// A variable in the server's environment.
    pub fn environment(mut self, name: &'static str, value: &'static str) -> Self {
        self.environment.push((name, value));
        self
    }

    /// Keeps an append only file, written before each reply.
    pub fn aof(self) -> Self {
        self.line("appendonly yes").line("appendfsync always")
    }

    /// Listens on a loopback port too: replicas and cluster nodes talk to each other that way.
    pub fn tcp(mut self) -> Self {
        self.tcp = true;
        self
    }

    /// Runs it under valgrind, which the test itself asks what it has found.
    pub fn under_valgrind(mut self) -> Self {
        (self.valgrind, self.expects_findings) = (true, true);
        self
    }
}
