"""What a tournament's book refuses is on the floor's own record: by which clause, who wanted it, and nobody's name."""

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

import feltd.floor
import floor_fsm
from feltd.books.shipped import tournament_sources
from feltd.custody.errors import FloorAwayError
from feltd.door.commands import CommandRefused, MovedOn, StepRefused
from feltd.door.pit.directing import Step
from feltd.floor.directing import Directing
from feltd.floor.engine import Engine
from feltd.floor.facts import OWN
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_record import OwnRecord
from feltd.floor.refusals_kept import NOTE, RefusalsKept
from feltd.floor.restoring import newest_of, restore
from feltd.floor.streams import TableEntry
from feltd.record import JournalReader, Span
from tests.floor.directing_support import LEA, At, entry
from tests.floor.waiting_support import AtDesk, joins, waiting


async def opened(floor: Engine) -> At:
    """A tournament with two entries, whose refusals are kept."""
    kept = RefusalsKept(OwnRecord(floor, lambda: 2000.0))
    return await At(Directing(floor.tournaments, tournament_sources(), refusals=kept)).opened(entries=2)


async def on_record(floor: Engine, folder: Path) -> list[dict[str, Any]]:
    """The notes of the floor's own record."""
    file = folder / "own.journal"
    file.unlink(missing_ok=True)
    await restore(floor, newest_of(await floor.status(), OWN, None), file)
    with JournalReader.open(file) as reader:
        return [json.loads(row.body) for row in reader.rows(Span())]


def test_a_refused_step_is_on_record_with_clause_person_and_reason(tmp_path: Path) -> None:
    async def work() -> None:
        floor = MemoryEngine(lambda: 2000.0)
        at = await opened(floor)
        with pytest.raises(StepRefused, match="Mx 1 has entry 1"):
            await at.say({**entry(3), "person": "p1", "name": "Mx 1"})
        with pytest.raises(StepRefused):
            await at.say({"ev": "race.ordered", "chip": 100, "new_chip": 25})
        with pytest.raises(MovedOn):
            await at.floor.step(Step("cup", 1, {"ev": "late.closed"}, LEA))
        with pytest.raises(CommandRefused, match="no event"):
            await at.say({"ev": "nothing"})
        entered, raced = await on_record(floor, tmp_path)
        who = {"who": LEA.person.signature, "role": "floor", "from": "10.20.0.9", "why": "as announced"}
        assert entered == {
            "note": NOTE, "tournament": "cup", "event": at.seq, "step": "entry", "entry": 3,
            "reason": "in_play_already", "clause": "Formats; Seating 4", **who,
        }  # fmt: skip
        assert (raced["step"], raced["clause"]) == ("race.ordered", "Chip Races 1 to 6")

    asyncio.run(work())


def test_a_refused_step_of_waiting_lists_is_on_record_too(tmp_path: Path) -> None:
    async def work() -> None:
        floor = MemoryEngine(lambda: 2000.0)
        kept = RefusalsKept(OwnRecord(floor, lambda: 2000.0), of="waiting")
        desk = await AtDesk(waiting(floor.waiting, refusals=kept)).opened(people=2)
        with pytest.raises(StepRefused, match=r"Mx 1 \(number 1\) waits longer"):
            await desk.say({"ev": "waiting.called", "number": 2, "table": "T1", "seat": 4})
        with pytest.raises(StepRefused, match="Mx 1 waits for"):
            await desk.say({**joins(3, "Mx 1"), "person": "p1"})
        called, joined = await on_record(floor, tmp_path)
        who = {"who": LEA.person.signature, "role": "floor", "from": "10.20.0.9", "why": "as announced"}
        assert called == {
            "note": NOTE, "waiting": "cash", "event": 4, "step": "waiting.called", "number": 2, "table": "T1",
            "seat": 4, "reason": "others_wait_longer", "clause": "ours", **who,
        }  # fmt: skip
        assert (joined["step"], joined["game"], joined["clause"]) == ("waiting.joined", "nl-1-2", "Cash 1")
        assert not any("Mx" in str(one) for one in (called, joined))

    asyncio.run(work())


def test_what_a_table_tells_again_and_again_is_written_once(tmp_path: Path) -> None:
    async def work() -> None:
        floor = MemoryEngine(lambda: 2000.0)
        at = await opened(floor)
        cause = TableEntry(bytes(16), 7)
        for _ in range(3):
            with pytest.raises(StepRefused):
                await at.floor.tell("cup", {"ev": "table.back", "table": "T1"}, cause)
        with pytest.raises(StepRefused):
            await at.floor.tell("cup", {"ev": "table.back", "table": "T2"}, None)
        one, two = await on_record(floor, tmp_path)
        assert (one["table"], one["journal"], one["entry_of_table"]) == ("T1", "00" * 16, 7)
        assert (two["table"], "journal" in two) == ("T2", False)
        await at.say({"ev": "late.closed"})
        with pytest.raises(StepRefused):
            await at.floor.tell("cup", {"ev": "table.back", "table": "T1"}, cause)
        assert len(await on_record(floor, tmp_path)) == 3, "the tournament has gone on"

    asyncio.run(work())


def test_a_step_is_refused_also_where_the_record_cannot_be_written(caplog: pytest.LogCaptureFixture) -> None:
    class Away(OwnRecord):
        async def note(self, body: object, unless: object = None) -> None:
            raise FloorAwayError("away", "the database", "Wait")

    async def work() -> None:
        floor = MemoryEngine(lambda: 2000.0)
        at = At(Directing(floor.tournaments, tournament_sources(), refusals=RefusalsKept(Away(floor))))
        await at.opened()
        with caplog.at_level(logging.WARNING), pytest.raises(StepRefused):
            await at.say({"ev": "seats.drawn", "secret": "00" * 32})

    asyncio.run(work())
    assert "a refused step of cup is not on record" in caplog.text


def swallowed(text: str) -> list[str]:
    """The lines that swallow a fault, or a refusal, without a word beside them, or above, why nobody is told."""
    lines = text.splitlines()
    found = []
    for at, line in enumerate(lines):
        refusal = re.match(r"\s+except .*Refused", line) and re.match(r"\s+(pass|continue|return)\b", lines[at + 1])
        if (re.match(r"\s+with suppress\(", line) or refusal) and "#" not in "".join(lines[at - 1 : at + 2]):
            found.append(line.strip())
    return found


def test_what_is_swallowed_without_a_reason_is_found() -> None:
    assert swallowed("def f():\n    with suppress(Refused):\n        g()") == ["with suppress(Refused):"]
    assert swallowed("def f():\n    with suppress(Refused):  # told by g\n        g()") == []
    caught = "def f():\n    try:\n        g()\n    except (CommandRefused, OSError):\n        {}"
    assert swallowed(caught.format("return None")) == ["except (CommandRefused, OSError):"]
    assert swallowed(caught.format("told(fault)")) == []


def test_the_floor_swallows_nothing_without_its_reason_beside_it() -> None:
    """A level that was refused in silence kept late entry open."""
    rooms = (Path(feltd.floor.__file__).parent, Path(floor_fsm.__file__).parent)
    files = [file for room in rooms for file in sorted(room.rglob("*.py"))]
    assert len(files) > 100, "both rooms are looked through"
    assert {file.name: told for file in files if (told := swallowed(file.read_text("utf-8")))} == {}
