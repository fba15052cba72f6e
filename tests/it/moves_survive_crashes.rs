//! EGG.ACKMOVE under `kill -9`: after every restart each message is in exactly one place.
//!
//! A kill in the middle of a write can tear a transaction off inside one of its commands. The servers then cut the file
//! behind the last whole command, inside the transaction; the half that stays joins the next transaction when the file is
//! loaded again. That is so for every MULTI/EXEC, with no module at all, and is cured by rewriting the file.
//!
//! `EGG_KILLS` says how often the server is killed; 20 times if it is not set.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, wait_until};
use egg_testkit::random::Random;

each_server! {
    no_message_is_lost_or_doubled_by_a_crash,
}

const MESSAGES: usize = 40;
const STREAMS: [&str; 3] = ["jobs", "retry", "dead"];

fn no_message_is_lost_or_doubled_by_a_crash(kind: Kind) {
    let kills = std::env::var("EGG_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(20);
    let mut server = Options::new(kind).aof().start();
    let mut client = server.connect();
    for stream in STREAMS {
        client.all(&[&format!("XGROUP CREATE {stream} g 0 MKSTREAM")]);
    }
    for n in 0..MESSAGES {
        client.all(&[&format!("XADD jobs * message {n}")]);
    }
    let moves = AtomicUsize::new(0);
    let mut random = Random::new(4);
    let mut cut = 0;
    for kill in 0..kills {
        // Wherever the workers are then: they are not waited for.
        let target = moves.load(Ordering::Relaxed) + 5 + random.below(150);
        thread::scope(|scope| {
            for number in 0..2 {
                let (client, moves) = (server.connect(), &moves);
                scope.spawn(move || keep_moving(client, moves, Random::new((2 * kill + number) as u64)));
            }
            wait_until(|| moves.load(Ordering::Relaxed) >= target);
            server.kill();
        });
        server.restart();
        let mut client = server.connect();
        check(&mut client, kill);
        let cuts = server.log().matches("loaded anyway because aof-load-truncated").count();
        if cuts > cut {
            cut = cuts;
            client.all(&["BGREWRITEAOF"]);
            let mut is = |field: &str, value: &str| client.info("persistence", field) == value;
            wait_until(|| is("aof_rewrite_scheduled", "0") && is("aof_rewrite_in_progress", "0"));
        }
    }
    // Nothing was left where no worker would find it.
    let mut client = server.connect();
    let before = moves.load(Ordering::Relaxed);
    let mut taken = 0;
    for (stream, consumer) in STREAMS.iter().flat_map(|stream| [(stream, "c0"), (stream, "c1")]) {
        taken += take(&mut client, stream, consumer, MESSAGES).map_or(0, |ids| ids.len());
    }
    assert_eq!(taken, MESSAGES, "after {before} moves");
}

/// Moves messages from stream to stream, and back to their own, until the server is gone.
fn keep_moving(mut client: Client, moves: &AtomicUsize, mut random: Random) {
    loop {
        let (from, to) = (STREAMS[random.below(3)], STREAMS[random.below(3)]);
        let consumer = format!("c{}", random.below(2));
        let Some(ids) = take(&mut client, from, &consumer, 1 + random.below(4)) else { return };
        if ids.is_empty() {
            continue;
        }
        let call = format!("EGG.ACKMOVE {from} g {to} META SET 1 from {from} IDS {} {}", ids.len(), ids.join(" "));
        let words: Vec<_> = call.split(' ').collect();
        let Ok(reply) = client.try_send(&words) else { return };
        // Nil for what the other worker, who has the same ids, was faster with.
        moves.fetch_add(reply.array().iter().filter(|id| **id != Reply::Nil).count(), Ordering::Relaxed);
    }
}

/// Ids of a stream to work at: those that a consumer has pending, and new ones. None if the server is gone.
fn take(client: &mut Client, stream: &str, consumer: &str, count: usize) -> Option<Vec<String>> {
    let mut ids = Vec::new();
    let count = count.to_string();
    for from in ["0", ">"] {
        let words = ["XREADGROUP", "GROUP", "g", consumer, "COUNT", &count, "STREAMS", stream, from];
        match client.try_send(&words).ok()? {
            Reply::Nil => {}
            streams => ids.extend(streams.array()[0].array()[1].array().iter().map(|entry| entry.array()[0].text())),
        }
    }
    Some(ids)
}

fn check(client: &mut Client, kill: usize) {
    let mut messages = Vec::new();
    for stream in STREAMS {
        let ids = client.ids(stream);
        let pending = client.pending(stream, "g");
        assert!(pending.iter().all(|id| ids.contains(id)), "{stream} after kill {kill}: {ids:?} {pending:?}");
        for (id, line) in client.entries(stream) {
            let message = line.split(' ').nth(1).and_then(|number| number.parse::<usize>().ok());
            messages.push(message.unwrap_or_else(|| panic!("{id} of {stream} after kill {kill}: {line}")));
        }
    }
    messages.sort_unstable();
    assert_eq!(messages, (0..MESSAGES).collect::<Vec<_>>(), "after kill {kill}");
}
