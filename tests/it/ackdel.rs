//! EGG.ACKDEL: replies, and what is left behind.

use crate::client::Client;
use crate::each_server;
use crate::harness::{Kind, Server};

each_server! {
    acknowledges_and_deletes,
    refuses_while_another_group_exists,
    events_are_one_xdel_or_none,
}

/// `add(3)`: entries 1-0, 2-0, 3-0.
fn add(client: &mut Client, count: usize) {
    for id in 1..=count {
        client.all(&[&format!("XADD s {id}-0 f v")]);
    }
}

fn acknowledges_and_deletes(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    add(&mut client, 3);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c STREAMS s >"]);
    assert_eq!(client.run("EGG.ACKDEL s g IDS 3 1-0 2-0 3-0"), [1, 1, 1]);
    assert_eq!(client.run("XLEN s"), 0);
    assert_eq!(*client.group("s", "g").field("lag"), 0);
    assert_eq!(*client.group("s", "g").field("pending"), 0);
    assert_eq!(*client.group("s", "g").field("entries-read"), 3);
}

fn refuses_while_another_group_exists(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    add(&mut client, 2);
    client.all(&["XGROUP CREATE s g 0", "XGROUP CREATE s h 0", "XREADGROUP GROUP g c STREAMS s >"]);
    let reply = client.run("EGG.ACKDEL s g IDS 1 1-0");
    assert!(reply.error().starts_with("FOREIGNGROUP "), "{reply:?}");
    assert_eq!(client.pending("s", "g"), ["1-0", "2-0"]);
    assert_eq!(client.ids("s"), ["1-0", "2-0"]);
}

fn events_are_one_xdel_or_none(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    add(&mut client, 3);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c STREAMS s >"]);
    let events = server.events_of(|client| {
        client.run("EGG.ACKDEL s g IDS 2 1-0 2-0");
    });
    assert_eq!(events, ["s xdel"]);
    let events = server.events_of(|client| {
        client.run("EGG.ACKDEL s g IDS 2 1-0 2-0");
    });
    assert!(events.is_empty(), "{events:?}");
}
