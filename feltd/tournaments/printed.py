"""A book of the floor as lines that a person reads: each matter with its clause, its words, and the settings of it."""

from collections.abc import Iterable, Iterator
from enum import Enum
from hashlib import sha256
from textwrap import wrap
from typing import Final

from floor_fsm.law.law import Law, sections
from floor_fsm.law.model import Book
from floor_fsm.law.section import Section
from floor_fsm.waiting.book import WaitingBook

WIDTH: Final = 100
_WORDS: Final = frozenset(Section.model_fields)
"""The fields that every section has: they are printed as such, and are no settings."""


def book_lines(law: Law) -> Iterator[str]:
    """The lines of a book. Matters on which it is silent are named at the end: there a person decides."""
    book = law.book
    yield from _title(book, law.digest)
    found = list(sections(book))
    yield from _sections(found)
    silent = [heading(name) for name in Book.model_fields if _is_matter(name) and name not in dict(found)]
    if silent:
        yield ""
        yield from wrap(f"The text is silent on these, and a person decides each time: {', '.join(silent)}.", WIDTH)


def waiting_book_lines(book: WaitingBook, text: str) -> Iterator[str]:
    """The lines of a book of waiting lists. `text`: its TOML."""
    yield from _title(book, sha256(text.encode()).hexdigest())
    yield from _sections(book.sections())


def _title(book: Book | WaitingBook, digest: str) -> Iterator[str]:
    yield book.title
    yield from wrap(book.source, WIDTH)
    yield f"Book {book.id}, SHA-256 {digest}"


def _sections(found: Iterable[tuple[str, Section]]) -> Iterator[str]:
    for name, section in found:
        yield ""
        yield f"{heading(name)}  ({section.clause})"
        yield from _paragraph(section.text)
        yield from _settings(section)
        if section.note is not None:
            yield from _paragraph(f"Note: {section.note}")


def heading(name: str) -> str:
    """The name of a matter, for people."""
    return name.replace("_", " ").capitalize()


def _is_matter(name: str) -> bool:
    return name not in ("id", "title", "source", "clauses")


def _settings(section: Section) -> Iterator[str]:
    for name, value in section:
        if name not in _WORDS and value is not None:
            yield f"  {name} = {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ", ".join(map(_value, value)) or "none"
    return str(value)


def _paragraph(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ")
