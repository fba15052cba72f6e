"""EGG with redis-py: acknowledge and delete, move, and tell the errors apart. Run setup.redis first."""

import os
from typing import Any

import redis

OUTCOME = {1: "deleted", 2: "kept", 0: "with another worker", -1: "not pending"}

server = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"), decode_responses=True)


def egg(command: str, stream: str, *args: str | int) -> list[Any]:
    """The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options may come last."""
    try:
        return server.execute_command(command, stream, *args)
    except redis.ResponseError as error:
        if not str(error).startswith("FOREIGNGROUP "):
            raise
        print(f"ALARM: {stream} has other groups")
        return server.execute_command(command, stream, *args, "ACKONLY")


def acknowledge(stream: str, group: str, worker: str, *ids: str) -> None:
    replies = egg("EGG.ACKDEL", stream, group, "OWNER", worker, "IDS", len(ids), *ids)
    for entry, reply in zip(ids, replies, strict=True):
        print(entry, OUTCOME[reply])


def bury(stream: str, group: str, worker: str, *ids: str) -> None:
    options = ("OWNER", worker, "META", "SET", 1, "try", 2)
    replies = egg("EGG.ACKMOVE", stream, group, "dead", *options, "IDS", len(ids), *ids)
    for entry, moved in zip(ids, replies, strict=True):
        print(entry, f"moved as {moved}" if moved is not None else "not moved")


acknowledge("jobs", "workers", "w1", "1-0", "3-0", "9-0")
acknowledge("shared", "workers", "w1", "1-0")
bury("jobs", "workers", "w1", "2-0", "9-0")

for group, entry in (("wrokers", "1-0"), ("workers", "no-id")):
    try:
        acknowledge("jobs", group, "w1", entry)
    except redis.ResponseError as error:
        # redis-py takes the code ERR away, and leaves all others at the front.
        print("no such stream or group" if str(error).startswith("NOGROUP ") else "another error")
