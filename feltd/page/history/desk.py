"""The record asked from the page's loop: in a thread of its own, in pieces, a piece of each person in turn.

So the loop is never kept, and one who asks much waits for themselves.
"""

import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from feltd.door import RecordRows
from feltd.page.history.index import HistoryError, HistoryIndex, OpenRecord
from feltd.page.history.paced_record import PacedRecord
from feltd.page.history.phh import hand_history
from feltd.page.history.proof import Proof, proof_of
from feltd.page.history.replayed import Step, steps_from
from feltd.page.history.search import FoundRound, FoundRuling, Wanted, find_round, find_rulings
from feltd.page.limits.refusals import Limit, Refusals
from feltd.page.limits.turns import Turns
from feltd.text.errors import JournalMissing
from table_fsm.rulebook import Rulebook

EXPORTS_MOST: Final = 8
"""Exports at once: each keeps the record open for as long as its reader takes."""
EXPORTS_OF_ONE: Final = 2
"""Those of one person."""
LINES: Final = 100
"""Lines of an export that are read in one turn."""
PIECE: Final = 0.02
"""Seconds after which a round that is played again gives the next person a turn."""

_T = TypeVar("_T")


class TooManyExportsError(Exception):
    """As many exports as may be are under way."""


class HistoryDesk:
    """Answers questions about one record. Close it at the end."""

    def __init__(
        self,
        open_record: OpenRecord,
        index: Path,
        rulebooks: Mapping[str, Rulebook],
        refusals: Refusals | None = None,
    ) -> None:
        """Make the desk and its thread.

        `open_record`: called in the desk's thread. `index`: the file of the index. `rulebooks`: by id.
        """
        self.rulebooks = rulebooks
        self._open_record = open_record
        self.index = HistoryIndex(self.record, index)
        self.refusals = refusals or Refusals()
        self.turns = Turns("history", self.refusals)
        self.exports: Counter[str] = Counter()
        """Under way, by person."""

    def record(self) -> RecordRows:
        """The record, read at a pace. Blocks; for the desk's thread."""
        return PacedRecord(self._open_record())

    def of(self, who: str) -> "Questions":
        """The desk as it is asked by one person."""
        return Questions(self, who)

    def close(self) -> None:
        """Lets the question in hand end, and closes the index."""
        self.turns.last(self.index.close)
        self.turns.close(wait=True)


