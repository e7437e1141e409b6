"""Custody's alarms are answered by people and stay as evidence; everything is proved by night, and said."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import asyncpg
import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS, USAGE
from feltd.cli.person import person_here
from feltd.door import CommandRefused, Person
from feltd.door.asking.pit_door import asked_once
from feltd.door.pit.standing import AlarmAnswered
from feltd.door.pit.state import PitSince
from feltd.door.serving.guest import user_name
from feltd.door.serving.listener import listening
from feltd.floor.commanding import Desk
from feltd.floor.engine import Alarm, AlarmKind, Engine
from feltd.floor.facts import Told
from feltd.floor.following import Follower
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.floor.proving import LATE_AFTER, Nightly, prove_all
from feltd.floor.standing import NEWS_FROM, AlarmAnswer, AlarmState, Answered, Proof
from feltd.floor.webhook import body_of
from feltd.page.pit.shown import table_as_json
from tests.floor.conftest import as_owner, emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.floor.test_commands import FLOOR

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]

NOW = 1_700_000_000.0
JOURNAL = bytes(16)
HEADS = Alarm("7", JOURNAL, AlarmKind.HEADS, 5, "a wrong head")
FORK = Alarm("8", JOURNAL, AlarmKind.FORK, 9, "two histories")
LEA = Person("Lea", "lea", "supervisor", "10.30.0.9")


async def states(floor: Engine) -> dict[str, tuple[AlarmState, str]]:
    """Each alarm by its table: its state, and who answered last."""
    return {one.alarm.table: (one.state, one.who) for one in await floor.standing.standing(closed=True)}


async def number_of(floor: Engine, table: str) -> int:
    [number] = [one.number for one in await floor.standing.standing(closed=True) if one.alarm.table == table]
    return number


def test_an_alarm_is_acknowledged_and_closed_once_and_opens_again_when_it_is_told_again(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        for alarm in (HEADS, FORK, HEADS):
            await floor.raise_alarm(alarm)
        first = await number_of(floor, "7")
        [one, other] = await floor.standing.standing()
        assert (one.alarm.times, other.alarm, one.state, one.who) == (2, FORK, AlarmState.OPEN, "")
        seen = AlarmAnswer(first, 2, AlarmState.ACKNOWLEDGED, "Lea", "looking at it")
        assert await floor.standing.answer(seen) is Answered.DONE
        assert await floor.standing.answer(replace(seen, who="Ada")) is Answered.ALREADY
        await floor.raise_alarm(HEADS)
        assert (await states(floor))["7"] == (AlarmState.ACKNOWLEDGED, "Lea"), "it goes on, and somebody sees to it"
        closing = AlarmAnswer(first, 2, AlarmState.CLOSED, "Ada", "card changed")
        assert await floor.standing.answer(closing) is Answered.DONE
        assert (await states(floor))["7"] == (AlarmState.OPEN, "Ada"), "it was told once more than Ada has seen"
        assert await floor.standing.answer(replace(closing, times=99)) is Answered.DONE
        assert [held.alarm.table for held in await floor.standing.standing()] == ["8"]
        assert await floor.standing.answer(replace(closing, times=3)) is Answered.ALREADY
        assert await floor.standing.answer(replace(closing, number=first + 10**6)) is Answered.UNKNOWN
        assert [alarm.table for alarm in await floor.alarms()] == ["7", "8"], "it stays as evidence"
        await floor.raise_alarm(HEADS)
        assert (await states(floor))["7"] == (AlarmState.OPEN, "Ada")

    engine(work)


def test_what_becomes_of_an_alarm_goes_through_the_webhook_in_order(engine: Run) -> None:
    got: list[Told] = []

    async def deliver(told: Told, says: Callable[[str | None], None]) -> None:
        got.append(told)

    async def work(floor: Engine) -> None:
        got.clear()
        follower = Follower("alarms", floor.standing, deliver)
        await follower.turn()
        for _ in range(3):
            await floor.raise_alarm(HEADS)
        number = await number_of(floor, "7")
        await floor.standing.answer(AlarmAnswer(number, 3, AlarmState.ACKNOWLEDGED, "Lea", "looking at it"))
        await floor.standing.answer(AlarmAnswer(number, 3, AlarmState.CLOSED, "Lea", "card changed"))
        await floor.raise_alarm(HEADS)
        while await Follower("alarms", floor.standing, deliver).turn():
            pass
        bodies = [json.loads(body_of(told)) for told in got]
        assert [body["custody"]["state"] for body in bodies] == ["raised", "acknowledged", "closed", "raised"]
        assert [body["custody"]["who"] for body in bodies] == [None, "Lea", "Lea", None]
        assert [body["custody"]["times"] for body in bodies] == [1, 3, 3, 4]
        assert {(body["kind"], body["table"], body["entry"]) for body in bodies} == {("custody", "7", 5)}
        numbers = [body["number"] for body in bodies]
        assert numbers == sorted(set(numbers))
        assert numbers[0] > NEWS_FROM

    engine(work)


def test_a_person_at_the_pit_answers_and_is_refused_in_words(tmp_path: Path) -> None:
    async def work() -> None:
        floor = MemoryEngine(lambda: NOW)
        book = PitBook(floor, lambda: NOW)
        await floor.raise_alarm(HEADS)
        await book.look_at_alarms()
        [table] = book.news(PitSince("", 0)).tables
        [item] = [item for item in table_as_json(table)["items"] if item["kind"] == "custody"]
        assert (item["text"], item["priority"], item["custody"]) == (
            "heads: a wrong head", "high", {"number": 1, "times": 1},
        )  # fmt: skip
        place = tmp_path / "pit"
        async with listening(place, os.getuid(), PitReception(Pit(Desk(floor), book, floor), book)):

            async def answer(**changed: object) -> None:
                asked = AlarmAnswered(1, 1, "acknowledged", LEA, "looking at it")
                await asked_once(place, lambda door: door.answer_alarm(replace(asked, **changed)))  # type: ignore[arg-type]

            for changed, words in (
                ({"number": 9}, "no alarm of this number"),
                ({"why": "  "}, "a reason has 3 to 500"),
                ({"why": "a\nb c"}, "printable"),
                ({"state": "open"}, "acknowledged or closed"),
                ({"person": replace(LEA, account="x" * 65)}, "account: must have 0 to 64 characters"),
                ({"person": replace(LEA, account="x\ny")}, "who answers"),
            ):
                with pytest.raises(CommandRefused, match=words):
                    await answer(**changed)
            await answer()
            with pytest.raises(CommandRefused, match="somebody else"):
                await answer()
            [table] = book.news(PitSince("", 0)).tables
            [item] = [item for item in table_as_json(table)["items"] if item["kind"] == "custody"]
            assert item["note"] == "acknowledged by Lea (lea, supervisor, 10.30.0.9): looking at it"
            assert item["acknowledged"]
            await answer(state="closed", why="card changed")
            assert book.news(PitSince("", 0)).tables[0].custody == ()

    asyncio.run(work())


def test_alarms_are_answered_at_a_shell_by_who_the_system_says(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "floor.toml"
    file.write_text(FLOOR.format(port=1, database=postgres.address("floord")))
    monkeypatch.setenv("LOGNAME", "somebody-else")

    def run(*command: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["floor", *command, "--config", str(file)])
        return done.exit_code, done.output

    asyncio.run(emptied(postgres))
    assert run("alarms") == (FINE, "")
    asyncio.run(as_owner(postgres, "SELECT floor.raise_alarm('7', '\\x00'::bytea, 'heads', 5, 'a wrong head')"))
    code, told = run("alarms")
    assert (code, "ALARM heads: table 7" in told, told.rstrip().endswith("open")) == (PROBLEMS, True, True)
    number = told.partition("number ")[2].partition(",")[0]
    assert run("answer-alarm", number, "--reason", "x")[0] == USAGE
    code, told = run("answer-alarm", number, "--close", "--reason", "card changed")
    assert (code, told) == (FINE, f"alarm {number}: closed by {person_here()} (floor's shell)\n")
    assert "somebody-else" not in told
    assert run("answer-alarm", number, "--close", "--reason", "again")[0] == PROBLEMS
    assert run("answer-alarm", "999999999", "--reason", "none there")[0] == PROBLEMS
    assert run("alarms") == (FINE, "")
    code, told = run("alarms", "--all")
    assert (code, f"closed by {person_here()} (floor's shell): card changed" in told) == (FINE, True)
    for statement in ("UPDATE floor.alarm_answer SET who = 'x'", "DELETE FROM floor.alarm_answer"):
        with pytest.raises(asyncpg.RaiseError, match="stays as it is"):
            asyncio.run(as_owner(postgres, statement))


def test_who_types_is_who_signed_in_also_behind_sudo(tmp_path: Path) -> None:
    login = tmp_path / "loginuid"
    assert person_here(login) == user_name(os.getuid())
    login.write_text(str(2**32 - 1))
    assert person_here(login) == user_name(os.getuid())
    login.write_text("4242")
    assert person_here(login) == user_name(4242)


# ---- proof


async def up(floor: Engine, number: int, entries: int) -> FakeJournal:
    """A table's journal, in the floor in batches of ten."""
    journal = FakeJournal(number)
    journal.play(entries)
    await floor.open_journal(str(number), journal.journal_id, 2)
    for first in range(1, entries + 1, 10):
        await floor.append_many([journal.batch(str(number), first, min(first + 9, entries))])
    return journal


