"""prefect-redis 0.3.0 on EGG: call install() before the first Consumer runs. Only what deletes entries is replaced."""

from datetime import timedelta

from prefect_redis import messaging
from prefect_redis.messaging import Consumer, RedisMessagingConsumerSettings, get_async_redis_client
from redis.asyncio import Redis

_xack = Consumer._batch_ack
_keep_ms = 0


def _milliseconds(span: timedelta) -> int:
    return int(span.total_seconds() * 1000)


async def ack(self: Consumer, redis: Redis, ids: list[str]) -> None:
    """The last group that acknowledges an entry deletes it, unless it is to be kept for a while."""
    if _keep_ms:
        await _xack(self, redis, ids)
    elif ids:
        await redis.execute_command("EGG.ACKDEL", self.stream, self.group, "ACKED", "IDS", len(ids), *ids)


async def trim(stream: str, latest_delivered_id: str | None = None) -> None:
    """Removes what no group needs. Groups that have been idle for long do not count; what is to be kept stays."""
    redis = get_async_redis_client()
    idle = _milliseconds(RedisMessagingConsumerSettings().trim_idle_threshold)
    now, _ = await redis.time()
    older = ("MINID", "=", now * 1000 - _keep_ms) if _keep_ms else ()
    await redis.execute_command("EGG.TRIM", stream, *older, "IGNOREIDLE", idle)


async def reap(stream: str) -> None:
    """Destroys the ephemeral groups that a killed process has left behind."""
    redis = get_async_redis_client()
    idle = _milliseconds(RedisMessagingConsumerSettings().trim_idle_threshold)
    groups = await redis.xinfo_groups(stream) if await redis.exists(stream) else []
    lasting = [group["name"] for group in groups if not group["name"].startswith("ephemeral")]
    if lasting:
        options = ("IDLE", idle, "EMPTY", "MATCH", "ephemeral*")
        await redis.execute_command("EGG.GROUPREAP", stream, lasting[0], *options)


def install(keep: timedelta = timedelta(seconds=60)) -> None:
    """`keep`: for how long at least an entry stays readable for subscribers that belong to no group (XREAD)."""
    global _keep_ms
    _keep_ms = _milliseconds(keep)
    Consumer._batch_ack = ack
    messaging._trim_stream_to_lowest_delivered_id = trim
    messaging._cleanup_empty_consumer_groups = reap
