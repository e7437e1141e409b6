"""What a table's record says of wishes settles what a lost answer leaves open: each is given once, and goes back."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from feltd.door import CommandRefused
from feltd.door.pit.wishes import SaidToWish, WishBack
from feltd.door.wishing import BookPlay, TableSettings
from feltd.floor.engine import Ordered
from feltd.floor.folding import Fold
from feltd.floor.groups import EVERYTHING
from feltd.floor.pit_book import Line
from feltd.floor.rolling import Rolling
from feltd.floor.wishes import Governs, HeldBefore, Step, StepKind, TableNow, TakenWish, Wish, WishKind
from feltd.record.entries import Row, encode
from feltd.record.notes import BY_HAND_NOTE, START_NOTE, WISH_NOTE, WISH_SETTINGS_NOTE, WISH_VERSION_NOTE
from tests.floor.test_wishes import LEA, NEW, OLD, Floor, Tables, stands, wish

TEXT = b"\1" * 32


class Told:
    """A fold, and what a table's record tells it."""

    def __init__(self) -> None:
        self.fold = Fold()
        self.wall = 1.0

    def rolled(self, number: int, book: str) -> TakenWish:
        """The table takes a wish; as floord has it then."""
        self.note(WISH_NOTE, **plays(number, book))
        line = Line("7", b"")
        line.fold = self.fold
        rolling = Floor("7").rolling
        rolling._book._lines["7"] = line
        return rolling.now("7").taken[WishKind.BOOK]

    def note(self, what: str, **body: Any) -> None:
        said = {"note": BY_HAND_NOTE, "what": what, **body} if what != START_NOTE else {"note": START_NOTE, **body}
        self._row("host", "note", said)

    def opens(self, book: str) -> None:
        self._row("event", "table.open", {"rulebook": book, "options": {}})

    def _row(self, kind: str, name: str, body: dict[str, Any]) -> None:
        book = TEXT if kind == "event" else None
        text = json.dumps(body)
        row = Row(self.fold.seq + 1, kind, name, 1.0, 1.0, self.wall, 1, book, None, None, None, None, text, None, None)
        self.fold.take(encode(row))


def sets(number: int, **values: Any) -> dict[str, Any]:
    return {"wish": number, "settings": json.dumps(values)}


def plays(number: int, book: str) -> dict[str, Any]:
    return {"wish": number, "rulebook": book, "digest": TEXT.hex(), "options": "{}"}


def test_a_record_says_which_wish_was_taken_last_of_each_kind_and_what_held_before() -> None:
    told = Told()
    told.note(START_NOTE, settings={"language": "de"})
    told.opens("onyx-cash")
    told.note(WISH_SETTINGS_NOTE, **sets(4, gather_seconds=1.5))
    told.note(WISH_SETTINGS_NOTE, **sets(4, gather_seconds=1.5))
    told.note(WISH_NOTE, **plays(5, "star"))
    told.opens("star")
    told.note(WISH_VERSION_NOTE, wish=6, version="0.11.0")
    kept = Fold.from_text(told.fold.to_text()).taken
    assert kept == {
        "settings": {"number": 4, "said": {"gather_seconds": 1.5}, "before": {"language": "de"}, "starts": []},
        "book": {
            "number": 5,
            "said": {"rulebook": "star", "digest": TEXT.hex(), "options": {}},
            "before": {"rulebook": "onyx-cash", "digest": TEXT.hex(), "options": {}},
            "starts": [],
        },
        "version": {"number": 6, "said": {"version": "0.11.0"}, "before": None, "starts": []},
    }
    told.note(WISH_SETTINGS_NOTE, settings="{}")
    assert told.fold.taken == kept, "an older feltd did not say of which wish"
    told.note(WISH_SETTINGS_NOTE, wish=7, settings=3)
    assert (told.fold.taken, told.fold.unread) == (kept, 1)


def test_a_table_that_ended_between_its_memory_and_its_record_had_what_held_before_its_start() -> None:
    told = Told()
    told.note(START_NOTE, settings={})
    told.opens("onyx-cash")
    for _ in range(2):
        told.note(START_NOTE, settings={"language": "de"})
        told.opens("star")
    told.note(WISH_SETTINGS_NOTE, **sets(4, language="de"))
    told.note(WISH_NOTE, **plays(5, "star"))
    assert [one["held"] for one in told.fold.taken["settings"]["starts"]] == [{}, {"language": "de"}]
    assert [one["held"]["rulebook"] for one in told.fold.taken["book"]["starts"]] == ["onyx-cash", "star"]
    assert told.fold.had == {}
    told.note(START_NOTE, settings={"language": "de"})
    told.note(WISH_SETTINGS_NOTE, **sets(6))
    assert told.fold.taken["settings"]["before"] == {"language": "de"}
    assert told.fold.taken["settings"]["starts"] == [], "it had something else in force"


