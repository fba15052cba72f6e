//! EGG.TRIM without a threshold: what every group is done with goes.

use crate::trim::{left, prepare};
use egg_testkit::client::Reply;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    the_janitor_leaves_a_stream_without_groups_alone,
    the_janitor_removes_what_every_group_is_done_with,
    the_janitor_passes_over_what_is_pending,
    the_janitor_heeds_the_slowest_of_two_groups,
    limit_bounds_what_the_janitor_removes,
}

fn the_janitor_leaves_a_stream_without_groups_alone(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.add(1..=3);
    for call in ["EGG.TRIM s", "EGG.TRIM s ACKED", "EGG.TRIM s LIMIT 5", "EGG.TRIM s IGNOREIDLE 1", "EGG.TRIM none"] {
        assert_eq!(client.run(call), 0, "{call}");
    }
    assert_eq!(left(&mut client), "1-3");
    client.all(&["XGROUP CREATE s g $", "XGROUP DESTROY s g"]);
    assert_eq!(client.run("EGG.TRIM s"), 0);
    assert_eq!((left(&mut client).as_str(), client.run("EXISTS none")), ("1-3", Reply::Integer(0)));
}

fn the_janitor_removes_what_every_group_is_done_with(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.stream(5, &["g"]);
    client.all(&["XACK s g 1-0 2-0 3-0 4-0 5-0"]);
    client.add(6..=7);
    assert_eq!(client.run("EGG.TRIM s"), 5);
    assert_eq!(left(&mut client), "6-7");
    client.read("g", 2);
    assert_eq!(client.run("EGG.TRIM s"), 0);
    client.all(&["XACK s g 6-0 7-0"]);
    assert_eq!(client.run("EGG.TRIM s"), 2);
    // The stream and its group live on.
    assert_eq!(client.run("TYPE s"), "stream");
    assert_eq!(*client.group("s", "g").field("last-delivered-id"), "7-0");
    assert_eq!(*client.group("s", "g").field("lag"), 0);
}

fn the_janitor_passes_over_what_is_pending(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    assert_eq!(client.run("EGG.TRIM s"), 5);
    assert_eq!(left(&mut client), "2 5 8-12");
    assert_eq!(client.pending("s", "g"), ["2-0", "5-0", "8-0"]);
    assert_eq!(client.run("EGG.TRIM s"), 0);
    // A reference without an entry stays, and holds nothing back.
    client.all(&["XDEL s 2-0", "XACK s g 5-0"]);
    assert_eq!(client.run("EGG.TRIM s"), 1);
    assert_eq!(left(&mut client), "8-12");
    assert_eq!(client.pending("s", "g"), ["2-0", "8-0"]);
}

fn the_janitor_heeds_the_slowest_of_two_groups(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["XGROUP CREATE s h 0"]);
    assert_eq!(client.run("EGG.TRIM s"), 0);
    client.read("h", 4);
    client.all(&["XACK s h 1-0 2-0 4-0"]);
    // 2 is pending in g, 3 in h, and h has not been delivered 5 and on.
    assert_eq!(client.run("EGG.TRIM s"), 2);
    assert_eq!(left(&mut client), "2-3 5-12");
    client.all(&["XGROUP DESTROY s h"]);
    assert_eq!(client.run("EGG.TRIM s"), 3);
    assert_eq!(left(&mut client), "2 5 8-12");
}

fn limit_bounds_what_the_janitor_removes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for (limit, removed, remain) in [
        (1, 1, "2-12"),
        (2, 2, "2 4-12"),
        (3, 3, "2 5-12"),
        (4, 4, "2 5 7-12"),
        (5, 5, "2 5 8-12"),
        (1000, 5, "2 5 8-12"),
        (0, 5, "2 5 8-12"),
    ] {
        prepare(&mut client);
        assert_eq!(client.run(&format!("EGG.TRIM s LIMIT {limit}")), removed, "LIMIT {limit}");
        assert_eq!(left(&mut client), remain, "LIMIT {limit}");
    }
    // Enough to clear a backlog in steps, while the front is done with.
    client.all(&["FLUSHALL"]);
    client.stream(10, &["g"]);
    client.all(&["XACK s g 1-0 2-0 3-0 4-0 5-0 6-0 7-0 8-0 9-0 10-0"]);
    let steps: Vec<i64> = (0..4).map(|_| client.run("EGG.TRIM s LIMIT 4").integer()).collect();
    assert_eq!(steps, [4, 4, 2, 0]);
    // What is needed in front of it does not use the limit up.
    client.all(&["FLUSHALL"]);
    client.stream(30, &["g"]);
    client.all(&["XACK s g 21-0 22-0 23-0 24-0 25-0 26-0 27-0 28-0 29-0 30-0"]);
    let steps: Vec<i64> = (0..4).map(|_| client.run("EGG.TRIM s LIMIT 4").integer()).collect();
    assert_eq!(steps, [4, 4, 2, 0]);
}
