//! What the module is built from: licences that allow it, from the package registry alone, and nothing that nobody named.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Licences that ask for no more than to be named.
const ALLOWED: [&str; 9] =
    ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "ISC", "Unicode-3.0", "Unlicense", "Zlib"];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// Whether an expression leaves a way with allowed licences only: `A OR B` needs one of them, `A AND B` both.
fn is_allowed(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], " ").replace('/', " OR ");
    let is_known = |name: &str| ALLOWED.contains(&name.trim().split(" WITH ").next().unwrap_or_default());
    // `(A OR B) AND C`, as Unicode data brings it: each part of the AND by itself.
    !plain.trim().is_empty() && plain.split(" AND ").all(|part| part.split(" OR ").any(is_known))
}

#[test]
fn every_package_has_a_licence_that_allows_this_one() {
    for (expression, expected) in [
        ("MIT OR Apache-2.0", true),
        ("MIT/GPL-3.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("MIT AND GPL-3.0", false),
        ("GPL-3.0", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression), expected, "{expression}");
    }
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 20, "{}", packages.len());
    for package in packages {
        assert!(is_allowed(text(package, "license")), "{}: {}", text(package, "name"), text(package, "license"));
        let is_own = text(package, "name").starts_with("egg-") && package["source"].is_null();
        assert!(is_own || text(package, "source").starts_with("registry+"), "{}", text(package, "name"));
    }
}

/// What is linked into the module, or runs while it is built. A new one is a decision, not an accident.
#[test]
fn the_module_depends_on_the_core_on_one_crate_and_on_what_that_brings() {
    let metadata = metadata();
    let nodes: BTreeMap<&str, &Value> =
        metadata["resolve"]["nodes"].as_array().expect("nodes").iter().map(|node| (text(node, "id"), node)).collect();
    let names: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| (text(package, "id"), text(package, "name")))
        .collect();
    // Neither build scripts' dependencies nor those of the tests.
    let linked = |id: &str| -> Vec<String> {
        let dependencies = nodes[id]["deps"].as_array().expect("dependencies");
        let is_linked = |dependency: &&Value| {
            dependency["dep_kinds"].as_array().expect("kinds").iter().any(|kind| kind["kind"].is_null())
        };
        dependencies.iter().filter(is_linked).map(|dependency| text(dependency, "pkg").to_owned()).collect()
    };
    let root = text(&metadata["resolve"], "root");
    let direct: BTreeSet<&str> = linked(root).iter().map(|id| names[id.as_str()]).collect();
    assert_eq!(direct, BTreeSet::from(["egg-core", "redis-module"]));
}
