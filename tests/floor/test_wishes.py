"""Wishes: two persons, one table first, the others when that has held it, and the way back."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.custody.messages import Result
from feltd.door import CommandRefused, Person
from feltd.door.pit.wishes import NewWish, SaidToWish, WishBack, WishShown
from feltd.door.wire.codec import parse
from feltd.door.wishing import AHEAD_MOST, COUNTED_EVERY, COUNTED_FROM, HEADROOM, BookPlay, farthest
from feltd.floor.commanding import Desk
from feltd.floor.engine import Engine, Ordered
from feltd.floor.folding import DIGEST_MOST, Fold
from feltd.floor.groups import EVERYTHING, Sight, SightKind, SightRow
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_record import OwnRecord
from feltd.floor.pit_book import Line, PitBook
from feltd.floor.postgres import PostgresEngine
from feltd.floor.postgres_wishes import PostgresWishes
from feltd.floor.rolling import AGAIN_AFTER, ROWS_COME_WITHIN, Rolling
from feltd.floor.wishes import (
    AWAY,
    OF_PEOPLE,
    Holds,
    MemoryWishes,
    Said,
    Stage,
    Step,
    StepKind,
    TableNow,
    Wish,
    Wishes,
    WishKind,
    first_of,
    governing,
    held_before,
    holds,
    last_of,
    number_behind,
    said_to,
    stage_of,
)
from feltd.floor.wishing import Wishing
from feltd.record.entries import Row, encode
from tests.floor.conftest import as_owner, emptied
from tests.floor.postgres_support import Server

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]
OLD = BookPlay("tas-2018-holdem", "aa" * 32, {"blinds": [100, 200]})
NEW = BookPlay("onyx-cash", "bb" * 32, {"blinds": [200, 400]})
LEA, BEN = (Person(name.title(), name, "director", "10.30.0.5") for name in ("lea", "ben"))


def wish(*tables: str, canary: str = "7", number: int = 0) -> Wish:
    names = tables or ("7", "8", "9")
    return Wish(names, canary, 60.0, dict.fromkeys(names, NEW), "Lea", "lea", "from Monday on", number=number)


def step(kind: StepKind, who: str = "ben", table: str = "", words: str = "seen", number: int = 1) -> Step:
    return Step(number, kind, who, who, words, table)


# ---- the law


def test_who_wished_it_does_not_approve_it_and_each_thing_is_said_once(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        kept = floor.wishes
        number = await kept.add(wish())
        for kind in (StepKind.TAKEN, StepKind.HELD, StepKind.RELEASED, StepKind.REFUSED):
            assert await kept.say(step(kind, table="7", number=number)) is Said.OVER, "nobody has approved it"
        for own in ("lea", "lea token 1a2b3c4d"):
            assert await kept.say(step(StepKind.APPROVED, own, number=number)) is Said.SAME_PERSON
        assert await kept.say(step(StepKind.APPROVED, number=number)) is Said.DONE
        assert await kept.say(step(StepKind.APPROVED, "eva", number=number)) is Said.OVER
        assert await kept.say(step(StepKind.TAKEN, "7", "7", "{}", number)) is Said.DONE
        assert await kept.say(step(StepKind.STOPPED, "lea", number=number)) is Said.DONE
        for kind in set(StepKind) - {StepKind.TAKEN}:
            assert await kept.say(step(kind, "eva", number=number)) is Said.OVER
        late = step(StepKind.TAKEN, "8", "8", "{}", number)
        assert await kept.say(late) is Said.DONE, "it was on its way"
        assert await kept.say(step(StepKind.APPROVED, number=number + 7)) is Said.UNKNOWN
        second = await kept.add(replace(wish("8"), canary="", back_of=number))
        [(latest, none), (first, steps)] = await kept.all(9)
        assert (latest.number, latest.back_of, none) == (second, number, [])
        assert replace(first, at=0.0, number=0) == wish()
        kinds = [StepKind.APPROVED, StepKind.TAKEN, StepKind.STOPPED, StepKind.TAKEN]
        assert [one.kind for one in steps] == kinds
        assert (steps[1].table, steps[1].words, first.at > 0, steps[1].at > 0) == ("7", "{}", True, True)
        assert len(await kept.all(1)) == 1
        assert await kept.all(9) == await kept.all(9), "what is known is not sent again"
        if isinstance(kept, PostgresWishes):  # another database, which counts the same numbers
            kept._known = {one: replace(known, at=0.0, plays={}) for one, known in kept._known.items()}
            assert [known.plays for known, _ in await kept.all(9)] == [{"8": NEW}, first.plays]
        await kept.add(replace(wish(), plays={}, version="0.9.0"))
        [(newest, _)] = await kept.all(1)
        stopped = step(StepKind.STOPPED, "eva", number=newest.number)
        assert await kept.say(stopped) is Said.DONE
        unwanted = replace(late, wish=newest.number)
        assert await kept.say(unwanted) is Said.OVER, "nobody had approved it"
        assert (newest.kind, newest.version, newest.plays) == (WishKind.VERSION, "0.9.0", {})

    engine(work)


def test_a_number_is_above_all_that_is_known_and_passes_with_time(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        first = await floor.wishes.add(wish())
        assert await floor.wishes.add(wish(), first - 1) == first + 1
        assert await floor.wishes.add(wish(), first + 70) == first + 71, "a table's record names a later one"
        at_once = await asyncio.gather(*(floor.wishes.add(wish()) for _ in range(3)))
        assert sorted(at_once) == [first + 72, first + 73, first + 74]

    engine(work)
    assert number_behind(0, COUNTED_FROM - 1.0) == 1
    assert number_behind(0, COUNTED_FROM + 7 * COUNTED_EVERY) == 7
    assert number_behind(7, COUNTED_FROM + 7 * COUNTED_EVERY) == 8


def test_a_wish_that_was_numbered_by_a_wrong_clock_is_counted_on_from_by_no_other(postgres: Server) -> None:
    far = number_behind(0, time.time()) + AHEAD_MOST + 10

    async def counts(floor: Engine) -> int:
        assert await floor.wishes.add(wish(), far - 1) == far, "as a clock that was two years ahead had it"
        return await floor.wishes.add(wish())

    async def work() -> None:
        assert await counts(MemoryEngine(time.time)) < far
        engine = await PostgresEngine.open(postgres.address("floord"))
        try:
            assert await counts(engine) < far
        finally:
            await engine.close()
            await emptied(postgres)

    asyncio.run(work())


def test_a_floor_that_an_older_floord_writes_to_counts_in_the_same_way(postgres: Server) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(postgres.address("floord"))
        try:
            ask = "SELECT floor.add_wish(ARRAY['7'], '', 0, '{}', NULL, 'Lea', 'lea', 'now', '')"
            first = await connection.fetchval(ask)
            assert (first > number_behind(0, time.time()) - 5, await connection.fetchval(ask)) == (True, first + 1)
        finally:
            await connection.close()

    asyncio.run(work())


def test_nothing_of_it_is_changed_afterwards_and_floord_can_do_no_more_than_say(postgres: Server) -> None:
    async def work() -> None:
        for statement in ("UPDATE floor.wish SET who = 'x'", "DELETE FROM floor.wish_step"):
            with pytest.raises(asyncpg.PostgresError):
                await as_owner(postgres, statement)
        connection = await asyncpg.connect(postgres.address("floord"))
        try:
            for table in ("wish", "wish_step"):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await connection.execute(f"SELECT * FROM floor.{table}")
        finally:
            await connection.close()

    asyncio.run(work())


STEPS = st.builds(
    step,
    st.sampled_from(StepKind),
    st.sampled_from(["lea", "ben", "eva"]),
    st.sampled_from(["", "7", "8"]),
    st.sampled_from(["", "words"]),
)


@given(st.lists(STEPS, max_size=12))
def test_whatever_is_said_no_table_is_asked_before_a_second_person_has_approved(said: Sequence[Step]) -> None:
    one, steps = wish("7", "8"), list[Step]()
    for said_step in said:
        if said_to(one, steps, said_step) is Said.DONE:
            steps.append(said_step)
    one = replace(one, number=1)
    here = TableNow(reached=True, play=OLD)
    approved = any(item.kind is StepKind.APPROVED and item.account != "lea" for item in steps)
    stage = stage_of(one, steps)
    governs = governing([(one, steps)])
    asked = {table for table in one.tables if holds(one, steps, table, here, governs) in {Holds.WISHED, Holds.REFUSED}}
    assert approved or not asked
    assert not asked or stage in {Stage.CANARY, Stage.ROLLING}
    assert stage is not Stage.CANARY or asked <= {"7"}, "the others wait for the canary"
    assert sum(item.kind in OF_PEOPLE for item in steps) <= 2


def test_how_a_table_stands_to_a_wish() -> None:
    one = wish(number=1)
    yes, taken, released = step(StepKind.APPROVED), step(StepKind.TAKEN, "7", "7"), step(StepKind.RELEASED, "floord")
    no = step(StepKind.REFUSED, "8", "8")
    old, new = TableNow(reached=True, play=OLD), TableNow(reached=True, play=NEW)
    its = {(WishKind.BOOK, table): 1 for table in one.tables}
    assert holds(one, [], "7", old, {}) is Holds.WAITS
    assert [holds(one, [yes], table, old, its) for table in ("7", "8")] == [Holds.WISHED, Holds.WAITS]
    assert holds(one, [yes, taken], "7", old, its) is Holds.TAKEN
    assert holds(one, [yes, taken], "7", new, its) is Holds.HELD
    assert holds(one, [yes, taken], "7", replace(new, reached=False), its) is Holds.HELD, "by what it said last"
    held = [yes, taken, step(StepKind.HELD, "7", "7")]
    assert [holds(one, held, "7", now, its) for now in (new, old, AWAY)] == [Holds.HELD, Holds.LEFT, Holds.AWAY]
    assert holds(one, [yes, taken], "7", AWAY, its) is Holds.AWAY
    assert holds(one, [yes, taken, released], "8", old, its) is Holds.WISHED
    assert holds(one, [yes, taken, released], "8", new, its) is Holds.WISHED, "it must take it, or a start undoes it"
    assert holds(one, [yes, taken, released, no], "8", old, its) is Holds.REFUSED
    assert holds(one, [yes, taken, released], "8", AWAY, its) is Holds.AWAY
    assert holds(one, [yes, taken], "7", new, {**its, (WishKind.BOOK, "7"): 2}) is Holds.REPLACED
    stopped = [yes, taken, step(StepKind.STOPPED)]
    assert holds(one, stopped, "8", old, {}) is Holds.STOPPED
    other = wish("7", "8", number=2)
    book, newer = WishKind.BOOK, replace(wish("7", number=3), plays={}, version="0.9.0")
    assert governing([(newer, [yes]), (other, []), (one, [yes])]) == {
        (WishKind.VERSION, "7"): 3, (book, "7"): 1, (book, "8"): 1, (book, "9"): 1,
    }  # fmt: skip
    took = governing([(other, stopped), (one, [yes])])
    assert took == {(book, "7"): 2, (book, "8"): 1, (book, "9"): 1}, "it has taken what was stopped then"
    assert held_before([replace(taken, words="before"), replace(taken, words="itself")]) == {"7": "before"}
    assert last_of([taken, no], "9") is None
    again = step(StepKind.REFUSED, "7", "7", "a wish is taken once")
    assert last_of([again, taken, again], "7") is taken, "two floords had sent it"
    assert last_of([again, replace(again, words="no")], "7") == replace(again, words="no")


def test_a_later_wish_that_only_the_record_knows_holds_and_another_table_takes_a_wish_first() -> None:
    one, yes = wish("7", "8", "9", number=4), step(StepKind.APPROVED, number=4)
    book, here = WishKind.BOOK, TableNow(reached=True, play=OLD)
    governs = governing([(one, [yes])], lambda kind, table: 6 if (kind, table) == (book, "7") else 0)
    assert governs == {(book, "7"): 6, (book, "8"): 4, (book, "9"): 4}
    assert first_of(one, governs) == "8"
    stands = [holds(one, [yes], table, here, governs) for table in one.tables]
    assert stands == [Holds.REPLACED, Holds.WISHED, Holds.WAITS]
    assert first_of(replace(one, canary=""), governs) == ""
    assert first_of(one, dict.fromkeys(governs, 6)) == "7", "nobody takes it any more"


def test_what_a_table_is_made_of_is_no_part_of_the_game() -> None:
    assert NEW.is_as(replace(NEW, options={**NEW.options, "built": "board_only"}))
    assert not NEW.is_as(replace(NEW, options={}))
    assert not NEW.is_as(replace(NEW, digest="cc" * 32))


# ---- what a table plays, by its record


def entry(seq: int, name: str, body: str, book: bytes | None, answers: int | None = None) -> bytes:
    kind = "event" if answers is None else "output"
    return encode(Row(seq, kind, name, 1.0, 1.0, 2.0, 1, book, answers, None, None, None, body, None, None))


def test_the_record_says_what_is_played_also_after_a_refused_opening_and_another_text() -> None:
    fold, one, two = Fold(), b"\1" * 32, b"\2" * 32
    fold.take(entry(1, "table.open", '{"rulebook":"onyx-cash","options":{"rake":5}}', one))
    assert fold.play == {"rulebook": "onyx-cash", "digest": one.hex(), "options": {"rake": 5}}
    fold.take(entry(2, "table.open", '{"rulebook":"nothing"}', one))
    fold.take(entry(3, "error", '{"error":{"reason":"open already"}}', one, 2))
    assert fold.play == {"rulebook": "onyx-cash", "digest": one.hex(), "options": {"rake": 5}}
    fold.take(entry(4, "tick", "{}", two))
    assert Fold.from_text(fold.to_text()).play == {"rulebook": "onyx-cash", "digest": two.hex(), "options": {"rake": 5}}


def test_what_is_no_digest_of_a_book_is_not_read() -> None:
    """A table wrote one of some thousand bytes: the database took no word of its wish, and all wishes stood still."""
    fold = Fold()
    fold.take(entry(1, "table.open", '{"rulebook":"onyx-cash","options":{}}', b"\1" * (DIGEST_MOST + 1)))
    assert (fold.play, fold.unread) == (None, 1)
    fold.take(entry(2, "table.open", '{"rulebook":"star","options":{}}', b"\1" * DIGEST_MOST))
    fold.take(entry(3, "tick", "{}", b"\2" * 6000))
    assert (fold.play, fold.unread) == ({"rulebook": "star", "digest": "01" * DIGEST_MOST, "options": {}}, 2)


# ---- on their way


class Tables(Desk):
    """Tables that take what they are sent, or say why not."""

    def __init__(self, book: PitBook, *names: str) -> None:
        super().__init__(MemoryEngine(lambda: 0.0))
        self.book = book
        self.here = set(names)
        self.orders: list[tuple[str, str]] = []
        self.refuse: dict[str, str] = {}
        self.silent: set[str] = set()
        self.answers = asyncio.Event()
        self.answers.set()
        self.more = 0
        """Entries that a table's record has more than the floor, before it takes what it is sent."""
        for name in names:
            self.plays(name, OLD)

    def reaches(self, table: str) -> bool:
        return table in self.here

    async def order(self, table: str, order: str) -> Ordered:
        self.orders.append((table, order))
        entry = self.book._lines[table].fold.seq + self.more + 1
        await self.answers.wait()
        done = Ordered("0" * 32, table, b"", 0, 0.0, order, Result.DONE, entry, "")
        if table in self.silent:
            return replace(done, result=Result.NOT_KNOWN, words="silence")
        if table in self.refuse:
            return replace(done, result=Result.REFUSED, words=self.refuse[table])
        return done

    def plays(self, table: str, play: BookPlay) -> Line:
        """The table's record says that it plays this."""
        line = self.book._lines.setdefault(table, Line(table, b"", connections=1, told_head=True, head=0))
        line.fold.play = {"rulebook": play.rulebook, "digest": play.digest, "options": dict(play.options)}
        return line

    def alarm(self, table: str, since: float) -> None:
        self.book._lines[table].fold.alarms["x"] = {"kind": "device_offline", "device": "shoe", "since": since}

    @property
    def asked(self) -> list[str]:
        return [table for table, _ in self.orders]


