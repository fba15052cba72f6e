"""error_code() of redis_py.py, on a server at REDIS_URL: for each kind of error, each way to send a command."""

import asyncio
import os
import unittest
from collections.abc import Iterator
from contextlib import contextmanager

import redis
from redis import asyncio as redis_asyncio
from redis_py import error_code

URL = os.environ["REDIS_URL"]
ACK = ("EGG.ACKDEL", "jobs", "workers", "IDS", 1, "1-0")
MOVE = ("EGG.ACKMOVE", "jobs", "workers", "dead", "IDS", 1, "1-0")


def single(*command: str | int) -> None:
    with redis.Redis.from_url(URL) as client:
        client.execute_command(*command)


def pipelined(transaction: bool, *command: str | int) -> None:
    with redis.Redis.from_url(URL) as client, client.pipeline(transaction=transaction) as pipe:
        pipe.ping()
        pipe.execute_command(*command)
        pipe.execute()


def looked_at(*command: str | int) -> None:
    with redis.Redis.from_url(URL) as client, client.pipeline(transaction=False) as pipe:
        raise pipe.execute_command(*command).execute(raise_on_error=False)[0]


async def async_single(*command: str | int) -> None:
    async with redis_asyncio.Redis.from_url(URL) as client:
        await client.execute_command(*command)


async def async_pipelined(transaction: bool, *command: str | int) -> None:
    async with redis_asyncio.Redis.from_url(URL) as client, client.pipeline(transaction=transaction) as pipe:
        pipe.ping()
        pipe.execute_command(*command)
        await pipe.execute()


WAYS = {
    "single": single,
    "pipeline": lambda *command: pipelined(False, *command),
    "transaction": lambda *command: pipelined(True, *command),
    "raise_on_error=False": looked_at,
    "asyncio, single": lambda *command: asyncio.run(async_single(*command)),
    "asyncio, pipeline": lambda *command: asyncio.run(async_pipelined(False, *command)),
    "asyncio, transaction": lambda *command: asyncio.run(async_pipelined(True, *command)),
}


class ErrorCode(unittest.TestCase):
    def setUp(self) -> None:
        self.server = redis.Redis.from_url(URL)
        self.addCleanup(self.server.close)
        self.server.flushall()
        self.server.xgroup_create("jobs", "workers", "0", mkstream=True)
        self.server.set("text", "x")

    def assert_code(self, code: str, *command: str | int) -> None:
        for way, send in WAYS.items():
            with self.subTest(way), self.assertRaises(redis.ResponseError) as raised:
                send(*command)
            self.assertEqual(error_code(raised.exception), code, f"{way}: {raised.exception}")

    @contextmanager
    def changed(self, change: tuple[str, ...], back: tuple[str, ...]) -> Iterator[None]:
        self.server.execute_command(*change)
        try:
            yield
        finally:
            self.server.execute_command(*back)

    def test_codes_that_stay_in_the_text(self) -> None:
        self.assert_code("NOGROUP", "EGG.ACKDEL", "jobs", "wrokers", "IDS", 1, "1-0")
        self.assert_code("WRONGTYPE", "EGG.ACKDEL", "text", "workers", "IDS", 1, "1-0")
        self.server.xgroup_create("jobs", "audit", "0")
        self.assert_code("FOREIGNGROUP", *ACK)

    def test_a_code_that_is_taken_away(self) -> None:
        self.assert_code("ERR", *ACK[:-1], "no-id")
        self.assert_code("ERR", "EGG.ACKMOVE", "jobs", "workers", "dead", "MINDELIVERIES", 0, "IDS", 1, "1-0")

    def test_noperm(self) -> None:
        with self.changed(("ACL", "SETUSER", "default", "-egg.ackdel"), ("ACL", "SETUSER", "default", "+egg.ackdel")):
            self.assert_code("NOPERM", *ACK)

    def test_readonly(self) -> None:
        with self.changed(("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE")):
            self.assert_code("READONLY", *ACK)

    def test_out_of_memory(self) -> None:
        with self.changed(("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0")):
            self.assert_code("OOM", *MOVE)

    def test_what_the_command_says_is_no_code(self) -> None:
        self.server.xgroup_create("NOGROUP ) of pipeline", "workers", "0", mkstream=True)
        self.server.xgroup_create("NOGROUP ) of pipeline", "audit", "0")
        self.assert_code("FOREIGNGROUP", "EGG.ACKDEL", "NOGROUP ) of pipeline", "workers", "IDS", 1, "1-0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
