//! XGROUP DELCONSUMER gives up what a consumer has pending: to all that look at groups, nobody needs it any more.

use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};

each_server! {
    what_a_deleted_consumer_had_pending_goes_with_the_next_trim,
    taken_over_before_it_stays,
    put_back_before_the_trim_it_stays,
}

/// Entries 1-0 to 4-0; consumer `c` of group `g` has read three.
fn prepare(client: &mut Client) {
    client.all(&["FLUSHALL"]);
    client.add(1..=4);
    client.all(&["XGROUP CREATE s g 0"]);
    client.read("g", 3);
}

fn what_a_deleted_consumer_had_pending_goes_with_the_next_trim(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    for call in ["EGG.TRIM s", "EGG.ADD s MAXLEN 0 5-0 f v", "EGG.ADD s MINID ~ 4 5-0 f v"] {
        prepare(&mut client);
        assert_eq!(client.run("XGROUP DELCONSUMER s g c"), 3);
        let pins = client.run("EGG.PINS s");
        assert_eq!(*pins.array()[0].field("why"), "undelivered");
        assert_eq!((pins.array()[0].field("lowest-id").text(), client.ids("s").len()), ("4-0".to_owned(), 4));
        client.all(&[call]);
        assert_eq!(client.ids("s")[0], "4-0", "{call}");
    }
}

fn taken_over_before_it_stays(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["XAUTOCLAIM s g other 0 - COUNT 100"]);
    assert_eq!(client.run("XGROUP DELCONSUMER s g c"), 0);
    assert_eq!(client.run("EGG.TRIM s"), 0);
    assert_eq!(client.pending("s", "g"), ["1-0", "2-0", "3-0"]);
}

fn put_back_before_the_trim_it_stays(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    prepare(&mut client);
    client.all(&["XGROUP DELCONSUMER s g c", "XCLAIM s g other 0 2-0 FORCE"]);
    assert_eq!(client.run("EGG.TRIM s"), 2);
    assert_eq!(client.ids("s"), ["2-0", "4-0"]);
    assert_eq!(client.pending("s", "g"), ["2-0"]);
    assert_eq!(client.run("EGG.ACKDEL s g OWNER other IDS 1 2-0"), [1]);
}