class Floor:
    """A floor in memory, with its clock."""

    def __init__(self, *names: str) -> None:
        self.now = 1000.0
        self.engine = MemoryEngine(lambda: self.now)
        self.book = PitBook(self.engine, lambda: self.now)
        self.tables = Tables(self.book, *names)
        self.again()

    def again(self) -> None:
        """floord starts anew."""
        self.rolling = Rolling(self.engine, self.tables, self.book, lambda: self.now)
        self.wishing = Wishing(self.engine, self.rolling, OwnRecord(self.engine, lambda: self.now))

    async def look(self, seconds: float = 0.0) -> WishShown:
        """floord looks once, after so many seconds; the latest wish as it is then."""
        self.now += seconds
        await self.rolling.look()
        await self.rolling.asked()
        return (await self.wishing.shown(EVERYTHING))[0]

    async def wished(self, *tables: str, hold: float = 60.0) -> int:
        asked = NewWish(LEA, NEW, tables or ("7", "8"), (), "7", hold, "from Monday on")
        return (await self.wishing.wish(asked, EVERYTHING)).number

    async def approved(self, number: int) -> None:
        await self.wishing.say(SaidToWish(number, True, BEN, "seen"), EVERYTHING)


def stands(shown: WishShown) -> dict[str, str]:
    return {table.table: table.holds for table in shown.tables}


