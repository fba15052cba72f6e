//! What the server tells of the commands: COMMAND INFO, COMMAND DOCS, COMMAND GETKEYS.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    command_info_has_arity_flags_keys_and_categories,
    command_docs_describe_every_argument,
    keys_are_found,
    the_module_lists_its_commands,
}

/// A reply that consists of strings, sorted.
fn sorted(reply: &Reply) -> Vec<String> {
    let mut words: Vec<_> = reply.array().iter().map(Reply::text).collect();
    words.sort();
    words
}

fn command_info_has_arity_flags_keys_and_categories(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (name, arity, flags, legacy, categories, keys) in [
        (
            "egg.ackdel",
            // Calls that are too short by themselves are answered by EGG, which shows the form of ids.
            -4,
            &["fast", "module", "write"][..],
            [1, 1, 1],
            &["@egg", "@fast", "@stream", "@write"][..],
            &[(1, &["RW", "delete"][..])][..],
        ),
        (
            "egg.groupguard",
            3,
            &["fast", "module", "readonly"],
            [1, 1, 1],
            &["@egg", "@fast", "@read", "@stream"],
            &[(1, &["RO", "access"])],
        ),
        (
            "egg.ackmove",
            -5,
            // Two keys that are not neighbours: clients have to ask with COMMAND GETKEYS.
            &["denyoom", "module", "movablekeys", "write"],
            [1, 1, 1],
            &["@egg", "@slow", "@stream", "@write"],
            &[(1, &["RW", "access", "delete"]), (3, &["RW", "insert"])],
        ),
        (
            "egg.groupreap",
            -5,
            &["module", "write"],
            [1, 1, 1],
            &["@egg", "@slow", "@stream", "@write"],
            &[(1, &["RW", "access", "delete"])],
        ),
        (
            "egg.pins",
            2,
            &["module", "readonly"],
            [1, 1, 1],
            &["@egg", "@read", "@slow", "@stream"],
            &[(1, &["RO", "access"])],
        ),
        ("egg.version", 1, &["fast", "module", "readonly"], [0, 0, 0], &["@egg", "@fast", "@read"], &[]),
    ] {
        let reply = client.send(&["COMMAND", "INFO", name]);
        let info = reply.array()[0].array();
        assert_eq!(info[0], name);
        assert_eq!(info[1], arity, "{name}");
        assert_eq!(sorted(&info[2]), flags, "{name}");
        assert_eq!(Reply::Array(info[3..6].to_vec()), legacy, "{name}");
        assert_eq!(sorted(&info[6]), categories, "{name}");
        assert_eq!(info[7], [0; 0], "{name}: tips");
        let specs = info[8].array();
        assert_eq!(specs.len(), keys.len(), "{name}");
        for (spec, (position, flags)) in specs.iter().zip(keys) {
            assert_eq!(sorted(spec.field("flags")), *flags, "{name}");
            let (begin, find) = (spec.field("begin_search"), spec.field("find_keys"));
            assert_eq!(
                (begin.field("type").text(), begin.field("spec").field("index").integer()),
                ("index".into(), *position)
            );
            assert_eq!(*find.field("type"), "range", "{name}");
            for (field, expected) in [("lastkey", 0), ("keystep", 1), ("limit", 0)] {
                assert_eq!(*find.field("spec").field(field), expected, "{name} {field}");
            }
        }
    }
}

/// Arguments as one line: `name:type`, the word before it, `?` if optional, `*` if repeated, and what is in it.
fn outline(arguments: &Reply) -> String {
    let has = |argument: &Reply, flag: &str| {
        let fields = argument.array().chunks_exact(2);
        fields.filter(|pair| pair[0] == "flags").any(|pair| pair[1].array().iter().any(|item| *item == flag))
    };
    let optional_field = |argument: &Reply, name: &str| {
        argument.array().chunks_exact(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone())
    };
    let one = |argument: &Reply| {
        let mut line = format!("{}:{}", argument.field("name").text(), argument.field("type").text());
        if let Some(token) = optional_field(argument, "token") {
            line = format!("{}={line}", token.text());
        }
        line += if has(argument, "optional") { "?" } else { "" };
        line += if has(argument, "multiple") { "*" } else { "" };
        match optional_field(argument, "arguments") {
            Some(parts) => format!("{line}({})", outline(&parts)),
            None => line,
        }
    };
    arguments.array().iter().map(one).collect::<Vec<_>>().join(" ")
}

fn docs(client: &mut Client, name: &str) -> Reply {
    client.send(&["COMMAND", "DOCS", name]).field(name).clone()
}

