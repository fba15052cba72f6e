//! Real servers for the tests: started in a directory of their own, on a unix socket, stopped by process id.

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::client::{Client, Reply};
use crate::memcheck;

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

/// The source of the Function library.
pub fn library() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../functions/egg.lua");
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Waits for something that a server does by itself; panics after a minute.
pub fn wait_until(mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience(60);
    while !done() {
        assert!(Instant::now() < deadline, "waited for a minute");
        sleep(Duration::from_millis(2));
    }
}

/// So many seconds, or more if valgrind slows everything down.
fn patience(seconds: u64) -> Duration {
    Duration::from_secs(seconds) * if memcheck::is_asked_for() { memcheck::PATIENCE } else { 1 }
}

/// How a server is to be started.
#[derive(Clone, Debug)]
pub struct Options {
    kind: Kind,
    module: Option<PathBuf>,
    /// Loads the Function library in place of the module.
    library: bool,
    module_arguments: Vec<String>,
    lines: Vec<String>,
    environment: Vec<(&'static str, &'static str)>,
    tcp: bool,
    valgrind: bool,
    expects_findings: bool,
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

    pub fn start(self) -> Server {
        match self.try_start() {
            Ok(server) => server,
            Err(log) => panic!("the server did not start:\n{log}"),
        }
    }

    /// Starts it; if it ends at once, its log is the error.
    pub fn try_start(self) -> Result<Server, String> {
        let directory = Directory::default();
        let mut server = Server { options: self, directory, process: None, port: 0 };
        server.spawn()?;
        if server.options.library {
            let reply = server.connect().send(&[&b"FUNCTION"[..], b"LOAD", &library()]);
            assert_eq!(reply, "egg");
        }
        Ok(server)
    }
}

/// A running server. Stopped when dropped.
#[derive(Debug)]
pub struct Server {
    options: Options,
    directory: Directory,
    process: Option<Child>,
    port: u16,
}

impl Server {
    /// A server with the module.
    pub fn start(kind: Kind) -> Self {
        Options::new(kind).start()
    }