def test_one_table_takes_it_first_and_the_others_when_that_has_held_it_without_an_alarm() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        number = await floor.wished()
        assert (await floor.look()).stage == Stage.PROPOSED
        assert floor.tables.orders == []
        await floor.approved(number)
        await floor.look()
        [(table, order)] = floor.tables.orders
        sent = parse(order.encode())
        assert (table, sent["person"]["account"], sent["wish"]["number"]) == ("7", "lea", number)
        assert sent["why"] == "wish 1, approved by ben: from Monday on"
        assert stands(await floor.look(100.0)) == {"7": "taken", "8": "waits"}, "a round goes on there"
        floor.tables.plays("7", NEW)
        shown = await floor.look(1.0)
        assert (stands(shown), shown.left) == ({"7": "held", "8": "waits"}, 60.0)
        assert (await floor.look(59.0)).left == 1.0
        floor.again()
        assert (await floor.look(30.0)).left == 60.0, "a floord that starts anew has not watched it"
        shown = await floor.look(60.0)
        assert (shown.stage, floor.tables.asked) == (Stage.ROLLING, ["7"])
        await floor.look(1.0)
        assert floor.tables.asked == ["7", "8"]
        floor.tables.plays("8", NEW)
        assert stands(await floor.look(1.0)) == {"7": "held", "8": "held"}
        assert floor.tables.asked == ["7", "8"], "who holds it is left alone"
        floor.tables.plays("8", OLD)
        assert stands(await floor.look(1.0)) == {"7": "held", "8": "left"}
        await floor.look(2 * AGAIN_AFTER)
        assert floor.tables.asked == ["7", "8"], "a person at the table has the last word"

    asyncio.run(work())


