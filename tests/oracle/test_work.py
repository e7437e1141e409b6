"""No time hangs on a hidden card: the table does the same work, line for line, whatever lies face down.

Lines are counted in place of seconds: a clock would tell the machine's other work too. The record's own thread makes
the seals: there the lines of each entry count, and not how many entries it writes at once, which hangs on the disk.
"""

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from feltd.record import reports, signed_heads
from feltd.record.drafts import to_row
from feltd.table.journal import writer
from table_fsm.events import Event
from table_fsm.poker.cards import sorted_deck
from table_fsm.table import Table
from tests.feltd.table_support import BOOKS, HOLDEM, UTH
from tests.oracle.worlds import Moment, Quiet, World, moments

OURS: Final = ("/table_fsm/", "/devices/", "/feltd/table/keeper/", "/feltd/record/", "/feltd/table/journal/")
SORTED_DECK: Final = str(sorted_deck.__file__)
"""It ends as soon as the cards clear the pack: docs/security.md names it."""
BY_THE_DISK: Final = str(reports.__file__)
"""Its lines say whether the record's thread was there first."""
HEADS: Final = str(signed_heads.__file__)
"""Its lines say how far the thread is that signs."""
AFTERWARDS: Final = writer.Writer._destroy_keys.__code__
"""It comes once an entry is told to be on the disk, and again while another thread reads the log: for which event it
counts, and how often, hangs on the machine. It has no entry and no card."""
SEALS: Final = "/feltd/record/"
"""What the record's thread does with an entry; in the writer it waits for the disk and for more."""
RECORDS_THREAD: Final = "journal"
SEEDS: Final = (1, 2, 3, 5)

Lines = Counter[tuple[str, int]]


@contextmanager
def counting(lines: Lines) -> Iterator[None]:
    """Count each line of the table's code that this thread works through."""

    def of_frame(frame: FrameType, kind: str, _: Any) -> Any:
        if kind == "line":
            lines[frame.f_code.co_filename, frame.f_lineno] += 1
        return of_frame

    def called(frame: FrameType, _kind: str, _: Any) -> Any:
        name = frame.f_code.co_filename
        if name in {SORTED_DECK, BY_THE_DISK}:
            return None
        return of_frame if any(part in name for part in OURS) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def counting_seals(lines: Lines) -> Iterator[None]:
    """Count each line of the record's code that a record's thread works through which starts within the block."""

    def of_frame(frame: FrameType, kind: str, _: Any) -> Any:
        if kind == "line":
            lines[frame.f_code.co_filename, frame.f_lineno] += 1
        return of_frame

    def called(frame: FrameType, _kind: str, _: Any) -> Any:
        if threading.current_thread().name != RECORDS_THREAD or frame.f_code.co_filename in {BY_THE_DISK, HEADS}:
            return None
        return of_frame if SEALS in frame.f_code.co_filename and not _is_afterwards(frame) else None

    before = threading.gettrace()
    threading.settrace(called)
    try:
        yield
    finally:
        threading.settrace(before)


def _is_afterwards(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code is not AFTERWARDS:
        frame = frame.f_back
    return frame is not None


def worked(events: Sequence[Event], first: int, take: Callable[[Event], object]) -> list[Lines]:
    """The lines of each event from the `first` on."""
    found: list[Lines] = []
    for number, event in enumerate(events):
        lines: Lines = Counter()
        if number < first:
            take(event)
            continue
        with counting(lines):
            take(event)
        found.append(lines)
    return found


def alike(one: Sequence[Lines], other: Sequence[Lines], moment: Moment) -> None:
    assert len(one) == len(other) == len(moment.events) - moment.shuffled
    for event, mine, others in zip(moment.events[moment.shuffled :], one, other, strict=True):
        differ = {line: (mine[line], others[line]) for line in mine | others if mine[line] != others[line]}
        assert not differ, event
    assert sum(lines.total() for lines in one) > 10_000


def all_moments(book: str) -> list[tuple[int, Moment]]:
    return [(seed, found[-1]) for seed in SEEDS if (found := moments(book, seed))]


@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_the_rules_do_the_same_whatever_lies_face_down(book: str) -> None:
    def once(events: Sequence[Event]) -> list[Lines]:
        return worked(events, moment.shuffled, Table(BOOKS).apply)

    for seed, moment in all_moments(book):
        others = moment.with_other_cards(seed)
        once(moment.events), once(others)  # what is made once in a process is made
        alike(once(moment.events), once(others), moment)


@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_the_keeper_does_the_same_whatever_lies_face_down(tmp_path: Path, book: str) -> None:
    seed, moment = all_moments(book)[0]

    async def once(name: str, events: Sequence[Event]) -> list[Lines]:
        (tmp_path / name).mkdir()
        world = World(tmp_path / name, ())
        found = worked(events, moment.shuffled, world.deliver)
        await world.settled()
        world.page.close()
        return found

    async def scene() -> None:
        others = moment.with_other_cards(seed)
        await once("first", moment.events)
        await once("second", others)
        alike(await once("one", moment.events), await once("other", others), moment)

    with Quiet():
        asyncio.run(scene())


@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_the_records_thread_does_the_same_whatever_lies_face_down(tmp_path: Path, book: str) -> None:
    seed, moment = all_moments(book)[0]

    async def once(name: str, events: Sequence[Event]) -> list[Lines]:
        (tmp_path / name).mkdir()
        lines: Lines = Counter()
        found: list[Lines] = []
        with counting_seals(lines):
            world = World(tmp_path / name, ())
        for number, event in enumerate(events):
            await world.settled()
            lines.clear()
            world.deliver(event)
            await world.settled()
            if number >= moment.shuffled:
                found.append(lines.copy())
        world.page.close()
        return found

    async def scene() -> None:
        others = moment.with_other_cards(seed)
        await once("first", moment.events)
        alike(await once("one", moment.events), await once("other", others), moment)

    with Quiet():
        asyncio.run(scene())


def test_that_count_finds_what_hangs_on_a_hidden_card_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = "for _ in range(sum(map(ord, str(draft.secret))) % 97):"
    leak = f"def to_row(draft):\n    {loop}\n        _\n    return real(draft)\n"
    names: dict[str, Any] = {"real": to_row}
    exec(compile(leak, "/x/feltd/record/leak.py", "exec"), names)
    monkeypatch.setattr(writer, "to_row", names["to_row"])
    with pytest.raises(AssertionError, match="leak"):
        test_the_records_thread_does_the_same_whatever_lies_face_down(tmp_path, HOLDEM)


def test_the_count_finds_what_hangs_on_a_hidden_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SORTED_DECK", "")
    with pytest.raises(AssertionError, match="CardPlaced"):
        test_the_rules_do_the_same_whatever_lies_face_down(HOLDEM)
