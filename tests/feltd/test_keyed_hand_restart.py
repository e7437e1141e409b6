"""A hand that the dealer keyed open stays open in the record, however often feltd starts again in that round."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from feltd.record import Entry, EntryKind, JournalReader, Reveal, Span
from feltd.record.entries import Seal
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import BY_NAME, Event
from tests.feltd.table_support import Bench
from tests.table_fsm.streams import Answer, Play

SEATS = (1, 2, 3)
HANDS = {1: ("Ah", "Ad"), 2: ("Ks", "Kh"), 3: ("7c", "2d")}
BOARD = ("3c", "8d", "9h", "Jc", "4s")


class Told(Play):
    """A play that keeps its events."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []

    def send(self, ev: str, *, after: float = 0.5, **fields: Any) -> Answer:
        answer = super().send(ev, after=after, **fields)
        self.events.append(BY_NAME[ev](t=self.t, **fields))
        return answer


def to_the_last_bet() -> Told:
    """A table without faces; the last bet is made, and nobody has closed the betting."""
    play = Told()
    play.open(SEATS, button=3, blinds=[100, 200], burn=1, look_sensor=False, faces=False)
    play.shuffle()
    play.post(100, 200)
    for n in (0, 1):
        for seat in SEATS:
            play.card(f"seat:{seat}", HANDS[seat][n])
    play.acts("3 call 200", "1 call 100", "2 check")
    for street in ((1, 2, 3), (4,), (5,)):
        play.close()
        play.burn()
        for n in street:
            play.card(f"board:{n}", BOARD[n - 1], face="up")
        if street == (5,):
            assert "not to be shown now" in play.send("hand.shown", seat=3).refusal
        play.acts("1 check", "2 check", "3 check")
    return play


def keep(folder: Path, events: list[Event]) -> None:
    """A start of feltd that takes these events and stops."""

    async def run() -> None:
        bench = Bench(folder)
        try:
            for event in events:
                bench.keeper.deliver(Delivery("test", lambda _t, event=event: [event]))  # type: ignore[misc]
        finally:
            bench.journal.close()

    asyncio.run(run())


def seals(folder: Path) -> dict[str, Seal]:
    """How the record keeps the cards of the seats, by card, once the round is over."""
    with JournalReader.open(folder / "table.journal") as reader:
        span = Span(kind=EntryKind.EVENT, name="card.placed")
        rows: list[Entry] = list(reader.entries(span, reveal=Reveal.FINISHED))
        return {str(row.body["zone"]) + str(n): row.seal for n, row in enumerate(rows) if "seat" in row.body["zone"]}


@pytest.mark.parametrize("starts", [1, 2], ids=["one start", "two starts"])
def test_a_hand_that_was_keyed_after_the_last_bet_is_open_after_a_restart(tmp_path: Path, starts: int) -> None:
    play = to_the_last_bet()
    assert not play.send("hand.shown", seat=1).outputs  # taken, with nothing to tell
    cut = len(play.events)
    play.close()
    play.send("hand.shown", seat=2)
    play.acts("3 fold")
    play.end()
    keep(tmp_path, play.events[:cut])
    if starts == 2:
        keep(tmp_path, [])
    keep(tmp_path, play.events[cut:])
    kept = seals(tmp_path)
    assert {seal for zone, seal in kept.items() if zone.startswith(("seat:1", "seat:2"))} == {Seal.OPENED}
    assert {seal for zone, seal in kept.items() if zone.startswith("seat:3")} == {Seal.NEVER_SHOWN}
    assert len(kept) == 6
