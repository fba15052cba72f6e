"""EggAI 0.8.0 on EGG."""

import asyncio
import unittest

import eggai_on_egg
from redis.exceptions import ResponseError
from scenarios import STREAM, OnAgent, body, until

RETRIES = {"retry_on_idle_ms": 300, "retry_reclaim_interval_s": 0.05}


async def refuse(order: dict) -> None:
    raise ValueError("the card is refused")


class EggAiOnEgg(OnAgent):
    def setUp(self) -> None:
        eggai_on_egg._alarmed.clear()

    async def moved(self) -> int:
        return (await self.redis.info("egg"))["egg_moved"]

    async def keys(self) -> dict[str, int]:
        return {key.decode(): await self.redis.xlen(key) for key in await self.redis.keys()}

    async def test_handled_and_filtered_messages_leave_the_stream(self) -> None:
        handled = []

        async def handle(order: dict) -> None:
            handled.append(order["id"])

        self.subscribe(handle, filter_by_message=lambda order: order["id"] % 2 == 0)
        await self.agent.start()
        for number in range(1, 11):
            await self.orders.publish({"id": number})
        await self.settles(length=0, pending=0)
        self.assertEqual(handled, [2, 4, 6, 8, 10])
        self.assertEqual((await self.group())["entries-read"], 10)

    async def test_a_failing_message_is_retried_then_dead_and_leaves_nothing_behind(self) -> None:
        moved = await self.moved()
        self.subscribe(refuse, **RETRIES, max_retries=2)
        await self.agent.start()
        await self.orders.publish({"id": 1, "total": 5000})
        streams = [f"{STREAM}.{self._testMethodName}-refuse-1{suffix}" for suffix in (".dlq", ".retry")]

        async def dead() -> bool:
            return await self.redis.xlen(streams[0]) == 1

        await until(dead)
        self.assertEqual(await self.keys(), {streams[0]: 1, streams[1]: 0, STREAM: 0})
        self.assertEqual((await self.group())["pending"], 0)
        self.assertEqual((await self.group(f"{self._testMethodName}-refuse-1-retry", streams[1]))["pending"], 0)
        self.assertEqual(await self.moved() - moved, 3)
        letter = body((await self.redis.xrange(streams[0]))[0][1])
        self.assertEqual((letter["total"], letter["_dlq_reason"], letter["_dlq_retries"]), (5000, "max_retries", "2"))

    async def test_a_failing_message_stays_for_the_group_that_joined_later(self) -> None:
        self.subscribe(refuse, **RETRIES, max_retries=1)
        await self.agent.start()
        await self.redis.xgroup_create(STREAM, "audit", id="$")
        with self.assertLogs("eggai_on_egg", "ERROR") as alarm:
            await self.orders.publish({"id": 1})

            async def dead() -> bool:
                return await self.redis.xlen(f"{STREAM}.{self._testMethodName}-refuse-1.dlq") == 1

            await until(dead)
        self.assertRegex(alarm.output[0], r'eggai\.orders: FOREIGNGROUP .*"audit"')
        self.assertEqual((await self.group())["pending"], 0)
        [(_, [(_, fields)])] = await self.redis.xreadgroup("audit", "a", {STREAM: ">"})
        self.assertEqual(body(fields), {"id": 1})

    async def test_poison_without_a_dead_letter_stream_stays_readable(self) -> None:
        self.subscribe(refuse, **RETRIES, max_retries=None)
        await self.agent.start()
        await self.redis.xadd(STREAM, {"__data__": "poison"})

        async def delivered() -> bool:
            return (await self.group())["entries-read"] == 1

        await until(delivered)
        await self.settles(length=1, pending=0)
        [(_, fields)] = await self.redis.xrange(STREAM)
        self.assertEqual(fields, {b"__data__": b"poison"})

    async def test_an_agent_does_not_start_beside_a_foreign_group(self) -> None:
        await self.orders.publish({"id": 1})
        await self.redis.xgroup_create(STREAM, "renamed", id="0")
        self.subscribe(refuse)
        with self.assertRaisesRegex(ResponseError, '^FOREIGNGROUP .*"renamed"'):
            await self.agent.start()
        self.assertEqual((await self.group())["entries-read"], None)
        self.assertEqual(await self.redis.xlen(STREAM), 1)

    async def test_a_group_that_joins_later_loses_not_one_entry(self) -> None:
        with self.assertLogs("eggai_on_egg", "ERROR") as alarm:
            needed, read = await self.late_group()
        print(f"on EGG: of {len(needed)} messages that a late group needs, it reads {len(read)}")
        self.assertEqual(read, needed)
        self.assertGreaterEqual(len(needed), 50)
        self.assertEqual(len(alarm.output), 1)

    async def test_the_monitor_does_not_turn_deletion_off_when_a_group_has_joined(self) -> None:
        finish = asyncio.Event()

        async def handle(order: dict) -> None:
            await finish.wait()

        self.subscribe(handle)
        await self.agent.start()
        await self.redis.xgroup_create(STREAM, "audit", id="$")
        await self.agent._get_transport()._check_delete_on_ack_groups(self.redis)
        await self.orders.publish({"id": 1})
        [(_, [(entry, _)])] = await self.redis.xreadgroup("audit", "a", {STREAM: ">"})
        await self.redis.xack(STREAM, "audit", entry)
        await self.settles(length=1, pending=1)
        finish.set()
        await self.settles(length=0, pending=0)

    async def test_when_the_stream_is_lost_an_agent_that_starts_anew_handles_what_came_since(self) -> None:
        handled = []

        async def handle(order: dict) -> None:
            handled.append(order["id"])

        self.subscribe(handle)
        transport = self.agent._get_transport()
        transport._group_monitor_interval_s = 2  # it makes the group anew; 5 s by default
        await self.agent.start()
        await self.redis.flushall()

        async def ended() -> bool:
            return not any(subscriber.running for subscriber in transport.broker.subscribers)

        async def made_anew() -> bool:
            return bool(await self.redis.xinfo_groups(STREAM))

        await until(ended)
        await self.orders.publish({"id": 1})
        await until(made_anew)
        self.assertEqual((handled, (await self.group())["lag"]), ([], 1))
        restarted = self.worker("restarted")
        self.subscribe(handle, restarted)
        await restarted.start()
        await self.settles(length=0, pending=0)
        self.assertEqual(handled, [1])

    async def retried_with_one_that_hangs(self, expected: int, **options: int) -> None:
        """Of ten messages the first never ends: so many are taken for stuck, and each uses up a retry."""

        finish = asyncio.Event()
        self.addCleanup(finish.set)

        async def hang(order: dict) -> None:
            await finish.wait()

        self.subscribe(hang, **RETRIES, max_retries=2, **options)
        await self.redis.xgroup_create(STREAM, "workers", id="0", mkstream=True)
        for number in range(1, 11):
            await self.orders.publish({"id": number})
        await self.agent.start()
        retries = f"{STREAM}.{self._testMethodName}-hang-1.retry"

        async def retried() -> bool:
            return await self.redis.xlen(retries) == expected

        await until(retried)
        await self.settles(length=10 - expected, pending=0)

    async def test_of_single_messages_only_the_one_that_hangs_is_retried(self) -> None:
        await self.retried_with_one_that_hangs(1)

    async def test_of_a_batch_all_are_retried(self) -> None:
        await self.retried_with_one_that_hangs(10, max_records=10)

    async def test_a_slow_handler_is_not_a_dead_letter_and_is_done_twice(self) -> None:
        calls, finish = [], asyncio.Event()

        async def slow(order: dict) -> None:
            calls.append(order.get("_retry_count", "0"))
            if len(calls) == 1:
                await finish.wait()

        self.subscribe(slow, **RETRIES, max_retries=2)
        await self.agent.start()
        await self.orders.publish({"id": 1})

        async def retried() -> bool:
            return calls == ["0", "1"]

        await until(retried)
        await self.settles(length=0, pending=0)
        finish.set()
        retries = f"{STREAM}.{self._testMethodName}-slow-1.retry"

        async def done() -> bool:
            return await self.keys() == {STREAM: 0, retries: 0}

        await until(done)
        self.assertEqual(calls, ["0", "1"])

    async def test_lag_stays_right_when_handlers_finish_out_of_order(self) -> None:
        lags = await self.lags_out_of_order()
        print(f"on EGG: lag when a later message is finished first: {lags}")
        self.assertEqual(lags, [0, 0, 1, 2, 3, 3, 2, 1, 0, 0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