def test_what_a_table_plays_by_its_own_file_is_what_it_had_before_a_wish_for_the_same() -> None:
    """What it had before a start of long ago was brought back."""
    told = Told()
    for book, starts in (("onyx-cash", 2), ("star", 6)):
        for _ in range(starts):
            told.wall += 100.0
            told.note(START_NOTE, settings={})
            told.opens(book)
    taken = told.rolled(5, "star")
    assert [one.held.rulebook for one in taken.starts if isinstance(one.held, BookPlay)] == ["onyx-cash", "star"]
    assert had_book(taken, approved=told.wall + 50.0) == "star"
    assert had_book(taken, approved=250.0) == "onyx-cash", "the start that brought it lies behind the approval"
    assert had_book(taken, approved=350.0) == "star"
    told.wall += 1000.0
    told.note(START_NOTE, settings={})
    told.opens("third")
    assert had_book(told.rolled(6, "third"), approved=told.wall - 50.0) == "star"


def test_a_start_says_itself_which_wish_it_had() -> None:
    told = Told()
    told.note(START_NOTE, settings={}, wishes={})
    told.opens("onyx-cash")
    told.note(START_NOTE, settings={}, wishes={"book": 4})
    told.opens("third")
    told.note(START_NOTE, settings={}, wishes={"book": 5})
    told.opens("star")
    told.note(START_NOTE, settings={}, wishes={"book": 5})
    told.note(START_NOTE, settings={}, wishes={"book": "5"})
    assert told.fold.unread == 1
    kept = Fold.from_text(told.fold.to_text())
    assert [one["number"] for one in kept.had["book"]] == [4, 5, 5]
    taken = told.rolled(5, "star")
    for approved in (0.0, 1e9):
        assert had_book(taken, approved) == "third", "whatever the table's clock says"
    assert had_book(replace(taken, number=6), 0.0) == "star", "it was so by the table's own file"


def had_book(taken: TakenWish, approved: float) -> str:
    """What `back` brings, of a wish that was approved then."""
    had = taken.had(
        [Step(1, StepKind.STOPPED, "", "", "", at=0.0), Step(1, StepKind.APPROVED, "", "", "", at=approved)]
    )
    assert isinstance(had, BookPlay)
    return had.rulebook


@pytest.mark.parametrize(
    ("taken", "of"),
    [
        (
            TakenWish(1, {"rulebook": NEW.rulebook, "digest": NEW.digest, "options": {"blinds": [200, 400]}}, OLD),
            wish(),
        ),
        (TakenWish(1, {"language": "de"}, None), replace(wish(), settings={"7": TableSettings({"language": "de"})})),
        (TakenWish(1, {"version": "0.11.0"}, None), replace(wish(), plays={}, version="0.11.0")),
    ],
)
def test_a_wish_of_the_same_number_of_another_floor_is_another_wish(taken: TakenWish, of: Wish) -> None:
    now = TableNow(reached=True, play=OLD, taken={of.kind: taken})
    of = replace(of, number=1)
    assert now.took(of, "7") == taken
    assert now.took(replace(of, number=2), "7") is None
    assert TableNow(reached=True, play=OLD).took(of, "7") is None
    other: dict[str, Any] = dict.fromkeys(taken.said, "another") | (
        {"options": {}} if of.plays and not of.settings else {}
    )
    assert replace(now, taken={of.kind: replace(taken, said=other)}).took(of, "7") is None


def test_what_a_start_has_in_force_already_was_not_there_before_the_wish() -> None:
    third = replace(OLD, rulebook="third")
    here = TableNow(reached=True, play=NEW, had={WishKind.BOOK: (HeldBefore(90.0, third), HeldBefore(110.0, OLD))})
    steps = [Step(1, StepKind.APPROVED, "ben", "ben", "seen", at=100.0)]
    assert here.as_before(wish(), steps, "7") == OLD
    assert here.as_before(wish(), [replace(steps[0], at=95.0 - 1.0)], "7") == third, "clocks may differ so far"
    assert here.as_before(wish(), [replace(steps[0], at=200.0)], "7") == NEW, "it was so before anybody approved it"
    assert replace(here, play=third).as_before(wish(), steps, "7") == third
    assert replace(here, had={}).as_before(wish(), steps, "7") == NEW


