"""Two groups of Prefect's consumers and a subscriber without a group share a stream that holds only what is needed."""

import asyncio
from datetime import timedelta

from prefect_on_egg import install
from prefect_redis.client import get_async_redis_client
from prefect_redis.messaging import Cache, Consumer, Message, Publisher, ephemeral_subscription

install(keep=timedelta(seconds=1))  # as short as this only to show it soon


async def main() -> None:
    seen: dict[str, list[str]] = {"recorder": [], "triggers": [], "subscriber": []}

    def start(consumer: Consumer, name: str) -> asyncio.Task[None]:
        async def handle(message: Message) -> None:
            seen[name].append(message.data)

        return asyncio.create_task(consumer.run(handle))

    async with ephemeral_subscription("events") as options, Publisher("events", Cache(), batch_size=1) as publisher:
        every = timedelta(seconds=1)
        tasks = [start(Consumer(**options, trim_every=every), "subscriber")]
        tasks += [start(Consumer("events", group=name, trim_every=every), name) for name in ("recorder", "triggers")]
        for number in range(20):
            await publisher.publish_data(b"event %d" % number, {})
        redis = get_async_redis_client()
        while await redis.xlen("events") > 0:
            await asyncio.sleep(0.1)

    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for name, messages in seen.items():
        print(f"{name}: {len(messages)} events")
    for group in await redis.xinfo_groups("events"):
        print(f"group {group['name']}: pending {group['pending']}, lag {group['lag']}")
    print(f"events: {await redis.xlen('events')} entries")
    await redis.aclose()


if __name__ == "__main__":
    asyncio.run(main())
