"""floord runs a tournament: what is kept was taken, each step once, and the fold is that of the stream."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from feltd.door import CommandRefused, Person
from feltd.door.commands import MovedOn, StepNotKnownError, StepRefused
from feltd.door.pit.directing import (
    LINES_MOST,
    DecidedBy,
    Entering,
    Opening,
    Step,
    Stepped,
    TournamentAsk,
    TournamentPhase,
    TournamentTile,
)
from feltd.floor import streams as streams_module
from feltd.floor import tournament_fold
from feltd.floor.directing import Directing
from feltd.floor.engine import Engine
from feltd.floor.groups import EVERYTHING, NOTHING, Sight
from feltd.floor.memory import MemoryEngine
from feltd.floor.streams import MemoryStreams, StreamAnswer, TableEntry
from floor_fsm.errors import Reason
from tests.floor.directing_support import CUP, LEA, MAX, TERMS, At, Clock, Losing, directing, entry

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]
CAUSE = TableEntry(bytes(range(16)), 7)
BEGAN = {"ev": "hand.began", "table": "T1", "hand": 1, "big_blind": 2}


def seats_by_hand(*entries: int) -> list[dict[str, Any]]:
    """The director gives these entries the first seats of the first table."""
    return [{"ev": "seat.given", "entry": number, "table": "T1", "seat": number} for number in entries]


def test_a_directors_steps_are_kept_with_who_and_why_and_a_restart_has_the_same_tournament(engine: Run) -> None:
    async def work(engine: Engine) -> None:
        clock = Clock()
        floor = directing(engine.tournaments, clock)
        assert floor.tiles() == ()
        assert (await floor.open(CUP)).seq == 1
        assert floor.tiles() == (TournamentTile("cup", "Tuesday cup", TournamentPhase.MADE, 0, 0, 0, 1, "onyx"),)
        clock.now += 12.34
        at = At(floor)
        opened = await at.say({**TERMS, "t": 9e9, "by": {"who": "somebody else", "why": "no"}})
        assert opened.outputs[0] == {"kind": "opened", "law": "onyx"}
        clock.now -= 5
        entered = await at.say(entry(1))
        assert (entered.seq, entered.outputs[0]) == (3, {"kind": "entered", "entry": 1, "again": 1})
        await at.say(entry(2), *seats_by_hand(1, 2))
        news = floor.news(TournamentAsk("cup", 1))
        assert [(line.seq, line.ev, line.t) for line in news.lines[:2]] == [
            (2, "tournament.open", 12.34),
            (3, "entry", 12.34),
        ], "the floor's clock says when, and never runs back"
        assert news.lines[0].event["by"] == {
            "who": "Lea", "why": "as announced", "role": "floor", "place": "10.20.0.9",
        }  # fmt: skip
        assert news.state is not None
        assert news.state["Entries"]["by_number"]["1"]["standing"] == "in_play"
        assert (news.phase, news.title, news.book, news.seq) == (TournamentPhase.PLAYING, "Tuesday cup", "onyx", 6)
        again = directing(engine.tournaments, clock)
        await again.look()
        assert again.news(TournamentAsk("cup", 0)) == floor.news(TournamentAsk("cup", 0))
        assert again.fold("cup").end == floor.fold("cup").end == (await engine.tournaments.all())[0]
        assert again.news(TournamentAsk("cup", 6)).state is None
        assert again.tiles() == floor.tiles()
        assert again.tiles()[0].playing == 2

    engine(work)


def test_what_is_refused_is_not_kept_and_says_the_reason_and_the_clause(engine: Run) -> None:
    async def work(engine: Engine) -> None:
        at = await At(directing(engine.tournaments)).opened(entries=2)
        before = await engine.tournaments.all()
        with pytest.raises(StepRefused, match="not over") as twice:
            await at.say({**entry(3), "person": "p1"})
        assert twice.value.reason == Reason.IN_PLAY_ALREADY
        await at.say({"ev": "late.closed"})
        with pytest.raises(StepRefused) as late:
            await at.say(entry(3))
        assert late.value.reason == Reason.LATE_ENTRY_IS_OVER
        assert late.value.clause == "Formats; Seating 4"
        assert late.value.clause in str(late.value)
        assert (await engine.tournaments.all())[0].seq == before[0].seq + 1
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"ev": "entri"}, "one of"),
            ({"ev": "entry", "entry": "x"}, "entry"),
            ({**entry(3), "name": " "}, "letters"),
            ({**entry(3), "person": " "}, "person"),
            ({**BEGAN, "cause": {"journal": "0" * 32, "seq": 1}}, "a table's entry"),
        ]
        for event, words in wrong:
            with pytest.raises(CommandRefused, match=words):
                await at.say(event)
        nobody = DecidedBy(Person("Lea", "lea", "floor", ""), "")
        with pytest.raises(CommandRefused, match="say who decides, and why"):
            await At(at.floor, by=nobody).say(entry(3))
        with pytest.raises(CommandRefused, match="no tournament cop; there are: cup"):
            await at.floor.step(Step("cop", 0, entry(3), LEA))

    engine(work)


@pytest.mark.parametrize(
    ("opening", "words"),
    [
        (replace(CUP, book="onix"), "no tournament book onix; there are: .*onyx"),
        (replace(CUP, title=""), "1 to 80"),
        (replace(CUP, title="two\nlines"), "1 to 80"),
        (replace(CUP, id="Cup"), "is no tournament's id"),
        (replace(CUP, by=replace(LEA, why="x" * 201)), "say who"),
    ],
)
def test_a_tournament_that_cannot_be_made_is_not(opening: Opening, words: str) -> None:
    streams = MemoryStreams()
    with pytest.raises(CommandRefused, match=words):
        asyncio.run(directing(streams).open(opening))
    assert streams.kept == {}


def test_a_tournament_is_made_once_also_where_floord_ended_between_its_name_and_its_first_event(engine: Run) -> None:
    async def work(engine: Engine) -> None:
        await engine.tournaments.begin("cup")
        floor = directing(engine.tournaments)
        await floor.look()
        assert floor.tiles() == ()
        with pytest.raises(CommandRefused, match="there is no tournament cup"):
            floor.news(TournamentAsk("cup", 0))
        await floor.open(CUP)
        with pytest.raises(CommandRefused, match="choose another id"):
            await directing(engine.tournaments).open(CUP)

    engine(work)


def test_of_two_directors_at_two_floords_the_second_is_told_who_came_first(engine: Run) -> None:
    async def work(engine: Engine) -> None:
        one = await At(directing(engine.tournaments)).opened(entries=3)
        other = directing(engine.tournaments)
        await other.look()
        max_ = At(other, by=MAX)
        known = max_.seq
        await one.say(*seats_by_hand(1))
        to_same = {"ev": "seat.given", "entry": 2, "table": "T1", "seat": 1}
        with pytest.raises(MovedOn, match=r"Lea came first, with seat.given \(event 6\)"):
            await other.step(Step("cup", known, to_same, MAX))
        with pytest.raises(MovedOn, match="Lea came first"):
            await other.step(Step("cup", known, to_same, MAX))
        with pytest.raises(MovedOn, match="is at event 6, not at 9"):
            await other.step(Step("cup", 9, to_same, MAX))
        with pytest.raises(StepRefused, match="is Mx 1's"):
            await max_.say(to_same)
        await max_.say({**to_same, "seat": 2})
        await one.floor.look()
        assert one.floor.fold("cup").end == other.fold("cup").end

    engine(work)


def test_directors_who_race_seat_nobody_twice(engine: Run) -> None:
    async def work(engine: Engine) -> None:
        floors = [directing(engine.tournaments) for _ in range(2)]
        await At(floors[0]).opened(entries=8)
        lost = 0
        looked = asyncio.Barrier(4)

        async def decides(number: int) -> None:
            nonlocal lost
            floor, by = floors[number % 2], (LEA, MAX)[number % 2]
            await floor.look()
            await looked.wait()  # else one who is quick seats all before another has looked
            while True:
                fold = floor.fold("cup")
                waiting = [
                    e["number"] for e in fold.state()["Entries"]["by_number"].values() if e["standing"] == "waiting"
                ]
                taken = {(p["table"], p["seat"]) for p in fold.state()["Seating"]["places"].values()}
                free = [(t, s) for t in ("T1", "T2") for s in (1, 2, 3, 4) if (t, s) not in taken]
                if not waiting:
                    return
                event = {"ev": "seat.given", "entry": waiting[0], "table": free[0][0], "seat": free[0][1]}
                step = Step("cup", fold.seq, event, by)
                await asyncio.sleep(0)  # the others decide too
                try:
                    await floor.step(step)
                except MovedOn:
                    lost += 1

        await asyncio.gather(*(decides(number) for number in range(4)))
        again = directing(engine.tournaments)
        await again.look()
        places = list(again.fold("cup").state()["Seating"]["places"].values())
        assert len({(place["table"], place["seat"]) for place in places}) == len(places) == 8
        assert lost > 0

    engine(work)


@pytest.mark.parametrize("keeps", [True, False])
def test_where_the_answer_is_lost_nobody_knows_and_the_next_step_looks_first(keeps: bool) -> None:
    async def work() -> None:
        streams = Losing()
        streams.keeps = keeps
        at = await At(directing(streams)).opened()
        known = at.seq
        streams.lose = True
        with pytest.raises(StepNotKnownError, match="look again"):
            await at.say(entry(1))
        assert at.seq == known, "nothing is shown that is not known to be kept"
        streams.deaf = True
        with pytest.raises(StepNotKnownError, match="cannot be read now"):
            await at.say(entry(2))
        streams.deaf = False
        if keeps:
            with pytest.raises(MovedOn, match="Lea came first"):
                await at.floor.step(Step("cup", known, entry(2), LEA))
            assert at.seq == known + 1
        assert (await at.say(entry(2))).seq == known + (2 if keeps else 1)
        streams.lose = True
        with pytest.raises(StepNotKnownError):
            await directing(streams).open(replace(CUP, id="other"))

    asyncio.run(work())


@pytest.mark.parametrize("keeps", [True, False])
def test_many_entries_whose_answer_is_lost_are_all_there_or_none(keeps: bool) -> None:
    async def work() -> None:
        streams = Losing()
        streams.keeps = keeps
        at = await At(directing(streams)).opened(entries=1)
        known, sheet = at.seq, Entering("cup", at.seq, (entry(2), entry(3)), LEA)
        streams.lose = True
        with pytest.raises(StepNotKnownError, match="look again"):
            await at.floor.enter(sheet)
        assert at.seq == known, "nothing is shown that is not known to be kept"
        if keeps:
            with pytest.raises(MovedOn, match="Lea came first"):
                await at.floor.enter(sheet)
            assert at.seq == known + 2
        else:
            with pytest.raises(MovedOn, match="named this person first"):  # by this sheet, before
                await at.floor.enter(sheet)
            assert (await at.floor.enter(sheet)).seq == known + 2

    asyncio.run(work())


def test_many_entries_are_taken_together_or_none_of_them(engine: Run) -> None:
    async def work(engine: Engine) -> None:
        at = await At(directing(engine.tournaments)).opened(entries=2)
        known = at.seq

        async def enters(*entries: Mapping[str, Any], sight: Sight = EVERYTHING) -> Stepped:
            return await at.floor.enter(Entering("cup", at.seq, entries, MAX), sight)

        with pytest.raises(StepRefused) as refused:
            await enters(entry(3), entry(4), {**entry(5), "paid": 1})
        assert refused.value.reason == Reason.WRONG_AMOUNT
        with pytest.raises(StepRefused, match="perhaps the same person as"):
            await enters(entry(3), {**entry(4), "name": entry(3)["name"]})
        with pytest.raises(StepRefused) as refused:
            await enters(entry(3), {**entry(4), "person": entry(3)["person"]})
        assert refused.value.reason == Reason.IN_PLAY_ALREADY, "one card is one person in the list too"
        with pytest.raises(CommandRefused, match="entries alone are taken together"):
            await enters(entry(3), {"ev": "late.closed"})
        with pytest.raises(CommandRefused, match="tables tell those themselves"):
            await enters({**entry(3), "cause": {"journal": "0" * 32, "seq": 1}})
        with pytest.raises(CommandRefused, match="tables that you do not see"):
            await enters(entry(3), sight=NOTHING)
        with pytest.raises(MovedOn):
            await at.floor.enter(Entering("cup", known - 1, (entry(3),), MAX))
        assert at.seq == known
        assert (await enters(*(entry(number) for number in range(3, 30)))).seq == known + 27
        again = directing(engine.tournaments)
        await again.look()
        assert again.fold("cup").state() == at.floor.fold("cup").state()
        state = again.news(TournamentAsk("cup", 0)).state
        assert state is not None
        names = [one["name"] for one in state["Entries"]["by_number"].values()]
        assert names == [entry(number)["name"] for number in range(1, 30)]

    engine(work)


def test_a_step_that_is_cut_off_in_the_middle_is_looked_for(engine: Run) -> None:
    class Hanging(MemoryStreams):
        hang: asyncio.Event | None = None

        async def add(self, tournament: str, expected: int, line: str, cause: TableEntry | None = None) -> StreamAnswer:
            answer = await super().add(tournament, expected, line, cause)
            if self.hang is not None:
                self.hang.set()
                await asyncio.Event().wait()
            return answer

    async def work(_: Engine) -> None:
        streams = Hanging()
        at = await At(directing(streams)).opened()
        streams.hang = asyncio.Event()
        task = asyncio.create_task(at.say(entry(1)))
        await streams.hang.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        streams.hang = None
        with pytest.raises(MovedOn):
            await at.say(entry(2))
        assert (await at.say(entry(2))).seq == 4

    asyncio.run(work(MemoryEngine(lambda: 0.0)))


def test_a_tables_entry_makes_one_event(engine: Run) -> None:
    async def work(engine: Engine) -> None:
        at = await At(directing(engine.tournaments)).opened(entries=2)
        await at.say(*seats_by_hand(1, 2))
        told = await at.floor.tell("cup", BEGAN, CAUSE)
        assert told is not None
        assert told.seq == 7
        assert await at.floor.tell("cup", BEGAN, CAUSE) is None
        behind = directing(engine.tournaments)
        await behind.look()
        await at.say(entry(3))
        later = await behind.tell("cup", {**BEGAN, "hand": 2}, replace(CAUSE, seq=9))
        assert later is not None
        assert later.seq == 9, "what another floord has kept meanwhile comes first"
        assert await behind.tell("cup", {**BEGAN, "hand": 3}, CAUSE) is None
        kept = await engine.tournaments.events("cup", 6, 9)
        assert [event.cause for event in kept] == [CAUSE, None, replace(CAUSE, seq=9)]
        assert json.loads(kept[0].line)["cause"] == {"journal": CAUSE.journal.hex(), "seq": 7}
        with pytest.raises(StepRefused, match="no table T9"):
            await behind.tell("cup", {**BEGAN, "table": "T9"}, replace(CAUSE, seq=10))

    engine(work)


def test_a_stream_that_was_changed_or_is_another_feltds_is_told_and_not_gone_on_with() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        at = await At(directing(streams)).opened(entries=2)
        good = list(streams.kept["cup"])
        streams.kept["cup"][2] = replace(good[2], line=good[2].line.replace("25000", "25001"))
        floor = directing(streams)
        await floor.look()
        await floor.look()
        [tile] = floor.tiles()
        assert tile.phase is TournamentPhase.UNREAD
        assert tile.wrong is not None
        assert "event 3 does not follow" in tile.wrong
        with pytest.raises(CommandRefused, match="nobody can go on"):
            await At(floor).say(entry(3))
        assert at.seq == 4

        other = MemoryStreams()
        await directing(other).open(CUP)
        await other.add("cup", 1, '{"ev":"seat.flown","t":1}')
        await other.begin("mad")
        await other.add("mad", 0, "[]")
        floor = directing(other)
        await floor.look()
        assert ["bring floord to its version" in (tile.wrong or "") for tile in floor.tiles()] == [True, True]
        assert floor.news(TournamentAsk("mad", 0)).phase is TournamentPhase.UNREAD

    asyncio.run(work())


def test_a_database_that_was_put_back_is_followed() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        at = await At(directing(streams)).opened(entries=2)
        streams.kept["cup"] = streams.kept["cup"][:3]
        changes: list[int] = []
        at.floor.on_changed(lambda: changes.append(1))
        with pytest.raises(MovedOn, match="is at event 3, not at 4"):
            await at.say(entry(3))
        assert changes
        assert (await at.say(entry(3))).seq == 4
        streams.kept["cup"] = streams.kept["cup"][:2]
        await at.floor.look()
        assert at.seq == 2
        streams.kept.clear()
        with pytest.raises(CommandRefused, match="put back"):
            await at.say(entry(3))

    asyncio.run(work())


def test_a_running_tournament_keeps_the_book_that_it_was_made_under() -> None:
    async def work() -> None:
        streams = MemoryStreams()
        at = await At(directing(streams)).opened()
        later = Directing(streams, {}, Clock())
        await later.look()
        assert later.fold("cup").tournament is not None
        assert (await At(later).say(entry(1))).seq == 3
        assert "law" not in at.floor.news(TournamentAsk("cup", 0)).lines[0].event

    asyncio.run(work())


def test_phases_follow_what_happens_and_old_lines_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        at = await At(directing(MemoryStreams())).opened(entries=2)
        phases = []
        for event in (
            *seats_by_hand(1),
            {"ev": "seat.given", "entry": 2, "table": "T2", "seat": 1},
            {"ev": "hand_for_hand.began", "why": "bubble"},
            {"ev": "hand_for_hand.ended"},
            {
                "ev": "stack.bagged",
                "entry": 1,
                "first": "A",
                "first_chips": 30_000,
                "second": "B",
                "second_chips": 30_000,
            },
            {
                "ev": "stack.bagged",
                "entry": 2,
                "first": "A",
                "first_chips": 30_000,
                "second": "B",
                "second_chips": 30_000,
            },
            {"ev": "suspended"},
            {"ev": "resumed"},
            {"ev": "late.closed"},
            {"ev": "entry.out", "entry": 1},
        ):
            await at.say(event)
            phases.append(at.floor.tiles()[0].phase.value)
        assert phases == [
            "playing", "playing", "hand_for_hand", "playing", "playing", "playing", "suspended", "playing", "playing",
            "over",
        ]  # fmt: skip
        lines = at.floor.fold("cup").lines
        monkeypatch.setattr(tournament_fold, "OUTPUTS_MOST", 3)
        await at.say({"ev": "breaking.order", "tables": ["T2", "T1"]})
        assert sum(len(line.outputs) for line in lines) <= 3
        monkeypatch.setattr(tournament_fold, "OUTPUTS_MOST", 0)
        await at.say({"ev": "breaking.order", "tables": ["T1", "T2"]})
        assert [line.ev for line in lines] == ["breaking.order"]
        assert LINES_MOST > 1

    asyncio.run(work())


def test_a_tournament_that_was_called_off_before_anybody_had_a_seat_is_over() -> None:
    async def work() -> None:
        at = await At(directing(MemoryStreams())).opened(entries=2)
        assert at.floor.tiles()[0].phase is TournamentPhase.ENTRIES
        await at.say({"ev": "tournament.cancelled", "refund": True})
        assert at.floor.tiles()[0].phase is TournamentPhase.OVER

    asyncio.run(work())


def test_an_event_that_is_too_long_for_the_database_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        at = await At(directing(MemoryStreams())).opened()
        monkeypatch.setattr(streams_module, "LINE_MOST", 100)
        with pytest.raises(CommandRefused, match="too long"):
            await at.say(entry(1))
        assert at.seq == 2

    asyncio.run(work())
