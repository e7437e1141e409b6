"""A journal of edition 1, cut off in the middle of its third round: run it with the code of revision ac82142."""

import asyncio
import sys
from pathlib import Path

from feltd.table.keeper.deliveries import Delivery
from tests.feltd.table_support import HOLDEM, Bench
from tests.feltd.test_recovery import mid_round, rounds


async def main(folder: Path) -> None:
    events = rounds(HOLDEM, 3)
    bench = Bench(folder)
    for event in events[: mid_round(events)]:
        bench.keeper.deliver(Delivery("test", lambda _, event=event: [event]))  # type: ignore[misc]
    await bench.journal.flush()
    bench.journal.close()


asyncio.run(main(Path(sys.argv[1])))
