"""A tournament from a file of its events: each line is taken, and what is said of it is a line too."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from feltd.text.errors import FeltdError
from floor_fsm.core.output import Output
from floor_fsm.errors import EventSyntaxError, Refused
from floor_fsm.law.law import Law
from floor_fsm.lines import from_line
from floor_fsm.tournament import Tournament


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

    Gives the tournament after each event, and what became of it: a refused one has changed nothing. Raises
    EventFileError at a line that is no event.
    """
    tournament = Tournament(law)
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            event = from_line(line)
        except EventSyntaxError as fault:
            raise EventFileError(f"{file}:{number}: {fault}") from None
        try:
            yield tournament, Said(number, event.ev, tournament.apply(event).outputs)
        except Refused as refused:
            yield tournament, Said(number, event.ev, refused=refused)


def _json(said: dict[str, Any]) -> str:
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False)
