"""What EggAI 0.8.0 does without EGG, on the same server: the reason for the patch."""

import unittest

from scenarios import OnAgent


class EggAiAlone(OnAgent):
    async def test_a_group_that_joins_later_loses_entries_until_the_monitor_sees_it(self) -> None:
        needed, read = await self.late_group()
        print(f"alone: of {len(needed)} messages that a late group needs, it reads {len(read)}")
        self.assertGreaterEqual(len(needed), 50)
        self.assertLess(len(read), len(needed))

    async def test_lag_is_null_after_a_later_message_was_finished_first(self) -> None:
        lags = await self.lags_out_of_order()
        print(f"alone: lag when a later message is finished first: {lags}")
        self.assertEqual(lags, [0, 0, 1, 2, 3, None, 2, 1, 0, 0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
