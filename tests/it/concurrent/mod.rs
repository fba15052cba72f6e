//! Workers acknowledge and delete while other clients create, destroy and move groups, claim, drop consumers, and delete,
//! rename, expire, swap and flush what they work on: no entry that a group needs is ever deleted.
//!
//! `EGG_CONCURRENT_SECONDS` says how long on each server; 6 if it is not set.

mod judge;
mod judge_tests;
mod meddler;

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use crate::work::amount;
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, wait_until};
use egg_testkit::ids::Id;
use egg_testkit::random::Random;
use judge::{Group, Judge, Stream};
use meddler::Meddler;

each_server! {
    no_entry_that_a_group_needs_is_deleted,
    what_clients_do_without_the_module_deletes_such_entries,
}

/// How entries are finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// EGG.ACKDEL and its like.
    Egg,
    /// MULTI, XACK, XDEL, EXEC.
    Clients,
}

const CLIENTS: usize = 4;

fn no_entry_that_a_group_needs_is_deleted(kind: Kind) {
    let seconds = amount("EGG_CONCURRENT_SECONDS", 6);
    let start = Instant::now();
    let (mut commands, mut deleted, mut acked, mut round) = (0, 0, 0, 0);
    while round == 0 || start.elapsed().as_secs() < seconds as u64 {
        let judge = judged_round(kind, Way::Egg, round, Duration::from_secs(seconds.min(10) as u64));
        let unlawful = &judge.unlawful;
        assert!(unlawful.is_empty(), "round {round}: {} unlawful deletions: {:#?}", unlawful.len(), unlawful.first());
        commands += judge.commands;
        deleted += judge.deleted;
        acked += judge.acked;
        round += 1;
    }
    println!("{kind:?}: {commands} commands judged, {acked} ids acknowledged, {deleted} entries deleted, all lawful");
    assert!(acked > 100 && deleted > 100, "acked {acked}, deleted {deleted}");
}

/// So the judge does see them, and the round does bring them about.
fn what_clients_do_without_the_module_deletes_such_entries(kind: Kind) {
    let judge = judged_round(kind, Way::Clients, 0, Duration::from_secs(1));
    let unlawful = &judge.unlawful;
    println!("{kind:?}: {} deleted, {} unlawful, such as {:?}", judge.deleted, unlawful.len(), unlawful.first());
    assert!(unlawful.len() > 5, "{} of {}", unlawful.len(), judge.deleted);
}

/// One round on a server of its own, judged.
fn judged_round(kind: Kind, way: Way, seed: u64, time: Duration) -> Judge {
    // Written before each reply, by servers that never put a write off until an fsync is done, as they do under everysec.
    let options = Options::new(kind).line("appendonly yes").line("appendfsync no");
    let server = options.line("auto-aof-rewrite-percentage 0").start();
    let until = Instant::now() + time;
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let random = Random::new(seed * 16 + number as u64 + 1);
            let mut meddler = Meddler::new(server.connect(), number, random, way);
            scope.spawn(move || {
                // So much also where the machine is slow.
                while meddler.calls < 300 || Instant::now() < until {
                    meddler.step();
                }
            });
        }
    });
    let mut client = server.connect();
    // What is to expire has expired, and is in the log.
    wait_until(|| {
        let keyspace = client.send(&["INFO", "keyspace"]).text();
        keyspace.matches(",expires=").count() == keyspace.matches(",expires=0").count()
    });
    let mut judge = Judge::default();
    judge.read(&server.aof_with_databases());
    if way == Way::Egg {
        let acked: usize = client.info("egg", "egg_acked").parse().expect("a number");
        // What EGG says that it acknowledged is what was pending, and was acknowledged.
        assert_eq!(judge.acked, acked);
    }
    for database in 0..2 {
        client.all(&[&format!("SELECT {database}")]);
        let (judged, found) = (judge.streams(database), on(&mut client));
        assert_eq!(judged.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>(), "database {database}");
        for (key, stream) in &judged {
            assert_eq!(*stream, found[key], "{key} of database {database}");
        }
    }
    judge
}

/// The streams that a server has.
fn on(client: &mut Client) -> BTreeMap<String, Stream> {
    let mut streams = BTreeMap::new();
    for key in client.run("KEYS *").array().iter().map(Reply::text) {
        let entries = client.ids(&key).iter().map(|text| Id::of(text)).collect();
        let mut groups = BTreeMap::new();
        for row in client.send(&["XINFO", "GROUPS", &key]).array() {
            let name = row.field("name").text();
            let delivered = Id::from(row.field("last-delivered-id"));
            let rows = client.send(&["XPENDING", &key, &name, "-", "+", "1000000"]);
            let pending = rows.array().iter().map(|row| owned(row.array())).collect();
            groups.insert(name, Group { delivered, pending });
        }
        let last = Id::from(client.send(&["XINFO", "STREAM", &key]).field("last-generated-id"));
        streams.insert(key, Stream { entries, groups, last });
    }
    streams
}

fn owned(row: &[Reply]) -> (Id, String) {
    (Id::from(&row[0]), row[1].text())
}
