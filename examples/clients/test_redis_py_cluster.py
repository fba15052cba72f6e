"""redis-py in a cluster, with its nodes at REDIS_URLS: it asks the server where the keys of a command are."""

import os
import unittest

import redis
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException
from redis_py import error_code

URLS = os.environ["REDIS_URLS"].split()
STREAMS = [f"jobs:{number}" for number in range(1, 41)]


class InACluster(unittest.TestCase):
    def setUp(self) -> None:
        self.nodes = [redis.Redis.from_url(url, decode_responses=True) for url in URLS]
        for node in self.nodes:
            self.addCleanup(node.close)
            node.flushall()
        self.cluster = RedisCluster.from_url(URLS[0], decode_responses=True)
        self.addCleanup(self.cluster.close)
        for stream in STREAMS:
            self.cluster.xgroup_create(stream, "workers", "0", mkstream=True)
            self.cluster.xadd(stream, {"task": "mail"}, id="1-0")
            self.cluster.xreadgroup("workers", "w1", {stream: ">"})
        for node in self.nodes:
            node.config_resetstat()

    def count(self, section: str, name: str, field: str) -> int:
        return sum(node.info(section).get(name, {}).get(field, 0) for node in self.nodes)

    def tearDown(self) -> None:
        self.assertEqual(self.count("errorstats", "errorstat_MOVED", "count"), 0)

    def test_no_call_is_redirected(self) -> None:
        for stream in STREAMS:
            self.assertEqual(self.cluster.execute_command("EGG.ACKDEL", stream, "workers", "IDS", 1, "1-0"), [1])
        self.assertEqual(self.count("commandstats", "cmdstat_command|getkeys", "calls"), 0)

    def test_for_a_move_it_asks_each_time(self) -> None:
        for stream in STREAMS:
            move = ("EGG.ACKMOVE", stream, "workers", f"{{{stream}}}:dead", "IDS", 1, "1-0")
            self.assertEqual(len(self.cluster.execute_command(*move)), 1)
        self.assertGreaterEqual(self.count("commandstats", "cmdstat_command|getkeys", "calls"), 40)

    def test_it_refuses_a_move_to_another_slot_itself(self) -> None:
        with self.assertRaisesRegex(RedisClusterException, "all keys must map to the same key slot"):
            self.cluster.execute_command("EGG.ACKMOVE", "jobs:1", "workers", "dead", "IDS", 1, "1-0")

    def test_a_pipeline_has_the_error_of_each_call(self) -> None:
        self.cluster.xgroup_create("jobs:2", "audit", "0")
        pipe = self.cluster.pipeline()
        for stream in ("jobs:1", "jobs:2", "no-jobs"):
            pipe.execute_command("EGG.ACKDEL", stream, "workers", "IDS", 1, "1-0")
        deleted, *errors = pipe.execute(raise_on_error=False)
        self.assertEqual((deleted, *map(error_code, errors)), ([1], "FOREIGNGROUP", "NOGROUP"))
        pipe.execute_command("EGG.ACKDEL", "jobs:2", "workers", "IDS", 1, "1-0")
        with self.assertRaisesRegex(redis.ResponseError, "^Command # 1 ") as raised:
            pipe.execute()
        self.assertEqual(error_code(raised.exception), "FOREIGNGROUP")


if __name__ == "__main__":
    unittest.main(verbosity=2)
