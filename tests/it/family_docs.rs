//! COMMAND INFO and COMMAND DOCS of EGG.DELEX, EGG.TRIM, EGG.ADD and of what stands behind the native names.

use crate::native_names::{each_old_server, native};
use egg_testkit::client::Reply;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    command_info_has_arity_flags_keys_and_categories,
    command_docs_describe_every_argument,
}

each_old_server! {
    the_hidden_commands_are_described_as_not_for_direct_use,
}

fn sorted(reply: &Reply) -> String {
    let mut words: Vec<String> = reply.array().iter().map(Reply::text).collect();
    words.sort();
    words.join(" ")
}

fn command_info_has_arity_flags_keys_and_categories(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (name, arity, flags, categories, key) in [
        ("egg.delex", -3, "fast module write", "@egg @fast @stream @write", "RW delete"),
        ("egg.trim", -2, "module write", "@egg @slow @stream @write", "RW delete"),
        ("egg.add", -5, "denyoom fast module write", "@egg @fast @stream @write", "RW update"),
    ] {
        let reply = client.send(&["COMMAND", "INFO", name]);
        let info = reply.array()[0].array();
        assert_eq!((info[0].text().as_str(), info[1].integer()), (name, arity));
        assert_eq!(sorted(&info[2]), flags, "{name}");
        assert_eq!(Reply::Array(info[3..6].to_vec()), [1, 1, 1], "{name}");
        assert_eq!(sorted(&info[6]), categories, "{name}");
        assert_eq!(info[8].array().len(), 1, "{name}");
        assert_eq!(sorted(info[8].array()[0].field("flags")), key, "{name}");
    }
    assert_eq!(sorted(&client.run("COMMAND GETKEYS EGG.ADD k MAXLEN 3 * f v")), "k");
    assert_eq!(sorted(&client.run("COMMAND GETKEYS EGG.TRIM k")), "k");
    assert_eq!(sorted(&client.run("COMMAND GETKEYS EGG.DELEX k IDS 1 1-0")), "k");
}

/// Arguments as one line: the word before it, its name, `?` if optional, `*` if repeated, and what is in it.
fn outline(arguments: &Reply) -> String {
    let one = |argument: &Reply| {
        let field = |name: &str| argument.array().chunks(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone());
        let has = |flag| field("flags").is_some_and(|flags| flags.array().iter().any(|item| *item == flag));
        let token = field("token").map_or(String::new(), |token| token.text() + "=");
        let parts = field("arguments").map_or(String::new(), |parts| format!("({})", outline(&parts)));
        let marks =
            [("optional", "?"), ("multiple", "*")].map(|(flag, mark)| if has(flag) { mark } else { "" }).concat();
        format!("{token}{}{marks}{parts}", argument.field("name").text())
    };
    arguments.array().iter().map(one).collect::<Vec<_>>().join(" ")
}

fn command_docs_describe_every_argument(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let policy = "policy?(ACKED=acked KEEPREF=keepref DELREF=delref)";
    let strategy = "strategy(MAXLEN=maxlen MINID=minid) operator?(==equal ~=approximately) threshold";
    for (name, summary, arguments) in [
        (
            "egg.delex",
            "Deletes entries of a stream that no consumer group needs any more.",
            format!("key {policy} IDS=ids(numids id*)"),
        ),
        (
            "egg.trim",
            "Removes the entries of a stream that no consumer group needs any more.",
            format!("key {policy} trim?({strategy}) LIMIT=limit? IGNOREIDLE=ms?"),
        ),
        (
            "egg.add",
            "Appends an entry to a stream, and trims what no consumer group needs any more.",
            format!(
                "key NOMKSTREAM=nomkstream? {policy} trim?({strategy} LIMIT=limit?) id-selector(*=auto-id id) data*(field value)"
            ),
        ),
    ] {
        let docs = client.send(&["COMMAND", "DOCS", name]).field(name).clone();
        for (field, expected) in [("summary", summary), ("since", "0.1.0"), ("group", "module"), ("module", "egg")] {
            assert_eq!(*docs.field(field), expected, "{name} {field}");
        }
        assert!(docs.field("complexity").text().starts_with("O("), "{name}");
        assert_eq!(outline(docs.field("arguments")), arguments, "{name}");
    }
}

fn the_hidden_commands_are_described_as_not_for_direct_use(kind: Kind) {
    let server = native(kind).start();
    let mut client = server.connect();
    for (name, flags, categories) in [
        ("egg.xadd", "denyoom fast module write", "@egg @fast @stream @write"),
        ("egg.xtrim", "module write", "@egg @slow @stream @write"),
    ] {
        let info = client.send(&["COMMAND", "INFO", name]);
        assert_eq!(sorted(&info.array()[0].array()[2]), flags, "{name}");
        assert_eq!(sorted(&info.array()[0].array()[6]), categories, "{name}");
        let summary = client.send(&["COMMAND", "DOCS", name]).field(name).field("summary").text();
        assert!(summary.ends_with("Not for direct use."), "{summary}");
    }
}
