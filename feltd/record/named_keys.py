"""The first keys that an export names, held against the one that was kept elsewhere.

The first line names one, and each note of a start that is in the part. The first line stands outside the chain: who
forges an export can write there what they like. So a key there that is another than the kept one is a finding, and the
same key proves nothing.
"""

from typing import Any, Final

from feltd.record.entries import Row
from feltd.record.signed_heads import KEY_BYTES, Heads
from feltd.record.starts import first_key_in, start_of
from feltd.text.errors import JournalExportInvalid

_REMEDY: Final = "Keep the export as evidence, and compare it with the record and with what was kept elsewhere"


class NamedKeys:
    """Gathers what an export names while it is read. `in_first_line`: None where it names none."""

    def __init__(self) -> None:
        self.in_first_line: bytes | None = None
        self._in_starts: list[tuple[int, str]] = []

    def begin(self, first_line: dict[str, Any]) -> None:
        """Take the first line. Raises ValueError, TypeError where its key is none."""
        named = first_line.get("first_key")
        if named is None:
            return
        self.in_first_line = bytes.fromhex(named)
        if len(self.in_first_line) != KEY_BYTES:
            raise ValueError("its first key is no key")

    def take(self, row: Row) -> None:
        """Take an entry."""
        named = first_key_in(start_of(row))
        if named is not None:
            self._in_starts.append((row.seq, named))

    def require(self, kept: bytes | None, heads: Heads | None) -> None:
        """Hold them against the kept key, else the witness's, else against each other. Raises JournalExportInvalid."""
        if kept is not None and self.in_first_line is None:
            raise _another("its first line names no first key: somebody took it out, or an earlier version wrote it")
        if kept is not None and heads is not None and heads.first.key != kept:
            raise _another("the heads' first key is not the one given: the record was begun anew, or all was forged")
        expected = kept or (self.in_first_line if heads is None else heads.first.key)
        if self.in_first_line not in (None, expected):
            raise _another("its first line names another first key than was kept: begun anew, or all was forged")
        for seq, named in self._in_starts:
            if expected is not None and named != expected.hex():
                raise _another(f"the start of entry {seq} names another first key: begun anew, or forged")


def _another(what: str) -> JournalExportInvalid:
    return JournalExportInvalid(what, "export", _REMEDY)
