"""What a record's file says of itself outside the chain: when it was made, and in which edition.

The note of each start has it too, and the note is chained and signed. So it is held against the file: another one there
was written by somebody else. Notes of before 0.9.0 do not have it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Final

NAME: Final = "record"
"""Of the field in the note of a start."""


@dataclass(frozen=True, slots=True)
class Made:
    """`created`: seconds since 1970; `format`: the edition that made the file; `edition`: the one it has now.

    None where the file does not have it, or has it otherwise than feltd writes it.
    """

    created: float | None
    format: int | None
    edition: int

    def to_body(self) -> dict[str, Any]:
        """The field of a start's note."""
        return asdict(self)

    @property
    def fault(self) -> str | None:
        """What feltd did not write so, in words; None for nothing."""
        if self.created is None:
            return "the table meta does not say when the record was made (created)"
        if self.format is None:
            return "the table meta does not say in which edition the record was made (format)"
        if self.edition < self.format:
            return f"the file says edition {self.edition}, and it was made in edition {self.format}"
        return None

    def contradicts(self, note: Mapping[str, Any] | None) -> str | None:
        """What the note of a start says otherwise, in words; None for nothing, and where it says nothing of it."""
        told = said_in(note)
        if told is None:
            return None
        created, of, edition = (told.get(name) for name in ("created", "format", "edition"))
        if created != self.created:
            return f"the file says that the record was made at {self.created!r}, and a start found {created!r}"
        if of != self.format:
            return f"the file says that it was made in edition {self.format!r}, and a start found {of!r}"
        if isinstance(edition, int) and self.edition < edition:
            return f"the file says edition {self.edition}, and a start found {edition}: it never goes back"
        return None


def said_in(note: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """What the note of a start says of the file; None where it says nothing."""
    told = None if note is None else note.get(NAME)
    return told if isinstance(told, dict) else None


def made_of(meta: Mapping[str, Any], edition: int) -> Made:
    """What the rows of `meta`, and the file's own number, say."""
    created, of = meta.get("created"), meta.get("format")
    finite = type(created) is float and isfinite(created)
    return Made(created if finite else None, of if type(of) is int else None, edition)
