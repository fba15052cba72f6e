//! What EGG sends to replicas and the append only file: core commands, with options that every server knows.

use super::calls;
use egg_testkit::each_server;
use egg_testkit::harness::Kind;
use egg_testkit::ids::Id;

each_server! { effects_are_commands_that_redis_7_2_knows, every_command_is_called }

/// Whether this is a command as Redis 7.2 has it, and as EGG sends it.
fn is_known(command: &str) -> bool {
    let words: Vec<_> = command.split(' ').collect();
    let are_ids = |ids: &[&str]| !ids.is_empty() && ids.iter().all(|id| is_id(id));
    match words[..] {
        ["MULTI"] | ["EXEC"] => true,
        ["XACK", _, _, ref ids @ ..] | ["XDEL", _, ref ids @ ..] => are_ids(ids),
        // Under KEEPREF the core trims in the same step.
        ["XADD", key, "MAXLEN" | "MINID", "=", _, ref rest @ ..] => is_known(&["XADD", key, &rest.join(" ")].join(" ")),
        ["XADD", _, id, ref fields @ ..] => is_id(id) && !fields.is_empty() && fields.len() % 2 == 0,
        ["XTRIM", _, "MAXLEN", count] | ["XTRIM", _, "MAXLEN", "=", count] => count.parse::<u64>().is_ok(),
        ["XTRIM", _, "MINID", id] | ["XTRIM", _, "MINID", "=", id] => is_id(id),
        ["XSETID", _, last, "ENTRIESADDED", count, "MAXDELETEDID", deleted] => {
            is_id(last) && count.parse::<u64>().is_ok() && is_id(deleted)
        }
        ["XGROUP", "DESTROY", _, _] => true,
        ["XGROUP", "SETID", _, _, id, "ENTRIESREAD", count] => is_id(id) && count.parse::<i64>().is_ok(),
        // In the transaction and the script.
        ["SET", "x", _] => true,
        _ => false,
    }
}

fn is_id(text: &str) -> bool {
    text.contains('-') && Id::parse(text).is_some()
}

fn effects_are_commands_that_redis_7_2_knows(kind: Kind) {
    let server = calls::options(kind).start();
    let mut sent = Vec::new();
    calls::make(&mut server.connect(), |client, call| {
        let commands = server.propagated(|| client.all(&[call]));
        for command in &commands {
            assert!(is_known(command), "{call} sends \"{command}\"");
        }
        sent.extend(commands);
    });
    for name in ["XACK ", "XDEL ", "XADD ", "XTRIM ", "XSETID ", "XGROUP DESTROY "] {
        assert!(sent.iter().any(|command| command.starts_with(name)), "no {name} in {sent:#?}");
    }
    for (command, expected) in [
        ("XACKDEL s g IDS 1 1-0", false),
        ("XADD s KEEPREF 1-0 f v", false),
        ("XADD s * f v", false),
        ("XADD s MAXLEN ~ 1 1-0 f v", false),
        ("XADD s ACKED MAXLEN = 1 1-0 f v", false),
        ("XTRIM s MAXLEN = 1 ACKED", false),
        ("XTRIM s MAXLEN ~ 1", false),
        ("XSETID s 1-0", false),
        ("EGG.ACKDEL s g IDS 1 1-0", false),
        ("XDEL s 1-0 2-0", true),
    ] {
        assert_eq!(is_known(command), expected, "{command}");
    }
}

fn every_command_is_called(kind: Kind) {
    let called = calls::names();
    let server = calls::options(kind).start();
    let listed = server.connect().run("COMMAND LIST FILTERBY PATTERN egg.*");
    let listed: Vec<_> = listed.array().iter().map(|name| name.text().to_ascii_uppercase()).collect();
    // The two behind the native names are not called by these.
    let hidden = ["EGG.XADD", "EGG.XTRIM"];
    for name in listed.iter().filter(|name| !hidden.contains(&name.as_str())) {
        assert!(called.contains(&name.as_str()), "{name} is not among the calls");
    }
    assert!(listed.len() >= 9, "{listed:?}");
}
