"""Rulebooks with the blind structures that they name: all a table plays by, from texts."""

from collections.abc import Mapping

from table_fsm.errors import RulebookError
from table_fsm.rulebook import Rulebook, load_rulebooks
from table_fsm.structures import StructureError, load_structures


def load_library(books: Mapping[str, str], structures: Mapping[str, str]) -> dict[str, Rulebook]:
    """The books that a table can open with, by id. `books`, `structures`: file name → TOML text.

    Raises RulebookError; its `problems` name every fault of every file of both, each with file and line. While a
    structure has a fault, whether the books' structures are there is not asked.
    """
    problems: list[str] = []
    known = None
    try:
        known = load_structures(structures)
    except StructureError as faults:
        problems += faults.problems
    try:
        loaded = load_rulebooks(books, known)
    except RulebookError as faults:
        problems += faults.problems
    if problems:
        raise RulebookError(problems)
    return loaded
