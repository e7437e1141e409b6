"""Checks of an entry's values before it is numbered, so that a refused one leaves no gap."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from feltd.record.drafts import JSON
from feltd.record.entries import LARGEST_INTEGER, Source
from feltd.text.errors import JournalEntryInvalid

_PLAIN_VALUES: Final = "Entries hold null, true, false, finite numbers, text, lists and objects of these"


class EntryValues:
    """The values of one journal's entries.

    Each method raises JournalEntryInvalid for a value that no entry can hold.
    """

    def __init__(self, path: Path) -> None:
        """`path`: the journal's, for messages."""
        self._path = path
        self._digests: dict[str, bytes] = {}

    def json(self, value: Any) -> str:
        """Return the stored form of a body."""
        try:
            return JSON.encode(value)
        except (ValueError, TypeError) as error:
            raise self._invalid(f"cannot be written as JSON ({type(error).__name__})", _PLAIN_VALUES) from None

    def json_text(self, text: str) -> str:
        """A JSON text that a column can hold and a reader can read."""
        try:
            json.loads(text)
            text.encode()
        except ValueError:
            raise self._invalid("the snapshot is not JSON", "Append what Table.snapshot() returns") from None
        return text

    def digest(self, text: str) -> bytes:
        """A rulebook's digest of 64 hexadecimal digits, as its 32 bytes."""
        known = self._digests.get(text)
        if known is None:
            try:
                known = bytes.fromhex(text)
            except ValueError:
                known = b""
            if len(known) != hashlib.sha256().digest_size:
                raise self._invalid(
                    f"{text!r} is no rulebook digest", "It must be the 64 hexadecimal digits of a SHA-256"
                )
            self._digests[text] = known
        return known

    def require_round(self, number: int | None) -> None:
        """A round's number that a column can hold."""
        if number is not None and not 0 <= number <= LARGEST_INTEGER:
            raise self._invalid(f"round {number}", f"It must be within 0 … {LARGEST_INTEGER}")

    def require_source(self, source: Source) -> None:
        """A device's name and number that columns can hold."""
        if not 0 <= source.seq <= LARGEST_INTEGER:
            raise self._invalid(
                f"device {source.device}: sequence number {source.seq}", f"It must be within 0 … {LARGEST_INTEGER}"
            )
        try:
            source.device.encode()
        except UnicodeEncodeError:
            raise self._invalid(f"device name {source.device!r} is no text", "Name it in plain characters") from None

    def _invalid(self, problem: str, remedy: str) -> JournalEntryInvalid:
        return JournalEntryInvalid(problem, self._path, remedy)


def as_stored(value: float) -> float:
    """A float as the database gives it back: SQLite keeps no negative zero."""
    return float(value) + 0.0
