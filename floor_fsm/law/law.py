"""Load tournament books from TOML texts; all faults at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from floor_fsm.errors import LawError, Reason, Refused
from floor_fsm.law.model import Book
from floor_fsm.law.section import Section
from toml_text.lines import line_of, locate
from toml_text.schema import schema_faults
from toml_text.syntax import TomlSyntaxError, read_toml

SectionT = TypeVar("SectionT", bound=Section)
BookT = TypeVar("BookT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Law:
    """A tournament book, and the digest of its text."""

    book: Book
    digest: str

    @property
    def id(self) -> str:
        """The book's id."""
        return self.book.id


def ruled(section: SectionT | None, matter: str) -> SectionT:
    """Return what a book rules of a matter. Raises Refused where it is silent: then a person decides each step."""
    if section is None:
        raise Refused(Reason.NOT_IN_THE_BOOK, f"the book says nothing of {matter}: a person decides it, step by step")
    return section


def load_laws(sources: Mapping[str, str]) -> dict[str, Law]:
    """Load the books by id from `sources`: file name → TOML text. Of two with one id the later one is at fault.

    Raises LawError; its `problems` name every fault of every file as `file:line: key: what; allowed: …`.
    """
    laws: dict[str, Law] = {}
    files: dict[str, str] = {}
    problems: list[str] = []
    for file, text in sources.items():
        try:
            law = _law(file, text)
        except LawError as error:
            problems += error.problems
            continue
        if law.id in laws:
            problems.append(f'{file}:1: id: "{law.id}" is the id of {files[law.id]} too; give each its own')
            continue
        laws[law.id], files[law.id] = law, file
    if problems:
        raise LawError(problems)
    return laws


def _law(file: str, text: str) -> Law:
    return Law(read_book(file, text, Book), sha256(text.encode()).hexdigest())


def read_book(file: str, text: str, schema: type[BookT]) -> BookT:
    """Read a book of this schema. Raises LawError, whose `problems` name every fault as `file:line: …`."""
    try:
        raw = read_toml(text)
    except TomlSyntaxError as error:
        raise LawError([f"{file}:{error.line}: {error}"]) from None
    try:
        return schema.model_validate(raw)
    except ValidationError as error:
        lines = locate(text)
        found = sorted((line_of(lines, fault.path) or 1, str(fault)) for fault in schema_faults(schema, raw, error))
        raise LawError([f"{file}:{line}: {words}" for line, words in found]) from None


def sections(book: Book) -> Iterator[tuple[str, Section]]:
    """Each matter that a book rules on, by its name, in the order of the schema."""
    for name in Book.model_fields:
        section = getattr(book, name)
        if isinstance(section, Section):
            yield name, section
    for row in book.leaving:
        yield f"leaving.{row.why.value}", row
    for game in book.games:
        yield f"games.{game.game}", game
