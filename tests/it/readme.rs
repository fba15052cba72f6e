//! The transcripts of the READMEs and of docs/, run as they stand.

use std::fs;
use std::path::{Path, PathBuf};

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};

each_server! { transcripts_are_true, transcripts_of_the_functions_are_true }

const PROMPT: &str = "127.0.0.1:6379> ";

/// A command and what redis-cli prints after it. An answer of `...` stands for any text.
struct Step {
    command: String,
    answer: String,
}

/// The README and what it links to, as (name, text), in order.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = fs::read_dir(root.join("docs")).expect("docs").map(|entry| entry.expect("a document").path());
    let mut paths: Vec<_> = folder.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    paths.sort();
    paths.insert(0, root.join("README.md"));
    let read = |path: &PathBuf| (path.display().to_string(), fs::read_to_string(path).expect("a document"));
    paths.iter().map(read).collect()
}

/// The steps of each block of a document that is marked as a transcript.
fn transcripts(document: &str) -> Vec<Vec<Step>> {
    let blocks = document.split("```redis\n").skip(1).filter_map(|rest| rest.split("```").next());
    let step = |text: &str| {
        let (command, answer) = text.split_once('\n').expect("an answer");
        Step { command: command.to_owned(), answer: answer.trim_end().to_owned() }
    };
    blocks.map(|block| block.split(PROMPT).skip(1).map(step).collect()).collect()
}

/// A reply as redis-cli prints it.
fn printed(reply: &Reply, indent: usize) -> String {
    match reply {
        Reply::Nil => "(nil)".to_owned(),
        Reply::Integer(value) => format!("(integer) {value}"),
        Reply::Text(text) if text == b"OK" => "OK".to_owned(),
        Reply::Text(text) => format!("\"{}\"", text.escape_ascii()),
        Reply::Error(text) => format!("(error) {text}"),
        Reply::Array(items) if items.is_empty() => "(empty array)".to_owned(),
        Reply::Array(items) => {
            let width = items.len().to_string().len();
            let lines = items.iter().enumerate().map(|(index, item)| {
                let number = format!("{:>width$}) ", index + 1);
                number + &printed(item, indent + width + 2)
            });
            lines.collect::<Vec<_>>().join(&format!("\n{}", " ".repeat(indent)))
        }
        Reply::Map(_) => panic!("a map in RESP2: {reply:?}"),
    }
}

fn transcripts_are_true(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let mut documents_with = Vec::new();
    for (document, text) in documents() {
        let transcripts = transcripts(&text);
        if !transcripts.is_empty() {
            documents_with.push((document.rsplit('/').next().unwrap_or_default().to_owned(), transcripts.len()));
        }
        for transcript in transcripts {
            client.run("FLUSHALL");
            transcript.iter().for_each(|step| check(&mut client, &document, step));
        }
    }
    for known in [("README.md", 3), ("operations.md", 4)] {
        let found = documents_with.iter().any(|(name, count)| (name.as_str(), *count) == known);
        assert!(found, "{known:?} is not in {documents_with:?}");
    }
}

fn transcripts_of_the_functions_are_true(kind: Kind) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("functions/README.md");
    let transcripts = transcripts(&fs::read_to_string(&path).expect("a README"));
    assert_eq!(transcripts.len(), 1);
    let server = Options::new(kind).with_library().start();
    let mut client = server.connect();
    transcripts.iter().flatten().for_each(|step| check(&mut client, "functions/README.md", step));
}

fn check(client: &mut Client, document: &str, Step { command, answer }: &Step) {
    let actual = printed(&client.run(command), 0);
    match answer.split_once("...") {
        Some((before, after)) => assert!(
            actual.starts_with(before) && actual.ends_with(after),
            "{document}: {command}\nexpected:\n{answer}\nbut was:\n{actual}"
        ),
        None => assert_eq!(actual, *answer, "{document}: {command}"),
    }
}
