"""Each setting of a tournament book in each other value that it may have: a book's rows, one thing changed."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, Literal, get_args, get_origin

from floor_fsm.law.law import Law, sections
from floor_fsm.law.section import Section

WORDS: Final = ("clause", "text", "note", "why", "game")
"""What of a row is no setting: words for people, and the name of the row."""


def changed(law: Law) -> Iterator[tuple[str, str, Any, Law]]:
    """Each matter and setting of a book, with another value, and the book that has it."""
    for matter, section in sections(law.book):
        for name in type(section).model_fields:
            if name in WORDS:
                continue
            for value in _others(section, name):
                yield matter, name, value, _with(law, matter, section.model_copy(update={name: value}))


def _others(section: Section, name: str) -> list[Any]:
    """The other values of a setting. Of a clause of its own another one; of a number one more, and none."""
    field, value = type(section).model_fields[name], getattr(section, name)
    none = [None] if field.default is None and value is not None else []
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, Enum):
        return [other for other in type(value) if other is not value]
    if isinstance(value, tuple):
        return [tuple(one for one in value if one != left) for left in value] if len(value) > 1 else []
    if isinstance(value, int):
        return [value + 1, *none]
    if name.endswith("_clause"):
        return [] if value is None else ["another"]
    words = [one for kind in (field.annotation, *get_args(field.annotation)) for one in _words(kind)]
    return [one for one in words if one != value] + none


def _words(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) is Literal else ()


def _with(law: Law, matter: str, section: Section) -> Law:
    kind, _, which = matter.partition(".")
    book = law.book
    if kind == "games":
        update: dict[str, Any] = {kind: tuple(section if row.game == which else row for row in book.games)}
    elif kind == "leaving":
        update = {kind: tuple(section if row.why.value == which else row for row in book.leaving)}
    else:
        update = {kind: section}
    return Law(book.model_copy(update=update), law.digest)
