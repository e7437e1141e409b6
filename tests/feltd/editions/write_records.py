"""Writes a record of each drill, with the code of an earlier release: `tests.feltd.release_records` runs it.

    PYTHONPATH=TREE python -P write_records.py VERSION OUT DRILL…

OUT gets a folder for each drill, by its number in the list, with what that release's table writes of it.
"""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from feltd.books.drill import run_drill
from feltd.record.notes import START_NOTE
from feltd.table.keeper import recovery
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event
from table_fsm.outputs import Output
from table_fsm.table import Table
from tests.feltd.seal_support import PUBLIC
from tests.feltd.table_support import BOOKS, Bench


class Heard:
    """A table that keeps what it was told."""

    def __init__(self, books: Mapping[str, Any]) -> None:
        self.table = Table(books)
        self.events: list[Event] = []

    def apply(self, event: Event) -> list[Output]:
        self.events.append(event)
        return self.table.apply(event)


def events_of(drill: Path) -> list[Event]:
    """The events of a drill, with their times."""
    heard = Heard(BOOKS)
    run_drill(drill, BOOKS, lambda _: heard)
    return heard.events


async def write(folder: Path, events: list[Event], version: str) -> None:
    """Have a keeper take the events, and stop."""
    bench = Bench(folder, sealed_to=PUBLIC)
    try:
        digests = {book.id: book.digest for book in BOOKS.values()}
        bench.journal.append_note(START_NOTE, {"software": version, "rulebooks": digests})
        for event in events:
            bench.keeper.deliver(Delivery("test", lambda _, event=event: [event]))  # type: ignore[misc]
        await bench.journal.flush()
    finally:
        bench.journal.close()


def main(version: str, out: Path, drills: list[Path]) -> None:
    """Write them all."""
    vars(recovery)["software"] = lambda: version  # the libraries' metadata name today's
    for number, drill in enumerate(drills):
        folder = out / str(number)
        folder.mkdir(parents=True)
        asyncio.run(write(folder, events_of(drill), version))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