def test_a_wish_that_a_wrong_clock_has_numbered_holds_nowhere_and_keeps_no_later_one_back() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        right, wrong = floor.now, COUNTED_FROM + 3 * AHEAD_MOST * COUNTED_EVERY
        floor.now = wrong
        far = await floor.wished()
        floor.now = right
        with pytest.raises(CommandRefused, match=f"wish {far} has a number of another year: the clock of the floor's"):
            await floor.approved(far)
        floor.now = wrong
        await floor.approved(far)
        floor.now = right
        await floor.look()
        assert floor.tables.asked == []
        number = await floor.wished()
        await floor.approved(number)
        await floor.look()
        assert (number < far, floor.tables.asked) == (True, ["7"])
        wrong_there = floor.engine.wishes = MemoryWishes(lambda: wrong)
        with pytest.raises(CommandRefused, match="nothing was kept: the wish would have a number of another year"):
            await floor.wished()
        assert await wrong_there.all(9) == []

    asyncio.run(work())


def test_a_table_that_names_the_farthest_number_keeps_no_wish_back() -> None:
    """Its record may say anything: the next number was one too far, for all tables and for ever."""

    async def work() -> None:
        floor = Floor("7", "8")
        for ahead in (AHEAD_MOST, AHEAD_MOST - HEADROOM + 1):
            floor.book._lines["8"].fold.taken["version"] = {"number": farthest(floor.now) - AHEAD_MOST + ahead}
            assert await floor.wished("7") < HEADROOM
        floor.book._lines["8"].fold.taken["version"] = {"number": AHEAD_MOST - HEADROOM}
        assert await floor.wished("7") == AHEAD_MOST - HEADROOM + 1, "a clock may have been so wrong"

    asyncio.run(work())


