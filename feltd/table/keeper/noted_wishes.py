"""Which of the floor's wishes this table's record has: each is noted once, and none behind a later one of its kind.

A wish may come under two commands: each of two floords may send it before it hears of the other's. A command that was
long on its way may come behind a later wish. The record is what tells, and the file beside it says how far to look: a
process may end between that file and the record. What the note is to say is in the file before the wish is, so the next
start notes a wish that it remembers and the record lacks: else it would be in force, and nobody could read whose it is.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from feltd.door import CommandRefused, PlayStopped, RecordRows
from feltd.door.wishing import AnyWish, WishedBook, WishedSettings, WishedVersion, is_too_far
from feltd.record import Reveal, Span
from feltd.record.entries import EntryKind, HostEntry
from feltd.record.notes import WISH_NOTE, WISH_SETTINGS_NOTE, WISH_VERSION_NOTE
from feltd.table.keeper.floor_memory import FloorMemory, Noting, WishNote
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.wished_settings import SETTINGS
from feltd.table.keeper.wished_version import VERSION
from feltd.table.keeper.wishes import BOOK

_NOTES: Final[dict[type[AnyWish], str]] = {
    WishedBook: WISH_NOTE, WishedSettings: WISH_SETTINGS_NOTE, WishedVersion: WISH_VERSION_NOTE,
}  # fmt: skip
_REMEMBERED_AS: Final = {WISH_NOTE: BOOK, WISH_SETTINGS_NOTE: SETTINGS, WISH_VERSION_NOTE: VERSION}


class NotedWishes:
    """The wishes of one record. Calls block and run in a thread, one at a time."""

    def __init__(self, memory: FloorMemory, record: Callable[[], RecordRows], journal: bytes) -> None:
        self._memory = memory
        self._record = record
        self._journal = journal.hex()

    def begin(self, wish: AnyWish, now: float) -> None:
        """A wish is to be taken. Raises CommandRefused for one that the record has, or has a later one of its kind.

        `now`: seconds since 1970. A wish of another year, which an older feltd has taken, is behind all others: else
        none would be taken for years.
        """
        note = _NOTES[type(wish)]
        noted = self._last(note)
        noted = 0 if is_too_far(noted, now) else noted
        if wish.number == noted:
            raise CommandRefused(f"this table's record has wish {wish.number} already: a wish is taken once")
        if wish.number < noted:
            raise CommandRefused(f"wish {wish.number} comes behind wish {noted}, which this table's record has")
        with self._record() as record:
            behind = record.last_entry()
        self._memory.keep_noting(note, Noting(self._journal, noted, wish.number, behind))

    def say(self, wish: AnyWish, note: WishNote) -> None:
        """It is about to be remembered: this is what the record will say of it. Raises CommandRefused."""
        act = _NOTES[type(wish)]
        self._memory.keep_noting(act, replace(self._memory.read().noting[act], note=note))

    def note_left_out(self, keeper: TableKeeper) -> None:
        """Put on record what is remembered and is not there: an earlier process ended between the two.

        Runs at a start, before that says what holds. What an older feltd remembered has no note to put there.
        """
        try:
            left_out = self.left_out()
        except CommandRefused:
            return  # the start says so itself
        for act, note in left_out:
            with suppress(PlayStopped):  # the record takes nothing now: the next wish or a later start notes it
                keeper.note_by_hand(note.person, act, note.why, **note.details, at_start=True)

    def left_out(self) -> list[tuple[str, WishNote]]:
        """What is remembered and not on record, each with the name of its note. Raises CommandRefused."""
        known = self._memory.read()
        return [
            (act, noting.note)
            for act, noting in known.noting.items()
            if noting.note is not None
            and noting.journal == self._journal
            and _is_remembered(known.wishes.get(_REMEMBERED_AS.get(act, "")), noting, noting.note)
            and not self._is_noted(act, noting)
        ]

    def end(self, wish: AnyWish, *, noted: bool) -> None:
        """It is on record, or it was refused. Where this cannot be kept, the next wish looks into the record.

        One that is in force and could not be noted is left as it is: the next wish or start notes it.
        """
        act = _NOTES[type(wish)]
        known = self._memory.read()
        noting, note = known.noting[act], known.noting[act].note
        if not noted and note is not None and _is_remembered(known.wishes.get(_REMEMBERED_AS[act]), noting, note):
            return
        with suppress(CommandRefused):
            self._memory.keep_noting(act, Noting(self._journal, wish.number if noted else noting.noted))

    def _last(self, note: str) -> int:
        """The number of the last wish that the record has of a kind; 0 for none that is known."""
        known = self._memory.read().noting.get(note)
        if known is None or known.journal != self._journal:
            return 0
        if known.taking and self._is_noted(note, known):
            return known.taking
        return known.noted

    def _is_noted(self, note: str, known: Noting) -> bool:
        span = Span(after=known.behind, kind=EntryKind.HOST, name=HostEntry.NOTE)
        with self._record() as record:
            return any(
                entry.body.get("what") == note and entry.body.get("wish") == known.taking
                for entry in record.entries(span, reveal=Reveal.NOTHING)
            )


def _is_remembered(kept: Any, noting: Noting, note: WishNote) -> bool:
    """Whether what is remembered is the wish that was being taken. A version is remembered as it was signed."""
    return isinstance(kept, dict) and (kept.get("number") == noting.taking or kept.get("id") == note.command)
