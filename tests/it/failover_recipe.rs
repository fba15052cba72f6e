//! The upgrade by failover of docs/operations.md: its commands are carried out as they are written there, under load.

use std::fs;
use std::path::Path;

use crate::work::{Ledger, Site};
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Directory, Kind, Options, Server, module, wait_until};

each_server! {
    the_recipe_ends_with_one_master_and_loses_nothing,
    a_failover_alone_ends_in_two_masters,
    a_failover_to_a_replica_that_is_not_in_step_is_refused,
    a_failover_to_a_replica_that_hangs_is_given_up,
}

/// What clients meet while the roles change.
const REFUSALS: [&str; 4] = ["FOREIGNGROUP", "BUSYGROUP", "READONLY", "LOADING"];

/// What a master answers whose replica has not said yet that it is in step.
const NOT_ONLINE: &str = "ERR FAILOVER target replica is not online.";

/// The section of docs/operations.md.
fn section() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operations.md");
    let text = fs::read_to_string(path).expect("docs/operations.md");
    let (_, rest) = text.split_once("## Upgrade by failover\n").expect("the section");
    rest.split_once("\n## ").expect("another section").0.to_owned()
}

/// One thing that the recipe says is to be done. Servers are called by their ports there.
#[derive(Debug)]
enum Step {
    Restart(String),
    /// What the answer is, or the lines to wait for in that of INFO.
    Run(String, String, Vec<String>),
}

fn recipe() -> Vec<Step> {
    let section = section();
    let (_, block) = section.split_once("```console\n").expect("the recipe");
    let mut steps = Vec::new();
    for line in block.split_once("```").expect("its end").0.lines() {
        if let Some(rest) = line.strip_prefix("127.0.0.1:") {
            let (port, command) = rest.split_once("> ").expect("a command");
            steps.push(Step::Run(port.to_owned(), command.to_owned(), Vec::new()));
        } else if let Some(rest) = line.strip_prefix("# Restart ") {
            steps.push(Step::Restart(rest[..4].to_owned()));
        } else if !line.starts_with('#')
            && let Some(Step::Run(_, _, answers)) = steps.last_mut()
        {
            answers.push(line.to_owned());
        }
    }
    steps
}

/// The master, 6379, and its replica, 6380, of the recipe.
struct Pair([Server; 2]);

impl Pair {
    fn start(kind: Kind, module: &Path) -> Self {
        let pair = [(); 2].map(|()| Options::new(kind).tcp().module(module.into()).start());
        pair[1].replicate(&pair[0]);
        wait_until(|| pair[0].connect().info("replication", "slave0").contains("state=online"));
        Self(pair)
    }

    fn named(&mut self, port: &str) -> &mut Server {
        &mut self.0[["6379", "6380"].iter().position(|known| *known == port).expect("6379 or 6380")]
    }

    fn carry_out(&mut self, step: Step) {
        match step {
            Step::Restart(port) => {
                let server = self.named(&port);
                server.shut_down();
                server.restart();
            }
            Step::Run(port, command, answers) => {
                let replica = self.0[1].port().to_string();
                let mut client = self.named(&port).connect();
                if command.starts_with("INFO ") {
                    wait_until(|| {
                        let text = client.run(&command).text();
                        answers.iter().all(|wanted| text.lines().any(|line| line == wanted))
                    });
                } else {
                    let command = command.replace("6380", &replica);
                    wait_until(|| match client.run(&command) {
                        Reply::Error(error) if error == NOT_ONLINE => false,
                        reply => reply == answers[0].as_str() || panic!("{command}: {reply:?}"),
                    });
                }
            }
        }
    }
}

fn role(server: &Server) -> String {
    server.connect().info("replication", "role")
}

/// Whether the file of the module that a server has loaded is still the one at its path.
fn has_the_file_that_is_there(server: &Server) -> bool {
    let pid = server.connect().info("server", "process_id");
    let mapped = fs::read_to_string(format!("/proc/{pid}/maps")).expect("what it has mapped");
    assert!(mapped.contains("/libegg.so"), "{mapped}");
    !mapped.contains("/libegg.so (deleted)")
}