def test_a_table_that_took_a_wish_of_another_year_is_given_the_next_one() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        far = {"number": farthest(floor.now) + 1, "said": {}, "before": None, "starts": []}
        floor.book._lines["7"].fold.taken["book"] = far
        await floor.approved(await floor.wished())
        await floor.look()
        assert floor.tables.asked == ["7"]

    asyncio.run(work())


def test_wishes_of_another_year_hide_no_other(postgres: Server) -> None:
    near = farthest(time.time())

    async def looks(kept: Wishes) -> None:
        first, far = await kept.add(wish(), 0, near), 0
        for _ in range(2):
            far = await kept.add(wish(), near + 1 + far)
        assert far > near
        assert await kept.add(wish(), near, near) == 0, "nothing is kept"
        assert [one.number for one, _ in await kept.all(2, near)] == [first, far]
        approval = await kept.say(step(StepKind.APPROVED, number=first))
        assert (approval, len((await kept.all(2, near))[0][1])) == (Said.DONE, 1), "its steps are read too"

    async def work() -> None:
        await looks(MemoryWishes(time.time))
        await emptied(postgres)
        engine = await PostgresEngine.open(postgres.address("floord"))
        try:
            await looks(engine.wishes)
        finally:
            await engine.close()
            await emptied(postgres)

    asyncio.run(work())


