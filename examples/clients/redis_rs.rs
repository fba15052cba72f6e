//! EGG with redis-rs: acknowledge and delete, move, and tell the errors apart. Run setup.redis first.

use redis::{Cmd, Connection, FromRedisValue, RedisResult, cmd, pipe};

fn outcome(reply: i64) -> &'static str {
    match reply {
        1 => "deleted",
        2 => "kept",
        0 => "with another worker",
        _ => "not pending",
    }
}

/// The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options may come last.
fn egg<T: FromRedisValue>(server: &mut Connection, stream: &str, command: &mut Cmd) -> RedisResult<T> {
    match command.query(server) {
        Err(error) if error.code() == Some("FOREIGNGROUP") => {
            println!("ALARM: {stream} has other groups");
            command.arg("ACKONLY").query(server)
        }
        reply => reply,
    }
}

fn acknowledge(server: &mut Connection, stream: &str, group: &str, worker: &str, ids: &[&str]) -> RedisResult<()> {
    let mut command = cmd("EGG.ACKDEL");
    command.arg(stream).arg(group).arg("OWNER").arg(worker).arg("IDS").arg(ids.len()).arg(ids);
    let replies: Vec<i64> = egg(server, stream, &mut command)?;
    for (id, reply) in ids.iter().zip(replies) {
        println!("{id} {}", outcome(reply));
    }
    Ok(())
}

fn bury(server: &mut Connection, stream: &str, group: &str, worker: &str, ids: &[&str]) -> RedisResult<()> {
    let mut command = cmd("EGG.ACKMOVE");
    command.arg(stream).arg(group).arg("dead").arg("OWNER").arg(worker).arg("META");
    command.arg("SET").arg(1).arg("try").arg(2).arg("IDS").arg(ids.len()).arg(ids);
    let replies: Vec<Option<String>> = egg(server, stream, &mut command)?;
    for (id, moved) in ids.iter().zip(replies) {
        match moved {
            Some(moved) => println!("{id} moved as {moved}"),
            None => println!("{id} not moved"),
        }
    }
    Ok(())
}

/// Entries of several streams, in one round trip. Without `ignore_errors` the replies were lost, and `code()` would be
/// that of the first error alone: `None` for FOREIGNGROUP, NOGROUP and OOM, which redis-rs does not know.
fn acknowledge_each(server: &mut Connection, group: &str, worker: &str, entries: &[(&str, &str)]) -> RedisResult<()> {
    let mut pipeline = pipe();
    for (stream, id) in entries {
        let command = pipeline.cmd("EGG.ACKDEL").arg(stream).arg(group).arg("OWNER").arg(worker);
        command.arg("IDS").arg(1).arg(id);
    }
    let replies: Vec<RedisResult<[i64; 1]>> = pipeline.ignore_errors().query(server)?;
    for ((stream, id), reply) in entries.iter().zip(replies) {
        match reply {
            Err(error) if error.code() == Some("FOREIGNGROUP") => {
                attempt(acknowledge(server, stream, group, worker, &[id]))?;
            }
            Err(error) => attempt(Err(error))?,
            Ok([reply]) => println!("{id} {}", outcome(reply)),
        }
    }
    Ok(())
}

/// NOGROUP is a mistyped key or group, or the server has lost the stream; the others are an operator's. Only an error
/// that the server sent has a code; a lost connection has none.
fn attempt(step: RedisResult<()>) -> RedisResult<()> {
    match step {
        Err(error) if error.code().is_some() => {
            println!("error {}", error.code().unwrap_or_default());
            Ok(())
        }
        other => other,
    }
}

fn main() -> RedisResult<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".to_owned());
    let server = &mut redis::Client::open(url)?.get_connection()?;
    attempt(acknowledge(server, "jobs", "workers", "w1", &["1-0", "3-0", "9-0"]))?;
    attempt(acknowledge(server, "shared", "workers", "w1", &["1-0"]))?;
    attempt(bury(server, "jobs", "workers", "w1", &["2-0", "9-0"]))?;
    let entries = &[("jobs", "4-0"), ("no-jobs", "1-0"), ("shared", "2-0")];
    attempt(acknowledge_each(server, "workers", "w1", entries))?;
    attempt(acknowledge(server, "jobs", "wrokers", "w1", &["1-0"]))?;
    attempt(acknowledge(server, "jobs", "workers", "w1", &["no-id"]))
}
