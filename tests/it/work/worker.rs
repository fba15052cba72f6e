//! One worker: it adds, reads, claims, finishes, puts off, gives up and tidies, at random.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

use super::ledger::{Ledger, message};
use super::{DEAD, LOOSE, PAIR, PLACES, Place, RETRY, SOLO, Site};
use egg_testkit::client::{Client, Reply, words};
use egg_testkit::random::Random;

/// More unfinished messages than this, and no worker adds any.
const BACKLOG: i64 = 600;

pub struct Worker<'a> {
    site: &'a Site<'a>,
    client: Option<Client>,
    name: String,
    random: Random,
    ledger: Ledger,
}

/// An entry that was read: its id, and its message, if it still has one.
type Taken = (String, Option<u64>);

impl<'a> Worker<'a> {
    pub fn new(site: &'a Site<'a>, number: usize, random: Random) -> Self {
        Self { site, client: None, name: format!("c{number}"), random, ledger: Ledger::default() }
    }

    pub fn into_ledger(self) -> Ledger {
        self.ledger
    }

    /// Works until it is told to stop.
    pub fn work(mut self) -> Ledger {
        while !self.site.stop.load(Ordering::Relaxed) {
            let place = PLACES[self.random.below(PLACES.len())];
            let group = place.groups[self.random.below(place.groups.len())];
            match self.random.below(100) {
                0..30 if self.site.open.load(Ordering::Relaxed) < BACKLOG => self.add(),
                0..90 => {
                    let taken = self.take(place, group);
                    match self.random.below(10) {
                        _ if taken.is_empty() => {}
                        0..6 => self.finish(place, group, &taken),
                        6..9 if place.groups.len() == 1 => self.put_off(place, &taken),
                        // Left lying about, for somebody else to claim.
                        _ => {}
                    }
                }
                90..96 => self.trim(place),
                _ => self.reap(place),
            }
        }
        self.ledger
    }

    /// The reply; None if it is an error that may be, or if the connection broke. Whether the call was carried out is
    /// unknown only in the second case: then its messages are doubted.
    fn send(&mut self, line: &str, about: &[u64]) -> Option<Reply> {
        if self.client.is_none() {
            self.client = (self.site.connect)();
        }
        let Some(client) = &mut self.client else {
            sleep(Duration::from_millis(2));
            return None;
        };
        let answer = client.try_send(&words(line)).and_then(|reply| match reply {
            Reply::Error(_) => Ok(reply),
            _ if self.site.wait => match client.try_send(&["WAIT", "1", "2000"])? {
                Reply::Integer(1..) => Ok(reply),
                other => Err(format!("no replica confirmed: {other:?}")),
            },
            _ => Ok(reply),
        });
        match answer {
            Ok(Reply::Error(error)) => {
                assert!(self.site.refusals.iter().any(|known| error.starts_with(known)), "{line}: {error}");
                self.site.refused.fetch_add(1, Ordering::Relaxed);
                // Such a server may be another one the next time.
                if ["READONLY", "MOVED", "CLUSTERDOWN"].iter().any(|code| error.starts_with(code)) {
                    self.client = None;
                }
                None
            }
            Ok(reply) => {
                self.site.calls.fetch_add(1, Ordering::Relaxed);
                Some(reply)
            }
            Err(_) => {
                about.iter().for_each(|message| self.ledger.doubt(*message));
                self.client = None;
                None
            }
        }
    }