fn command_docs_describe_every_argument(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let ackdel = "key:key group:string policy:oneof?(REJECT=reject:pure-token ACKONLY=ackonly:pure-token \
                  ACKED=acked:pure-token KEEPREF=keepref:pure-token DELREF=delref:pure-token) \
                  OWNER=consumer:string? IDS=ids:block(numids:integer id:string*)";
    let ackmove = "key:key group:string destination:key policy:oneof?(REJECT=reject:pure-token ACKONLY=ackonly:pure-token \
                   ACKED=acked:pure-token KEEPREF=keepref:pure-token DELREF=delref:pure-token) OWNER=consumer:string? \
                   MINDELIVERIES=deliveries:integer? trim:block?(strategy:oneof(MAXLEN=maxlen:pure-token \
                   MINID=minid:pure-token) operator:oneof?(==equal:pure-token ~=approximately:pure-token) \
                   threshold:string LIMIT=limit:integer?) META=meta:pure-token? SET=set:block?(numpairs:integer \
                   data:block*(field:string value:string)) IDS=ids:block(numids:integer id:string*)";
    let groupreap = "key:key group:string IDLE=ms:integer MATCH=pattern:pattern? EMPTY=empty:pure-token? \
                     FORCE=force:pure-token? DRYRUN=dryrun:pure-token?";
    for (name, summary, complexity, arguments) in [
        (
            "egg.ackdel",
            "Acknowledges and deletes entries of a stream, unless another consumer group needs them.",
            "O(N+G) with N the number of ids and G the number of consumer groups of the stream. With ACKED and DELREF, O(N*G).",
            ackdel,
        ),
        (
            "egg.groupguard",
            "Checks that a consumer group is the only one of its stream.",
            "O(G) with G the number of consumer groups of the stream.",
            "key:key group:string",
        ),
        (
            "egg.ackmove",
            "Moves pending entries to another stream, and acknowledges and deletes them, in one step.",
            "O(N*(F+G)) with N the number of ids, F the size of an entry and G the number of consumer groups of the stream.",
            ackmove,
        ),
        (
            "egg.groupreap",
            "Destroys the consumer groups of a stream that nobody uses any more.",
            "O(G+C+P) with G the number of consumer groups, C the number of their consumers and P the number of pending entries destroyed.",
            groupreap,
        ),
        (
            "egg.pins",
            "Says which consumer groups still need entries of a stream, and why.",
            "O(G) with G the number of consumer groups of the stream.",
            "key:key",
        ),
        ("egg.version", "Returns the version of the EGG module.", "O(1)", ""),
    ] {
        let docs = docs(&mut client, name);
        for (field, expected) in [
            ("summary", summary),
            ("complexity", complexity),
            ("since", "0.1.0"),
            ("group", "module"),
            ("module", "egg"),
        ] {
            assert_eq!(*docs.field(field), expected, "{name} {field}");
        }
        assert_eq!(outline(docs.field("arguments")), arguments, "{name}");
    }
}

fn keys_are_found(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (line, access) in [
        ("EGG.ACKDEL key group IDS 1 1-0", &["RW", "delete"][..]),
        ("EGG.ACKDEL key group ACKED IDS 3 1-0 2-0 3-0", &["RW", "delete"]),
        ("EGG.GROUPGUARD key group", &["RO", "access"]),
        ("EGG.GROUPREAP key group IDLE 1", &["RW", "access", "delete"]),
        ("EGG.PINS key", &["RO", "access"]),
    ] {
        assert_eq!(sorted(&client.run(&format!("COMMAND GETKEYS {line}"))), ["key"], "{line}");
        let found = client.run(&format!("COMMAND GETKEYSANDFLAGS {line}"));
        assert_eq!(found.array().len(), 1, "{line}");
        assert_eq!(found.array()[0].array()[0], "key", "{line}");
        assert_eq!(sorted(&found.array()[0].array()[1]), access, "{line}");
    }
    let line = "EGG.ACKMOVE key group destination SET 1 IDS key IDS 1 1-0";
    assert_eq!(sorted(&client.run(&format!("COMMAND GETKEYS {line}"))), ["destination", "key"]);
    let found = client.run(&format!("COMMAND GETKEYSANDFLAGS {line}"));
    for (row, key, access) in [(0, "key", &["RW", "access", "delete"][..]), (1, "destination", &["RW", "insert"])] {
        assert_eq!(found.array()[row].array()[0], key);
        assert_eq!(sorted(&found.array()[row].array()[1]), access);
    }
    let keyless = Reply::Error("ERR The command has no key arguments".to_owned());
    assert_eq!(client.run("COMMAND GETKEYS EGG.VERSION"), keyless);
}

fn the_module_lists_its_commands(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for filter in ["MODULE egg", "ACLCAT egg", "PATTERN egg.*"] {
        let names = sorted(&client.run(&format!("COMMAND LIST FILTERBY {filter}")));
        assert_eq!(
            names,
            [
                "egg.ackdel",
                "egg.ackmove",
                "egg.add",
                "egg.delex",
                "egg.groupguard",
                "egg.groupreap",
                "egg.pins",
                "egg.trim",
                "egg.version",
            ],
            "{filter}"
        );
    }
}
