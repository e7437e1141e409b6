"""Rulebooks with the blind structures that they name, loaded from texts."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from table_fsm.errors import RulebookError
from table_fsm.rulebook import Rulebook, load_rulebooks
from table_fsm.rulebook.heads import Head, heads_of
from table_fsm.structures import Structure, StructureError, load_structures


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


class Library(Mapping[str, Rulebook]):
    """The same books, each loaded and checked when it is first asked for.

    A table plays by one book: with all of them a start takes longer, and the memory is never used. Asking for a book
    raises KeyError where no text has its id, and RulebookError where it, or what it stands on, has a fault. Books that
    are loaded come first in its order.
    """

    def __init__(self, books: Mapping[str, str], structures: Mapping[str, str]) -> None:
        """`books`, `structures`: file name → TOML text.

        Raises RulebookError, as `load_library` does, where the texts' heads do not say which of them belong together.
        """
        heads = heads_of(books)
        self._books = books
        self._structures = _Structures(structures)
        self._files = {head.id: file for file, head in (heads or {}).items()}
        self._heads: dict[str, Head] = {head.id: head for head in (heads or {}).values()}
        self._loaded: dict[str, Rulebook] = {} if heads is not None else load_library(books, structures)

    @property
    def loaded(self) -> Mapping[str, Rulebook]:
        """The books that were asked for, by id."""
        return MappingProxyType(self._loaded)

    def __getitem__(self, name: str) -> Rulebook:
        if name not in self._loaded:
            if name not in self:
                raise KeyError(name)
            self._loaded = {**self._loaded, **self._load(name)}  # another thread may be reading the one before
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or (name in self._heads and not self._heads[str(name)].abstract)

    def __iter__(self) -> Iterator[str]:
        yield from list(self._loaded)
        yield from (name for name, head in self._heads.items() if name not in self._loaded and not head.abstract)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _load(self, name: str) -> dict[str, Rulebook]:
        files = {self._files[one] for one in self._needed(name)}
        texts = {file: text for file, text in self._books.items() if file in files}
        try:
            return {name: load_rulebooks(texts, self._structures)[name]}
        except StructureError as faults:
            raise RulebookError(faults.problems) from None

    def _needed(self, name: str) -> set[str]:
        """The ids of a book and of all that it stands on."""
        needed: set[str] = set()
        left = [name]
        while left:
            one = left.pop()
            if one not in needed:
                needed.add(one)
                left += self._heads[one].extends
        return needed


class _Structures(Mapping[str, Structure]):
    """The blind structures by id, all loaded when the first is asked for: most books name none."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._loaded: dict[str, Structure] | None = None

    @property
    def _all(self) -> dict[str, Structure]:
        """Raises StructureError."""
        if self._loaded is None:
            self._loaded = load_structures(self._sources)
        return self._loaded

    def __getitem__(self, name: str) -> Structure:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)
