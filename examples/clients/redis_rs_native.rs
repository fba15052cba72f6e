//! redis-rs's own method for XACKDEL, on Redis 8.2 or on EGG with egg.native-names. Run setup-native.redis first.

use redis::streams::{StreamDeletionPolicy, XAckDelStatusCode};
use redis::{Commands as _, RedisResult};

fn main() -> RedisResult<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".to_owned());
    let mut server = redis::Client::open(url)?.get_connection()?;
    // KEEPREF would delete for every group. A group that does not exist is -1, no error.
    for (group, ids) in [("workers", &["1-0", "2-0", "9-0"][..]), ("wrokers", &["2-0"])] {
        let replies: Vec<XAckDelStatusCode> = server.xack_del("jobs", group, ids, StreamDeletionPolicy::Acked)?;
        for (id, reply) in ids.iter().zip(replies) {
            let outcome = match reply {
                XAckDelStatusCode::AcknowledgedAndDeleted => "deleted",
                XAckDelStatusCode::AcknowledgedNotDeletedStillReferenced => "kept",
                _ => "not pending",
            };
            println!("{id} {outcome}");
        }
    }
    Ok(())
}
