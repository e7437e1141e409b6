"""Rulebooks with the blind structures that they name, loaded from texts."""

from collections.abc import Mapping

from table_fsm.errors import RulebookError
from table_fsm.rulebook import Rulebook, load_rulebooks
from table_fsm.structures import StructureError, load_structures


def load_library(books: Mapping[str, str], structures: Mapping[str, str]) -> dict[str, Rulebook]:
    """Load the books that a table can open with, by id.

    `books`, `structures`: file name → TOML text. Raises RulebookError; its `problems` name every fault of every file,
    each with file and line. While a structure has a fault, the books' references to structures are not checked.
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