def test_an_alarm_at_the_first_table_stops_it_and_an_older_one_does_not() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        floor.tables.alarm("7", 900.0)
        number = await floor.wished()
        await floor.look()
        await floor.approved(number)
        await floor.look()
        floor.tables.plays("7", NEW)
        assert (await floor.look(1.0)).left == 60.0, "it stood before"
        floor.tables.alarm("7", floor.now)
        shown = await floor.look(1.0)
        assert (shown.stage, shown.stopped) == (Stage.STOPPED, "floord")
        assert "at 7, which takes it first: device_offline shoe" in shown.stopped_why
        await floor.look(500.0)
        assert floor.tables.asked == ["7"]

    asyncio.run(work())


def test_a_floord_that_was_away_knows_an_alarm_by_its_time() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        number = await floor.wished()
        await floor.approved(number)
        await floor.look()
        floor.tables.plays("7", NEW)
        floor.now += 10.0
        floor.tables.alarm("7", floor.now)
        floor.again()
        assert (await floor.look(1.0)).stage == Stage.STOPPED

    asyncio.run(work())


def test_the_time_begins_anew_when_the_first_table_was_away() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        await floor.approved(await floor.wished())
        await floor.look()
        line = floor.tables.plays("7", NEW)
        await floor.look(1.0)
        line.connections = 0
        assert (await floor.look(100.0)).left is None
        line.connections = 1
        assert (await floor.look(1.0)).left == 60.0

    asyncio.run(work())


def test_who_refuses_is_asked_again_later_and_told_once_who_is_away_when_it_is_here() -> None:
    async def work() -> None:
        floor = Floor("7")
        floor.tables.refuse["7"] = "this table has no rulebook onyx-cash"
        await floor.approved(await floor.wished("7", "8", hold=0.0))
        shown = await floor.look()
        assert (shown.tables[0].holds, shown.tables[0].words) == ("refused", "this table has no rulebook onyx-cash")
        await floor.look(AGAIN_AFTER - 1.0)
        assert floor.tables.asked == ["7"]
        await floor.look(2.0)
        assert floor.tables.asked == ["7", "7"]
        [(_, steps)] = await floor.engine.wishes.all(9)
        assert [one.kind for one in steps] == [StepKind.APPROVED, StepKind.REFUSED]
        floor.tables.refuse.clear()
        await floor.look(AGAIN_AFTER + 1.0)
        floor.tables.plays("7", NEW)
        await floor.look(1.0)
        assert stands(await floor.look(1.0)) == {"7": "held", "8": "away"}
        floor.tables.here.add("8")
        floor.tables.plays("8", OLD)
        floor.tables.silent.add("8")
        await floor.look(1.0)
        await floor.look(1.0)
        assert floor.tables.asked[-2:] == ["8", "8"], "silence is asked again: it is the same wish"

    asyncio.run(work())