    fn add(&mut self) {
        let place = [SOLO, PAIR, LOOSE][self.random.below(3)];
        let message = self.site.next.fetch_add(1, Ordering::Relaxed);
        let line = match self.random.below(3) {
            0 => format!("XADD {} * message {message}", place.key),
            1 => format!("EGG.ADD {} * message {message}", place.key),
            _ => format!("EGG.ADD {} MAXLEN ~ 100 * message {message}", place.key),
        };
        let added = self.send(&line, &[message]).is_some();
        // A message that was refused does not exist. One whose call broke off may.
        if added || self.ledger.doubts(message) {
            self.ledger.add(message, place);
            self.site.open.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// New entries, one's own old ones, or those of others.
    fn take(&mut self, place: Place, group: &str) -> Vec<Taken> {
        let (key, name, count) = (place.key, self.name.clone(), 1 + self.random.below(6));
        let from = if self.random.percent(75) { ">" } else { "0" };
        let read = format!("XREADGROUP GROUP {group} {name} COUNT {count} STREAMS {key} {from}");
        let claim = format!("XAUTOCLAIM {key} {group} {name} 0 - COUNT {count}");
        if self.random.percent(85) {
            let reply = self.send(&read, &[]);
            reply
                .filter(|reply| *reply != Reply::Nil)
                .map_or_else(Vec::new, |reply| taken(&reply.array()[0].array()[1]))
        } else {
            self.send(&claim, &[]).map_or_else(Vec::new, |reply| taken(&reply.array()[1]))
        }
    }

    fn finish(&mut self, place: Place, group: &'static str, taken: &[Taken]) {
        let policies: &[&str] = match place {
            LOOSE => &["KEEPREF", "DELREF"],
            PAIR => &["ACKED", "ACKONLY"],
            _ => &["", "REJECT", "ACKED", "OWNER"],
        };
        let policy = match policies[self.random.below(policies.len())] {
            "OWNER" => format!("OWNER {}", self.name),
            policy => policy.to_owned(),
        };
        if !self.ack_delete(place, group, &policy, taken) && !policy.contains("ACKED") && place.groups.len() == 1 {
            // What a worker does that is refused when its work is done.
            self.ack_delete(place, group, "ACKONLY", taken);
        }
    }

    /// Whether the call was carried out.
    fn ack_delete(&mut self, place: Place, group: &'static str, policy: &str, taken: &[Taken]) -> bool {
        let about: Vec<u64> = taken.iter().filter_map(|(_, message)| *message).collect();
        let line = format!("EGG.ACKDEL {} {group} {policy} {}", place.key, ids(taken));
        let Some(reply) = self.send(&line, &about) else { return false };
        for (reply, (_, message)) in reply.integers().into_iter().zip(taken) {
            let Some(message) = *message else { continue };
            if reply == 1 || reply == 2 {
                self.ledger.ack(message, group);
            }
            if reply == 1 {
                self.ledger.lose(message);
                self.site.open.fetch_sub(1, Ordering::Relaxed);
            }
        }
        true
    }

    fn put_off(&mut self, place: Place, taken: &[Taken]) {
        let about: Vec<u64> = taken.iter().filter_map(|(_, message)| *message).collect();
        let (to, how) = match self.random.below(4) {
            0 => (DEAD, "MINDELIVERIES 3 META".to_owned()),
            1 => (SOLO, String::new()),
            2 => (RETRY, format!("OWNER {}", self.name)),
            _ => (RETRY, "MAXLEN ~ 50 META SET 1 tried yes".to_owned()),
        };
        self.send(&format!("EGG.ACKMOVE {} g {} {how} {}", place.key, to.key, ids(taken)), &about);
    }

    fn trim(&mut self, place: Place) {
        let how = ["", "LIMIT 5", "MAXLEN 10", "MAXLEN ~ 10"][self.random.below(4)];
        let trimmed = self.send(&format!("EGG.TRIM {} {how}", place.key), &[]);
        self.site.open.fetch_sub(trimmed.map_or(0, |count| count.integer()), Ordering::Relaxed);
    }

    /// A group that somebody forgot, and what becomes of it.
    fn reap(&mut self, place: Place) {
        let line = match self.random.below(3) {
            0 => format!("XGROUP CREATE {} forgotten-{} $", place.key, self.name),
            _ => format!("EGG.GROUPREAP {} g IDLE 1 MATCH forgotten-* EMPTY", place.key),
        };
        self.send(&line, &[]);
    }

    /// Finishes all that is left, in every stream.
    pub fn finish_all(&mut self) {
        for place in PLACES {
            // By force: one that was made at the end of a stream that never had an entry has read nothing.
            self.send(&format!("EGG.GROUPREAP {} g IDLE 1 MATCH forgotten-* EMPTY FORCE", place.key), &[]);
            for group in place.groups {
                let name = self.name.clone();
                loop {
                    let claim = format!("XAUTOCLAIM {} {group} {name} 0 - COUNT 500", place.key);
                    let read = format!("XREADGROUP GROUP {group} {name} COUNT 500 STREAMS {} >", place.key);
                    let mut all = self.send(&claim, &[]).map_or_else(Vec::new, |reply| taken(&reply.array()[1]));
                    if let Some(Reply::Array(streams)) = self.send(&read, &[]) {
                        all.extend(taken(&streams[0].array()[1]));
                    }
                    if all.is_empty() {
                        break;
                    }
                    assert!(self.ack_delete(place, group, "ACKED", &all), "{} {group}", place.key);
                }
            }
            self.trim_all(place);
        }
    }

    fn trim_all(&mut self, place: Place) {
        let trimmed = self.send(&format!("EGG.TRIM {}", place.key), &[]).expect("the janitor may work");
        self.site.open.fetch_sub(trimmed.integer(), Ordering::Relaxed);
    }
}

/// Entries of a reply.
fn taken(entries: &Reply) -> Vec<Taken> {
    let taken = |entry: &Reply| {
        let fields = match &entry.array()[1] {
            Reply::Nil => String::new(),
            fields => fields.array().iter().map(Reply::text).collect::<Vec<_>>().join(" "),
        };
        (entry.array()[0].text(), message(&fields))
    };
    entries.array().iter().map(taken).collect()
}

fn ids(taken: &[Taken]) -> String {
    let ids: Vec<&str> = taken.iter().map(|(id, _)| id.as_str()).collect();
    format!("IDS {} {}", ids.len(), ids.join(" "))
}
