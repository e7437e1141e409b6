"""How often a clean round is ruled on where devices tell late what they kept: `python -m tests.late_order BOOK`.

At each place of the second of two rounds the next two events come the other way round, where two devices told them,
and the next eight device by device. What counts is whether the table rules or refuses in that round.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from table_fsm import events
from table_fsm.events import Event
from table_fsm.outputs import Refusal, Ruling
from table_fsm.table import Table
from tests.bench import rounds
from tests.feltd.table_support import BOOKS

WINDOW: Final = 8
OF_READERS: Final = (events.CardPlaced, events.CardRemoved, events.CardTurned)
OF_THE_SHOE: Final = (events.ShoeCard, events.ShoeShuffled, events.ShoeDeckChecked, events.Cut)
OF_THEIR_OWN: Final = (events.Pot, events.DropboxChip, events.MarkerPlaced, events.Wager)


@dataclass(frozen=True, slots=True)
class Counted:
    """Places, and those at which the round is ruled on or refused."""

    places: int
    wrong: int

    def __str__(self) -> str:
        return f"{self.wrong} of {self.places}"


def device(event: Event) -> str:
    """Which device of a table tells it: a reader for each zone, the shoe, the keys for what a person keys."""
    if isinstance(event, OF_READERS):
        return f"reader {event.zone}"
    if isinstance(event, events.HandLooked):
        return f"reader seat:{event.seat}"
    if isinstance(event, OF_THE_SHOE):
        return "shoe"
    return event.ev if isinstance(event, OF_THEIR_OWN) else "keys"


def wrong(before: Sequence[Event], late: Sequence[Event]) -> bool:
    """Whether a table that took what came before rules on or refuses any of what comes late."""
    table = Table(BOOKS)
    for event in before:
        table.apply(event)
    return any(isinstance(output.value, Ruling | Refusal) for event in late for output in table.apply(event))


def by_device(told: Sequence[Event], order: Sequence[str]) -> list[Event]:
    """These events, each device's together, at the times at which some came."""
    moved = [event for name in order for event in told if device(event) == name]
    return [replace(event, t=at.t) for event, at in zip(moved, told, strict=True)]


def windows(told: Sequence[Event], length: int, chance: random.Random) -> Iterator[tuple[int, list[Event]]]:
    """Each place of a round at which so many events come in another order device by device, and all from there on."""
    for place in range(len(told) - 1):
        window = told[place : place + length]
        names = list(dict.fromkeys(device(event) for event in window))
        if length == 2:
            names.reverse()
        else:
            chance.shuffle(names)
        moved = by_device(window, names)
        if len(names) > 1 and moved != list(window):
            yield place, [*moved, *told[place + length :]]


def count(book: str, length: int) -> Counted:
    """Of the second round of a book."""
    first, second = rounds.play(BOOKS, book, 2).rounds
    found = [wrong([*first, *second[:place]], late) for place, late in windows(second, length, random.Random(1))]
    return Counted(len(found), sum(found))


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.late_order", description=__doc__)
    parser.add_argument("book", nargs="*", default=[rounds.HOLDEM, rounds.ULTIMATE])
    for book in parser.parse_args().book:
        print(f"{book}: neighbours {count(book, 2)}, {WINDOW} device by device {count(book, WINDOW)}")


if __name__ == "__main__":
    main()
