//! Rules that the documents and the sources keep.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use egg_testkit::harness::{Kind, Server};

fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_version_is_in_the_changelog() {
    let heading = format!("## [{}]", env!("CARGO_PKG_VERSION"));
    assert!(read("CHANGELOG.md").contains(&heading), "no {heading}");
}

/// CI builds with that very one (`.ci/run`).
#[test]
fn the_documents_promise_the_rust_that_cargo_asks_for() {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("\nrust-version = \"").expect("a version");
    let promise = format!("Rust {} or newer", rest.split('"').next().expect("a version"));
    for document in ["README.md", "tools/with-libclang"] {
        assert!(read(document).contains(&promise), "{document}: {promise}");
    }
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

#[test]
fn no_rust_file_is_over_300_lines() {
    let git = Command::new("git").args(["ls-files", "*.rs"]).current_dir(root()).output().expect("git is there");
    assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
    let names = String::from_utf8(git.stdout).expect("names are text");
    // A file that was removed may be in the list until that is committed.
    let files = names.lines().filter(|name| root().join(name).exists());
    let lengths: Vec<(&str, usize)> = files.map(|name| (name, read(name).lines().count())).collect();
    assert!(lengths.len() > 100, "{lengths:?}");
    let long: Vec<_> = lengths.into_iter().filter(|(_, lines)| *lines > 300).collect();
    assert!(long.is_empty(), "over 300 lines: {long:?}");
}
