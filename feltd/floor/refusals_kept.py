"""Refused steps of tournaments and waiting lists on the floor's own record: what, by which clause, who wanted it, why.

No name of a player is in it: an entry has a number, and words that may have a name are left out.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from feltd.custody.errors import FloorAwayError
from feltd.floor.own_notes import OwnNotes
from feltd.floor.own_record import OwnRecord
from floor_fsm.core.event import Event
from floor_fsm.errors import Reason, Refused

NOTE: Final = "a step was refused"
_ABOUT: Final = ("entry", "table", "hand", "number", "game", "seat")
_NO_FAULT: Final = frozenset({Reason.CAUSE_IS_KNOWN, Reason.MOVED_ON})
"""Two floords have heard of one thing, or another desk came first."""
_WHOLE: Final[Mapping[str, int]] = {}
_log = logging.getLogger("feltd.floor")


class RefusalsKept:
    """Writes them. What a table tells again and again of a tournament that stands still is written once."""

    def __init__(self, record: OwnRecord, of: str = "tournament") -> None:
        """`of`: what the streams are, as the record names it."""
        self._record = record
        self._of = of
        self._at: dict[str, int] = {}
        self._told: dict[str, set[tuple[object, ...]]] = {}

    async def keep(
        self, stream: str, seq: int, event: Event, refused: Refused, part: Mapping[str, int] = _WHOLE
    ) -> None:
        """Put a refusal on record. `seq`: the stream's last event. A record that cannot be written is logged.

        `part`: of an event that was taken but for this, by name; nothing where the whole event was refused.
        """
        if refused.reason in _NO_FAULT:
            return
        about = _about(event, part)
        if event.by is None and not self._is_new(stream, seq, (event.ev, refused.reason, *about.items())):
            return
        try:
            await self._record.note(self._said(stream, seq, event, refused, about))
        except FloorAwayError as fault:
            _log.warning("a refused step of %s is not on record: %s", stream, fault)

    async def keep_missing(
        self, stream: str, seq: int, event: Event, refused: Refused, part: Mapping[str, int], notes: OwnNotes
    ) -> None:
        """Put on record what was not taken of an event that was, unless it is there already. Raises FloorAwayError.

        `notes`: what the record has of such. The note says that it was made later (`late`).
        """
        said = {**self._said(stream, seq, event, refused, _about(event, part)), "late": True}

        async def is_there(journal: bytes) -> bool:
            return await notes.has(journal, said)

        await self._record.note(said, is_there)

    def _said(self, stream: str, seq: int, event: Event, refused: Refused, about: Mapping[str, Any]) -> dict[str, Any]:
        clause = {} if refused.clause is None else {"clause": refused.clause}
        said = {"note": NOTE, self._of: stream, "event": seq, "step": event.ev, **about}
        return {**said, "reason": str(refused.reason), **clause, **_by(event)}

    def _is_new(self, stream: str, seq: int, what: tuple[object, ...]) -> bool:
        if self._at.get(stream) != seq:
            self._at[stream], self._told[stream] = seq, set()
        known = self._told[stream]
        new = what not in known
        known.add(what)
        return new


def _about(event: Event, part: Mapping[str, int]) -> dict[str, Any]:
    return {name: value for name in _ABOUT if (value := getattr(event, name, None)) is not None} | dict(part)


def _by(event: Event) -> Mapping[str, Any]:
    """Who wanted it; of a table the entry of its record."""
    if event.by is not None:
        said = {"who": event.by.who, "role": event.by.role, "from": event.by.place, "why": event.by.why}
        return {name: value for name, value in said.items() if value}
    return {} if event.cause is None else {"journal": event.cause.journal, "entry_of_table": event.cause.seq}
