"""The day, looked at after every single step."""

import os
import unittest

from day import day
from queues import GROUP, OnEgg, Plain
from redis import Redis
from scaler import Scaler


class Day(unittest.TestCase):
    def setUp(self) -> None:
        self.redis = Redis.from_url(os.environ["REDIS_URL"])
        self.addCleanup(self.redis.close)

    def scaler(self, queue: Plain) -> Scaler:
        return Scaler(self.redis, queue.stream, GROUP)

    def test_with_egg_lag_is_right_after_every_step(self) -> None:
        queue = OnEgg(self.redis, "jobs:egg")
        looks = [(moment, self.scaler(queue).lag(), queue.right_lag()) for moment in day(queue)]
        self.assertEqual([look for look in looks if look[1] != look[2]], [])
        self.assertEqual(len(looks), 89)
        self.assertEqual(self.redis.xlen("jobs:egg"), 0)

    def test_with_egg_there_are_replicas_whenever_tasks_wait(self) -> None:
        queue = OnEgg(self.redis, "jobs:egg")
        for moment in day(queue):
            waiting = queue.right_lag()
            self.assertEqual(self.scaler(queue).replicas(), min(-(-waiting // 5), 10), moment)

    def test_with_xack_and_xdel_the_scaler_turns_the_workers_off_while_tasks_wait(self) -> None:
        queue = Plain(self.redis, "jobs:plain")
        looks = [(self.scaler(queue).lag(), self.scaler(queue).replicas(), queue.right_lag()) for _ in day(queue)]
        null = [look for look in looks if look[0] is None]
        self.assertEqual(len(null), 23)
        self.assertEqual([look for look in null if look[1] > 0 or look[2] == 0], [])

    def test_a_bare_rewind_over_deleted_entries_reads_null_with_egg_too_and_the_script_does_not(self) -> None:
        queue = OnEgg(self.redis, "jobs:egg")
        queue.publish(6)
        for entry in reversed(queue.read("worker", 4)[2:]):
            queue.finish(entry)
        self.assertEqual(self.scaler(queue).lag(), 2)
        Plain.rewind(queue)
        self.assertEqual((self.scaler(queue).lag(), queue.right_lag()), (None, 4))
        queue.rewind()
        self.assertEqual(self.scaler(queue).lag(), 4)
        for left in (3, 2, 1, 0):
            queue.read("worker", 1)
            self.assertEqual(self.scaler(queue).lag(), left)

    def test_without_a_stream_or_a_group_the_scaler_counts_what_it_can(self) -> None:
        self.redis.delete("jobs:none")
        self.assertEqual(Scaler(self.redis, "jobs:none", GROUP).replicas(), 0)
        self.redis.xadd("jobs:none", {"task": "mail"})
        self.assertEqual(Scaler(self.redis, "jobs:none", GROUP).replicas(), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
