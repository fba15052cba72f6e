//! Lag in any history of groups that come, go and move: it may be null, as in the core, but is never a wrong number.

use crate::model::{Group, Model};
use egg_testkit::client::Reply;
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Server};
use egg_testkit::random::Random;

each_server! {
    lag_is_null_or_right_in_any_history,
    lag_is_null_or_right_where_clients_tell_entries_read,
}

const HISTORIES: u64 = 250;
const LENGTH: usize = 40;
const GROUPS: [&str; 3] = ["a", "b", "c"];

fn lag_is_null_or_right_in_any_history(kind: Kind) {
    compare_with_core(kind, false);
}

/// Even told the true number with ENTRIESREAD, 7.4.1 and Valkey 9.1.2 may answer a wrong one for a group below a deleted
/// entry, and 7.4.1 counts the deleted one in when the group reads past it, whoever deleted it. EGG adds nothing to that.
fn lag_is_null_or_right_where_clients_tell_entries_read(kind: Kind) {
    compare_with_core(kind, true);
}

/// The same history on two streams: `egg` has EGG.ACKDEL, `core` has XACK and XDEL in its place. No client deletes
/// anything by itself, so that no hole in the streams is anybody else's. Where the core has a number, EGG has the same.
fn compare_with_core(kind: Kind, entries_read: bool) {
    let server = Server::start(kind);
    let mut client = server.connect();
    let mut kept = 0;
    for seed in 0..HISTORIES {
        client.all(&["FLUSHALL", "XADD egg 1-0 f v", "XADD core 1-0 f v"]);
        let mut model = Model::default();
        model.add();
        let mut random = Random::new(seed);
        let steps: Vec<Step> = (0..LENGTH).map(|_| Step::next(&mut model, &mut random, entries_read)).collect();
        let replies = client.pipeline(&steps.iter().flat_map(Step::commands).collect::<Vec<_>>());
        let mut replies = replies.iter();
        for (index, step) in steps.iter().enumerate() {
            let story = || -> String {
                let told: Vec<String> = steps[..=index].iter().flat_map(|step| step.egg.clone()).collect();
                format!("history {seed} on {kind:?}:\nXADD egg 1-0 f v\n{}", told.join("\n"))
            };
            for reply in replies.by_ref().take(step.egg.len() + step.core.len()) {
                assert!(!matches!(reply, Reply::Error(_)), "{reply:?}\n{}", story());
            }
            let (egg, core) = (lags(replies.next()), lags(replies.next()));
            assert_eq!(egg.len(), step.lags.len(), "{}", story());
            for ((lag, (name, egg)), (_, core)) in step.lags.iter().zip(&egg).zip(&core) {
                let right = lag.right;
                let said = || format!("lag of {name} is {right}; EGG has {egg:?}, XACK and XDEL {core:?}\n{}", story());
                assert_eq!(name, lag.group);
                let is_cores_fault = lag.miscounted || lag.told_below_hole && egg == core;
                assert!(is_cores_fault || *egg == Reply::Nil || *egg == right, "{}", said());
                assert!(*core == Reply::Nil || egg == core, "{}", said());
                kept += usize::from(*core == Reply::Nil && *egg != Reply::Nil);
            }
        }
    }
    // So the histories do reach the case that EGG mends.
    assert!(kept > 250, "lag was kept only {kept} times");
}

/// Name and lag of each group.
fn lags(groups: Option<&Reply>) -> Vec<(String, Reply)> {
    let row = |row: &Reply| (row.field("name").text(), row.field("lag").clone());
    groups.expect("a reply").array().iter().map(row).collect()
}

/// What happens next, on either stream, and the right lag of each group after it.
struct Step {
    egg: Vec<String>,
    core: Vec<String>,
    lags: Vec<Lag>,
}

/// What the lag of a group should be.
struct Lag {
    group: &'static str,
    right: i64,
    told_below_hole: bool,
    miscounted: bool,
}

