//! What servers write to their append only files: the very commands that replicas receive.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::harness::Server;
use crate::resp::commands_in;

impl Server {
    /// The append only file that is being written to.
    pub fn aof_file(&self) -> PathBuf {
        self.aof_files().pop().expect("the server keeps an append only file")
    }

    /// The commands that an action adds to the append only file, one line each.
    pub fn propagated(&self, action: impl FnOnce()) -> Vec<String> {
        let before = self.aof().len();
        action();
        self.aof().split_off(before).into_iter().map(|words| words.join(" ")).collect()
    }

    fn aof_files(&self) -> Vec<PathBuf> {
        let folder = fs::read_dir(self.path("appendonlydir")).expect("the server keeps an append only file");
        let mut files: Vec<PathBuf> = folder.filter_map(|file| Some(file.ok()?.path())).collect();
        files.retain(|file| file.extension() == Some(OsStr::new("aof")) && file.to_string_lossy().contains(".incr."));
        files.sort();
        files
    }

    /// The commands in the append only file since its last rewrite, SELECT left out.
    pub fn aof(&self) -> Vec<Vec<String>> {
        let mut commands = self.aof_with_databases();
        commands.retain(|words| words.first().is_some_and(|word| !word.eq_ignore_ascii_case("SELECT")));
        commands
    }

    /// The same, with the SELECT that goes before a command in another database.
    pub fn aof_with_databases(&self) -> Vec<Vec<String>> {
        let bytes: Vec<u8> = self.aof_files().iter().flat_map(|file| fs::read(file).unwrap_or_default()).collect();
        commands_in(&bytes)
    }
}