def test_where_a_later_wish_holds_for_the_first_table_another_one_takes_it_first() -> None:
    async def work() -> None:
        floor = Floor("7", "8", "9")
        number = await floor.wished("7", "8", "9")
        await floor.approved(number)
        await floor.look()
        floor.tables.plays("7", NEW)
        await floor.look(1.0)
        await floor.look(30.0)
        later = await floor.wished("7")
        await floor.approved(later)
        await floor.look(1.0)
        assert floor.tables.asked == ["7", "7", "8"]
        floor.tables.plays("8", NEW)
        await floor.look(1.0)
        shown = next(one for one in await floor.wishing.shown(EVERYTHING) if one.number == number)
        assert (shown.canary, shown.left) == ("8", 60.0)
        assert stands(shown) == {"7": "replaced", "8": "held", "9": "waits"}
        await floor.look(60.0)
        await floor.look(1.0)
        assert floor.tables.asked == ["7", "7", "8", "9"]
        [_, (_, steps)] = await floor.engine.wishes.all(9)
        assert [one.words for one in steps if one.kind is StepKind.RELEASED] == [
            "8 has held it for 60 s, and no alarm has come there"
        ]

    asyncio.run(work())


def test_a_wish_for_whose_tables_later_ones_hold_waits_and_asks_nobody() -> None:
    async def work() -> None:
        floor = Floor("7")
        first = await floor.wished("7")
        await floor.approved(first)
        await floor.approved(await floor.wished("7"))
        await floor.look()
        assert floor.tables.asked == ["7"]
        assert floor.rolling.left((await floor.engine.wishes.all(9))[1][0]) is None

    asyncio.run(work())


def test_a_floor_that_was_put_back_gives_no_wish_that_a_later_one_had_replaced() -> None:
    async def work() -> None:
        floor = Floor("7")
        await floor.approved(await floor.wished("7"))
        line = floor.tables.plays("7", OLD)
        said = {"rulebook": OLD.rulebook, "digest": OLD.digest, "options": dict(OLD.options)}
        line.fold.taken["book"] = {"number": 9, "said": said, "before": None, "starts": []}
        assert stands(await floor.look()) == {"7": "replaced"}
        assert floor.tables.asked == []
        anew = await floor.wished("7")
        assert anew == 10
        await floor.approved(anew)
        await floor.look()
        assert floor.tables.asked == ["7"]
        line.fold.taken["book"]["number"] = 2**31 - 1
        assert await floor.wished("7") == 11, "no table that lies uses up the numbers"

    asyncio.run(work())


def test_back_is_another_wish_with_another_person_and_what_each_table_played_before() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        with pytest.raises(CommandRefused, match="no wish 1"):
            await floor.wishing.back(WishBack(1, LEA, "as it was"), EVERYTHING)
        number = await floor.wished()
        with pytest.raises(CommandRefused, match="no table has taken"):
            await floor.wishing.back(WishBack(number, LEA, "as it was"), EVERYTHING)
        await floor.approved(number)
        await floor.look()
        floor.tables.plays("7", NEW)
        await floor.wishing.say(SaidToWish(number, False, LEA, "players complain"), EVERYTHING)
        back = await floor.wishing.back(WishBack(number, LEA, "as it was"), EVERYTHING)
        assert (back.tables, back.canary) == (("7",), "")
        with pytest.raises(CommandRefused, match="second person"):
            await floor.wishing.say(SaidToWish(back.number, True, LEA, "hurry"), EVERYTHING)
        await floor.approved(back.number)
        await floor.look()
        assert len(floor.tables.orders) == 1, "the row of the first one is on its way: what the table has is not known"
        await floor.look(ROWS_COME_WITHIN)
        assert parse(floor.tables.orders[-1][1].encode())["wish"]["play"]["rulebook"] == OLD.rulebook
        floor.tables.plays("7", OLD)
        shown = await floor.look(1.0)
        assert (shown.back_of, stands(shown)) == (number, {"7": "held"})

    asyncio.run(work())


