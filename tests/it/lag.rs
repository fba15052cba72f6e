//! Lag: a number, and the right one, though entries are deleted out of order.

use crate::model::{Group, Model};
use egg_testkit::client::{Client, Reply};
use egg_testkit::each_server;
use egg_testkit::harness::{Kind, Options, Server};
use egg_testkit::random::Random;

each_server! {
    lag_survives_the_deletion_of_the_entry_read_last,
    lag_is_not_made_up_for_a_group_moved_back_below_a_deleted_entry,
    lag_is_right_while_four_workers_of_one_group_finish_out_of_order,
    lag_is_right_while_four_workers_of_each_of_two_groups_finish_out_of_order,
}

fn lag_survives_the_deletion_of_the_entry_read_last(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XADD s 1-0 f v", "XADD s 2-0 f v", "XADD s 3-0 f v", "XADD s 4-0 f v", "XADD s 5-0 f v"]);
    client.all(&["XGROUP CREATE s g 0", "XREADGROUP GROUP g c COUNT 3 STREAMS s >"]);
    for id in ["3-0", "1-0", "2-0"] {
        assert_eq!(client.run(&format!("EGG.ACKDEL s g IDS 1 {id}")), [1]);
        assert_eq!(*client.group("s", "g").field("lag"), 2, "after {id}");
    }
}

/// The group had read 1-0 and nothing else, which is true, and 3-0 alone is left above it. The core cannot know that 2-0 is
/// gone unless it is told so: it would count it.
fn lag_is_not_made_up_for_a_group_moved_back_below_a_deleted_entry(kind: Kind) {
    let server = Server::start(kind);
    let mut client = server.connect();
    client.all(&["XADD s 1-0 f v", "XADD s 2-0 f v", "XADD s 3-0 f v", "XGROUP CREATE s g 0"]);
    client.all(&["XREADGROUP GROUP g c COUNT 2 STREAMS s >", "EGG.ACKDEL s g IDS 1 2-0"]);
    assert_eq!(*client.group("s", "g").field("lag"), 1);
    client.all(&["XGROUP SETID s g 1-0 ENTRIESREAD 1"]);
    assert_eq!(*client.group("s", "g").field("lag"), Reply::Nil);
}

fn lag_is_right_while_four_workers_of_one_group_finish_out_of_order(kind: Kind) {
    four_workers(kind, &["g"], "REJECT");
}

fn lag_is_right_while_four_workers_of_each_of_two_groups_finish_out_of_order(kind: Kind) {
    four_workers(kind, &["g", "h"], "ACKED");
}

/// A command of a step, the reply it must get if that matters, and the lag of each group after it.
struct Step {
    command: Vec<String>,
    reply: Option<Vec<i64>>,
    lags: Vec<i64>,
}

fn four_workers(kind: Kind, groups: &'static [&'static str], policy: &str) {
    const STEPS: usize = 20_000;
    const CHECKPOINTS: usize = 8;
    let master = Options::new(kind).tcp().start();
    let replica = Options::new(kind).without_module().start();
    replica.replicate(&master);
    let mut client = master.connect();
    let mut model = Model::default();
    for group in groups {
        client.send(&["XGROUP", "CREATE", "s", group, "0", "MKSTREAM"]);
        model.groups.insert(group, Group::default());
    }
    let mut random = Random::new(1);
    for _ in 0..CHECKPOINTS {
        let steps: Vec<Step> =
            (0..STEPS / CHECKPOINTS).map(|_| step(&mut model, &mut random, groups, policy)).collect();
        check(&mut client, groups, &steps);
        replica.wait_in_step(&master);
        let mut follower = replica.connect();
        for question in ["XINFO STREAM s", "XINFO GROUPS s"] {
            assert_eq!(follower.run(question), client.run(question), "{question} of replica and master");
        }
    }
    assert_ne!(client.info("egg", "egg_lag_repairs"), "0");
}

/// What happens next: an entry is added, a worker that has nothing to do reads some, or one finishes some of what it has.
fn step(model: &mut Model, random: &mut Random, groups: &[&'static str], policy: &str) -> Step {
    const WORKERS: usize = 4;
    const BACKLOG: i64 = 50;
    let group = groups[random.below(groups.len())];
    let worker = random.below(WORKERS);
    let held: Vec<u64> =
        model.groups[group].pending.iter().filter(|(_, owner)| **owner == worker).map(|(id, _)| *id).collect();
    let mut reply = None;
    let line = if random.percent(40) && model.lag(group) < BACKLOG {
        format!("XADD s {}-0 f v", model.add())
    } else if held.is_empty() {
        let count = 1 + random.below(4);
        model.read(group, worker, count);
        format!("XREADGROUP GROUP {group} w{worker} COUNT {count} STREAMS s >")
    } else {
        let done = random.some_of(&held, 3);
        let deleted = model.ack(group, &done, true);
        reply = Some(done.iter().map(|id| if deleted.contains(id) { 1 } else { 2 }).collect());
        format!("EGG.ACKDEL s {group} {policy} {}", ids_block(&done))
    };
    let command = line.split(' ').map(str::to_owned).collect();
    Step { command, reply, lags: groups.iter().map(|group| model.lag(group)).collect() }
}

fn ids_block(ids: &[u64]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| format!("{id}-0")).collect();
    format!("IDS {} {}", ids.len(), ids.join(" "))
}

fn check(client: &mut Client, groups: &[&str], steps: &[Step]) {
    let info = || ["XINFO", "GROUPS", "s"].map(str::to_owned).to_vec();
    let commands: Vec<_> = steps.iter().flat_map(|step| [step.command.clone(), info()]).collect();
    let replies = client.pipeline(&commands);
    for (step, replies) in steps.iter().zip(replies.chunks(2)) {
        let what = step.command.join(" ");
        assert!(!matches!(replies[0], Reply::Error(_)), "{what}: {:?}", replies[0]);
        if let Some(expected) = &step.reply {
            assert_eq!(replies[0].integers(), *expected, "{what}");
        }
        for ((row, group), lag) in replies[1].array().iter().zip(groups).zip(&step.lags) {
            assert_eq!(row.field("name"), group);
            assert_eq!(*row.field("lag"), *lag, "lag of {group} after {what}");
        }
    }
}
