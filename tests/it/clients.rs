//! Client libraries, by their own methods.

use std::path::Path;
use std::process::Command;

use crate::native_names::{each_old_server, native};

use egg_testkit::harness::Kind;

each_old_server! {
    redis_py_finds_the_methods_of_8_2,
}

fn redis_py_finds_the_methods_of_8_2(kind: Kind) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tool = Command::new(root.join("tools/python-env")).output().expect("tools/python-env can be run");
    assert!(tool.status.success(), "{}", String::from_utf8_lossy(&tool.stderr));
    let python = String::from_utf8_lossy(&tool.stdout).trim().to_owned();
    let server = native(kind).start();
    let script = Command::new(python).arg(root.join("tests/clients/redis_py.py")).arg(server.path("socket")).output();
    let script = script.expect("python can be run");
    assert!(script.status.success(), "{}", String::from_utf8_lossy(&script.stderr));
    assert_eq!(String::from_utf8_lossy(&script.stdout), "redis-py 8.1.0 ok\n");
}
