//! The map of the sources is true: the core names no server, and no two files use each other, not even by way of others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

/// The files of a crate by the paths of their modules, such as `server::call`; code alone, without tests and comments.
fn modules(source: &Path) -> BTreeMap<Vec<String>, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![source.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let inside = path.strip_prefix(source).expect("below the sources").with_extension("");
            let mut module: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            match module.last().map(String::as_str) {
                Some("mod") => drop(module.pop()),
                Some("tests") => continue,
                _ => {}
            }
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            found.insert(module, code.lines().filter(is_code).collect::<Vec<_>>().join("\n"));
        }
    }
    found
}

/// The paths that `use` lines name, groups taken apart, and those that are written out in the code.
fn paths(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut rest = code;
    while let Some((_, after)) = rest.split_once("use ") {
        let (path, behind) = after.split_once(';').expect("a use ends");
        let (base, group) = path.split_once('{').unwrap_or((path, ""));
        let names: Vec<&str> = group.trim_end_matches(['}', '\n', ' ']).split(',').map(str::trim).collect();
        found.extend(names.into_iter().map(|name| format!("{base}{name}")));
        rest = behind;
    }
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    found.extend(
        code.split(|c| !is_path(c)).filter(|word| word.contains("::") && !word.ends_with("::")).map(str::to_owned),
    );
    found
}

/// Which file each file uses.
fn arrows(modules: &BTreeMap<Vec<String>, String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut arrows = BTreeMap::new();
    for (module, code) in modules {
        let mut used = BTreeSet::new();
        for path in paths(code) {
            let words: Vec<&str> = path.split("::").collect();
            let (mut base, mut rest) = (module.clone(), &words[..]);
            match words[0] {
                "crate" => (base, rest) = (Vec::new(), &words[1..]),
                "super" => {
                    base.pop();
                    rest = &words[1..];
                }
                "self" => rest = &words[1..],
                _ => {}
            }
            let target: Vec<String> = base.into_iter().chain(rest.iter().map(|word| (*word).to_owned())).collect();
            let longest = (1..=target.len()).rev().map(|end| &target[..end]).find(|path| modules.contains_key(*path));
            used.extend(longest.filter(|path| path != module).map(|path| path.join("::")));
        }
        arrows.insert(module.join("::"), used);
    }
    arrows
}

/// Takes away, again and again, the files that use none of those that are left: what remains is on a circle, or uses one.
fn circles(mut arrows: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let done: BTreeSet<String> =
            arrows.iter().filter(|(_, used)| used.is_empty()).map(|(name, _)| name.clone()).collect();
        if done.is_empty() {
            return arrows;
        }
        arrows.retain(|name, _| !done.contains(name));
        arrows.values_mut().for_each(|used| used.retain(|name| !done.contains(name)));
    }
}

#[test]
fn no_files_use_each_other() {
    let sources = ["src", "core/src", "testkit/src"].map(|folder| modules(&root().join(folder)));
    for modules in &sources {
        let arrows = arrows(modules);
        assert!(arrows.values().map(BTreeSet::len).sum::<usize>() > modules.len() / 2, "{arrows:#?}");
        assert_eq!(circles(arrows), BTreeMap::new());
    }
    let module = arrows(&sources[0]);
    assert!(module["commands::ackdel"].contains("server::groups"));
    for (name, used) in module.iter().filter(|(name, _)| name.starts_with("server")) {
        assert!(!used.iter().any(|used| used.starts_with("commands")), "{name} uses a command");
    }
}

#[test]
fn a_circle_is_found() {
    let modules =
        [("a", "use crate::b::{\n    c, d::E,\n};"), ("b", ""), ("b::d", "fn f() { super::super::x(crate::a::y) }")];
    let modules = modules.map(|(name, code)| (name.split("::").map(str::to_owned).collect(), code.to_owned())).into();
    let circle = circles(arrows(&modules));
    assert_eq!(circle.keys().collect::<Vec<_>>(), ["a", "b::d"]);
}

/// The core is compiled without the server's crate and without anything else; `forbid(unsafe_code)` is the compiler's.
#[test]
fn the_core_depends_on_nothing() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--no-deps"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let core = packages.iter().find(|package| package["name"] == "egg-core").expect("the core");
    let dependencies = core["dependencies"].as_array().expect("dependencies");
    let needed: Vec<&Value> = dependencies.iter().filter(|dependency| dependency["kind"].is_null()).collect();
    assert_eq!(needed, [&Value::Null; 0]);
    assert!(fs::read_to_string(root().join("core/src/lib.rs")).expect("a source").contains("#![forbid(unsafe_code)]"));
}

/// `#![allow(unsafe_code)]` stands in one place.
#[test]
fn only_the_servers_folder_may_hold_unsafe_code() {
    let allowing: Vec<String> = modules(&root().join("src"))
        .into_iter()
        .filter(|(_, code)| {
            code.contains("allow(unsafe_code)") || code.contains("redis_module::") || code.contains("unsafe")
        })
        .map(|(module, _)| module.join("::"))
        .filter(|module| !module.starts_with("server"))
        .collect();
    // The entry points, which the server looks up.
    assert_eq!(allowing, ["lib"]);
}
