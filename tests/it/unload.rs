//! MODULE UNLOAD is refused, always: servers keep pointers to a module's commands where no module can look.

use egg_testkit::client::{Client, Reply, words};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, module};
use egg_testkit::resp::packed;
use egg_testkit::wire::Wire;

each_server! {
    it_is_never_unloaded,
    a_transaction_that_was_queued_runs,
    a_transaction_that_unloads_it_goes_on,
    a_transaction_with_a_native_name_runs,
    a_client_that_called_it_last_calls_it_again,
    rules_of_users_stay_true,
    a_pipeline_behind_a_blocked_call_runs,
    a_clean_stop_writes_no_line,
    a_shutdown_that_failed_makes_no_difference,
    a_transaction_that_loads_and_unloads_it_goes_on,
    a_load_that_the_server_turns_down_leaves_nothing,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
const LINE: &str = "EGG was not unloaded: it stays as long as the server runs. To upgrade, put the new file in place and \
                    restart the server, or fail over to a replica that runs it";

/// The server's own answer to a module that will not go, and EGG's line in the log.
fn assert_refused(reply: &Reply, server: &Server) {
    assert_eq!(reply.error(), "ERR Error unloading module: operation not possible.");
    assert!(server.log().contains(LINE), "{}", server.log());
}

fn it_is_never_unloaded(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(1, &["g"]);
    for count in 1..=3 {
        assert_refused(&client.run("MODULE UNLOAD egg"), &server);
        assert_eq!(server.log().matches(LINE).count(), count);
    }
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    assert_eq!(client.info("egg", "egg_ackdel_calls"), "1");
}

fn a_transaction_that_was_queued_runs(kind: Kind) {
    let server = Server::start(kind);
    let [mut client, mut other] = [(), ()].map(|()| server.connect());
    client.all(&["MULTI", "EGG.VERSION", "PING"]);
    assert_refused(&other.run("MODULE UNLOAD egg"), &server);
    let replies = client.run("EXEC");
    assert_eq!((&replies.array()[0], &replies.array()[1]), (&VERSION.into(), &"PONG".into()));
}

fn a_transaction_that_unloads_it_goes_on(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["MULTI", "MODULE UNLOAD egg", "EGG.VERSION"]);
    let replies = client.run("EXEC");
    assert_refused(&replies.array()[0], &server);
    assert_eq!(replies.array()[1], VERSION);
}

fn a_transaction_with_a_native_name_runs(kind: Kind) {
    let server = Options::new(kind).line("egg.native-names yes").start();
    let [mut client, mut other] = [(), ()].map(|()| server.connect());
    client.all(&["MULTI", "XADD s MAXLEN 1 ACKED 1-0 f v", "XACKDEL s g IDS 1 1-0"]);
    assert_refused(&other.run("MODULE UNLOAD egg"), &server);
    let replies = client.run("EXEC");
    assert_eq!((&replies.array()[0], &replies.array()[1]), (&"1-0".into(), &Reply::Array(vec![Reply::Integer(-1)])));
}

fn a_client_that_called_it_last_calls_it_again(kind: Kind) {
    for line in ["maxclients 100", "rename-command CLIENT \"\""] {
        let server = Options::new(kind).line(line).start();
        let [mut client, mut other] = [(), ()].map(|()| server.connect());
        assert_eq!(client.run("EGG.VERSION"), VERSION);
        assert_refused(&other.run("MODULE UNLOAD egg"), &server);
        assert_eq!(client.run("EGG.VERSION"), VERSION);
    }
}

fn rules_of_users_stay_true(kind: Kind) {
    for line in ["maxclients 100", "rename-command ACL \"\""] {
        let server = Options::new(kind).line("user worker on nopass ~* +egg.pins").line(line).start();
        let reply = server.connect().run("MODULE UNLOAD egg");
        // Valkey looks at users' rules before it asks the module.
        if kind == Kind::Valkey91 {
            let reason = "one or more ACL users reference commands from this module";
            assert!(reply.error().contains(reason), "{reply:?}");
        } else {
            assert_refused(&reply, &server);
        }
        let mut client = server.connect();
        client.all(&["AUTH worker p"]);
        assert_eq!(client.run("EGG.PINS s"), [0; 0]);
        assert!(client.run("EGG.TRIM s").is_denied());
    }
}

