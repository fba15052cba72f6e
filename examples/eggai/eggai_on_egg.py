"""EggAI 0.8.0 on EGG: import this before the first Agent starts. Only what deletes or moves an entry is replaced."""

import logging
from contextvars import ContextVar
from typing import Any

from eggai.transport import pending_reclaimer
from eggai.transport import redis as redis_transport
from redis.exceptions import ResponseError

alarm = logging.getLogger("eggai_on_egg").error
_alarmed: set[tuple[str, str]] = set()


async def guarded(client: Any, command: str, stream: str, group: str, *args: Any) -> Any:
    """Runs EGG.ACKDEL or EGG.ACKMOVE. If another group has joined: an alarm, and delete only what no group needs."""
    try:
        return await client.execute_command(command, stream, group, *args)
    except ResponseError as error:
        if not str(error).startswith("FOREIGNGROUP"):
            raise
        if (stream, str(error)) not in _alarmed:
            _alarmed.add((stream, str(error)))
            alarm("%s: %s", stream, error)
        return await client.execute_command(command, stream, group, *args, "ACKED")


async def xack_del(client: Any, stream: str, group: str, *ids: Any) -> None:
    await guarded(client, "EGG.ACKDEL", stream, group, "IDS", len(ids), *ids)


async def foreign_groups(client: Any, stream: str, group: str) -> list[str]:
    """connect() fails with the server's error; the monitor never turns deletion off, since each call is guarded."""
    await client.execute_command("EGG.GROUPGUARD", stream, group)
    return []


class Reclaimer(pending_reclaimer.PendingReclaimerManager):
    """Each move to the retry stream or the dead letters is one EGG.ACKMOVE, where it was XADD, then XACK and XDEL."""

    # The reclaimer writes, then acknowledges: what it wrote waits here, per task, until it says which entry that was.
    _written: ContextVar[tuple[str, dict, int | None]] = ContextVar("written")

    async def _xadd(self, stream: str, fields: dict, max_len: int | None) -> None:
        self._written.set((stream, fields, max_len))

    async def _ack(self, config: pending_reclaimer.ReclaimerConfig, msg_id: Any) -> None:
        destination, fields, max_len = self._written.get()
        if not config.delete_on_ack:
            await super()._xadd(destination, fields, max_len)
            return await super()._ack(config, msg_id)
        trim = () if max_len is None else ("MAXLEN", "~", max_len)
        pairs = [part for pair in fields.items() for part in pair]
        options = (*trim, "SET", len(fields), *pairs, "IDS", 1, msg_id)
        await guarded(self._client, "EGG.ACKMOVE", config.stream, config.group, destination, *options)


pending_reclaimer.xack_del = redis_transport.xack_del = xack_del
redis_transport.RedisTransport._foreign_groups = staticmethod(foreign_groups)
redis_transport.PendingReclaimerManager = Reclaimer
