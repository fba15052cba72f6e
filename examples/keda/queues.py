"""A work queue on Redis Streams, as clients keep it with XACK and XDEL, and as they keep it with EGG."""

from redis import Redis

GROUP = "workers"
Entry = bytes


def age(entry: Entry) -> tuple[int, ...]:
    """Entries in the order of the stream: as bytes, 1-10 would come before 1-9."""
    return tuple(map(int, entry.split(b"-")))


# XGROUP SETID alone reads null where a later entry is gone already. All that is left lies ahead of the group now, so
# no deletion has to be reckoned with: XSETID says that. One script, as a producer must not come between.
REWIND = """
local info = redis.call('XINFO', 'STREAM', KEYS[1])
local field = {}
for i = 1, #info, 2 do field[info[i]] = info[i + 1] end
redis.call('XGROUP', 'SETID', KEYS[1], ARGV[1], '0')
redis.call('XSETID', KEYS[1], field['last-generated-id'], 'ENTRIESADDED', field['entries-added'], 'MAXDELETEDID', '0-1')
"""


class Plain:
    """XACK and XDEL in one transaction."""

    def __init__(self, redis: Redis, stream: str) -> None:
        self.redis, self.stream = redis, stream
        redis.delete(stream)
        redis.xgroup_create(stream, GROUP, id="0", mkstream=True)

    def publish(self, count: int) -> None:
        for _ in range(count):
            self.redis.xadd(self.stream, {"task": "mail"})

    def read(self, worker: str, count: int) -> list[Entry]:
        reply = self.redis.xreadgroup(GROUP, worker, {self.stream: ">"}, count=count)
        return [entry for _, entries in reply for entry, _ in entries]

    def finish(self, entry: Entry) -> None:
        with self.redis.pipeline(transaction=True) as step:
            step.xack(self.stream, GROUP, entry).xdel(self.stream, entry).execute()

    def retry(self, entry: Entry) -> None:
        """The task failed: it goes to the end of the queue."""
        with self.redis.pipeline(transaction=True) as step:
            step.xadd(self.stream, {"task": "mail"}).xack(self.stream, GROUP, entry).xdel(self.stream, entry).execute()

    def rewind(self) -> None:
        """What is left in the stream is delivered anew, what crashed workers have in hand, too."""
        self.redis.xgroup_setid(self.stream, GROUP, "0")

    def right_lag(self) -> int:
        """Counted: what lies behind the last entry that was delivered."""
        [group] = self.redis.xinfo_groups(self.stream)
        return len(self.redis.xrange(self.stream, min=b"(" + group["last-delivered-id"]))


class OnEgg(Plain):
    """With EGG. No EGG.GROUPREAP by the clock: workers that are scaled to zero leave a group that looks dead."""

    def finish(self, entry: Entry) -> None:
        self.redis.execute_command("EGG.ACKDEL", self.stream, GROUP, "IDS", 1, entry)

    def retry(self, entry: Entry) -> None:
        self.redis.execute_command("EGG.ACKMOVE", self.stream, GROUP, self.stream, "IDS", 1, entry)

    def rewind(self) -> None:
        self.redis.eval(REWIND, 1, self.stream, GROUP)
