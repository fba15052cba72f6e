"""An EggAI agent that charges orders. Its streams hold only what is not done yet."""

import asyncio
import logging
import os

import eggai_on_egg  # noqa: F401 - patches EggAI
from eggai import Agent, Channel
from eggai.transport import RedisTransport
from redis.asyncio import Redis

URL = os.environ.get("REDIS_URL", "redis://localhost:6379")
transport = RedisTransport(url=URL, logger=None)
orders = Channel("orders", transport)
agent = Agent("shop", transport)
settled: asyncio.Queue[int] = asyncio.Queue()


async def gave_up(order: dict, message_id: str, retries: int) -> None:
    print(f"order {order['id']}: dead letter after {order['_dlq_retries']} retries")
    settled.put_nowait(order["id"])


@agent.subscribe(
    channel=orders,
    filter_by_message=lambda order: order["total"] > 0,
    delete_on_ack=True,
    polling_interval=20,
    retry_on_idle_ms=1000,  # as short as this only to show it soon: EggAI recommends 30,000
    retry_reclaim_interval_s=0.1,
    max_retries=2,
    on_dlq=gave_up,
)
async def charge(order: dict) -> None:
    if order["total"] > 1000:
        raise ValueError(f"order {order['id']}: the card is refused")
    print(f"order {order['id']}: charged {order['total']}")
    settled.put_nowait(order["id"])


async def main() -> None:
    logging.getLogger("eggai").setLevel(logging.ERROR)
    await agent.start()
    for number, total in enumerate((30, 0, 5000, 70), start=1):
        await orders.publish({"id": number, "total": total})
    for _ in range(3):
        await settled.get()
    await agent.stop()

    async with Redis.from_url(URL, decode_responses=True) as redis:
        for stream in ("eggai.orders", "eggai.orders.shop-charge-1.retry", "eggai.orders.shop-charge-1.dlq"):
            print(f"{stream}: {await redis.xlen(stream)} entries")


if __name__ == "__main__":
    asyncio.run(main())
