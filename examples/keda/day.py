"""A day of a work queue, as KEDA's scaler sees it: with XACK and XDEL, and with EGG."""

import os
import random
from collections.abc import Iterator

from queues import Entry, OnEgg, Plain, age
from redis import Redis
from scaler import Scaler


def day(queue: Plain) -> Iterator[str]:
    """Each yield is a moment at which the scaler looks; named are those that the table shows."""
    order = random.Random(7)
    queue.publish(30)
    yield "08:00 30 tasks wait"

    hands: dict[str, list[Entry]] = {f"worker-{number}": queue.read(f"worker-{number}", 3) for number in range(4)}
    yield "08:10 4 workers have 3 each"
    for _ in range(12):  # each finishes whichever of its tasks is ready first, and reads on
        worker = order.choice(list(hands))
        queue.finish(hands[worker].pop(order.randrange(3)))
        yield ""
        hands[worker] += queue.read(worker, 1)
        yield ""
    yield "09:00 12 done, in any order"

    worker = max(hands, key=lambda name: max(map(age, hands[name])))
    for entry in sorted(hands.pop(worker), key=age, reverse=True):
        queue.finish(entry)
        yield ""
    yield "10:00 the last reader is done, and stopped"
    queue.publish(20)
    yield "10:30 20 more tasks"

    for entry in [hand.pop() for hand in hands.values()]:
        queue.retry(entry)
        yield ""
    yield "11:00 3 tasks fail, and are queued anew"

    crashed = hands.popitem()[1]
    for entry in sorted((entry for hand in hands.values() for entry in hand), key=age, reverse=True):
        queue.finish(entry)
        yield ""
    hands.clear()
    yield f"12:00 a worker crashes with {len(crashed)} in hand, the others finish"
    queue.rewind()
    yield "12:10 the group is rewound"
    hands["worker-5"] = queue.read("worker-5", 4)
    yield "12:20 a worker has 4 of them"
    for entry in reversed(hands["worker-5"][1:]):
        queue.finish(entry)
        yield ""
    yield "13:00 it has done them, but for the oldest"

    backlog = queue.read("bin", 1000)
    yield "14:00 the backlog is read, to be thrown away"
    for entry in order.sample(backlog, len(backlog)):
        queue.finish(entry)
        yield ""
    yield "14:10 it is deleted, in any order"
    queue.publish(7)
    yield "15:00 7 new tasks, the oldest still in hand"
    for entry in queue.read("worker-5", 7) + hands["worker-5"]:
        queue.finish(entry)
        yield ""
    yield "16:00 all done"


def show(scaler: Scaler) -> str:
    lag = scaler.lag()
    return f"{'null' if lag is None else lag:>4} -> {scaler.replicas():>2}"


def main() -> None:
    redis = Redis.from_url(os.environ.get("REDIS_URL", "redis://localhost:6379"))
    plain, egg = Plain(redis, "jobs:plain"), OnEgg(redis, "jobs:egg")
    print(f"{'lag -> replicas, at 5 tasks per replica':58} XACK+XDEL   EGG         right lag")
    for moment, _ in zip(day(plain), day(egg), strict=True):
        if moment:
            columns = [show(Scaler(redis, queue.stream, "workers")) for queue in (plain, egg)]
            print(f"{moment:58} {'  '.join(columns)}  {egg.right_lag():4}")


if __name__ == "__main__":
    main()
