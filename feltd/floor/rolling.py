"""Wishes on their way to tables: to the canary, and when that has held one long enough, to the others.

The table's own record says what it plays. Nothing is remembered here that must outlive the process: a floord that
starts anew lets the canary hold the wish from the beginning.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from feltd.custody.errors import FloorAwayError
from feltd.custody.messages import Result
from feltd.door.commands import Person
from feltd.door.wire.codec import to_json
from feltd.door.wishing import (
    HEADROOM,
    BookPlay,
    TableSettings,
    WishedBook,
    WishedSettings,
    WishedVersion,
    farthest,
    is_too_far,
)
from feltd.floor.again import again_and_again
from feltd.floor.commanding import Desk
from feltd.floor.engine import Engine
from feltd.floor.pit_book import Line, PitBook
from feltd.floor.wishes import (
    Governs,
    HeldBefore,
    Holds,
    Said,
    Stage,
    Step,
    StepKind,
    TableNow,
    TakenWish,
    Wish,
    WishKind,
    first_of,
    governing,
    held_before,
    holds,
    is_approved,
    last_of,
    stage_of,
)

LOOK_EVERY: Final = 1.0
AGAIN_AFTER: Final = 300.0
"""Seconds before a table that refused, or did not answer, is asked again: somebody may have brought it the book."""
ROWS_COME_WITHIN: Final = 30.0
"""Seconds after a table's answer in which the row that it tells of comes."""
WISHES_LOOKED_AT: Final = 100
SENDING_MOST: Final = 16
"""Tables that are asked at once."""
FLOORD: Final = "floord"
_WHY_MOST: Final = 500
_log = logging.getLogger("feltd.floor")


@dataclass(slots=True)
class Watch:
    """What was seen of the `table` that takes a wish first.

    `before`: its alarms before it took the wish, None where nobody looked; `since`: when it was first seen to hold the
    wish, with no pause since, None while it does not.
    """

    table: str
    before: frozenset[str] | None = None
    since: float | None = None


@dataclass(slots=True)
class Asked:
    """Tables that are asked, or were. By wish and table."""

    tasks: dict[tuple[int, str], asyncio.Task[None]] = field(default_factory=dict)
    again: dict[tuple[int, str], float] = field(default_factory=dict)


