//! Every call of EGG, by three workers at once, under `kill -9`: what was reported is so after the restart, and no step is
//! half done. `EGG_KILLS` says how often each server is killed; 20 times if it is not set.

use std::sync::atomic::Ordering;

use crate::work::{Ledger, Site, amount};
use egg_testkit::client::Client;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, wait_until};
use egg_testkit::random::Random;

each_server! {
    what_was_reported_is_so_after_a_crash,
}

fn what_was_reported_is_so_after_a_crash(kind: Kind) {
    let mut server = Options::new(kind).aof().start();
    let socket = server.path("socket");
    let connect = || Client::try_connect(&socket, false);
    let site = Site::new(&connect, &["FOREIGNGROUP", "BUSYGROUP"]);
    site.prepare();
    let mut ledger = Ledger::default();
    let mut random = Random::new(7);
    let mut cuts = 0;
    for kill in 0..amount("EGG_KILLS", 20) {
        let after = 20 + random.below(400);
        site.work(&mut ledger, kill as u64, 3, || {
            site.wait_for_calls(after);
            server.kill();
        });
        server.restart();
        let mut client = server.connect();
        ledger.check(&mut client).unwrap_or_else(|error| panic!("kill {kill}: {error:?}"));
        // The servers cut a truncated transaction in its middle; see moves_survive_crashes.
        let cut = server.log().matches("loaded anyway because aof-load-truncated").count();
        if cut > cuts {
            cuts = cut;
            client.all(&["BGREWRITEAOF"]);
            let mut is = |field: &str, value: &str| client.info("persistence", field) == value;
            wait_until(|| is("aof_rewrite_scheduled", "0") && is("aof_rewrite_in_progress", "0"));
        }
    }
    site.finish(&mut ledger);
    let (calls, refused) = (site.calls.load(Ordering::Relaxed), site.refused.load(Ordering::Relaxed));
    println!("{kind:?}: {calls} calls, {refused} refused, {} messages, {cuts} truncated files", ledger.finished());
    assert!(ledger.finished() > 100, "{}", ledger.finished());
}
