//! Rules that the sources and the documents keep.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Kind, Server};

fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The sources below a folder of `src`, as (path from `src`, text).
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("src").join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of src") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root().join("src")).expect("below src").display().to_string();
                found.push((name, read(&path)));
            }
        }
    }
    found
}

fn words_after<'a>(text: &'a str, marker: &'a str) -> impl Iterator<Item = &'a str> {
    let end = |rest: &'a str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    text.split(marker).skip(1).map(move |rest| &rest[..end(rest)])
}

#[test]
fn only_the_server_folder_touches_the_server() {
    for (name, text) in sources("") {
        let may_touch = name.starts_with("server/") || name == "lib.rs";
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        assert!(may_touch || !code.contains("redis_module"), "{name} names redis_module");
        assert!(may_touch || !code.contains("unsafe"), "{name} holds unsafe code");
        let is_shell = name.starts_with("server/");
        assert!(!is_shell || !code.contains("crate::commands"), "{name} names the commands");
    }
}

/// The module refuses to load where a function is missing that it would call.
#[test]
fn every_function_that_is_called_is_looked_for() {
    let load = read("src/server/load.rs");
    let (_, list) = load.split_once("= missing![").expect("the list of functions");
    let listed: BTreeSet<&str> = list.split_once(']').expect("its end").0.split(',').map(str::trim).collect();
    for (name, text) in sources("server") {
        for function in words_after(&text, "api!(").filter(|word| *word != "RedisModule_X") {
            assert!(listed.contains(function), "{name} calls {function}");
        }
    }
}

#[test]
fn the_version_is_in_the_changelog() {
    let heading = format!("## [{}]", env!("CARGO_PKG_VERSION"));
    assert!(read("CHANGELOG.md").contains(&heading), "no {heading}");
}

#[test]
fn the_readme_describes_every_command_and_knob() {
    let readme = read("README.md");
    let server = Server::start(Kind::Redis74);
    let mut client = server.connect();
    let registered: BTreeSet<String> = client
        .run("COMMAND LIST FILTERBY MODULE egg")
        .array()
        .iter()
        .map(|name| name.text().to_ascii_uppercase())
        .collect();
    let described: BTreeSet<String> =
        readme.lines().filter_map(|line| line.strip_prefix("### EGG.").map(|name| format!("EGG.{name}"))).collect();
    assert_eq!(described, registered);
    let example = read("redis.conf.example");
    for pair in client.run("CONFIG GET egg.*").array().chunks_exact(2) {
        let line = format!("# {} {}", pair[0].text(), pair[1].text());
        assert!(example.lines().any(|known| known == line), "redis.conf.example lacks \"{line}\"");
        assert!(readme.contains(&pair[0].text()), "the README lacks {}", pair[0].text());
    }
}
