"""A group whose workers are scaled to zero looks like one that nobody uses any more: only time tells them apart."""

import os
import time
import unittest
from typing import Any

from queues import GROUP, OnEgg
from redis import Redis
from scaler import Scaler

STREAM = "jobs:night"
HOUR = 3_600_000
PAUSE = 300  # ms: the workers have been away for at least as long


class ScaledToZero(unittest.TestCase):
    def setUp(self) -> None:
        """Of ten tasks the workers have done three when they are turned off; a second group has done all ten."""
        self.redis = Redis.from_url(os.environ["REDIS_URL"])
        self.addCleanup(self.redis.close)
        self.queue = OnEgg(self.redis, STREAM)
        self.redis.xgroup_create(STREAM, "audit", id="0")
        self.queue.publish(10)
        for group, count in ((GROUP, 3), ("audit", 10)):
            [(_, entries)] = self.redis.xreadgroup(group, f"{group}-0", {STREAM: ">"}, count=count)
            ids = [entry for entry, _ in entries]
            self.redis.execute_command("EGG.ACKDEL", STREAM, group, "ACKED", "IDS", count, *ids)
        self.assertEqual(self.lags(), {b"workers": 7, b"audit": 0})

    def lags(self) -> dict[bytes, int]:
        return {group["name"]: group["lag"] for group in self.redis.xinfo_groups(STREAM)}

    def reap(self, idle: int, *options: str) -> list[Any]:
        return self.redis.execute_command("EGG.GROUPREAP", STREAM, "audit", "IDLE", idle, *options)

    def pause(self) -> None:
        deadline = time.monotonic() + 30
        while not self.reap(PAUSE, "DRYRUN"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_its_row_shows_the_tasks_that_wait_for_it(self) -> None:
        self.pause()
        [[name, pending, lag, idle]] = self.reap(PAUSE, "DRYRUN")
        self.assertEqual((name, pending, lag), (b"workers", 0, 7))
        self.assertGreaterEqual(idle, PAUSE)
        self.assertEqual(self.lags(), {b"workers": 7, b"audit": 0})

    def test_a_shorter_idle_time_destroys_it_and_its_tasks_are_lost(self) -> None:
        self.pause()
        self.assertEqual(Scaler(self.redis, STREAM, GROUP).replicas(), 2)
        self.assertEqual(len(self.reap(PAUSE)), 1)
        self.assertEqual(self.lags(), {b"audit": 0})
        self.assertEqual(self.redis.execute_command("EGG.TRIM", STREAM), 7)
        self.assertEqual(Scaler(self.redis, STREAM, GROUP).replicas(), 0)

    def test_a_longer_idle_time_leaves_it(self) -> None:
        self.pause()
        self.assertEqual(self.reap(HOUR), [])
        self.assertEqual(self.redis.execute_command("EGG.TRIM", STREAM, "IGNOREIDLE", HOUR), 0)
        self.assertEqual(self.lags(), {b"workers": 7, b"audit": 0})
        self.assertEqual(Scaler(self.redis, STREAM, GROUP).replicas(), 2)

    def test_a_trim_that_ignores_it_takes_what_it_has_not_read(self) -> None:
        self.pause()
        self.redis.xreadgroup("audit", "audit-0", {STREAM: ">"})
        self.assertEqual(self.redis.execute_command("EGG.TRIM", STREAM, "IGNOREIDLE", PAUSE), 7)
        self.assertEqual(self.redis.xlen(STREAM), 0)
        self.assertEqual(self.queue.read("workers-0", 10), [])

    def test_one_worker_that_reads_on_keeps_it_alive(self) -> None:
        self.pause()
        for entry in self.queue.read("workers-0", 7):
            self.redis.execute_command("EGG.ACKDEL", STREAM, GROUP, "ACKED", "IDS", 1, entry)
        end = time.monotonic() + 3 * PAUSE / 1000
        while time.monotonic() < end:
            self.assertEqual(self.queue.read("workers-0", 1), [])
            self.assertEqual(self.reap(PAUSE, "DRYRUN"), [])
            time.sleep(0.02)

    def test_when_the_workers_delete_their_consumers_empty_takes_it_at_once(self) -> None:
        self.redis.xgroup_delconsumer(STREAM, GROUP, "workers-0")
        self.assertEqual(self.reap(HOUR, "DRYRUN"), [])
        self.assertEqual(self.reap(HOUR, "EMPTY", "DRYRUN"), [[b"workers", 0, 7, None]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
