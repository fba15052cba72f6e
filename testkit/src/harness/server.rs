//! A running server: started in a directory of its own, on a unix socket, stopped by process id.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::directory::{Directory, free_port};
use super::kind::{Kind, library};
use super::options::Options;
use super::waiting::patience;
use crate::client::{Client, Reply};
use crate::memcheck;

/// A running server. Stopped when dropped.
#[derive(Debug)]
pub struct Server {
    options: Options,
    directory: Directory,
    process: Option<Child>,
    port: u16,
}

impl Options {
    pub fn start(self) -> Server {
        match self.try_start() {
            Ok(server) => server,
            Err(log) => panic!("the server did not start:\n{log}"),
        }
    }

    /// Starts it; if it ends at once, its log is the error.
    pub fn try_start(self) -> Result<Server, String> {
        let server = Server::spawned(self)?;
        if server.has_library() {
            let reply = server.connect().send(&[&b"FUNCTION"[..], b"LOAD", &library()]);
            assert_eq!(reply, "egg");
        }
        Ok(server)
    }
}

impl Server {
    /// A server with the module.
    pub fn start(kind: Kind) -> Self {
        Options::new(kind).start()
    }

    /// The process of these options, ready for clients.
    fn spawned(options: Options) -> Result<Self, String> {
        let mut server = Self { options, directory: Directory::default(), process: None, port: 0 };
        server.spawn()?;
        Ok(server)
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
