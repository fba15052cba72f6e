"""A day of a work queue: each hour does something to it, then yields what it is called and what lag must be then."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from redis import Redis

GROUP = "workers"


@dataclass
class Queue:
    """A stream, its workers, and the way in which they get rid of what they have done."""

    redis: Redis
    stream: str
    finish: Callable[[list[bytes]], None]
    in_hand: dict[bytes, str] = field(default_factory=dict)
    random: random.Random = field(default_factory=lambda: random.Random(1))

    def publish(self, count: int) -> None:
        for _ in range(count):
            self.redis.xadd(self.stream, {"task": "mail"})

    def read(self, worker: str, count: int) -> None:
        for _, entries in self.redis.xreadgroup(GROUP, worker, {self.stream: ">"}, count=count):
            self.in_hand.update((entry, worker) for entry, _ in entries)

    def done(self, entries: list[bytes]) -> None:
        for entry in entries:
            del self.in_hand[entry]
        self.finish(entries)

    def done_in_any_order(self, keep: int = 0) -> None:
        """The workers finish what they have in hand, one after another, but for the oldest ones."""
        entries = sorted(self.in_hand)[keep:]
        self.random.shuffle(entries)
        for entry in entries:
            self.done([entry])

    def right_lag(self) -> int:
        """Counted: what lies behind the last entry that was delivered."""
        group = next(group for group in self.redis.xinfo_groups(self.stream) if group["name"] == GROUP.encode())
        return len(self.redis.xrange(self.stream, min=b"(" + group["last-delivered-id"]))