impl Step {
    fn commands(&self) -> Vec<Vec<String>> {
        let asked = ["XINFO GROUPS egg".to_owned(), "XINFO GROUPS core".to_owned()];
        let lines = self.egg.iter().chain(&self.core).chain(&asked);
        lines.map(|line| line.split(' ').map(str::to_owned).collect()).collect()
    }

    fn next(model: &mut Model, random: &mut Random, entries_read: bool) -> Self {
        let name = GROUPS[random.below(GROUPS.len())];
        let Some(group) = model.groups.get(name) else {
            if random.percent(50) {
                return Self::of(model, |key, model| format!("XADD {key} {}-0 f v", model.added), Model::add);
            }
            return Self::place(model, random, entries_read, "CREATE", name);
        };
        let pending: Vec<u64> = group.pending.keys().copied().collect();
        match random.below(100) {
            0..25 => Self::of(model, |key, model| format!("XADD {key} {}-0 f v", model.added), Model::add),
            25..50 => {
                let count = 1 + random.below(3);
                let line = |key: &str, _: &Model| format!("XREADGROUP GROUP {name} c COUNT {count} STREAMS {key} >");
                Self::of(model, line, |model| model.read(name, 0, count))
            }
            50..58 => Self::place(model, random, entries_read, "SETID", name),
            58..61 => {
                let line = |key: &str, _: &Model| format!("XGROUP DESTROY {key} {name}");
                Self::of(model, line, |model| model.groups.remove(name))
            }
            _ if pending.is_empty() => Self::of(model, |key, _| format!("EXISTS {key}"), |_| ()),
            choice => {
                let others = model.groups.len() > 1;
                let policy = match choice {
                    _ if !others => "REJECT",
                    61..70 => "ACKONLY",
                    _ => "ACKED",
                };
                Self::ack(model, random.some_of(&pending, 3), name, policy)
            }
        }
    }

    /// The same command on both streams.
    fn of<T>(model: &mut Model, line: impl Fn(&str, &Model) -> String, act: impl FnOnce(&mut Model) -> T) -> Self {
        act(model);
        Self { egg: vec![line("egg", model)], core: vec![line("core", model)], lags: Self::lags(model) }
    }

    fn lags(model: &Model) -> Vec<Lag> {
        let lag = |(name, group): (&&'static str, &Group)| Lag {
            group: name,
            right: model.lag(name),
            told_below_hole: group.told && group.delivered < model.highest_deleted,
            miscounted: group.miscounted,
        };
        model.groups.iter().map(lag).collect()
    }

    /// Puts a group, new or old, at the start, the end or somewhere between. If it is to have `entries_read`, then in half
    /// of the cases, and the true one: how many entries were ever added up to there.
    fn place(model: &mut Model, random: &mut Random, entries_read: bool, how: &str, name: &'static str) -> Self {
        let (id, delivered) = match random.below(3) {
            0 => ("0".to_owned(), 0),
            1 => ("$".to_owned(), model.added),
            _ => {
                let id = 1 + random.below(model.added as usize) as u64;
                (format!("{id}-0"), id)
            }
        };
        let told = entries_read && random.percent(50);
        let read = if told { format!(" ENTRIESREAD {delivered}") } else { String::new() };
        let line = |key: &str, _: &Model| format!("XGROUP {how} {key} {name} {id}{read}");
        Self::of(model, line, |model| {
            let group = model.groups.entry(name).or_default();
            *group = Group { delivered, told, miscounted: false, pending: std::mem::take(&mut group.pending) };
        })
    }

    fn ack(model: &mut Model, ids: Vec<u64>, name: &'static str, policy: &str) -> Self {
        let words = |ids: &[u64]| ids.iter().map(|id| format!("{id}-0")).collect::<Vec<_>>().join(" ");
        let deleted = model.ack(name, &ids, policy != "ACKONLY" || model.groups.len() == 1);
        let mut core = vec![format!("XACK core {name} {}", words(&ids))];
        if !deleted.is_empty() {
            core.push(format!("XDEL core {}", words(&deleted)));
        }
        let egg = vec![format!("EGG.ACKDEL egg {name} {policy} IDS {} {}", ids.len(), words(&ids))];
        Self { egg, core, lags: Self::lags(model) }
    }
}
