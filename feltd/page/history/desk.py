"""The record asked from the daemon's loop: one question at a time, in a thread of its own, never in the table's way."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from feltd.door import RecordRows
from feltd.page.history.index import HistoryError, HistoryIndex, OpenRecord
from feltd.page.history.phh import hand_history
from feltd.page.history.replayed import Step, play_again
from feltd.page.history.search import FoundRound, FoundRuling, Wanted, find_round, find_rounds, find_rulings
from feltd.text.errors import JournalMissing
from table_fsm.rulebook import Rulebook

QUESTIONS_MOST: Final = 16
"""Questions that may wait for their turn."""
EXPORTS_MOST: Final = 4
"""Exports at once: each keeps the record open for as long as its reader takes."""
LINES: Final = 100
"""Lines of an export that are read in one turn."""

_T = TypeVar("_T")


class TooManyQuestionsError(Exception):
    """More questions wait than are taken."""


class HistoryDesk:
    """Answers questions about one record. Close it at the end."""

    def __init__(self, open_record: OpenRecord, index: Path, rulebooks: Mapping[str, Rulebook]) -> None:
        """Make the desk and its thread.

        `open_record`: called in the desk's thread. `index`: the file of the index. `rulebooks`: by id.
        """
        self.rulebooks = rulebooks
        self._open_record = open_record
        self._index = HistoryIndex(open_record, index)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="history")
        self._waiting = 0
        self._exports = 0

    def close(self) -> None:
        """Lets the question in hand end, and closes the index."""
        self._thread.submit(self._index.close)
        self._thread.shutdown()

    async def ask(self, question: Callable[[HistoryIndex], _T]) -> _T:
        """Bring the index up to date with the journal's disk and ask it a question.

        Raises TooManyQuestionsError, HistoryError, JournalError.
        """
        if self._waiting >= QUESTIONS_MOST:
            raise TooManyQuestionsError("too many questions about the record wait: ask again in a few seconds")

        def answered() -> _T:
            self._index.catch_up()
            return question(self._index)

        self._waiting += 1
        try:
            return await self._in_turn(answered)
        finally:
            self._waiting -= 1

    async def _in_turn(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    @property
    def exports_full(self) -> bool:
        """Whether the most exports that may run at once are under way."""
        return self._exports >= EXPORTS_MOST

    async def name(self) -> str:
        """The record's name for people. Raises JournalError."""

        def named(_: HistoryIndex) -> str:
            with self._open_record() as record:
                return record.name

        return await self.ask(named)

    async def rounds(self, wanted: Wanted) -> list[FoundRound]:
        """The rounds looked for, newest first."""
        return await self.ask(lambda index: find_rounds(index, wanted))

    async def rulings(self, wanted: Wanted) -> list[FoundRuling]:
        """The rulings looked for, newest first."""
        return await self.ask(lambda index: find_rulings(index, wanted))

    async def round(self, number: int) -> tuple[FoundRound, list[FoundRuling]]:
        """Return one round and its rulings. Raises HistoryError for a round that does not exist."""

        def both(index: HistoryIndex) -> tuple[FoundRound, list[FoundRuling]]:
            return find_round(index, number), find_rulings(index, Wanted(limit=500), round_number=number)

        return await self.ask(both)

    async def exported(self, number: int) -> list[str]:
        """A finished round as the lines of an export with its proof."""

        def lines(index: HistoryIndex) -> list[str]:
            with self._open_record() as record:
                return list(record.export_round(number))

        return await self.ask(lines)

    async def hand_history(self, number: int, *, table: str, see_cards: bool) -> str:
        """A finished round in the poker hand history format. Raises NotToldError, HistoryError."""

        def written(index: HistoryIndex) -> str:
            with self._open_record() as record:
                return hand_history(record, find_round(index, number), self.rulebooks, table=table, see_cards=see_cards)

        return await self.ask(written)

    async def span(self, wanted: Wanted) -> tuple[int, int]:
        """Return the first and the last entry of a time, as far as it has been written.

        It ends before a round that is not over. Raises HistoryError if nothing was written in it, or all of it is of
        such a round.
        """

        def ends(_: HistoryIndex) -> tuple[int, int]:
            with self._open_record() as record:
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

    async def export(self, first: int, last: int) -> AsyncGenerator[str, None]:
        """Give the lines of an export of these entries with its proof.

        At most `LINES` of them are in memory, and the desk answers other questions in between. Raises JournalError.
        """
        self._exports += 1
        record: RecordRows | None = None
        try:
            record = await self._in_turn(self._open_record)
            lines = record.export(first, last)
            while some := await self._in_turn(lambda: list(islice(lines, LINES))):
                for line in some:
                    yield f"{line}\n"
        finally:
            self._exports -= 1
            if record is not None:
                self._thread.submit(record.close)

    async def steps(self, number: int, *, see_cards: bool, after: int = 0, most: int = 100) -> list[Step]:
        """Steps of a round played again, those behind number `after`. Raises HistoryError."""

        def played(index: HistoryIndex) -> list[Step]:
            with self._open_record() as record:
                steps = play_again(record, find_round(index, number), self.rulebooks, see_cards=see_cards)
                return list(islice(steps, after, after + most))

        return await self.ask(played)