def took(floor: Floor, number: int, before: BookPlay | None) -> None:
    """The table's record has the wish now."""
    line = floor.book.line("7")
    assert line is not None
    said = {"rulebook": NEW.rulebook, "digest": NEW.digest, "options": dict(NEW.options)}
    had = None if before is None else {"rulebook": before.rulebook, "digest": before.digest, "options": {}}
    line.fold.taken = {"book": {"number": number, "said": said, "before": had, "starts": []}}


def test_a_wish_whose_answer_was_lost_is_known_by_the_record_and_not_sent_again() -> None:
    async def work() -> None:
        floor = Floor("7")
        number = await floor.wished("7", hold=0.0)
        took(floor, number, OLD)
        await floor.look()
        assert (await floor.wishing.shown(EVERYTHING))[0].stage == "proposed", "nobody has approved it"
        await floor.approved(number)
        floor.tables.plays("7", NEW)
        assert stands(await floor.look()) == {"7": "taken"} or floor.tables.orders == []
        await floor.look(1.0)
        assert floor.tables.orders == []
        [(_, steps)] = await floor.engine.wishes.all(9)
        assert [one.kind for one in steps][:2] == [StepKind.APPROVED, StepKind.TAKEN]
        back = await floor.wishing.back(WishBack(number, LEA, "as it was"), EVERYTHING)
        [(made, _), _] = await floor.engine.wishes.all(9)
        assert (made.number, made.plays["7"].rulebook) == (back.number, OLD.rulebook)

    asyncio.run(work())


def test_what_held_before_comes_from_the_record_where_the_answer_is_not_its_next_entry() -> None:
    """Another wish lay between what the floor had and this one: `back` brought what was before both."""

    async def work() -> None:
        floor = Floor("7")
        number = await floor.wished("7", hold=0.0)
        await floor.approved(number)
        floor.tables.more = 1
        await floor.look()
        with pytest.raises(CommandRefused, match="no table has taken"):
            await floor.wishing.back(WishBack(number, LEA, "as it was"), EVERYTHING)
        assert await words_of_taken(floor) == [""]
        took(floor, number, None)
        await floor.look(1.0)
        assert await words_of_taken(floor) == [""], "the record does not know it either, and is not told for ever"
        took(floor, number, replace(OLD, rulebook="between"))
        floor.tables.plays("7", NEW)
        for _ in range(3):
            assert stands(await floor.look(1.0)) == {"7": "held"}
        assert [json.loads(words)["rulebook"] for words in (await words_of_taken(floor))[1:]] == ["between"]
        assert floor.tables.asked == ["7"]
        await floor.wishing.back(WishBack(number, LEA, "as it was"), EVERYTHING)
        [(made, _), _] = await floor.engine.wishes.all(9)
        assert made.plays["7"].rulebook == "between"

    asyncio.run(work())


def test_what_held_before_is_what_is_folded_where_the_answer_is_the_next_entry_of_that_journal() -> None:
    async def work() -> None:
        for journal, before in ((b"", [OLD.rulebook]), (b"new card", [])):
            floor = Floor("7")
            line = floor.book.line("7")
            assert line is not None
            line.journal = journal
            await floor.approved(await floor.wished("7", hold=0.0))
            await floor.look()
            told = await words_of_taken(floor)
            assert [json.loads(words)["rulebook"] for words in told if words] == before

    asyncio.run(work())


def test_a_table_is_sent_no_second_wish_while_one_is_on_its_way() -> None:
    """Both came in one go, and what was before the first was known to nobody."""

    async def work() -> None:
        floor = Floor("7", "8")
        floor.tables.answers.clear()
        first = await floor.wished("7", hold=0.0)
        await floor.approved(first)
        await floor.rolling.look()
        await asyncio.sleep(0)
        later = await floor.wished("7", hold=0.0)
        await floor.approved(later)
        await floor.rolling.look()
        await asyncio.sleep(0)
        assert floor.tables.asked == ["7"]
        floor.tables.answers.set()
        await floor.rolling.asked()
        took(floor, first, OLD)
        await floor.look(1.0)
        assert floor.tables.asked == ["7", "7"]

    asyncio.run(work())


