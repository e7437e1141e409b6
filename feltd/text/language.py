"""The language in which people are told things: the table's, or for one answer of the page its reader's.

A record, a log and a ruling are written in English whatever is chosen here: only what is shown changes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Language(StrEnum):
    """A language that feltd speaks, by its code of ISO 639-1."""

    ENGLISH = "en"
    GERMAN = "de"


@dataclass(slots=True)
class _Chosen:
    """What the table's file says. One for a process: it speaks for one table."""

    language: Language = Language.ENGLISH


_chosen: Final = _Chosen()
_asked: Final[ContextVar[Language | None]] = ContextVar("language asked for", default=None)


def choose(language: Language) -> None:
    """Speak this from now on, wherever nobody has asked for another."""
    _chosen.language = language


def chosen() -> Language:
    """Return the table's language."""
    return _chosen.language


def spoken() -> Language:
    """Return the language of what is being said now."""
    return _asked.get() or _chosen.language


@contextmanager
def speaking(language: Language | None) -> Iterator[None]:
    """Speak this as long as the block lasts, None: the table's; what runs beside the block is not touched."""
    before = _asked.set(language)
    try:
        yield
    finally:
        _asked.reset(before)