/// `EGG_OLD_MODULE` names the module to begin with.
fn the_recipe_ends_with_one_master_and_loses_nothing(kind: Kind) {
    let directory = Directory::default();
    let (path, new) = (directory.0.join("libegg.so"), directory.0.join("new"));
    fs::copy(std::env::var_os("EGG_OLD_MODULE").map_or_else(module, Into::into), &path).expect("a copy");
    let mut pair = Pair::start(kind, &path);
    let sockets = [0, 1].map(|index: usize| pair.0[index].path("socket"));
    let connect = || {
        let masters = sockets.iter().filter_map(|socket| Client::try_connect(socket, false));
        masters.into_iter().find_map(|mut client| {
            let role = client.try_send(&["ROLE"]).ok()?;
            matches!(&role, Reply::Array(words) if words[0] == "master").then_some(client)
        })
    };
    let site = Site::new(&connect, &REFUSALS);
    site.prepare();
    let mut ledger = Ledger::default();
    site.work(&mut ledger, 6, 3, || {
        site.wait_for_calls(200);
        fs::copy(module(), &new).expect("a copy");
        fs::rename(&new, &path).expect("it takes the place of the old one");
        assert_eq!(pair.0.each_ref().map(has_the_file_that_is_there), [false, false]);
        let steps = recipe();
        assert_eq!(steps.len(), 11, "{steps:#?}");
        for step in steps {
            pair.carry_out(step);
            site.wait_for_calls(20);
        }
        site.wait_for_calls(200);
    });
    assert_eq!(pair.0.each_ref().map(role), ["slave", "master"]);
    assert_eq!(pair.0.each_ref().map(has_the_file_that_is_there), [true, true]);
    let [old, new] = &pair.0;
    old.wait_in_step(new);
    for server in [new, old] {
        ledger.check(&mut server.connect()).unwrap_or_else(|error| panic!("{error:?}"));
    }
    site.finish(&mut ledger);
    // What their files say, they are after any restart.
    let lines = |server: &Server| {
        let file = fs::read_to_string(server.path("redis.conf")).expect("redis.conf");
        file.lines().filter(|line| line.starts_with("replicaof ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(old), [format!("replicaof 127.0.0.1 {}", new.port())]);
    assert_eq!(lines(new), [""; 0]);
}

/// What the section warns of.
fn a_failover_alone_ends_in_two_masters(kind: Kind) {
    let warning = "then there are two masters, and each takes writes that the other never gets";
    assert!(section().contains(warning));
    let mut pair = Pair::start(kind, &module());
    pair.0[0].connect().all(&["FAILOVER"]);
    wait_until(|| pair.0.each_ref().map(role) == ["slave", "master"]);
    pair.0[0].wait_in_step(&pair.0[1]);
    pair.0[0].restart();
    assert_eq!(pair.0.each_ref().map(role), ["master", "master"]);
    let mut clients = pair.0.each_ref().map(Server::connect);
    clients[0].all(&["XADD s 1-0 f old"]);
    clients[1].all(&["XADD s 2-0 f new"]);
    assert_eq!(clients.each_mut().map(|client| client.ids("s")), [["1-0"], ["2-0"]]);
    assert_eq!(clients.each_mut().map(|client| client.info("replication", "connected_slaves")), ["0", "0"]);
}

fn a_failover_to_a_replica_that_is_not_in_step_is_refused(kind: Kind) {
    let words = section().split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(NOT_ONLINE), "{words}");
    // The full sync waits for more replicas to come.
    let master = Options::new(kind).tcp().line("repl-diskless-sync-delay 600").start();
    let replica = Options::new(kind).tcp().start();
    replica.connect().send(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
    let mut client = master.connect();
    wait_until(|| client.info("replication", "connected_slaves") == "1");
    let failover = format!("FAILOVER TO 127.0.0.1 {} TIMEOUT 10000", replica.port());
    assert_eq!(client.run(&failover), Reply::Error(NOT_ONLINE.to_owned()));
    assert_eq!(role(&master), "master");
}

fn a_failover_to_a_replica_that_hangs_is_given_up(kind: Kind) {
    let pair = Pair::start(kind, &module());
    let mut sleeper = pair.0[1].connect();
    sleeper.submit(&[vec!["DEBUG", "SLEEP", "3"]]);
    let mut client = pair.0[0].connect();
    client.stream(1, &["g"]);
    let failover = format!("FAILOVER TO 127.0.0.1 {} TIMEOUT 500", pair.0[1].port());
    assert_eq!(client.run(&failover), "OK");
    // Held back until the master gives up, then carried out.
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    assert_eq!(role(&pair.0[0]), "master");
    assert_eq!(client.info("replication", "master_failover_state"), "no-failover");
    assert_eq!(sleeper.collect(1)[0], "OK");
}
