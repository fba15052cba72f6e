//! The transcripts of the READMEs, run as they stand.

use std::fs;
use std::path::Path;

use crate::client::Reply;
use crate::each_server;
use crate::harness::{Kind, Options, Server};

each_server! { transcripts_are_true, transcripts_of_the_functions_are_true }

const PROMPT: &str = "127.0.0.1:6379> ";

/// A command and what redis-cli prints after it. An answer of `...` stands for any text.
struct Step {
    command: String,
    answer: String,
}

/// The steps of each block that is marked as a transcript.
fn transcripts(file: &str) -> Vec<Vec<Step>> {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a README");
    let blocks = readme.split("```redis\n").skip(1).filter_map(|rest| rest.split("```").next());
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
    let transcripts = transcripts("README.md");
    assert_eq!(transcripts.len(), 3);
    check(&Server::start(kind), transcripts);
}

fn transcripts_of_the_functions_are_true(kind: Kind) {
    let transcripts = transcripts("functions/README.md");
    assert_eq!(transcripts.len(), 1);
    check(&Options::new(kind).with_library().start(), transcripts);
}

fn check(server: &Server, transcripts: Vec<Vec<Step>>) {
    let mut client = server.connect();
    for transcript in transcripts {
        client.run("FLUSHALL");
        for Step { command, answer } in transcript {
            let actual = printed(&client.run(&command), 0);
            match answer.split_once("...") {
                Some((before, after)) => assert!(
                    actual.starts_with(before) && actual.ends_with(after),
                    "{command}\nexpected:\n{answer}\nbut was:\n{actual}"
                ),
                None => assert_eq!(actual, answer, "{command}"),
            }
        }
    }
}
