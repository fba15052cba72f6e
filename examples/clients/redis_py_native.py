"""redis-py's own method for XACKDEL, on Redis 8.2 or on EGG with egg.native-names. Run setup-native.redis first."""

import os

import redis

OUTCOME = {1: "deleted", 2: "kept", -1: "not pending"}

server = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"))

# Without ref_policy it is KEEPREF, which deletes for every group. A group that does not exist is -1, no error.
for group, ids in (("workers", ("1-0", "2-0", "9-0")), ("wrokers", ("2-0",))):
    replies = server.xackdel("jobs", group, *ids, ref_policy="ACKED")
    for entry, reply in zip(ids, replies, strict=True):
        print(entry, OUTCOME[reply])