def test_everything_is_proved_with_rests_and_the_result_is_kept(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        for number in (1, 2):
            await up(floor, number, 255)
        assert await floor.standing.last_proof() is None
        rests: list[float] = []

        async def rest(took: float) -> None:
            rests.append(took)

        proof, found = await prove_all(floor, lambda: NOW, rest)
        assert (proof, found) == (Proof(NOW, NOW, 2, 510, 0), [])
        assert await floor.standing.last_proof() == proof
        assert len(rests) == 2 * 3, "a rest behind each piece of ten batches"
        book = PitBook(floor, lambda: NOW)
        await book.look_at_alarms()
        shown = book.news(PitSince("", 0)).proof
        assert shown is not None
        assert (shown.journals, shown.entries, shown.faults, shown.ended) == (2, 510, 0, NOW)

    engine(work)


def test_what_is_changed_is_found_by_night_and_alarmed_and_the_others_are_proved() -> None:
    async def work() -> None:
        floor = MemoryEngine(lambda: NOW)
        first, second = await up(floor, 1, 30), await up(floor, 2, 30)
        batches = floor.journals[first.journal_id].batches
        batches[1] = replace(batches[1], rows=(*batches[1].rows[:-1], b"another"))
        nightly = Nightly(floor, "04:00", lambda: NOW, no_rest)
        await nightly.turn()
        assert nightly.last == Proof(NOW, NOW, 2, 40, 1)
        [alarm] = floor.kept_alarms
        assert (alarm.kind, alarm.table, alarm.seq) == (AlarmKind.PROOF, "1", 11)
        assert second.journal_id in floor.journals

    asyncio.run(work())


async def no_rest(_took: float) -> None:
    """Tests do not rest."""


def test_it_begins_at_its_hour_once_a_night_and_a_night_that_was_missed_is_made_up_for() -> None:
    async def work() -> None:
        now = [datetime(2026, 11, 27, 3, 59).astimezone().timestamp()]
        floor = MemoryEngine(lambda: now[0])
        await up(floor, 1, 3)
        nightly = Nightly(floor, "04:00", lambda: now[0], no_rest)
        proofs: list[Proof] = []
        for minutes in (0, 0, 1, 5, 23 * 60, 24 * 60, 80 * 60):
            now[0] = datetime(2026, 11, 27, 3, 59).astimezone().timestamp() + minutes * 60
            await nightly.turn()
            proof = await floor.standing.last_proof()
            assert proof is not None
            proofs.append(proof)
        first = proofs[0].began
        began = [round((proof.began - first) / 60) for proof in proofs]
        assert began == [0, 0, 1, 1, 1, 1, 80 * 60]
        again = Nightly(floor, "04:00", lambda: now[0], no_rest)
        await again.turn()
        assert await floor.standing.last_proof() == proofs[-1], "a start does not prove it again"
        assert nightly.trouble == ()
        now[0] += LATE_AFTER
        assert "for 2 days nothing has proved" in " ".join(nightly.trouble)

    asyncio.run(work())