    fn spawn(&mut self) -> Result<(), String> {
        if self.options.tcp && self.port == 0 {
            self.port = free_port();
        }
        let mut lines = vec![
            format!("port {}", self.port),
            "bind 127.0.0.1".to_owned(),
            "unixsocket socket".to_owned(),
            "logfile log".to_owned(),
            "save \"\"".to_owned(),
            "enable-debug-command yes".to_owned(),
            "enable-module-command yes".to_owned(),
            "repl-diskless-sync-delay 0".to_owned(),
        ];
        if let Some(module) = &self.options.module {
            lines.push(format!("loadmodule {} {}", module.display(), self.options.module_arguments.join(" ")));
        }
        lines.extend(self.options.lines.iter().cloned());
        let config = self.path("redis.conf");
        if !config.exists() {
            fs::write(&config, lines.join("\n") + "\n").expect("the configuration can be written");
        }
        let program = self.options.kind.program();
        assert!(program.exists(), "{} is missing: run `make servers`", program.display());
        let mut command = if self.options.valgrind { memcheck::command(&program) } else { Command::new(program) };
        let child = command
            .arg("redis.conf")
            .envs(self.options.environment.iter().copied())
            .current_dir(&self.directory.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server can be started");
        self.process = Some(child);
        self.wait_until_ready()
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + patience(30);
        while Instant::now() < deadline {
            if let Some(status) = self.process.as_mut().and_then(|process| process.try_wait().ok().flatten()) {
                self.process = None;
                return Err(format!("{}(ended: {status}, signal {:?})", self.log(), status.signal()));
            }
            if let Some(mut client) = Client::try_connect(&self.path("socket"), false)
                && client.try_send(&["PING"]).is_ok_and(|reply| reply == "PONG")
            {
                return Ok(());
            }
            sleep(Duration::from_millis(5));
        }
        Err(format!("{}(not ready after 30 s)", self.log()))
    }

    /// A new connection (RESP2).
    pub fn connect(&self) -> Client {
        self.client(false)
    }

    /// A new connection that speaks RESP3.
    pub fn connect_resp3(&self) -> Client {
        self.client(true)
    }

    /// A new connection as user `u`, who has these permissions and no others.
    pub fn login(&self, rules: &str) -> Client {
        let mut client = self.connect();
        client.all(&[&format!("ACL SETUSER u reset on nopass {rules}"), "AUTH u p"]);
        client
    }

    fn client(&self, resp3: bool) -> Client {
        let mut client = Client::try_connect(&self.path("socket"), resp3)
            .unwrap_or_else(|| panic!("no connection:\n{}", self.log()));
        client.calls_functions = self.options.library;
        client
    }

    /// The keyspace events that `action` causes, as "key event", in order.
    pub fn events_of(&self, action: impl FnOnce(&mut Client)) -> Vec<String> {
        self.connect().events_of(&mut self.connect(), action)
    }

    /// Asserts which keyspace events a call causes, and whether it aborts a WATCH of `s`. Both start from what `prepare` makes.
    pub fn assert_traces(&self, prepare: impl Fn(&mut Client), call: &str, events: &[&str], aborts: bool) {
        let mut client = self.connect();
        prepare(&mut client);
        let found = self.events_of(|client| {
            client.run(call);
        });
        assert_eq!(found, events, "{call}");
        prepare(&mut client);
        client.all(&["WATCH s"]);
        self.connect().run(call);
        client.all(&["MULTI", "PING"]);
        assert_eq!(client.run("EXEC") == Reply::Nil, aborts, "{call}");
    }

    /// Whether it has the Function library in place of the module.
    pub fn has_library(&self) -> bool {
        self.options.library
    }

    pub fn kind(&self) -> Kind {
        self.options.kind
    }

    /// The loopback port of a server with [`Options::tcp`].
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A file in the server's directory.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.0.join(name)
    }

    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.path("log")).unwrap_or_default()).into_owned()
    }

    /// Stops it as a power cut would: `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Stops it in order, so that valgrind can say what was lost.
    pub fn shut_down(&mut self) {
        if let Some(mut client) = Client::try_connect(&self.path("socket"), false) {
            let _ = client.try_send(&["SHUTDOWN", "NOSAVE", "NOW", "FORCE"]);
        }
        self.wait_for_its_end();
    }

    /// Waits until it has ended, and kills it if it does not.
    pub fn wait_for_its_end(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        let deadline = Instant::now() + patience(10);
        while Instant::now() < deadline && matches!(process.try_wait(), Ok(None)) {
            sleep(Duration::from_millis(10));
        }
        self.process = Some(process);
        self.kill();
    }

    /// Starts it again on the same files.
    pub fn restart(&mut self) {
        if let Err(log) = self.try_restart() {
            panic!("the server did not start again:\n{log}");
        }
    }

    /// The same; if it ends at once, its log is the error.
    pub fn try_restart(&mut self) -> Result<(), String> {
        self.kill();
        let _ = fs::remove_file(self.path("socket"));
        self.spawn()
    }

    /// Starts it again on the same files, without the module.
    pub fn restart_without_module(&mut self) {
        self.options.module = None;
        let _ = fs::remove_file(self.path("redis.conf"));
        self.restart();
    }

    /// Makes this server a replica of another, and waits until it is in step.
    pub fn replicate(&self, master: &Server) {
        self.connect().send(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
        self.wait_in_step(master);
    }

    /// Waits until this replica has received all that its master has sent.
    pub fn wait_in_step(&self, master: &Server) {
        let deadline = Instant::now() + patience(30);
        let offset = |server: &Server, field: &str| server.connect().info("replication", field);
        while Instant::now() < deadline {
            let up = offset(self, "master_link_status") == "up";
            if up && offset(self, "slave_repl_offset") == offset(master, "master_repl_offset") {
                return;
            }
            sleep(Duration::from_millis(10));
        }
        panic!("the replica is not in step after 30 s:\n{}\n{}", self.log(), master.log());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let is_checked = self.options.valgrind && !self.options.expects_findings && !std::thread::panicking();
        if is_checked {
            self.shut_down();
        }
        self.kill();
        if std::thread::panicking() {
            eprintln!("log of the {:?} server:\n{}", self.options.kind, self.log());
        }
        if is_checked {
            let found = memcheck::findings(&self.directory.0);
            assert!(found.is_empty(), "valgrind found:\n{found}");
        }
    }
}

/// A temporary directory. Removed when dropped.
#[derive(Debug)]
pub struct Directory(pub PathBuf);

impl Default for Directory {
    fn default() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("egg-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary directory can be made");
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A loopback port. Nodes of a cluster talk to each other on the one that is 10,000 higher, which must be one, too.
fn free_port() -> u16 {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        if port <= 55_535 {
            return port;
        }
    }
}
