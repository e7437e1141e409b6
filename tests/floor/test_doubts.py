"""A stack that was refused alone is on the floor's record, whoever ended between the hand's event and the note."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feltd.books.shipped import tournament_sources
from feltd.custody.errors import FloorAwayError
from feltd.floor.directing import Directing
from feltd.floor.doubts import NOTED_WITHIN, Doubts
from feltd.floor.engine import Engine
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_notes import OwnNotes
from feltd.floor.own_record import OwnRecord
from feltd.floor.refusals_kept import NOTE, RefusalsKept
from feltd.floor.tending import Tending
from tests.floor.directing_support import At
from tests.floor.tending_support import TendedFloor, run, seated
from tests.floor.test_own_record import PAGE, came
from tests.floor.test_refusals_kept import on_record
from tests.floor.test_scenes import Run


class KilledError(Exception):
    """floord ends here."""


class EndsBeforeItsNote(OwnRecord):
    """The record of a floord that ends before it writes."""

    async def note(self, body: object, unless: object = None) -> None:
        """See `OwnRecord`."""
        raise KilledError


class Away(OwnRecord):
    """A record that cannot be written at this moment."""

    async def note(self, body: object, unless: object = None) -> None:
        """See `OwnRecord`."""
        raise FloorAwayError("away", "the database", "Wait")


def floord(floor: TendedFloor, own: OwnRecord) -> None:
    """A floord that has just started, and writes its refusals there."""
    wall = lambda: floor.time.wall  # noqa: E731
    floor.directing = Directing(floor.engine.tournaments, tournament_sources(), wall, refusals=RefusalsKept(own))
    floor.tending = Tending(floor.directing, floor.desk, floor.book, wall)
    floor.at = At(floor.directing)


def beside(floor: TendedFloor) -> Doubts:
    """What another floord on the same database looks at."""
    wall = lambda: floor.time.wall  # noqa: E731
    return Doubts(Directing(floor.engine.tournaments, tournament_sources(), wall), floor.engine, wall)


def doubts_of(floor: TendedFloor) -> Doubts:
    return Doubts(floor.directing, floor.engine, lambda: floor.time.wall)


async def wrong_stack(folder: Path, own: Callable[[TendedFloor], OwnRecord]) -> TendedFloor:
    """A table whose hand is about to be told: seat 1 is out in it, with a stack that cannot be."""
    floor = TendedFloor(folder, T1=(1, 2, 3, 4))
    floord(floor, own(floor))
    await seated(floor)
    await floor.settle()
    one = floor.tables["T1"]
    one.hand("betting.closed")
    one.play({"ev": "stack", "seat": 1, "cents": 100})
    one.hand("betting.closed", rest=True)
    return floor


def usual(floor: TendedFloor) -> OwnRecord:
    return OwnRecord(floor.engine, lambda: floor.time.wall)


async def killed(folder: Path) -> TendedFloor:
    """The event of the hand is kept, its note is not, and floord has started anew."""
    floor = await wrong_stack(folder, lambda floor: EndsBeforeItsNote(floor.engine))
    with pytest.raises(KilledError):
        await floor.directing.tell("cup", {"ev": "seat.unclaimed", "table": "T1", "seat": 9}, None)
    floor.time.pass_(1.0)
    await floor.settle()  # the hand: tending logs what one table brings about
    floord(floor, usual(floor))
    await floor.directing.look()
    await floor.settle()
    assert [line.ev for line in floor.directing.fold("cup").lines].count("hand.over") == 1
    assert not any(one.table == "(floor)" for one in await floor.engine.status()), "nothing is on record"
    return floor


def test_a_floord_that_ended_between_event_and_note_leaves_both_on_record(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await killed(tmp_path)
        doubts = doubts_of(floor)
        floor.time.pass_(NOTED_WITHIN)
        await doubts.look()
        seat, hand = await on_record(floor.engine, tmp_path)
        assert (seat["step"], seat["reason"], seat["late"]) == ("seat.unclaimed", "not_seated", True)
        assert {name: hand[name] for name in ("note", "tournament", "step", "table", "entry", "reason", "late")} == {
            "note": NOTE, "tournament": "cup", "step": "hand.over", "table": "T1", "entry": 1,
            "reason": "does_not_add_up", "late": True,
        }  # fmt: skip
        assert "entry_of_table" in hand
        await doubts.look()
        floord(floor, usual(floor))
        await floor.directing.look()
        await doubts_of(floor).look()
        assert await on_record(floor.engine, tmp_path) == [seat, hand], "a start more writes nothing more"
        floor.close()

    run(work)


def test_nothing_is_written_twice_where_the_note_is_there(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await wrong_stack(tmp_path, usual)
        await floor.settle()
        [note] = await on_record(floor.engine, tmp_path)
        assert "late" not in note
        floor.time.pass_(NOTED_WITHIN)
        await doubts_of(floor).look()
        assert await on_record(floor.engine, tmp_path) == [note]
        floor.close()

    run(work)


def test_the_floord_that_kept_the_event_has_its_seconds_to_write_the_note(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await killed(tmp_path)
        fold = floor.directing.fold("cup")
        assert fold.made is not None
        last = fold.doubted[-1].event.t + fold.made.wall + NOTED_WITHIN
        floor.time.pass_(last - 0.01 - floor.time.wall)
        await doubts_of(floor).look()
        assert len(fold.doubted) == 1, "the later of the two is not due"
        floor.time.pass_(0.02)
        await doubts_of(floor).look()
        assert not fold.doubted
        assert len(await on_record(floor.engine, tmp_path)) == 2
        floor.close()

    run(work)


def test_two_floords_that_miss_it_at_once_write_it_once(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await killed(tmp_path)
        other = beside(floor)
        await other._directing.look()
        floor.time.pass_(NOTED_WITHIN)
        await asyncio.gather(doubts_of(floor).look(), other.look())
        assert len(await on_record(floor.engine, tmp_path)) == 2
        floor.close()

    run(work)


def test_a_record_that_could_not_be_written_gets_its_note_when_it_can(tmp_path: Path) -> None:
    async def work() -> None:
        floor = await wrong_stack(tmp_path, lambda floor: Away(floor.engine))
        await floor.settle()
        floor.time.pass_(NOTED_WITHIN)
        doubts = doubts_of(floor)
        doubts._kept = RefusalsKept(Away(floor.engine))
        with pytest.raises(FloorAwayError):
            await doubts.look()
        await doubts_of(floor).look()
        [note] = await on_record(floor.engine, tmp_path)
        assert note["entry"] == 1
        floor.close()

    run(work)


def _said(entry: int) -> dict[str, Any]:
    return {"note": NOTE, "tournament": "cup", "event": 7, "step": "hand.over", "entry": entry, "number": 1}


def test_what_a_record_has_is_found_among_all_else_that_it_has(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        own, notes = OwnRecord(floor, lambda: 2000.0), OwnNotes(floor, NOTE)
        await own.access(PAGE, [came(1)])
        await own.note(_said(1))
        await own.note({"note": "who sees which tables", "name": NOTE, "entry": 2, "event": 7})
        [status] = await floor.status()
        assert await notes.has(status.journal, _said(1))
        assert not await notes.has(status.journal, _said(2))
        await own.note(_said(2))
        assert await notes.has(status.journal, _said(2))
        assert await notes.has(status.journal, {**_said(2), "clause": "another feltd's", "late": True})
        assert not await notes.has(status.journal, {**_said(2), "event": 8})

    engine(work)


def test_a_record_that_was_put_back_is_read_from_its_beginning() -> None:
    async def work() -> None:
        floor = MemoryEngine(lambda: 0.0)
        own, notes = OwnRecord(floor), OwnNotes(floor, NOTE)
        await own.note(_said(1))
        first, second = floor.saved(), floor.saved()
        await own.note(_said(2))
        [status] = await floor.status()
        assert await notes.has(status.journal, _said(2))
        floor.put_back(first)
        assert not await notes.has(status.journal, _said(2)), "it is shorter"
        assert await notes.has(status.journal, _said(1))
        await own.note(_said(3))
        assert await notes.has(status.journal, _said(3))
        floor.put_back(second)
        await OwnRecord(floor).note(_said(2))
        assert not await notes.has(status.journal, _said(3)), "it is as long, and has another end"

    asyncio.run(work())
