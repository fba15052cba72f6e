//! `INFO egg`, and the warning in the log that calls are being refused.

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server, wait_until};

each_server! {
    every_counter_counts,
    moving_and_reaping_are_counted,
    every_call_is_counted_whatever_it_is_answered,
    refused_calls_are_counted_and_nothing_else_of_them,
    warnings_are_ten_seconds_apart_and_count_the_calls_between,
    inner_commands_show_in_the_statistics_of_commands,
}

/// The fields of `INFO egg` that are not 0, without `egg_`, in the order shown.
fn counters(client: &mut Client) -> String {
    let text = client.send(&["INFO", "egg"]).text();
    let fields = text.lines().filter_map(|line| line.strip_prefix("egg_")).filter(|line| !line.ends_with(":0"));
    fields.collect::<Vec<_>>().join(" ")
}

fn every_counter_counts(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let text = client.send(&["INFO", "egg"]).text();
    let names: Vec<_> = text.lines().filter_map(|line| line.split_once(':').map(|(name, _)| name)).collect();
    assert_eq!(
        names,
        [
            "egg_ackdel_calls",
            "egg_ackdel_refused",
            "egg_groupguard_calls",
            "egg_groupguard_refused",
            "egg_delex_calls",
            "egg_trim_calls",
            "egg_add_calls",
            "egg_ackmove_calls",
            "egg_ackmove_refused",
            "egg_pins_calls",
            "egg_groupreap_calls",
            "egg_acked",
            "egg_deleted",
            "egg_kept",
            "egg_not_pending",
            "egg_not_owner",
            "egg_moved",
            "egg_reaped",
            "egg_trimmed",
            "egg_add_trims_stopped",
            "egg_lag_repairs",
            "egg_head_cuts",
            "egg_policy_reject_calls",
            "egg_policy_ackonly_calls",
            "egg_policy_acked_calls",
            "egg_policy_keepref_calls",
            "egg_policy_delref_calls",
        ]
    );
    assert_eq!(counters(&mut client), "");
    client.stream(9, &["g"]);
    client.run("XDEL s 2-0");
    client.run("EGG.ACKDEL s g IDS 4 1-0 2-0 99-0 1-0");
    assert_eq!(counters(&mut client), "ackdel_calls:1 acked:2 deleted:1 not_pending:2 policy_reject_calls:1");
    client.run("EGG.ACKDEL s g IDS 1 9-0");
    client.run("EGG.GROUPGUARD s g");
    assert_eq!(
        counters(&mut client),
        "ackdel_calls:2 groupguard_calls:1 acked:3 deleted:2 not_pending:2 lag_repairs:1 policy_reject_calls:2"
    );
    client.all(&["XGROUP CREATE s h 0"]);
    client.run("EGG.GROUPGUARD s g");
    client.run("EGG.ACKDEL s g ACKONLY IDS 1 3-0");
    client.run("EGG.ACKDEL s g ACKED IDS 2 4-0 5-0");
    client.run("EGG.ACKDEL s g KEEPREF IDS 1 6-0");
    client.run("EGG.ACKDEL s g DELREF IDS 1 7-0");
    assert_eq!(
        counters(&mut client),
        "ackdel_calls:6 groupguard_calls:2 groupguard_refused:1 acked:8 deleted:4 kept:3 not_pending:2 lag_repairs:1 \
         policy_reject_calls:2 policy_ackonly_calls:1 policy_acked_calls:1 policy_keepref_calls:1 policy_delref_calls:1"
    );
    assert!(client.send(&["INFO", "modules"]).text().contains("egg_deleted:4"));
    assert!(client.send(&["INFO", "everything"]).text().contains("egg_deleted:4"));
}