class Questions:
    """What one person asks. Every answer may raise TooManyQuestionsError, HistoryError, JournalError."""

    def __init__(self, desk: HistoryDesk, who: str) -> None:
        """`who`: in whose turn it is answered."""
        self._desk = desk
        self._who = who

    async def ask(self, question: Callable[[HistoryIndex], _T]) -> _T:
        """Bring the index up to date with the journal's disk and ask it a question."""
        with self._desk.turns.question(self._who):
            return await self._asked(question)

    async def _asked(self, question: Callable[[HistoryIndex], _T]) -> _T:
        index = self._desk.index
        while await self._turn(index.catch_up_some):
            """A record that has not been read for long is read in pieces, too."""

        def answered() -> _T:
            index.catch_up()
            return question(index)

        return await self._turn(answered)

    async def _turn(self, work: Callable[[], _T]) -> _T:
        return await self._desk.turns.turn(self._who, work)

    async def name(self) -> str:
        """The record's name for people."""

        def named(_: HistoryIndex) -> str:
            with self._desk.record() as record:
                return record.name

        return await self.ask(named)

    async def round(self, number: int) -> tuple[FoundRound, list[FoundRuling]]:
        """Return one round and its rulings. Raises HistoryError for a round that does not exist."""

        def both(index: HistoryIndex) -> tuple[FoundRound, list[FoundRuling]]:
            return find_round(index, number), find_rulings(index, Wanted(limit=500), round_number=number)

        return await self.ask(both)

    async def exported(self, number: int) -> str:
        """A finished round as an export with its proof, line by line."""

        def lines(_: HistoryIndex) -> str:
            with self._desk.record() as record:
                return "".join(f"{line}\n" for line in record.export_round(number))

        return await self.ask(lines)

    async def proof(self, number: int) -> Proof:
        """What proves a finished round, as its export has it."""

        def read(_: HistoryIndex) -> Proof:
            with self._desk.record() as record:
                return proof_of(number, record.export_round(number))

        return await self.ask(read)

    async def hand_history(self, number: int, *, table: str, see_cards: bool) -> str:
        """A finished round in the poker hand history format. Raises NotToldError, HistoryError."""
        books = self._desk.rulebooks

        def written(index: HistoryIndex) -> str:
            with self._desk.record() as record:
                return hand_history(record, find_round(index, number), books, table=table, see_cards=see_cards)

        return await self.ask(written)

    async def span(self, wanted: Wanted) -> tuple[int, int]:
        """Return the first and the last entry of a time, as far as it has been written.

        It ends before a round that is not over. Raises HistoryError if nothing was written in it, or all of it is of
        such a round.
        """

        def ends(_: HistoryIndex) -> tuple[int, int]:
            with self._desk.record() as record:
                try:
                    span = record.span_between(wanted.since, wanted.until)
                except JournalMissing as missing:
                    raise HistoryError(missing.what) from None
            if span is None:
                raise HistoryError("nothing was written in this time")
            return span

        return await self.ask(ends)

    async def span_of_rounds(self, first: int, last: int) -> tuple[int, int]:
        """The first entry of one round and the last of another, both over. Raises HistoryError."""

        def ends(index: HistoryIndex) -> tuple[int, int]:
            begins, over = find_round(index, first), find_round(index, last)
            if over.last is None:
                raise HistoryError(f"round {last} is not over: its cards are sealed until then")
            if over.last < begins.first:
                raise HistoryError(f"round {first} was after round {last}")
            return begins.first, over.last

        return await self.ask(ends)

    def check_export(self) -> None:
        """Raises TooManyExportsError where this person can have no export now."""
        exports = self._desk.exports
        if exports[self._who] >= EXPORTS_OF_ONE:
            words = f"{EXPORTS_OF_ONE} of your exports are under way already"
        elif exports.total() >= EXPORTS_MOST:
            words = f"{EXPORTS_MOST} exports are under way already"
        else:
            return
        self._desk.refusals.add(Limit.EXPORTS)
        raise TooManyExportsError(words)

    async def export(self, first: int, last: int) -> AsyncGenerator[str, None]:
        """Give the lines of an export of these entries with its proof.

        At most `LINES` of them are in memory, and the desk answers other questions in between. Raises JournalError.
        """
        self._desk.exports[self._who] += 1
        record: RecordRows | None = None
        try:
            record = await self._turn(self._desk.record)
            lines = record.export(first, last)
            while some := await self._turn(lambda: list(islice(lines, LINES))):
                yield "".join(f"{line}\n" for line in some)
        finally:
            self._desk.exports[self._who] -= 1
            if record is not None:
                self._desk.turns.last(record.close)

    async def steps(
        self, number: int, told: Callable[[Step], _T], *, see_cards: bool, after: int = 0, most: int = 100
    ) -> list[_T]:
        """What `told` makes of the steps of a round played again, those behind number `after`.

        The round is played, and `told` is called, in the desk's thread, in pieces. Raises HistoryError.
        """
        with self._desk.turns.question(self._who):
            round_ = await self._asked(lambda index: find_round(index, number))
            record = await self._turn(self._desk.record)
            try:
                steps = steps_from(record, round_, self._desk.rulebooks, see_cards=see_cards, after=after)
                made: list[_T] = []
                over = False
                while not over:
                    over = await self._turn(lambda: _piece(steps, told, made, most))
                return made
            finally:
                self._desk.turns.last(record.close)


def _piece(steps: Iterator[Step | None], told: Callable[[Step], _T], made: list[_T], most: int) -> bool:
    """Go on for a while; whether this was all that was asked for."""
    until = time.perf_counter() + PIECE
    while time.perf_counter() < until:
        step = next(steps, _OVER)
        if step is _OVER:
            return True
        if isinstance(step, Step):
            made.append(told(step))
        if len(made) >= most:
            return True
    return False


_OVER: Final = object()
