"""The shipped tournament books, and shipped structures, for tests."""

from typing import TypeVar

from feltd.books.shipped import structure_sources, tournament_sources
from floor_fsm.law.law import load_laws
from table_fsm.structures.loader import load_structures

_LAWS = load_laws(tournament_sources())
_STRUCTURES = load_structures(structure_sources())

STAR = _LAWS["star-2025"].book
ONYX = _LAWS["onyx"].book
ACT = _LAWS["act-2001"].book
UTH = _LAWS["act-2019-uth"].book
TAS = _LAWS["tas-2018-c"].book
STRUCTURES = _STRUCTURES
TWO_BULLET = _STRUCTURES["two-bullet"]
STUD = _STRUCTURES["act-2001-stud7"]

RowT = TypeVar("RowT")


def row(section: RowT | None) -> RowT:
    """A row that the book has."""
    assert section is not None
    return section
