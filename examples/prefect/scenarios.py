"""What both tests run: Prefect's consumers on an empty server, and the stories that tell its own trim from EGG's."""

import asyncio
import logging
import unittest
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from prefect_redis import messaging
from prefect_redis.client import clear_cached_clients, get_async_redis_client
from prefect_redis.messaging import Cache, Consumer, Message, Publisher

STREAM = "events"
EVENT = {"data": "event", "attributes": "{}"}
Handler = Callable[[Message], Awaitable[None]]


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.02)


class OnPrefect(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().set_debug(False)  # unittest turns it on, and it slows the consumers down
        logging.disable(logging.CRITICAL)
        self.redis = get_async_redis_client()
        self.addAsyncCleanup(clear_cached_clients)
        self.addAsyncCleanup(self.redis.aclose)
        await self.redis.flushall()

    def start(self, handler: Handler, **options: Any) -> None:
        """A consumer that runs until the test ends; it trims after each batch."""
        given = {"block": timedelta(milliseconds=50), "trim_every": timedelta(0), "topic": STREAM, **options}
        task = asyncio.create_task(Consumer(**given).run(handler))

        async def stop() -> None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        self.addAsyncCleanup(stop)

    async def publish(self, count: int) -> None:
        async with Publisher(STREAM, Cache(), batch_size=1) as publisher:
            for number in range(1, count + 1):
                await publisher.publish_data(b"%d" % number, {})

    async def add(self, *ids: str) -> None:
        for entry in ids:
            await self.redis.xadd(STREAM, EVENT, id=entry)

    async def read(self, group: str, count: int | None = None) -> list[str]:
        reply = await self.redis.xreadgroup(group, f"{group}-1", {STREAM: ">"}, count=count)
        return [entry for _, entries in reply for entry, _ in entries]

    async def trim(self) -> list[str]:
        """What Prefect does every minute; the entries that it leaves."""
        await messaging._trim_stream_to_lowest_delivered_id(STREAM)
        await messaging._cleanup_empty_consumer_groups(STREAM)
        return [entry for entry, _ in await self.redis.xrange(STREAM)]

    async def calls_for_a_failing_event(self) -> tuple[int, int]:
        """Of three events the first fails each time, with two retries: how often it is handled; dead letters."""
        calls: list[str] = []

        async def handle(message: Message) -> None:
            calls.append(message.data)
            if message.data == "1":
                raise ValueError("the database is away")

        await self.publish(3)
        self.start(handle, max_retries=2, min_idle_time=timedelta(seconds=1), read_batch_size=3)

        async def nothing_pending() -> bool:
            groups = await self.redis.xinfo_groups(STREAM)
            return bool(groups) and groups[0]["entries-read"] == 3 and groups[0]["pending"] == 0

        await until(nothing_pending)
        return calls.count("1"), await self.redis.scard("dlq")

    async def left_for_a_new_group(self) -> list[str]:
        """One group has read three entries, a new one has yet to begin: what a trim leaves for it."""
        await self.add("1-0", "2-0", "3-0")
        await self.redis.xgroup_create(STREAM, "recorder", id="0")
        await self.redis.xgroup_create(STREAM, "new", id="0")
        await self.redis.xack(STREAM, "recorder", *await self.read("recorder"))
        await self.trim()
        return await self.read("new")

    async def left_within_a_millisecond(self) -> list[str]:
        """Twelve entries of one millisecond; a group is at the twelfth, one at the ninth: what is left for it."""
        await self.add(*(f"1-{number}" for number in range(1, 13)))
        await self.redis.xgroup_create(STREAM, "fast", id="0")
        await self.redis.xgroup_create(STREAM, "slow", id="0")
        await self.redis.xack(STREAM, "fast", *await self.read("fast"))
        await self.redis.xack(STREAM, "slow", *await self.read("slow", 9))
        await self.trim()
        return await self.read("slow")