fn moving_and_reaping_are_counted(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(5, &["g"]);
    client.all(&["XDEL s 4-0"]);
    client.all(&["EGG.ACKMOVE s g d IDS 4 1-0 2-0 4-0 9-0", "EGG.PINS s"]);
    client.all(&["XGROUP CREATE s h 0-1", "XGROUP CREATE s i 0-1"]);
    client.run("EGG.ACKMOVE s g d IDS 1 3-0");
    client.all(&["EGG.ACKMOVE s g d ACKONLY MAXLEN 1 IDS 1 3-0", "EGG.GROUPREAP s g IDLE 1 EMPTY DRYRUN"]);
    client.all(&["EGG.GROUPREAP s g IDLE 1 EMPTY", "EGG.ACKDEL s g OWNER other IDS 1 5-0"]);
    assert_eq!(
        counters(&mut client),
        "ackdel_calls:1 ackmove_calls:3 ackmove_refused:1 pins_calls:1 groupreap_calls:2 acked:4 deleted:2 kept:1 \
         not_owner:1 moved:3 reaped:2 trimmed:2 policy_reject_calls:3 policy_ackonly_calls:1"
    );
}

fn every_call_is_counted_whatever_it_is_answered(kind: Kind) {
    let native = !kind.has_native_xackdel();
    let server = Options::new(kind).line("egg.native-names yes").start();
    let mut client = server.connect();
    client.all(&["SET w string"]);
    let mut calls = vec![
        ("ackdel", "EGG.ACKDEL {} g IDS 1 1-0", "EGG.ACKDEL {} g IDS 1 bad"),
        ("groupguard", "EGG.GROUPGUARD {} g", "EGG.GROUPGUARD w none"),
        ("delex", "EGG.DELEX {} IDS 1 1-0", "EGG.DELEX {} IDS 1 bad"),
        ("trim", "EGG.TRIM {}", "EGG.TRIM {} MAXLEN bad"),
        ("add", "EGG.ADD {} 9-0 f v", "EGG.ADD {} bad f v"),
        ("ackmove", "EGG.ACKMOVE {} g d IDS 1 1-0", "EGG.ACKMOVE {} g d IDS 1 bad"),
        ("pins", "EGG.PINS {}", "EGG.PINS w"),
        ("groupreap", "EGG.GROUPREAP {} g IDLE 1", "EGG.GROUPREAP {} g IDLE bad"),
    ];
    if native {
        calls.extend([
            ("ackdel", "XACKDEL {} g IDS 1 1-0", "XACKDEL {} g IDS 1 bad"),
            ("delex", "XDELEX {} IDS 1 1-0", "XDELEX {} IDS 1 bad"),
            ("trim", "XTRIM {} MAXLEN 1 ACKED", "XTRIM {} MAXLEN bad ACKED"),
            ("add", "XADD {} MAXLEN 1 ACKED 9-0 f v", "XADD {} MAXLEN bad ACKED 9-0 f v"),
        ]);
    }
    for (counter, call, bad) in calls {
        client.all(&["DEL s", "XADD s 1-0 f v", "XGROUP CREATE s g 0"]);
        let field = format!("egg_{counter}_calls");
        let before: u64 = client.info("egg", &field).parse().expect("a number");
        client.run(&call.replace("{}", "s"));
        for line in [call.replace("{}", "w"), bad.replace("{}", "s")] {
            assert!(matches!(client.run(&line), Reply::Error(_)), "{line}");
        }
        assert_eq!(client.info("egg", &field), (before + 3).to_string(), "{call}");
    }
}

fn refused_calls_are_counted_and_nothing_else_of_them(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(2, &["g", "h"]);
    for line in ["EGG.ACKDEL s g IDS 2 1-0 2-0", "EGG.ACKDEL s h REJECT IDS 1 1-0", "EGG.GROUPGUARD s g"] {
        assert!(client.run(line).error().starts_with("FOREIGNGROUP "));
    }
    let expected = "ackdel_calls:2 ackdel_refused:2 groupguard_calls:1 groupguard_refused:1 policy_reject_calls:2";
    assert_eq!(counters(&mut client), expected);
    // Other errors are no refusals of the guard.
    client.run("EGG.ACKDEL s g IDS 1 foo");
    client.run("EGG.ACKDEL s none IDS 1 1-0");
    client.run("EGG.GROUPGUARD s none");
    assert_eq!(client.info("egg", "egg_ackdel_refused"), "2");
    assert_eq!(client.info("egg", "egg_groupguard_refused"), "1");
}

