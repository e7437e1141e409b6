"""The games of a record, counted by the numbers of their rounds."""

from collections.abc import Mapping
from typing import Final

from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.row_json import parse
from table_fsm.felt import BETWEEN_ROUNDS

_BETWEEN_GAMES: Final = frozenset({"closed", *BETWEEN_ROUNDS})
_HALTED: Final = "halted"


class Games:
    """The games by their numbers: a table counts one on with each game's first card, and a round begins with it.

    A late entry may come under the number of a game that is over. A second game may not, nor the question for a
    player's turn while none is on.
    """

    def __init__(self) -> None:
        self._begun: set[object] = set()
        """The numbers with a `round.begin`: the last one up to the head, and those behind it."""
        self._played: set[object] = set()
        """The same of those in which a game has come into play, by the phases that the table told."""
        self._at_rest = False
        """Whether the last phase is one between two games; what halts a game leaves it on."""

    def before(self, row: Row) -> None:
        """Take an entry that the last head covers."""
        if _begins(row):
            self._begun = {row.round}
        elif self._comes_into_play(row):
            self._played = {row.round}

    def fit(self, row: Row) -> bool:
        """Whether a table at work may have left this entry behind those before."""
        if self._at_rest and "turn" in _mapping(_said(row, "prompt")):
            return False
        if _begins(row):
            return _is_new(row.round, self._begun)
        return not self._comes_into_play(row) or _is_new(row.round, self._played)

    def _comes_into_play(self, row: Row) -> bool:
        phase = _said(row, "phase")
        if not isinstance(phase, str) or phase == _HALTED:
            return False
        rested, self._at_rest = self._at_rest, phase in _BETWEEN_GAMES
        return rested and not self._at_rest


def _begins(row: Row) -> bool:
    return (row.kind, row.name) == (EntryKind.HOST, HostEntry.ROUND_BEGIN)


def _is_new(number: object, there: set[object]) -> bool:
    new = number not in there
    there.add(number)
    return new


def _said(row: Row, name: str) -> object:
    """What an answer of this name says under it; None for any other entry."""
    if row.kind != EntryKind.OUTPUT or row.name != name:
        return None
    try:
        return _mapping(parse(row.body)).get(name)
    except ValueError:
        return None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
