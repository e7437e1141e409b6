"""Entries of events of a device that the record lacks (`HostEntry.JUMP`), and the look for gaps in devices' numbers.

An entry's body has the `device`; `held`, the last event of it in the record; `coming`, the one that it sends next; and
`acknowledged`, the last that was acknowledged to it, where it says so. Each is `[boot id, sequence]` or null. Where it
has `put_back`, true, the record is older than the device's memory of it, and play stops. Where `coming` is null, no
device told it: the record began beside devices that the table knew before, so the one before it is gone. A later entry
with `accepted`, the account of a person, says that somebody has looked at it.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.notes import BAD_MESSAGE_NOTE
from feltd.record.row_json import parse

KEPT: Final = 1000
"""Jumps listed by one verification."""


class Name(Protocol):
    """The name of a device's event."""

    @property
    def boot_id(self) -> bytes: ...
    @property
    def seq(self) -> int: ...


def jump_body(
    device: str, held: Name | None, coming: Name, acknowledged: Name | None, *, put_back: bool = False
) -> dict[str, Any]:
    """The body of an entry that tells of a jump. `put_back`: the record was put back to an older state."""
    body = {
        "device": device,
        "held": _pair(held),
        "coming": _pair(coming),
        "acknowledged": _pair(acknowledged),
    }
    return {**body, "put_back": True} if put_back else body


def gone_body(device: str) -> dict[str, Any]:
    """The body of an entry that tells, at a device, that the record before this one is gone."""
    return {"device": device, "held": None, "coming": None, "acknowledged": None, "put_back": True}


def jump_words(body: dict[str, Any]) -> str:
    """What an entry says, for people."""
    if body["coming"] is None:
        return (
            f"{body['device']}: this table knew devices before its record began, and no entry says that a person put "
            "the record before it aside: that record is gone; play stops until a person accepts it"
        )
    held, acknowledged = body["held"], body["acknowledged"]
    ours = "holds none of its events" if held is None else f"ended with its event {_words(held)}"
    told = "" if acknowledged is None else f", and event {_words(acknowledged)} was acknowledged to it"
    why = "events are missing, or the record was put back to an older state"
    if body.get("put_back") is True:
        why = (
            "the record was put back to an older state, unless this device has been at another table since; play stops "
            "until a person accepts it"
        )
    return f"{body['device']}: the record {ours}; its next is {_words(body['coming'])}{told}: {why}"


class ToldJumps:
    """The jumps that the record tells of: which stand, and which a person has accepted."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """`rows`: all entries of jumps, in their order. One that was changed is passed over: the chain tells it."""
        self.standing: dict[str, dict[str, Any]] = {}
        """By device, the body of its last jump that nobody has accepted."""
        self._accepted: set[str] = set()
        for row in rows:
            body = _body(row)
            if body is None:
                continue
            if "accepted" in body:
                self.accept(body["device"])
            else:
                self.tell(body)

    def tell(self, body: dict[str, Any]) -> None:
        """Take a jump: it stands from now on."""
        self.standing[body["device"]] = body

    def accept(self, device: str) -> None:
        """A person has accepted the jump of a device that stands: also what would stop play were it judged anew."""
        body = self.standing.pop(device, None)
        if body is not None:
            self._accepted |= {_matter(body), _matter({**body, "put_back": True})}

    @property
    def put_back(self) -> tuple[str, ...]:
        """The devices whose jumps stop play."""
        return tuple(device for device, body in self.standing.items() if body.get("put_back") is True)

    def is_told(self, body: dict[str, Any]) -> bool:
        """Whether a device tells anew what stands already, or what a person has accepted.

        A device tells it with each session and after each start, until an event of it is recorded.
        """
        stands = self.standing.get(body["device"])
        return _matter(body) in self._accepted or (stands is not None and _matter(stands) == _matter(body))


def _matter(body: dict[str, Any]) -> str:
    """What two bodies about the same have in common: a record put back is one, however often the device restarts."""
    put_back = body.get("put_back") is True
    parts = ("device", "held", "acknowledged" if put_back else "coming")
    return json.dumps([put_back, *(body.get(part) for part in parts)])


@dataclass(frozen=True, slots=True)
class FoundJump:
    """A jump: at which entry, in words."""

    seq: int
    text: str


class SourceGaps:
    """Looks through a record, entry by entry, for events of devices that it lacks."""

    def __init__(self) -> None:
        self.found: list[FoundJump] = []
        self._last: dict[str, tuple[bytes, int]] = {}
        self._told: set[tuple[str, bytes, int]] = set()
        self._gathered = 1
        """How many numbers the next event of a device may use: messages against the rules are recorded as one."""

    def observe(self, row: Row) -> None:
        """Take the next entry."""
        if row.kind == EntryKind.HOST:
            self._observe_host(row)
        elif row.device is not None and row.boot_id is not None and row.device_seq is not None:
            self._observe_event(row.seq, row.device, row.boot_id, row.device_seq)

    def _observe_host(self, row: Row) -> None:
        if row.name == HostEntry.NOTE and type(row.body) is str and BAD_MESSAGE_NOTE in row.body:
            self._gathered = _times(row)
        body = _body(row) if row.name == HostEntry.JUMP else None
        if body is not None and "accepted" not in body:
            if body["coming"] is not None:
                boot_id, seq = body["coming"]
                self._told.add((body["device"], bytes.fromhex(boot_id), seq))
            self._add(row.seq, jump_words(body))

    def _observe_event(self, entry: int, device: str, boot_id: bytes, seq: int) -> None:
        last = self._last.get(device)
        gathered, self._gathered = self._gathered, 1
        self._last[device] = (boot_id, seq)
        if last is None:
            return  # a record may begin with any event of a device
        expected = last[1] + 1 if last[0] == boot_id else 1
        if seq >= expected + gathered and (device, boot_id, seq) not in self._told:
            missing = f"{expected} to {seq - gathered} of boot {boot_id.hex()}"
            self._add(entry, f"{device}: its events {missing} are not in the record, and no entry says why")

    def _add(self, seq: int, text: str) -> None:
        if len(self.found) < KEPT:
            self.found.append(FoundJump(seq, text))


def _pair(name: Name | None) -> list[str | int] | None:
    return None if name is None else [name.boot_id.hex(), name.seq]


def _words(pair: list[Any]) -> str:
    return f"{pair[1]} of boot {pair[0]}"


def _times(row: Row) -> int:
    try:
        times = parse(row.body).get("times", 1)
    except (ValueError, AttributeError):
        return 1
    return times if type(times) is int and times > 0 else 1


def _body(row: Row) -> dict[str, Any] | None:
    """The body of a jump's entry; None where it is none (it was changed, and the chain says so)."""
    try:
        body = dict(parse(row.body))
        if type(body["device"]) is not str:
            return None
        if "accepted" not in body:
            if body["coming"] is None:
                return body if body == body | gone_body(body["device"]) else None
            boot_id, seq = body["coming"]
            bytes.fromhex(boot_id)
            jump_words(body)
            return body if type(seq) is int else None
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    return body