def test_people_wish_for_the_tables_that_they_see_and_what_they_say_is_in_the_floors_record() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        row = SightRow(SightKind.GROUP, "pit 2", ("8", "7"), False, "berg", "room 2")
        await floor.engine.groups.set(row)
        good = NewWish(LEA, NEW, (), ("pit 2",), None, 60.0, "from Monday on")
        seven = Sight(frozenset({"7"}))
        for wrong, sight, words in (
            (good, seven, "none of the tables"),
            (replace(good, groups=("pit 3",)), EVERYTHING, "no group"),
            (replace(good, groups=()), EVERYTHING, "1 to 1000"),
            (replace(good, tables=("no/name",)), EVERYTHING, "name"),
            (replace(good, canary="9"), EVERYTHING, "takes it first"),
            (replace(good, hold=-1.0), EVERYTHING, "a week"),
            (replace(good, why=" x "), EVERYTHING, "3 to 300"),
            (replace(good, play=replace(NEW, digest="b")), EVERYTHING, "64 hexadecimal"),
            (replace(good, play=replace(NEW, rulebook="")), EVERYTHING, "1 to 64"),
            (replace(good, play=replace(NEW, options={"built": "no_shoe"})), EVERYTHING, "made of"),
            (replace(good, play=replace(NEW, options={"x": "y" * 5000})), EVERYTHING, "longer"),
            (replace(good, person=replace(LEA, account="x" * 99)), EVERYTHING, "printable"),
        ):
            with pytest.raises(CommandRefused, match=words):
                await floor.wishing.wish(wrong, sight)
        made = await floor.wishing.wish(good, EVERYTHING)
        assert (made.tables, made.canary) == (("7", "8"), "7")
        assert await floor.wishing.shown(seven) == ()
        with pytest.raises(CommandRefused, match="no wish 1"):
            await floor.wishing.say(SaidToWish(1, True, BEN, "seen"), seven)
        await floor.approved(1)
        with pytest.raises(CommandRefused, match="already"):
            await floor.approved(1)
        [own] = [kept for kept in floor.engine.journals.values() if kept.table == "(floor)"]
        assert len(own.batches) == 3, "the wish, and what was said to it, also what was refused"

    asyncio.run(work())


def test_a_version_is_held_by_what_the_table_says_that_it_runs_and_alarms_of_its_start_are_none() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        asked = NewWish(LEA, None, ("7", "8"), (), "7", 60.0, "case 4711", "0.9.0")
        for wrong in (replace(asked, version=""), replace(asked, version="9"), replace(asked, play=NEW)):
            with pytest.raises(CommandRefused, match="version of feltd"):
                await floor.wishing.wish(wrong, EVERYTHING)
        number = (await floor.wishing.wish(asked, EVERYTHING)).number
        await floor.approved(number)
        await floor.look()
        [(table, order)] = floor.tables.orders
        sent = parse(order.encode())
        assert (table, sent["version"], "wish" in sent) == ("7", {"number": number, "version": "0.9.0"}, False)
        assert stands(await floor.look(3600.0)) == {"7": "taken", "8": "waits"}
        floor.tables.alarm("7", floor.now)
        assert (await floor.look(1.0)).stage == Stage.CANARY, "it was started again for it"
        floor.tables.plays("7", OLD).fold.software = "0.9.0"
        shown = await floor.look(1.0)
        assert (stands(shown), shown.tables[0].runs, shown.left) == ({"7": "held", "8": "waits"}, "0.9.0", 60.0)
        floor.again()
        assert (await floor.look(1.0)).left == 60.0
        await floor.look(60.0)
        await floor.look(1.0)
        assert floor.tables.asked == ["7", "8"]
        with pytest.raises(CommandRefused, match="older than what it runs"):
            await floor.wishing.back(WishBack(number, LEA, "as it was"), EVERYTHING)

    asyncio.run(work())


def test_the_record_says_which_version_runs() -> None:
    fold = Fold()
    note = '{"note":"feltd starts","software":"0.9.0"}'
    fold.take(encode(Row(1, "host", "note", None, 1.0, 2.0, 1, None, None, None, None, None, note, None, None)))
    assert Fold.from_text(fold.to_text()).software == "0.9.0"