fn a_pipeline_behind_a_blocked_call_runs(kind: Kind) {
    let server = Server::start(kind);
    let socket = server.path("socket");
    let mut pipeline = Client::try_connect(&socket, false).expect("a connection");
    pipeline.submit(&[words("BLPOP l 0"), words("EGG.VERSION")]);
    let mut other = server.connect();
    egg_testkit::harness::wait_until(|| other.info("clients", "blocked_clients") == "1");
    assert_refused(&other.run("MODULE UNLOAD egg"), &server);
    other.all(&["LPUSH l x"]);
    assert_eq!(pipeline.collect(2)[1], VERSION);
}

/// Valkey unloads its modules when it shuts down.
fn a_clean_stop_writes_no_line(kind: Kind) {
    for stop in ["SHUTDOWN NOSAVE", "SHUTDOWN SAVE"] {
        let mut server = Server::start(kind);
        server.connect().stream(1, &["g"]);
        let before = server.log().matches("<egg>").count();
        let _ = server.connect().try_send(&words(stop));
        server.wait_for_its_end();
        let log = server.log();
        assert_eq!(log.matches("<egg>").count(), before, "{log}");
        assert!(!log.contains("Unload canceled") && log.contains("bye bye"), "{log}");
    }
}

fn a_shutdown_that_failed_makes_no_difference(kind: Kind) {
    let server = Options::new(kind).line("dbfilename dump.rdb").start();
    let mut client = server.connect();
    // The snapshot cannot be moved to where a folder is.
    std::fs::create_dir(server.path("dump.rdb")).expect("a folder");
    let request = [packed(&words("SHUTDOWN SAVE")), packed(&words("MODULE UNLOAD egg"))].concat();
    let reply = String::from_utf8_lossy(&Wire::connect(&server).exchange(request)).into_owned();
    assert!(reply.starts_with("-ERR Errors trying to SHUTDOWN"), "{reply}");
    assert!(reply.contains("-ERR Error unloading module: operation not possible."), "{reply}");
    assert!(server.log().contains(LINE));
    assert_eq!(client.run("EGG.VERSION"), VERSION);
}

/// In a transaction other commands may have come between.
fn a_transaction_that_loads_and_unloads_it_goes_on(kind: Kind) {
    let server = Options::new(kind).without_module().start();
    let mut client = server.connect();
    let load = format!("MODULE LOAD {}", module().display());
    client.all(&["MULTI", &load, "ACL SETUSER worker on nopass ~* +egg.trim", "MODULE UNLOAD egg", "PING"]);
    let replies = client.run("EXEC");
    assert!(matches!(replies.array()[2], Reply::Error(_)), "{replies:?}");
    assert_eq!(client.run("EGG.VERSION"), VERSION);
}

fn a_load_that_the_server_turns_down_leaves_nothing(kind: Kind) {
    let server = Options::new(kind).without_module().start();
    let mut client = server.connect();
    let path = module().display().to_string();
    for _ in 0..2 {
        let reply = client.send(&["MODULE", "LOADEX", &path, "CONFIG", "egg.no-such-knob", "1"]);
        assert_eq!(reply.error(), "ERR Error loading the extension. Please check the server logs.");
        let modules = client.run("MODULE LIST");
        assert!(modules.array().iter().all(|row| *row.field("name") != "egg"), "{modules:?}");
        assert!(client.run("EGG.VERSION").error().starts_with("ERR unknown command"));
    }
    for _ in 0..2 {
        let load = format!("MODULE LOADEX {path} CONFIG egg.no-such-knob 1");
        client.all(&["MULTI", "PING", &load, "PING"]);
        let replies = client.run("EXEC");
        assert_eq!(replies.array()[1].error(), "ERR Error loading the extension. Please check the server logs.");
        assert!(client.run("EGG.VERSION").error().starts_with("ERR unknown command"));
    }
    assert!(!server.log().contains("EGG was not unloaded"), "{}", server.log());
    assert_eq!(client.send(&["MODULE", "LOAD", &path]), "OK");
    assert_refused(&client.run("MODULE UNLOAD egg"), &server);
}
