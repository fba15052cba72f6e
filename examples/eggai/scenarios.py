"""What both tests run: agents on an empty server, and the two stories that tell EggAI alone from EggAI on EGG."""

import asyncio
import json
import os
import unittest
from collections.abc import Awaitable, Callable
from typing import Any

from eggai import Agent, Channel
from eggai.transport import RedisTransport
from faststream.redis.parser.binary import BinaryMessageFormatV1
from redis.asyncio import Redis

STREAM = "eggai.orders"
Handler = Callable[[dict], Awaitable[None]]


def body(fields: dict[bytes, bytes]) -> dict:
    """The message that an entry of the stream carries."""
    return json.loads(BinaryMessageFormatV1.parse(fields[b"__data__"])[0])


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.02)


class OnAgent(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().set_debug(False)  # unittest turns it on, and it slows the agents down
        self.redis = Redis.from_url(os.environ["REDIS_URL"])
        self.addAsyncCleanup(self.redis.aclose)
        await self.redis.flushall()
        self.orders = Channel("orders", RedisTransport(url=os.environ["REDIS_URL"], logger=None))
        self.addAsyncCleanup(self.orders.stop)
        self.agent = self.worker(self._testMethodName)

    def worker(self, name: str) -> Agent:
        agent = Agent(name, RedisTransport(url=os.environ["REDIS_URL"], logger=None))
        self.addAsyncCleanup(agent.stop)
        return agent

    def subscribe(self, handler: Handler, agent: Agent | None = None, **options: Any) -> None:
        given = {"group": "workers", "delete_on_ack": True, "polling_interval": 10, **options}
        (agent or self.agent).subscribe(channel=self.orders, **given)(handler)

    async def group(self, name: str = "workers", stream: str = STREAM) -> dict:
        return next(group for group in await self.redis.xinfo_groups(stream) if group["name"] == name.encode())

    async def settles(self, length: int, pending: int) -> None:
        """Waits until the stream has so many entries, and the workers so many of them in hand."""

        async def settled() -> bool:
            return await self.redis.xlen(STREAM) == length and (await self.group())["pending"] == pending

        await until(settled)

    async def late_group(self) -> tuple[list[int], list[int]]:
        """A second group is created while the agent works: which messages it needs, and which it gets to read."""
        handled: list[int] = []

        async def handle(order: dict) -> None:
            handled.append(order["id"])

        async def publish() -> None:
            for number in range(1, 151):
                await self.orders.publish({"id": number})

        async def handled_all(count: int) -> bool:
            return len(handled) >= count and (count < 150 or (await self.group())["pending"] == 0)

        self.subscribe(handle)
        await self.agent.start()
        publisher = asyncio.create_task(publish())
        await until(lambda: handled_all(50))
        async with self.redis.pipeline(transaction=True) as step:
            step.xinfo_stream(STREAM).xrange(STREAM).xgroup_create(STREAM, "audit", id="0")
            info, there, _ = await step.execute()
        needed = [body(fields)["id"] for _, fields in there] + list(range(info["entries-added"] + 1, 151))
        await publisher
        await until(lambda: handled_all(150))
        read = await self.redis.xreadgroup("audit", "a", {STREAM: ">"})
        return needed, [body(fields)["id"] for _, fields in (read[0][1] if read else [])]

    async def lags_out_of_order(self) -> list[int | None]:
        """The later of two messages in hand is finished first, by a worker that stops then: the lag after each step."""
        finish = {number: asyncio.Event() for number in range(1, 6)}

        async def handle(order: dict) -> None:
            await finish[order["id"]].wait()

        async def stops_reading() -> bool:
            return not any(subscriber.running for subscriber in worker._get_transport().broker.subscribers)

        lags = []
        for number in range(1, 6):
            if number <= 2:
                worker = self.worker(f"agent-{number}")
                self.subscribe(handle, worker, consumer=f"worker-{number}", max_records=1)
                await worker.start()
            await self.orders.publish({"id": number})
            await self.settles(length=number, pending=min(number, 2))
            lags.append((await self.group())["lag"])
        stopping = asyncio.create_task(worker.stop())
        await until(stops_reading)
        for left, number in ((4, 2), (3, 1), (2, 3), (1, 4), (0, 5)):
            finish[number].set()
            await self.settles(length=left, pending=min(left, 1))
            await stopping
            lags.append((await self.group())["lag"])
        return lags
