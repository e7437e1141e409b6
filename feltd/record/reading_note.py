"""The note of a reading of sealed cards: made where the private key is, put on record at the table.

It is a JSON object with a SHA-256 of its other fields, so that a damaged note is found. It is not signed: who holds the
private key answers for it, and could read without leaving one. Where two people hold a half each, it names both.
"""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from feltd.record.digested_file import digest_of, read_digested, write_digested
from feltd.text.errors import UnsealKeyError

FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class ReadingNote:
    """Who read the sealed cards of which rounds of a journal, why, when (UTC) and with which key.

    `agreed_by`: where two people hold the key, who agreed; `agreement`: the SHA-256 of what they gave. Else empty.
    """

    feltd_reading: int
    journal_id: str
    rounds: tuple[int, ...]
    who: str
    why: str
    when: str
    key: str
    agreed_by: str = ""
    agreement: str = ""

    @classmethod
    def now(
        cls,
        journal_id: bytes,
        rounds: tuple[int, ...],
        who: str,
        why: str,
        key: str,
        *,
        agreed_by: str = "",
        agreement: str = "",
    ) -> "ReadingNote":
        """The note of a reading that is about to be made."""
        when = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(FORMAT, journal_id.hex(), rounds, who, why, when, key, agreed_by, agreement)

    def to_fields(self) -> dict[str, Any]:
        """Its fields as they are in the file; those of an agreement only where there is one, as in older notes."""
        fields = asdict(self)
        return {name: value for name, value in fields.items() if value or name not in ("agreed_by", "agreement")}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of its fields, hexadecimal."""
        return digest_of(self.to_fields())

    def to_entry(self) -> dict[str, Any]:
        """What the record keeps of it."""
        return {
            "who": self.who,
            "why": self.why,
            "rounds": list(self.rounds),
            "when": self.when,
            "key": self.key,
            **({"agreed_by": self.agreed_by, "agreement": self.agreement} if self.agreement else {}),
            "sha256": self.fingerprint,
        }


def write_note(file: Path, note: ReadingNote) -> None:
    """Write a note to a new file, mode 0600. Raises UnsealKeyError where it is there or cannot be written."""
    write_digested(file, note.to_fields(), what="the note of this reading", lost="no card was shown; ")


def read_note(file: Path) -> ReadingNote:
    """Read a note. Raises UnsealKeyError: unreadable, no note, damaged."""
    remedy = "give the file that feltd record unseal wrote, as it wrote it"
    try:
        fields, digest = read_digested(file, remedy)
        note = ReadingNote(**{**fields, "rounds": tuple(map(int, fields["rounds"]))})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UnsealKeyError(f"{file}: is no note of a reading, or not whole; {remedy}") from None
    if note.fingerprint != digest:
        raise UnsealKeyError(f"{file}: was changed after it was written; {remedy}")
    return note