class WaitsForNoRow(Rolling):
    """A floord that sends a wish while the row of the one before it is on its way."""

    def _lately_taken(self, kept: Sequence[tuple[Wish, Sequence[Step]]]) -> Governs:
        return {}


class WaitsForNothingTold(Rolling):
    """A floord that sends a wish before it has said what the record tells of the one before it."""

    def _tells_more(self, kept: Sequence[tuple[Wish, list[Step]]], kind: WishKind, table: str) -> bool:
        return False


@pytest.mark.parametrize(
    ("floord", "asked"), [(Rolling, (0, 0, 1)), (WaitsForNoRow, (1, 1, 1)), (WaitsForNothingTold, (0, 1, 1))]
)
def test_what_held_before_a_wish_is_said_before_another_floord_sends_the_next_one(
    floord: type[Rolling], asked: tuple[int, ...]
) -> None:
    """The record tells what held before its last wish alone: `back` of the one before brought nothing back.

    The first floord had an answer that was no next entry; the second one has the table before the row comes.
    """

    async def work() -> None:
        floor, answer = Floor("7"), Tables.order
        first = await floor.wished("7", hold=0.0)
        await floor.approved(first)
        floor.tables.more = 1
        await floor.look()
        later = await floor.wished("7", hold=0.0)
        await floor.approved(later)
        sent: list[str] = []

        async def order(table: str, order: str) -> Ordered:
            sent.append(order)
            took(floor, later, NEW)  # its row is there at once, and with it that of the first one
            return await answer(floor.tables, table, order)

        floor.tables.order = order  # type: ignore[method-assign]
        floor.rolling = floord(floor.engine, floor.tables, floor.book, lambda: floor.now)
        await floor.look(1.0)
        looked = [len(sent)]
        if not sent:
            took(floor, first, OLD)
        for _ in range(2):
            await floor.look(1.0)
            looked.append(len(sent))
        assert tuple(looked) == asked
        steps = next(steps for wish, steps in await floor.engine.wishes.all(9) if wish.number == first)
        assert any(one.words for one in steps if one.kind is StepKind.TAKEN) == (floord is Rolling)

    asyncio.run(work())


async def words_of_taken(floor: Floor) -> list[str]:
    """What the floor keeps that the table had before the last wish, each time that it took it."""
    [(_, steps), *_] = await floor.engine.wishes.all(9)
    return [one.words for one in steps if one.kind is StepKind.TAKEN]


def test_a_table_that_took_what_was_stopped_on_its_way_goes_back_too() -> None:
    async def work() -> None:
        floor = Floor("7")
        number = await floor.wished("7")
        await floor.wishing.say(SaidToWish(number, False, LEA, "not now"), EVERYTHING)
        took(floor, number, None)
        await floor.look()
        [(_, steps)] = await floor.engine.wishes.all(9)
        assert [one.kind for one in steps] == [StepKind.STOPPED], "nobody had approved it, so it was never sent"
        second = await floor.wished("7")
        await floor.approved(second)
        await floor.wishing.say(SaidToWish(second, False, LEA, "not now"), EVERYTHING)
        took(floor, second, None)
        await floor.look()
        [(_, steps), _] = await floor.engine.wishes.all(9)
        assert [(one.kind, one.words) for one in steps][-1] == (StepKind.TAKEN, "")

    asyncio.run(work())


def test_a_table_is_sent_nothing_while_nobody_knows_what_became_of_something_else_there() -> None:
    async def work() -> None:
        floor = Floor("7")
        await floor.approved(await floor.wished("7"))
        left = Ordered("ab" * 16, "7", b"", 0, 0.0, "{}")
        await floor.tables._engine.add_order(left)
        await floor.tables.load()
        await floor.look()
        assert floor.tables.orders == []
        await floor.tables._settle(left)
        await floor.look(1.0)
        assert floor.tables.asked == ["7"]

    asyncio.run(work())


def test_a_second_order_that_is_refused_says_nothing_of_a_wish_that_was_taken() -> None:
    async def work() -> None:
        floor = Floor("7")
        number = await floor.wished("7")
        await floor.approved(number)
        floor.tables.refuse["7"] = "a round goes on"
        answers = floor.tables.order

        async def order(table: str, order: str) -> Ordered:
            took(floor, number, OLD)
            return await answers(table, order)

        floor.tables.order = order  # type: ignore[method-assign]
        await floor.look()
        [(_, steps)] = await floor.engine.wishes.all(9)
        assert [one.kind for one in steps] == [StepKind.APPROVED]

    asyncio.run(work())