/// The first one at once, with the name of another group; what follows is counted, and told when the ten seconds are over.
fn warnings_are_ten_seconds_apart_and_count_the_calls_between(kind: Kind) {
    let mut server = Server::start(kind);
    let mut client = server.connect();
    for key in ["quiet", "line\n%s\u{100}"] {
        client.send(&["XGROUP", "CREATE", key, "g", "$", "MKSTREAM"]);
        client.send(&["XGROUP", "CREATE", key, "%n\r\nintruder", "$"]);
    }
    let warnings = |server: &Server| -> Vec<String> {
        let log = server.log();
        log.lines().filter_map(|line| Some(line.split_once("# <egg> FOREIGNGROUP: ")?.1.to_owned())).collect()
    };
    let milliseconds = |client: &mut Client| {
        let now = client.run("TIME");
        let part = |index: usize| now.array()[index].text().parse::<i64>().expect("a number");
        part(0) * 1000 + part(1) / 1000
    };
    let first = milliseconds(&mut client);
    let refuse = |client: &mut Client, key: &str, times: usize| {
        for _ in 0..times {
            assert!(client.send(&["EGG.ACKDEL", key, "g", "IDS", "1", "1-0"]).error().starts_with("FOREIGNGROUP "));
        }
    };
    let line = |what: &str, key: &str| {
        format!("refused {what}: stream \"{key}\", group \"g\", which is not alone: there is \"%n\\r\\nintruder\"")
    };
    refuse(&mut client, "quiet", 1);
    let mut expected = vec![line("a call", "quiet")];
    assert_eq!(warnings(&server), expected);
    refuse(&mut client, "quiet", 198);
    refuse(&mut client, "line\n%s\u{100}", 2);
    assert_eq!(warnings(&server), expected);
    wait_until(|| warnings(&server).len() > 1);
    expected.push(line("200 more calls in the last ten seconds, the last one", r"line\n%s\xc4\x80"));
    assert_eq!(warnings(&server), expected);
    let passed = milliseconds(&mut client) - first;
    assert!((10_000..20_000).contains(&passed), "{passed}");
    // The next ten seconds have begun; a server may stop meanwhile.
    refuse(&mut client, "quiet", 1);
    assert_eq!(warnings(&server), expected);
    wait_until(|| warnings(&server).len() > 2);
    expected.push(line("1 more call in the last ten seconds, the last one", "quiet"));
    assert_eq!(warnings(&server), expected);
    refuse(&mut client, "quiet", 1);
    let _ = client.try_send(&["SHUTDOWN", "NOSAVE"]);
    server.wait_for_its_end();
    assert_eq!(warnings(&server), expected);
    assert!(!server.log().contains("timer") && server.log().contains("bye bye"), "{}", server.log());
}

fn inner_commands_show_in_the_statistics_of_commands(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(3, &["g"]);
    client.all(&["CONFIG RESETSTAT"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"), [1, 1, 1]);
    for (command, calls) in [("egg.ackdel", 1), ("xinfo|groups", 1), ("xack", 3), ("xdel", 1)] {
        let line = client.info("commandstats", &format!("cmdstat_{command}"));
        assert!(line.starts_with(&format!("calls={calls},")), "{command}: {line}");
    }
    let text = client.send(&["INFO", "commandstats"]).text();
    assert!(!text.contains("cmdstat_xpending") && !text.contains("cmdstat_xinfo|stream"), "{text}");
}
