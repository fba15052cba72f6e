"""prefect-redis 0.3.0 on EGG."""

import asyncio
import os
import unittest
from datetime import timedelta
from unittest import mock

from prefect_on_egg import install
from prefect_redis.messaging import Message, ephemeral_subscription
from scenarios import STREAM, OnPrefect, until

AT_ONCE = timedelta(0)
IDLE_AFTER_1_S = {"PREFECT_REDIS_MESSAGING_CONSUMER_TRIM_IDLE_THRESHOLD": "1"}


async def nothing(message: Message) -> None:
    pass


class PrefectOnEgg(OnPrefect):
    def setUp(self) -> None:
        install(keep=AT_ONCE)

    async def settles(self, length: int, groups: int) -> None:
        """Waits until the stream has so many entries, and so many groups have nothing left to do."""

        async def settled() -> bool:
            found = await self.redis.xinfo_groups(STREAM)
            done = [group["name"] for group in found if group["pending"] == 0 and group["lag"] == 0]
            return await self.redis.xlen(STREAM) == length and len(done) == groups

        await until(settled)

    async def test_an_event_that_failed_is_retried_and_then_a_dead_letter(self) -> None:
        calls, dead = await self.calls_for_a_failing_event()
        print(f"on EGG: an event that fails, with two retries: handled {calls} time(s), {dead} dead letter(s)")
        self.assertEqual((calls, dead), (3, 1))

    async def test_what_a_new_group_has_yet_to_read_is_kept(self) -> None:
        left = await self.left_for_a_new_group()
        print(f"on EGG: of 1-0 2-0 3-0, a new group reads {' '.join(left)}")
        self.assertEqual(left, ["1-0", "2-0", "3-0"])

    async def test_ids_are_compared_as_numbers(self) -> None:
        left = await self.left_within_a_millisecond()
        print(f"on EGG: of 1-10 1-11 1-12, a group at 1-9 reads {' '.join(left)}")
        self.assertEqual(left, ["1-10", "1-11", "1-12"])

    async def test_three_groups_leave_nothing_behind_without_any_trim(self) -> None:
        for group in ("recorder", "triggers", "notifier"):
            self.start(nothing, group=group, trim_every=timedelta(hours=1), read_batch_size=10)
        await self.publish(60)
        await self.settles(length=0, groups=3)
        self.assertEqual((await self.redis.xinfo_stream(STREAM))["entries-added"], 60)

    async def slow_subscriber(self) -> list[str]:
        """Holds on to its first event until two groups have handled all ten; what it has seen when they are done."""
        seen, go_on = [], asyncio.Event()

        async def slow(message: Message) -> None:
            seen.append(message.data)
            await go_on.wait()

        async with ephemeral_subscription(STREAM) as options:
            self.start(slow, **options, trim_every=timedelta(hours=1))

            async def first() -> bool:
                return seen == ["1"]

            await self.publish(1)
            await until(first)
            await self.publish(10)
            for group in ("recorder", "triggers"):
                self.start(nothing, group=group)
            await self.settles(length=11 if self.kept else 0, groups=2)
            go_on.set()
            await self.publish(1)

            async def last() -> bool:
                return seen[1:] and seen[-1] == "1"

            await until(last)
        return seen

    async def test_a_slow_subscriber_without_a_group_sees_every_event_that_is_kept_a_while(self) -> None:
        install(keep=timedelta(seconds=60))
        self.kept = True
        self.assertEqual(await self.slow_subscriber(), ["1", *map(str, range(1, 11)), "1"])

    async def test_a_slow_subscriber_without_a_group_misses_what_is_deleted_at_once(self) -> None:
        self.kept = False
        self.assertEqual(await self.slow_subscriber(), ["1", "1"])

    async def test_what_was_kept_a_while_goes_then(self) -> None:
        install(keep=timedelta(seconds=1))
        for group in ("recorder", "triggers"):
            self.start(nothing, group=group)
        await self.publish(10)
        await self.settles(length=0, groups=2)

    async def lose_the_stream(self, *groups: str) -> dict[str, list[str]]:
        """While each group has an event in hand, everything is flushed, and ten more are published: what they handle."""
        seen: dict[str, list[str]] = {group: [] for group in groups}
        go_on = asyncio.Event()

        def start(group: str) -> None:
            async def handle(message: Message) -> None:
                seen[group].append(message.data)
                await go_on.wait()

            self.start(handle, group=group, trim_every=timedelta(hours=1))

        for group in groups:
            start(group)

        async def in_hand() -> bool:
            return all(events == ["1"] for events in seen.values())

        async def all_seen() -> bool:
            return all(len(events) == 11 for events in seen.values())

        await self.publish(1)
        await until(in_hand)
        await self.redis.flushall()
        await self.publish(10)
        go_on.set()
        await until(all_seen)
        return seen

    async def test_a_consumer_goes_on_when_the_stream_is_lost_while_it_works(self) -> None:
        seen = await self.lose_the_stream("recorder")
        self.assertEqual(seen, {"recorder": ["1", *map(str, range(1, 11))]})
        await self.settles(length=0, groups=1)

    async def test_so_do_two_groups_and_none_misses_what_is_kept_a_while(self) -> None:
        install(keep=timedelta(seconds=60))
        events = ["1", *map(str, range(1, 11))]
        self.assertEqual(await self.lose_the_stream("recorder", "triggers"), {"recorder": events, "triggers": events})
        await self.settles(length=10, groups=2)

    async def test_a_group_that_nobody_reads_for_long_holds_nothing_up(self) -> None:
        await self.add("1-0", "2-0")
        for group in ("recorder", "gone"):
            await self.redis.xgroup_create(STREAM, group, id="0")
        await self.read("gone", 1)
        await self.redis.xack(STREAM, "recorder", *await self.read("recorder"))
        self.assertEqual(await self.trim(), ["1-0", "2-0"])

        async def trimmed() -> bool:
            await self.read("recorder")  # not idle
            return await self.trim() == []

        with mock.patch.dict(os.environ, IDLE_AFTER_1_S):
            await until(trimmed)

    async def test_ephemeral_groups_that_were_left_behind_are_destroyed(self) -> None:
        await self.add("1-0")
        for group in ("recorder", "ephemeral-left", "ephemeral-killed", "idle"):
            await self.redis.xgroup_create(STREAM, group, id="$")
        await self.read("ephemeral-killed")

        async def names() -> list[str]:
            await self.trim()
            return [group["name"] for group in await self.redis.xinfo_groups(STREAM)]

        self.assertEqual(await names(), ["ephemeral-killed", "idle", "recorder"])

        async def reaped() -> bool:
            return await names() == ["idle", "recorder"]

        with mock.patch.dict(os.environ, IDLE_AFTER_1_S):
            await until(reaped)


if __name__ == "__main__":
    unittest.main(verbosity=2)
