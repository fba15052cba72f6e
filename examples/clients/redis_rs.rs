//! EGG with redis-rs: acknowledge and delete, move, and tell the errors apart. Run setup.redis first.

use redis::{Cmd, Connection, FromRedisValue, RedisResult, cmd};

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

fn main() -> RedisResult<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".to_owned());
    let server = &mut redis::Client::open(url)?.get_connection()?;
    acknowledge(server, "jobs", "workers", "w1", &["1-0", "3-0", "9-0"])?;
    acknowledge(server, "shared", "workers", "w1", &["1-0"])?;
    bury(server, "jobs", "workers", "w1", &["2-0", "9-0"])?;
    for (group, id) in [("wrokers", "1-0"), ("workers", "no-id")] {
        match acknowledge(server, "jobs", group, "w1", &[id]) {
            Err(error) if error.code() == Some("NOGROUP") => println!("no such stream or group"),
            // Only an error that the server sent has a code; a lost connection has none.
            Err(error) if error.code().is_some() => println!("another error"),
            other => other?,
        }
    }
    Ok(())
}
