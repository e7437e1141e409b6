"""What devices said of themselves when they came, their firmware among it: the record has it in their first event.

Each round's beginning repeats it (`round.begin`, `devices`), so that the part of a round has it within its own chain.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.reader import JournalReader
from feltd.record.row_json import parse
from feltd.record.stored_rows import Span
from feltd.text.errors import JournalError

LOOKED_BACK: Final = 100_000
"""So many entries before its last one are looked through for an export, where no round's beginning says more: a shift
or two. It must not take long."""
_CAME: Final = "device.state"
_NOT_ITS_OWN: Final = "every input is used again"
"""What a table of before 0.10.0 gave as the reason where a device's inputs were quiet again: no word of the device."""

Told = dict[str, tuple[str, int]]
"""By the device's name: what it said of itself when it last came, and the entry that has it."""


@dataclass(frozen=True, slots=True)
class SaidByDevice:
    """What a device said of itself when it last came, in the record's words; `wall`: seconds since 1970."""

    device: str
    said: str
    wall: float
    entry: int


def said_in(reader: JournalReader, until: int | None = None) -> dict[str, SaidByDevice]:
    """What each device said of itself when it last came, by its name.

    `until`: up to this entry, by the last round's beginning before it and what came since, or from `LOOKED_BACK` before
    it on where none says it; None looks through the whole record. Raises JournalCorrupt.
    """
    if until is None:
        return dict(_came(reader, Span(kind=EntryKind.EVENT, name=_CAME)))
    begins = Span(until=until, kind=EntryKind.HOST, name=HostEntry.ROUND_BEGIN)
    begun = next(reader.rows(begins, newest_first=True), None)
    told = None if begun is None else told_by(begun)
    if begun is None or told is None:
        return dict(_came(reader, Span(max(0, until - LOOKED_BACK), until, kind=EntryKind.EVENT, name=_CAME)))
    since = dict(_came(reader, Span(begun.seq, until, kind=EntryKind.EVENT, name=_CAME)))
    before = {name: SaidByDevice(name, said, _wall_of(reader, entry), entry) for name, (said, entry) in told.items()}
    return {**since, **{name: said for name, said in before.items() if name not in since}}


def told_up_to(reader: JournalReader, until: int) -> Told:
    """The same for a writer that goes on; nothing where an entry cannot be read: a start does not fail for it."""
    try:
        return {name: (said.said, said.entry) for name, said in said_in(reader, until).items()}
    except JournalError:
        return {}


def told_by(begun: Row) -> Told | None:
    """What a round's beginning repeats; None where it repeats nothing, as before 0.10.0, or not as it was written."""
    try:
        devices = parse(begun.body)["devices"]
        told = {name: (one["said"], one["entry"]) for name, one in devices.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    sound = all(type(said) is str and type(entry) is int and 0 < entry < begun.seq for said, entry in told.values())
    return told if sound else None


def came_in(row: Row) -> tuple[str, str] | None:
    """The device that comes with this entry, and what it says of itself; None for any other entry."""
    if row.kind != EntryKind.EVENT or row.name != _CAME:
        return None
    try:
        return came(parse(row.body))
    except ValueError:
        return None


def came(body: Any) -> tuple[str, str] | None:
    """The same of a `device.state` event's body; None where no device comes by it."""
    if not isinstance(body, Mapping) or not body.get("online"):  # of an entry that was changed, anything
        return None
    name, said = body.get("device"), body.get("reason")
    return (name, said) if isinstance(name, str) and isinstance(said, str) and said != _NOT_ITS_OWN else None


def to_body(told: Told) -> dict[str, Any]:
    """The body of a round's beginning."""
    return {"devices": {name: {"said": said, "entry": entry} for name, (said, entry) in told.items()}}


class DevicesProof:
    """Holds what an export's first line says of devices against its own chain. Take its rows in order."""

    def __init__(self) -> None:
        self._named: Any = None
        self._told: Told | None = None

    def begin(self, first_line: Mapping[str, Any]) -> None:
        """Take the first line."""
        self._named = first_line.get("devices")

    def take(self, row: Row) -> None:
        """Take an entry."""
        if row.kind == EntryKind.HOST and row.name == HostEntry.ROUND_BEGIN:
            self._told = told_by(row)  # of an older version in between: nothing is proved then, nor contradicted
        elif self._told is not None and (device := came_in(row)) is not None:
            self._told[device[0]] = device[1], row.seq

    def proved(self) -> int | None:
        """How many devices the chain proves; None where it says nothing of them, or the first line does not.

        Raises ValueError where the two contradict each other.
        """
        if self._told is None or not self._named:
            return None
        named = {one["device"]: (one["said"], one["entry"]) for one in self._named}
        if named != self._told:
            wrong = sorted(name for name in named.keys() | self._told.keys() if named.get(name) != self._told.get(name))
            raise ValueError(f"its first line says otherwise of {', '.join(wrong)} than its own entries do")
        return len(named)


def _came(reader: JournalReader, span: Span) -> Iterator[tuple[str, SaidByDevice]]:
    seen: set[str] = set()
    for entry in reader.entries(span, newest_first=True):
        device = came(entry.body)
        if device is not None and device[0] not in seen:
            seen.add(device[0])
            yield device[0], SaidByDevice(*device, _moment(entry.wall), entry.seq)


def _wall_of(reader: JournalReader, seq: int) -> float:
    row = next(reader.rows(Span(after=seq - 1, until=seq)), None)
    return 0.0 if row is None else _moment(row.wall)


def _moment(wall: object) -> float:
    """The seconds since 1970 of an entry; 0 for one that was changed, which the database lets say anything."""
    return wall if isinstance(wall, float) and math.isfinite(wall) else 0.0
