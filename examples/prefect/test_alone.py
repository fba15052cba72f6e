"""What the trim of prefect-redis 0.3.0 deletes without EGG: the reason for the patch."""

import unittest

from scenarios import OnPrefect


class PrefectAlone(OnPrefect):
    async def test_an_event_that_failed_is_deleted_before_its_retry(self) -> None:
        calls, dead = await self.calls_for_a_failing_event()
        print(f"alone: an event that fails, with two retries: handled {calls} time(s), {dead} dead letter(s)")
        self.assertEqual((calls, dead), (1, 0))

    async def test_what_a_new_group_has_yet_to_read_is_deleted(self) -> None:
        left = await self.left_for_a_new_group()
        print(f"alone: of 1-0 2-0 3-0, a new group reads {' '.join(left)}")
        self.assertEqual(left, ["3-0"])

    async def test_ids_are_compared_as_text(self) -> None:
        left = await self.left_within_a_millisecond()
        print(f"alone: of 1-10 1-11 1-12, a group at 1-9 reads {' '.join(left)}")
        self.assertEqual(left, ["1-12"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