class Rolling:
    """Rolls wishes out. Belongs to one loop, in which `run` must run."""

    def __init__(self, engine: Engine, desk: Desk, book: PitBook, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._desk = desk
        self._book = book
        self._clock = clock
        self._watches: dict[int, Watch] = {}
        self._asked = Asked()

    def now(self, table: str) -> TableNow:
        """A table as it is."""
        line = self._book.line(table)
        if line is None:
            return TableNow(self._desk.reaches(table), None)
        fold = line.fold
        taken = {WishKind(kind): _taken(WishKind(kind), one) for kind, one in fold.taken.items()}
        return TableNow(
            self._desk.reaches(table),
            None if fold.play is None else BookPlay(**fold.play),
            fold.software,
            None if fold.settings is None else TableSettings(fold.settings),
            taken,
            {WishKind(kind): _starts(WishKind(kind), starts) for kind, starts in fold.had.items()},
        )

    def on_record(self, kind: WishKind, table: str) -> int:
        """The number of the wish of a kind that a table took last, as its record says; 0 for none.

        One of another year is none: the table takes each wish behind it.
        """
        line = self._book.line(table)
        taken = None if line is None else line.fold.taken.get(kind.value)
        return 0 if taken is None or self.is_too_far(taken["number"]) else int(taken["number"])

    def highest(self) -> int:
        """The highest number of a wish that the record of any table names; 0 for none.

        A number that leaves no headroom is none: a table that names such a one would keep all wishes back.
        """
        numbers = (one["number"] for line in self._book.lines() for one in line.fold.taken.values())
        return max((number for number in numbers if number <= self.farthest() - HEADROOM), default=0)

    def farthest(self) -> int:
        """The highest number that a wish may have now, by this machine's clock."""
        return farthest(self._clock())

    def counted(self, kept: Iterable[tuple[Wish, list[Step]]]) -> list[tuple[Wish, list[Step]]]:
        """Those of the wishes whose number is of no other year."""
        return [(wish, steps) for wish, steps in kept if not self.is_too_far(wish.number)]

    def is_too_far(self, number: int) -> bool:
        """Whether a wish's number is of another year: it holds nowhere, or no later one would for years."""
        return is_too_far(number, self._clock())

    def left(self, wish: Wish) -> float | None:
        """Seconds for which the canary must still hold a wish; None where it does not hold it."""
        watch = self._watches.get(wish.number)
        return None if watch is None or watch.since is None else max(0.0, wish.hold - (self._clock() - watch.since))

    async def run(self) -> None:
        """Go on until cancelled. A database that is away is asked again."""
        await again_and_again(self.look, "wishes", LOOK_EVERY)

    async def look(self) -> None:
        """Look at every wish once: send what is due, and let the others have what the canary has held.

        Raises FloorAwayError.
        """
        found = await self._engine.wishes.all(WISHES_LOOKED_AT, self.farthest())
        kept = self.counted(found)
        governs, tables = governing(kept, self.on_record), _Tables(self.now)
        lately = self._lately_taken(kept)
        for wish, steps in kept:
            await asyncio.sleep(0)  # a hundred wishes for a thousand tables: these have their turn between two
            stage = stage_of(wish, steps)
            await self._by_the_records(wish, steps, stage)
            if stage is Stage.CANARY:
                await self._watch(wish, steps, governs)
            if stage not in {Stage.CANARY, Stage.ROLLING}:
                self._watches.pop(wish.number, None)
                continue
            for table in wish.tables:
                if governs[wish.kind, table] != wish.number:
                    continue  # a later one holds there
                stands = holds(wish, steps, table, tables[table], governs)
                is_due = stands in {Holds.WISHED, Holds.REFUSED}
                is_known = lately.get((wish.kind, table), 0) <= self.on_record(wish.kind, table)
                if is_due and is_known and not self._tells_more(kept, wish.kind, table):
                    self._ask(wish, steps, table)
                last = last_of(steps, table) if stands is Holds.HELD else None
                if last is not None and last.kind is StepKind.TAKEN:
                    await self._say(Step(wish.number, StepKind.HELD, table, table, "", table))

    async def _by_the_records(self, wish: Wish, steps: list[Step], stage: Stage) -> None:
        """Say of tables that they took a wish whose answer nobody got, and what they had before where no answer told.

        Their records have both. No version is brought back: what was before one is not asked for.
        """
        if stage is Stage.PROPOSED or not is_approved(steps):
            return
        took = {step.table for step in steps if step.kind is StepKind.TAKEN}
        told = took if wish.kind is WishKind.VERSION else held_before(steps)
        for table in wish.tables:
            taken = None if table in told else self._took_by_record(wish, table)
            before = None if taken is None else taken.had(steps)
            if before is not None or (taken is not None and table not in took):
                await self._took(wish, table, before)

    def _tells_more(self, kept: Sequence[tuple[Wish, list[Step]]], kind: WishKind, table: str) -> bool:
        """Whether a table's record tells of its last wish what nobody has said yet: the next one would hide it."""
        number = self.on_record(kind, table)
        for wish, steps in kept:
            if wish.number == number and wish.kind is kind and table in wish.tables:
                taken = None if table in held_before(steps) else self._took_by_record(wish, table)
                return is_approved(steps) and taken is not None and taken.had(steps) is not None
        return False

    def _lately_taken(self, kept: Sequence[tuple[Wish, list[Step]]]) -> Governs:
        """By kind and table, the number of the last wish that a table took, where its row may still be on its way.

        An answer comes before its row, and another floord may have got it. What a table has now, which `back` brings
        back, is not known before that row. One that does not come at all, of a card that is gone, is not waited for.
        """
        since = self._clock() - ROWS_COME_WITHIN
        took: Governs = {}
        for wish, steps in kept:
            for step in steps:
                if step.kind is StepKind.TAKEN and step.at > since:
                    key = wish.kind, step.table
                    took[key] = max(wish.number, took.get(key, 0))
        return took

    def _took_by_record(self, wish: Wish, table: str) -> TakenWish | None:
        """What the table's record says of this wish; None where it says nothing. The number alone costs little."""
        line = self._book.line(table)
        taken = None if line is None else line.fold.taken.get(wish.kind.value)
        return None if taken is None or taken["number"] != wish.number else self.now(table).took(wish, table)

    async def _took(self, wish: Wish, table: str, before: BookPlay | TableSettings | None) -> None:
        words = "" if before is None else to_json(before).decode()
        await self._say(Step(wish.number, StepKind.TAKEN, table, table, words, table))

    async def _watch(self, wish: Wish, steps: list[Step], governs: Governs) -> None:
        first = first_of(wish, governs)
        if governs.get((wish.kind, first)) != wish.number:
            return  # later ones hold for all its tables
        watch = self._watches.get(wish.number)
        if watch is None or watch.table != first:
            watch = self._watches[wish.number] = Watch(first)
        line = self._book.line(first)
        taken = next((one for one in steps if one.table == first and one.kind is StepKind.TAKEN), None)
        stands = holds(wish, steps, first, self.now(first), governs)
        starts = wish.kind is WishKind.VERSION and stands is not Holds.HELD  # alarms of a start on the way are none
        if line is None or taken is None or starts:
            watch.before, watch.since = None if line is None else frozenset(alarms_of(line)), None
            return
        if watch.before is None and wish.kind is WishKind.VERSION:  # it may have taken the wish days ago
            watch.before = frozenset(alarms_of(line))
        new = {
            words: since
            for words, since in alarms_of(line).items()
            if (words not in watch.before if watch.before is not None else since >= taken.at)
        }
        if new:
            words = f"at {first}, which takes it first: {sorted(new)[0].partition('@')[0].strip()}"
            await self._say(Step(wish.number, StepKind.STOPPED, FLOORD, FLOORD, words))
            return
        if stands is not Holds.HELD or not line.connections or not line.is_current:
            watch.since = None
            return
        watch.since = self._clock() if watch.since is None else watch.since
        if self._clock() - watch.since >= wish.hold:
            words = f"{first} has held it for {wish.hold:.0f} s, and no alarm has come there"
            await self._say(Step(wish.number, StepKind.RELEASED, FLOORD, FLOORD, words))

    def _ask(self, wish: Wish, steps: list[Step], table: str) -> None:
        key, asked, line = (wish.number, table), self._asked, self._book.line(table)
        if line is None or not line.is_current:  # what it plays now is what `back` brings back
            return
        if self._desk.unsettled(table) or self._took_by_record(wish, table) is not None:
            return  # it may have taken it: its record tells
        if any(sent == table for _, sent in asked.tasks):
            return  # of two that come in one go, the record tells only what was before the second
        if len(asked.tasks) >= SENDING_MOST or asked.again.get(key, 0.0) > self._clock():
            return
        asked.again[key] = self._clock() + AGAIN_AFTER
        task = asyncio.get_running_loop().create_task(self._sent(wish, steps, table), name="wish")
        asked.tasks[key] = task
        task.add_done_callback(lambda _: asked.tasks.pop(key, None))

    async def asked(self) -> None:
        """Wait until every table that is asked has answered, or has not."""
        await asyncio.gather(*self._asked.tasks.values())

    async def _sent(self, wish: Wish, steps: list[Step], table: str) -> None:
        before, behind = self.now(table).as_before(wish, steps, table), self._behind(table)
        try:
            done = await self._desk.order(table, order_of(wish, steps, table))
            if done.result is Result.DONE:  # an entry between may be another wish: then the record tells what was
                await self._took(wish, table, before if (done.journal, done.entry) == behind else None)
            elif done.result is Result.REFUSED and self._took_by_record(wish, table) is not None:
                pass  # another order has brought it there meanwhile
            elif done.result is Result.REFUSED and self._desk.reaches(table):
                last = last_of(steps, table)
                if last is None or (last.kind, last.words) != (StepKind.REFUSED, done.words):
                    await self._say(Step(wish.number, StepKind.REFUSED, table, table, done.words, table))
            else:
                self._asked.again.pop((wish.number, table), None)  # gone, or not known: asked when it is here
        except FloorAwayError as fault:
            self._asked.again.pop((wish.number, table), None)
            _log.debug("wish %d for %s: %s", wish.number, table, fault)

    def _behind(self, table: str) -> tuple[bytes, int] | None:
        """The table's journal, and the number of its entry next behind what is folded."""
        line = self._book.line(table)
        return None if line is None else (line.journal, line.fold.seq + 1)

    async def _say(self, step: Step) -> None:
        said = await self._engine.wishes.say(step)
        if said is Said.DONE:
            about = f" by {step.table}" if step.table else f": {step.words}"
            _log.info("wish %d is %s%s", step.wish, step.kind.value, about)


class _Tables(dict[str, TableNow]):
    """Tables as they are, each looked at once."""

    def __init__(self, now: Callable[[str], TableNow]) -> None:
        super().__init__()
        self._now = now

    def __missing__(self, table: str) -> TableNow:
        now = self[table] = self._now(table)
        return now


def _held(kind: WishKind, held: Mapping[str, Any]) -> BookPlay | TableSettings:
    """What held at a table, as its record says."""
    return BookPlay(**held) if kind is WishKind.BOOK else TableSettings(held)


def _taken(kind: WishKind, one: Mapping[str, Any]) -> TakenWish:
    before = one["before"]
    had = None if before is None else _held(kind, before)
    return TakenWish(one["number"], one["said"], had, _starts(kind, one["starts"]))


def _starts(kind: WishKind, starts: Sequence[Mapping[str, Any]]) -> tuple[HeldBefore, ...]:
    return tuple(HeldBefore(one["wall"], _held(kind, one["held"]), one["number"]) for one in starts)


def order_of(wish: Wish, steps: list[Step], table: str) -> str:
    """The order that a table is sent."""
    approved = next(step.account for step in steps if step.kind is StepKind.APPROVED)
    why = f"wish {wish.number}, approved by {approved}: {wish.why}"[:_WHY_MOST]
    person = Person(wish.account, wish.account, "floor", "floor")
    if wish.kind is WishKind.VERSION:
        return to_json({"person": person, "why": why, "version": WishedVersion(wish.number, wish.version)}).decode()
    if wish.kind is WishKind.SETTINGS:
        settings = WishedSettings(wish.number, wish.settings[table])
        return to_json({"person": person, "why": why, "settings": settings}).decode()
    return to_json({"person": person, "why": why, "wish": WishedBook(wish.number, wish.plays[table])}).decode()


def alarms_of(line: Line) -> dict[str, float]:
    """What is wrong at a table, in words that another alarm does not have, with since when, seconds since 1970."""
    table = {
        f"{one['kind']} {one.get('device') or ''} @{one['since']}": float(one["since"])
        for one in line.fold.alarms.values()
        if not one.get("over")
    }
    custody = {f"{one.kind} (custody) @{one.number}": one.since for one in line.custody}
    return {**table, **custody}
