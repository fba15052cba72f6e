//! That memcheck would find what it looks for.

use egg_testkit::harness::{Kind, Options, faults_module};
use egg_testkit::memcheck::findings;

/// What valgrind says of a server with the faulty build, after one call.
fn findings_after(fault: &str) -> String {
    let mut server = Options::new(Kind::Valkey91).module(faults_module()).under_valgrind().start();
    let mut client = server.connect();
    client.stream(2, &["g"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 1 1-0"), [1]);
    if !fault.is_empty() {
        client.run(&format!("EGG.FAULT {fault}"));
    }
    server.shut_down();
    findings(&server.path(""))
}

#[test]
#[ignore = "needs valgrind: make valgrind"]
fn nothing_is_found_where_nothing_is_wrong() {
    assert_eq!(findings_after(""), "");
}

#[test]
#[ignore = "needs valgrind: make valgrind"]
fn a_read_after_free_is_found() {
    let found = findings_after("READ-AFTER-FREE");
    assert!(found.contains("Invalid read of size 1") && found.contains("inside a block of size 64 free'd"), "{found}");
}

#[test]
#[ignore = "needs valgrind: make valgrind"]
fn a_write_out_of_bounds_is_found() {
    let found = findings_after("WRITE-OUT-OF-BOUNDS");
    assert!(found.contains("Invalid write of size 1") && found.contains("after a block of size 64 alloc'd"), "{found}");
}

#[test]
#[ignore = "needs valgrind: make valgrind"]
fn a_leak_is_found() {
    let found = findings_after("LEAK");
    assert!(found.contains("8 bytes in 1 blocks are definitely lost"), "{found}");
}
