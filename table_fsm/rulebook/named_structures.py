"""The blind structures that a book's option `structure` names.

A table may open with one of them. They are part of the book's digest. An option without a list of values takes any
structure there is: a book whose source leaves them to each tournament.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from pydantic import TypeAdapter

from table_fsm.rulebook.model import Book
from table_fsm.structures.structure import Structure
from toml_text.faults import Fault
from toml_text.words import did_you_mean, values_in_words

STRUCTURE_OPTION: Final = "structure"


def named_structures(book: Book, known: Mapping[str, Structure]) -> Mapping[str, Structure]:
    """Return the structures that the book's option names, by id; unknown names are left out."""
    option = book.options.get(STRUCTURE_OPTION)
    if option is None:
        return MappingProxyType({})
    names = sorted(known) if option.values is None else [str(value) for value in option.values]
    return MappingProxyType({name: known[name] for name in names if name in known})


def structure_faults(book: Book, known: Mapping[str, Structure]) -> Iterator[Fault]:
    """Faults of structures that the book names and no file has."""
    option = book.options.get(STRUCTURE_OPTION)
    if option is None:
        return
    at = ("options", STRUCTURE_OPTION)
    named = [((*at, "values", index), value) for index, value in enumerate(option.values or ())]
    if option.values is None and option.default is not None:
        named.append(((*at, "default"), option.default))  # type: ignore[arg-type]  # shown whatever it is
    for path, name in named:
        if name not in known:
            there = sorted(known)
            meant = did_you_mean(str(name), there)
            yield Fault(path, f'no structure has the id "{name}"; allowed: {values_in_words(there)}{meant}')


@cache
def _content() -> TypeAdapter[Structure]:
    """Made at its first use: most books name no structure."""
    return TypeAdapter(Structure)


def structures_content(structures: Mapping[str, Structure]) -> dict[str, Any]:
    """The content of the structures, JSON-ready, for a digest."""
    return {name: _content().dump_python(structure, mode="json") for name, structure in sorted(structures.items())}
