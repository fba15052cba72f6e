//! What people install: the archive of `make dist`, and `make install`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use egg_testkit::harness::{Directory, Kind, Options, module};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command with a umask that packagers may have: its output.
fn run(command: &mut Command) -> String {
    let output = command.env("EGG_MODULE", module()).output().expect("it can be run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Packs the module into a folder: the archive, and what the tool says.
fn pack(folder: &Path, umask: &str) -> (PathBuf, String) {
    let script = format!("umask {umask}; exec tools/dist \"$0\"");
    let said = run(Command::new("bash").args(["-c", &script]).arg(folder).current_dir(root()));
    (folder.join(format!("egg-{VERSION}-linux-{}.tar.gz", std::env::consts::ARCH)), said)
}

#[test]
fn the_archive_holds_what_a_user_needs() {
    let directory = Directory::default();
    let (archive, said) = pack(&directory.0, "077");
    let floor = said.split_once("needs glibc ").and_then(|(_, rest)| rest.split_once(' ')).map(|(floor, _)| floor);
    let number = |part: &str| part.parse::<u32>().expect("a number");
    let floor = floor.and_then(|floor| floor.split_once('.')).map(|(major, minor)| (number(major), number(minor)));
    // Linked on Debian 12, whose glibc is 2.36, it runs there, and on Ubuntu 22.04 and RHEL 9.
    assert!(floor.is_some_and(|floor| ((2, 17)..=(2, 36)).contains(&floor)), "{said}");
    let listed = run(Command::new("tar").arg("-tvzf").arg(&archive));
    let row = |line: &str| {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        format!("{} {} {}", words[0], words[1], words[words.len() - 1])
    };
    let rows: Vec<_> = listed.lines().map(row).collect();
    for (mode, file) in [
        ("drwxr-xr-x", ""),
        ("-rwxr-xr-x", "libegg.so"),
        ("-rw-r--r--", "README.md"),
        ("-rw-r--r--", "LICENSE"),
        ("-rw-r--r--", "CHANGELOG.md"),
        ("-rw-r--r--", "redis.conf.example"),
        ("-rw-r--r--", "docs/migration.md"),
        ("-rw-r--r--", "docs/operations.md"),
    ] {
        let expected = format!("{mode} 0/0 egg-{VERSION}-linux-{}/{file}", std::env::consts::ARCH);
        assert!(rows.contains(&expected), "no \"{expected}\" in {rows:#?}");
    }
    run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&directory.0));
    let unpacked = directory.0.join(format!("egg-{VERSION}-linux-{}", std::env::consts::ARCH));
    let readme = fs::read_to_string(unpacked.join("README.md")).expect("a README");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let links: Vec<_> = links.filter(|link| !link.is_empty() && !link.contains("://")).collect();
    assert!(links.len() > 20, "{links:?}");
    for link in links {
        assert!(unpacked.join(link).exists(), "the README links to {link}");
    }
    let server = Options::new(Kind::Redis74).module(unpacked.join("libegg.so")).start();
    assert_eq!(server.connect().run("EGG.VERSION"), VERSION);
}

#[test]
fn the_same_files_make_the_same_archive() {
    let directories = [Directory::default(), Directory::default()];
    let [first, second] = [(0, "077"), (1, "002")].map(|(index, umask)| pack(&directories[index].0, umask).0);
    assert!(fs::read(first).expect("an archive") == fs::read(second).expect("an archive"), "they differ");
}

#[test]
fn make_install_puts_a_module_where_a_server_loads_it() {
    let directory = Directory::default();
    let place = |argument: &str| argument.to_owned() + &directory.0.display().to_string();
    let said =
        run(Command::new("make").args(["-s", "install", &place("DESTDIR="), "PREFIX=/opt/egg"]).current_dir(root()));
    assert_eq!(said, "installed. In redis.conf: loadmodule /opt/egg/lib/redis/modules/libegg.so\n");
    let installed = directory.0.join("opt/egg/lib/redis/modules/libegg.so");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&installed), 0o755);
    assert_eq!(mode(&directory.0.join("opt/egg/share/doc/egg/redis.conf.example")), 0o644);
    let server = Options::new(Kind::Redis74).module(installed).start();
    assert_eq!(server.connect().run("EGG.VERSION"), VERSION);
}

/// Whatever interrupts a build with faults, the file that is installed is not the one that it makes.
#[test]
fn faults_are_built_in_a_folder_of_their_own() {
    let mut make = Command::new("make");
    make.args(["-n", "--no-print-directory", "faults", "CARGO_TARGET_DIR=/t"])
        .env_remove("EGG_FAULTS_MODULE")
        .current_dir(root());
    assert_eq!(run(&mut make), "tools/with-libclang cargo build --release --features faults --target-dir /t/faults\n");
}
