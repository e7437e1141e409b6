"""A tournament from a file of its events: each line is taken, and what is said of it is a line too."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter

from feltd.text.errors import FeltdError
from feltd.tournaments.likeness import Known, Likeness, refused_like
from floor_fsm.core.event import Event
from floor_fsm.core.output import Output
from floor_fsm.core.words import cleaned_step
from floor_fsm.errors import EventSyntaxError, Refused
from floor_fsm.law.law import Law
from floor_fsm.lines import from_said, said_of
from floor_fsm.messages.entries import EntryCorrected, EntryHandedOn, EntrySubstituted, EntryTaken
from floor_fsm.state.entries import Entries
from floor_fsm.tournament import Tournament

_NAMES_SOMEBODY: Final = (EntryTaken, EntryHandedOn, EntrySubstituted, EntryCorrected)


class EventFileError(FeltdError):
    """A line of a file that is no event of a tournament."""


@dataclass(frozen=True, slots=True)
class Said:
    """What became of one line: its outputs, or why it was refused."""

    line: int
    ev: str
    outputs: tuple[Output, ...] = ()
    refused: Refused | None = None

    def to_lines(self) -> Iterator[str]:
        """The JSON lines of it."""
        if self.refused is not None:
            why = {"reason": self.refused.reason, "words": self.refused.words, "clause": self.refused.clause}
            yield _json({"line": self.line, "ev": self.ev, "refused": why})
        for output in self.outputs:
            yield _json({"line": self.line, output.kind: plain(output)})


def plain(output: Output) -> Any:
    """An output's fields as JSON has them."""
    return TypeAdapter(type(output)).dump_python(output, mode="json")


def play(law: Law, lines: Iterable[str], file: str) -> Iterator[tuple[Tournament, Said]]:
    """Play the events of a file, one a line; empty lines and those that begin with # are passed over.

    Gives the tournament after each event, and what became of it: a refused one has changed nothing. Names and reasons
    are cleaned, and who is perhaps somebody that has entered is refused, as at a desk. Raises EventFileError at a line
    that is no event.
    """
    tournament, entered = Tournament(law), _Entered()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            event = from_said(cleaned_step(said_of(line)))
        except EventSyntaxError as fault:
            raise EventFileError(f"{file}:{number}: {fault}") from None
        try:
            entered.require_nobody_like(tournament, event)
            outputs = tournament.apply(event).outputs
        except Refused as refused:
            yield tournament, Said(number, event.ev, refused=refused)
        else:
            entered.take(event)
            yield tournament, Said(number, event.ev, outputs)


class _Entered:
    """Who has entered so far, found again under another spelling."""

    def __init__(self) -> None:
        self._likeness = Likeness()

    def take(self, event: Event) -> None:
        """An event that was taken, which may name somebody."""
        if isinstance(event, _NAMES_SOMEBODY):
            self._likeness.add(Known(event.person, event.name, str(event.entry)))

    def require_nobody_like(self, tournament: Tournament, event: Event) -> None:
        """Refuse who is perhaps somebody who has entered, unless the line says that they are another person."""
        if not isinstance(event, EntryTaken | EntryHandedOn | EntrySubstituted) or event.another:
            return
        entries = tournament.parts.of(Entries).by_number
        for like in self._likeness.of(event.person, event.name):
            entry = entries[int(like.mark)]
            same = (entry.person, entry.name) == (like.person, like.name)
            if entry.number == event.entry or not same or not entry.has_been_used:
                continue  # that entry is another person's since, or nobody's, or its name was put right
            raise refused_like(like.name, like.person, entry.number)


def _json(said: dict[str, Any]) -> str:
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False)
