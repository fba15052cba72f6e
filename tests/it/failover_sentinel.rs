//! A failover that Sentinel does: what docs/operations.md says of it.

use std::fs;
use std::process::{Child, Command, Stdio};

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Directory, Kind, Options, Server, wait_until};

each_server! { sentinel_writes_the_files_and_tells_the_old_master_late }

/// A Sentinel that watches one master. Stopped when dropped.
struct Sentinel {
    directory: Directory,
    process: Child,
}

impl Sentinel {
    fn start(kind: Kind, master: &Server) -> Self {
        let directory = Directory::default();
        let file =
            format!("port 0\nunixsocket socket\nlogfile log\nsentinel monitor egg 127.0.0.1 {} 1\n", master.port());
        fs::write(directory.0.join("sentinel.conf"), file).expect("a file");
        let process = Command::new(kind.program())
            .args(["sentinel.conf", "--sentinel"])
            .current_dir(&directory.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server can be started");
        Self { directory, process }
    }

    fn connect(&self) -> Option<Client> {
        Client::try_connect(&self.directory.0.join("socket"), false)
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            eprintln!("{}", fs::read_to_string(self.directory.0.join("log")).unwrap_or_default());
        }
    }
}

/// Empty if the connection breaks: Sentinel sends the clients away when it gives a server another role.
fn role(server: &Server) -> String {
    let client = Client::try_connect(&server.path("socket"), false);
    match client.and_then(|mut client| client.try_send(&["ROLE"]).ok()) {
        Some(Reply::Array(words)) => words[0].text(),
        _ => String::new(),
    }
}

fn sentinel_writes_the_files_and_tells_the_old_master_late(kind: Kind) {
    let start = || Options::new(kind).tcp().line("min-replicas-to-write 1").start();
    let mut pair = [start(), start()];
    let [old, new] = &pair;
    new.replicate(old);
    let mut client = old.connect();
    wait_until(|| client.info("replication", "min_slaves_good_slaves") == "1");
    client.stream(3, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    let sentinel = Sentinel::start(kind, old);
    wait_until(|| sentinel.connect().is_some());
    let mut watcher = sentinel.connect().expect("it listens");
    watcher.all(&["SENTINEL DEBUG INFO-PERIOD 1000"]);
    wait_until(|| watcher.run("SENTINEL REPLICAS egg").array().len() == 1);
    new.wait_in_step(old);
    // The old one goes on taking itself for the master, unless Sentinel has it wait for the replica.
    let (failover, then, refusal) = match kind {
        Kind::Valkey91 => ("SENTINEL FAILOVER egg COORDINATED", "slave", "READONLY "),
        _ => ("SENTINEL FAILOVER egg", "master", "NOREPLICAS "),
    };
    wait_until(|| watcher.run(failover) == "OK");
    wait_until(|| role(new) == "master");
    assert_eq!(role(old), then);
    let reply = old.connect().run("EGG.ACKDEL s g IDS 1 2-0");
    assert!(reply.error().starts_with(refusal), "{reply:?}");
    wait_until(|| role(old) == "slave");
    old.wait_in_step(new);
    assert_eq!(old.connect().ids("s"), ["2-0", "3-0"]);
    assert_eq!(new.connect().pending("s", "g"), ["2-0", "3-0"]);
    // Both files say what their servers are, a moment later.
    let file = |server: &Server| fs::read_to_string(server.path("redis.conf")).expect("redis.conf");
    wait_until(|| file(old).contains(&format!("\nreplicaof 127.0.0.1 {}\n", new.port())));
    wait_until(|| !file(new).contains("\nreplicaof "));
    pair.iter_mut().for_each(Server::restart);
    let [old, new] = &pair;
    assert_eq!([role(old), role(new)], ["slave", "master"]);
    old.wait_in_step(new);
}
