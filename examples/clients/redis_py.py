"""EGG with redis-py: acknowledge and delete, move, and tell the errors apart. Run setup.redis first."""

import os
from collections.abc import Callable
from typing import Any

import redis
from redis import exceptions

OUTCOME = {1: "deleted", 2: "kept", 0: "with another worker", -1: "not pending"}

# redis-py has classes for these, and takes the code away from the text; so it does with ERR. The others stay in it.
CLASSES = {
    exceptions.NoPermissionError: "NOPERM",
    exceptions.ReadOnlyError: "READONLY",
    exceptions.OutOfMemoryError: "OOM",
    exceptions.ExecAbortError: "EXECABORT",
}
IN_THE_TEXT = {"FOREIGNGROUP", "NOGROUP", "WRONGTYPE", "BUSYGROUP", "MISCONF", "NOREPLICAS", "UNBLOCKED"}


def error_code(error: redis.ResponseError) -> str:
    """The code of an error reply, the first word that the server sent.

    What redis-py takes away is in status_code (since 7.2) or told by the class. In a pipeline, it puts
    "Command # 1 (...) of pipeline caused error: " before the text.
    """
    if code := getattr(error, "status_code", None) or CLASSES.get(type(error)):
        return code
    text = str(error)
    if text.startswith("Command # "):
        text = text.partition(" of pipeline caused error: ")[2].lstrip("('\"")  # asyncio quotes the text
    code = text.partition(" ")[0]
    return code if code in IN_THE_TEXT else "ERR"


server = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"), decode_responses=True)


def egg(command: str, stream: str, *args: str | int) -> list[Any]:
    """The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options may come last."""
    try:
        return server.execute_command(command, stream, *args)
    except redis.ResponseError as error:
        if error_code(error) != "FOREIGNGROUP":
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


def acknowledge_each(group: str, worker: str, *entries: tuple[str, str]) -> None:
    """Entries of several streams, in one round trip. If execute() raised the first error, all replies were lost."""
    with server.pipeline(transaction=False) as pipe:
        for stream, entry in entries:
            pipe.execute_command("EGG.ACKDEL", stream, group, "OWNER", worker, "IDS", 1, entry)
        replies = pipe.execute(raise_on_error=False)
    for (stream, entry), reply in zip(entries, replies, strict=True):
        if not isinstance(reply, redis.ResponseError):
            print(entry, OUTCOME[reply[0]])
        elif error_code(reply) == "FOREIGNGROUP":
            attempt(acknowledge, stream, group, worker, entry)
        else:
            print("error", error_code(reply))


def attempt(step: Callable[..., None], *args: Any) -> None:
    """NOGROUP is a mistyped key or group, or the server has lost the stream; the others are an operator's."""
    try:
        step(*args)
    except redis.ResponseError as error:
        print("error", error_code(error))


if __name__ == "__main__":
    attempt(acknowledge, "jobs", "workers", "w1", "1-0", "3-0", "9-0")
    attempt(acknowledge, "shared", "workers", "w1", "1-0")
    attempt(bury, "jobs", "workers", "w1", "2-0", "9-0")
    attempt(acknowledge_each, "workers", "w1", ("jobs", "4-0"), ("no-jobs", "1-0"), ("shared", "2-0"))
    attempt(acknowledge, "jobs", "wrokers", "w1", "1-0")
    attempt(acknowledge, "jobs", "workers", "w1", "no-id")
