"""One table's line of the pit, folded from the rows of its journal, and from nothing else: it can be made anew."""

import json
import logging
from collections.abc import Callable, Iterable
from typing import Any, Final

from feltd.custody.errors import CustodyWireError
from feltd.door.pit.state import PitAlarm, PitDevice, PitPutBack, PitRuling, PitShelved
from feltd.door.wire.codec import from_json, to_json
from feltd.door.wire.errors import WireError
from feltd.floor.open_rows import (
    NUMBER_MOST,
    ROW_FAULTS,
    TEXT_MOST,
    RowUnreadError,
    body_of,
    json_of,
    number,
    read_rows,
    small,
    text,
    truth,
    whole,
)
from feltd.floor.table_facts import TableFacts
from feltd.floor.taken_wishes import KINDS, Taken, keep_had, took
from feltd.floor.wishes import WishKind
from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.notes import (
    BROADCAST_OFF_NOTE,
    BROADCAST_ON_NOTE,
    BY_HAND_NOTE,
    SETTLED_NOTE,
    START_NOTE,
    WISH_SETTINGS_NOTE,
)
from feltd.text.page_address import page_elsewhere
from feltd.text.zone import known_zone
from table_fsm.felt import SEAT_OF, ZONE_TROUBLES, ZONES

FORMAT: Final = 17
"""Of what is kept. Another one is folded anew."""
DEVICES_MOST: Final = 64
ALARMS_MOST: Final = 64
OF_A_KIND_MOST: Final = 16
"""Alarms of one kind at one table: the pit stays readable whatever a table says, and what is beyond is counted."""
SHELVES_MOST: Final = 64
WAITING_MOST: Final = 32
DIGEST_MOST: Final = 64
"""Bytes: a book's has 32. Of a longer one no wish could be kept, and all wishes would wait for that."""
_log = logging.getLogger("feltd.floor")
_LEAVES_WAITING: Final = frozenset({"acknowledge", "check_deck", "shelve", "unshelve"})
_ALARM_KEY: Final = ("kind", "deck", "device", "seat")
_RULING: Final = ("rulebook", "rule", "irregularity", "outcome", "authority", "text")


class Fold:
    """What a table's entries up to `seq` say of it now."""

    def __init__(self) -> None:
        self.seq = 0
        self.phase: str | None = None
        self.street: str | None = None
        self.level: int | None = None
        self.round: int | None = None
        self.round_since: float | None = None
        self.devices: dict[str, bool] = {}
        self.zones: dict[str, dict[str, str]] = {}
        """The zones that readers do not read whole, by the reader: why, as `zone.state` names it."""
        self.alarms: dict[str, dict[str, Any]] = {}
        self.waiting: dict[int, dict[str, Any]] = {}
        self.shelves: list[dict[str, Any]] = []
        """The decisions by which alarms are shelved, the newest last: `kind`, `device`, `seat`, `by`, `until`."""
        self.locked = False
        """The table wants the gate of its shoe shut."""
        self.testing = False
        self.broadcast = False
        """Cards of rounds that are over go to a broadcast."""
        self.box: str | None = None
        """What is wrong with the drop box: `missing` or `not_locked`."""
        self.put_back: dict[str, float] = {}
        """The devices that say that the record was put back, until a person accepts it: since when."""
        self.facts = TableFacts()
        self.play: dict[str, Any] | None = None
        """What is played: `rulebook`, `digest`, `options`; None before the table was opened."""
        self.software: str | None = None
        """The version of feltd that the table runs."""
        self.page: str | None = None
        """The address of the table's own page; None where it has said none that is one, or one of whoever looks."""
        self.zone: str | None = None
        """The time zone that people read at the table; None where it has not said, or this machine knows it not."""
        self.settings: dict[str, Any] | None = None
        """Those that hold by a wish; None where the table has not said."""
        self.taken: Taken = {}
        """The wishes that it took last."""
        self.had: dict[str, Any] = {}
        """What was played, and which settings held, before each of the last starts, until a wish is taken."""
        self.unread = 0
        """How many rows were not read: they are kept as bytes, and say nothing here."""
        self.more_alarms = 0
        """How many alarms stand beyond those that are kept here, as far as that is known."""
        self._opened: tuple[int, dict[str, Any] | None] = (0, None)
        """The last opening, which the table may still refuse, and what was played before it."""
        self._named: tuple[int, int, dict[str, Any]] | None = None
        self._shelf: tuple[int, dict[str, Any]] | None = None
        """The last decision to shelve, which the table may still refuse, by its entry."""

    def take(self, data: bytes) -> None:
        """Take the next row. One that cannot be read changes nothing, and is counted."""
        self.take_all(read_rows((data,)))

    def take_all(self, rows: Iterable[Row | None]) -> None:
        """Take the next rows, as `read_rows` has read them."""
        for row in rows:
            self._take_next(row)

    def _take_next(self, row: Row | None) -> None:
        self.seq += 1
        if row is None:
            self.unread += 1
            return
        try:
            self._take(row)
        except ROW_FAULTS as fault:
            self.unread += 1
            if not isinstance(fault, RowUnreadError):
                _log.exception("entry %d of a table is not read: report it as a fault", self.seq)

    def _take(self, row: Row) -> None:
        if row.seq != self.seq:
            raise RowUnreadError("it has another number than its place")
        self.facts.take(row)
        if row.kind == EntryKind.OUTPUT:
            self._output(row)
        elif row.kind == EntryKind.EVENT:
            self._event(row)
        elif row.name == HostEntry.ROUND_BEGIN:
            self.round, self.round_since = row.round, row.wall
        elif row.name == HostEntry.ROUND_END:
            self.round_since = None
        elif row.name == HostEntry.JUMP:
            self._jump(body_of(row), row.wall)
        elif row.name == HostEntry.NOTE:
            self._note(row, body_of(row))

    def _note(self, row: Row, body: dict[str, Any]) -> None:
        note, what = body.get("note"), body.get("what")
        held = {WishKind.BOOK: self.play, WishKind.SETTINGS: self.settings}
        if note == START_NOTE:
            self.software = text(body, "software")
            self.page, self.zone = _checked(page_elsewhere, body, "page"), _checked(known_zone, body, "zone")
            self.broadcast = False  # a start finds it off
        if note == START_NOTE or (note == BY_HAND_NOTE and what == WISH_SETTINGS_NOTE):
            self.settings = None  # also where what it says now is not read
            self.settings = _settings(body.get("settings"))
        if note == START_NOTE:
            keep_had(self.had, held, row.wall, body)
        if note == BY_HAND_NOTE and what in (BROADCAST_ON_NOTE, BROADCAST_OFF_NOTE):
            self.broadcast = what == BROADCAST_ON_NOTE
        if note == BY_HAND_NOTE and isinstance(what, str) and what in KINDS:
            took(self.taken, body, held, self.had)
        if note == SETTLED_NOTE and isinstance(body.get("rulings"), list):
            for one in body["rulings"]:
                self.waiting.pop(one, None) if isinstance(one, int) else None

    def _jump(self, body: dict[str, Any], wall: float) -> None:
        """As `feltd.record.jumps`: the last jump of a device counts, until it is accepted."""
        device = text(body, "device")
        if device is None:
            return
        since = self.put_back.pop(device, wall)
        if "accepted" not in body and body.get("put_back") is True and len(self.put_back) < DEVICES_MOST:
            self.put_back[device] = since

    def _event(self, row: Row) -> None:
        self._plays(row)
        match row.name:
            case "device.state":
                self._device(body_of(row))
            case "zone.state":
                self._zone_read(body_of(row))
            case "test.mode":
                self.testing = truth(body_of(row), "on")
            case "dropbox.state":
                self._dropbox(body_of(row))
            case "supervisor":
                self._decided(row.seq, body_of(row))
                self._shelves(row, body_of(row))

    def _plays(self, row: Row) -> None:
        """What an event says of the book in force: which, and by each event, of which text. Raises RowUnreadError."""
        if row.rulebook is not None and len(row.rulebook) > DIGEST_MOST:
            raise RowUnreadError("its rulebook is no digest")
        if row.name == "table.open":
            body = body_of(row)
            options = body.get("options")
            opens = {
                "rulebook": text(body, "rulebook") or "", "digest": "",
                "options": {} if options is None else small(options),
            }  # fmt: skip
            self._opened, self.play = (row.seq, self.play), opens
        if self.play is not None and row.rulebook is not None:
            self.play["digest"] = row.rulebook.hex()

    def _output(self, row: Row) -> None:
        body = body_of(row)
        value = body.get(row.name)
        if row.name == "phase" and isinstance(value, str):
            self.phase, self.street = text(body, row.name), text(body, "street")
        elif row.name == "gate" and isinstance(value, str):
            self.locked = value == "lock"
        elif row.name == "error" and row.answers == self._opened[0]:
            self.play = self._opened[1]
        elif row.name == "error" and self._named is not None and row.answers == self._named[0]:
            self.waiting[self._named[1]] = self._named[2]  # the table did not take the decision
        elif not isinstance(value, dict):
            return
        elif row.name == "level":
            level = whole(value, "level")
            self.level = self.level if level is None else level
        elif row.name == "ruling":
            self._ruling(value, row.wall)
        elif row.name == "alarm":
            self._alarm(value, row)

    def _ruling(self, value: dict[str, Any], wall: float) -> None:
        id_, supersedes, pending = whole(value, "id"), whole(value, "supersedes"), truth(value, "pending")
        said = {name: text(value, name, TEXT_MOST) or "" for name in _RULING} | {"seat": whole(value, "seat")}
        if supersedes is not None:
            self.waiting.pop(supersedes, None)
        if pending and id_ is not None and len(self.waiting) < WAITING_MOST:
            self.waiting[id_] = {"id": id_, **said, "since": wall}

    def _alarm(self, value: dict[str, Any], row: Row) -> None:
        about = {name: whole(value, name) if name == "seat" else text(value, name) for name in _ALARM_KEY}
        about["kind"] = about["kind"] or ""
        key = json.dumps([*about.values()])
        state = text(value, "state")
        alarm = self.alarms.get(key)
        if alarm is None and not (state == "raised" and self._has_room(about["kind"])):
            self._beyond(state)
        elif state == "raised":
            self.alarms[key] = about | {"since": row.wall, "t": row.t}
        elif alarm is not None and state == "escalated":
            alarm["escalated"] = True
        elif alarm is not None and state in ("shelved", "unshelved"):
            alarm["shelved"] = state == "shelved"
            if state == "shelved":
                alarm["shelf"] = self._shelf_of(alarm, row)
        elif alarm is not None and state in ("cleared", "acknowledged"):
            alarm["over" if state == "cleared" else "acknowledged"] = True
        if alarm is not None and alarm.get("over") and (alarm.get("acknowledged") or alarm.get("shelved")):
            self.alarms.pop(key, None)

    def _has_room(self, kind: object) -> bool:
        of_kind = sum(one["kind"] == kind for one in self.alarms.values())
        return len(self.alarms) < ALARMS_MOST and of_kind < OF_A_KIND_MOST

    def _beyond(self, state: str | None) -> None:
        """An alarm that has no room here: how many stand is counted, and which they are the table's own page says."""
        if state == "raised":
            self.more_alarms = min(self.more_alarms + 1, NUMBER_MOST)
        elif state == "cleared":
            self.more_alarms = max(0, self.more_alarms - 1)

    def _shelves(self, row: Row, body: dict[str, Any]) -> None:
        about = {
            "kind": text(body, "alarm"),
            "device": text(body, "device"),
            "seat": whole(body, "seat"),
        }
        minutes = number(body, "minutes")
        if body.get("decision") == "unshelve":
            self.shelves = [one for one in self.shelves if any(one[name] != value for name, value in about.items())]
        elif body.get("decision") == "shelve" and minutes is not None:
            self._shelf = row.seq, {**about, "by": text(body, "staff"), "until": row.wall + 60.0 * minutes}

    def _shelf_of(self, alarm: dict[str, Any], row: Row) -> dict[str, Any] | None:
        """The decision by which an alarm is shelved; None where it is not known any more."""
        if self._shelf is not None and row.answers == self._shelf[0]:
            standing = [one for one in self.shelves if one["until"] >= row.wall]
            self.shelves = [*standing, self._shelf[1]][-SHELVES_MOST:]
            self._shelf = None
        return next((one for one in reversed(self.shelves) if _lies_on(alarm, one)), None)

    def _device(self, body: dict[str, Any]) -> None:
        name, online = text(body, "device"), truth(body, "online")
        if name is not None and (name in self.devices or len(self.devices) < DEVICES_MOST):
            self.devices[name] = online
        if name is not None and not online:
            self.zones.pop(name, None)  # one that is away says nothing of its zones

    def _zone_read(self, body: dict[str, Any]) -> None:
        name, zone, trouble = (text(body, key) for key in ("device", "zone", "trouble"))
        if name is None or zone not in ZONES or not (name in self.zones or len(self.zones) < DEVICES_MOST):
            return
        zones = self.zones.setdefault(name, {})
        zones.pop(zone, None)
        if trouble is not None and trouble in ZONE_TROUBLES:
            zones[zone] = trouble
        if not zones:
            del self.zones[name]

    def _zones_of(self, alarm: dict[str, Any]) -> tuple[str, ...]:
        """The zones that an alarm is about, as the table's own page has them."""
        return tuple(
            sorted(
                zone
                for zone, trouble in self.zones.get(alarm["device"], {}).items()
                if ZONE_TROUBLES[trouble] == alarm["kind"] and SEAT_OF.get(zone) == alarm["seat"]
            )
        )

    def _dropbox(self, body: dict[str, Any]) -> None:
        present, locked = truth(body, "present"), truth(body, "locked")
        self.box = "missing" if not present else None if locked else "not_locked"

    def _decided(self, seq: int, body: dict[str, Any]) -> None:
        named, decision = whole(body, "ruling"), text(body, "decision")
        self._named = None
        if named is not None and decision not in _LEAVES_WAITING:
            ruling = self.waiting.pop(named, None)
            self._named = None if ruling is None else (seq, named, ruling)

    # -- as the page has it

    def shown_devices(self) -> tuple[PitDevice, ...]:
        """The devices by name."""
        return tuple(PitDevice(name, online) for name, online in sorted(self.devices.items()))

    def shown_alarms(self) -> tuple[PitAlarm, ...]:
        """The alarms, oldest first."""
        return tuple(
            PitAlarm(
                one["kind"], one["deck"], one["device"], one["seat"], one["since"],
                one.get("escalated", False), one.get("over", False), one.get("acknowledged", False),
                one.get("t"), self._zones_of(one),
            )
            for one in self.alarms.values()
            if not one.get("shelved")
        )  # fmt: skip

    def shown_put_back(self) -> PitPutBack | None:
        """That the record was put back; None where it was not, or a person has accepted it at each device."""
        return PitPutBack(tuple(sorted(self.put_back)), min(self.put_back.values())) if self.put_back else None

    def shown_shelved(self) -> tuple[PitShelved, ...]:
        """The alarms that are shelved, oldest first."""
        shelved = [(one, one.get("shelf") or {}) for one in self.alarms.values() if one.get("shelved")]
        return tuple(
            PitShelved(
                one["kind"], one["deck"], one["device"], one["seat"], shelf.get("by"), shelf.get("until"),
                shelf.get("device"), shelf.get("seat"), bool(shelf),
            )
            for one, shelf in shelved
        )  # fmt: skip

    def shown_waiting(self) -> tuple[PitRuling, ...]:
        """The rulings that wait, oldest first."""
        return tuple(
            PitRuling(
                id_, one["rulebook"], one["rule"], one["irregularity"], one["outcome"], one["authority"], one["text"],
                one["seat"], one["since"],
            )
            for id_, one in self.waiting.items()
        )  # fmt: skip

    # -- kept

    def to_text(self) -> str:
        """The fold as text, to go on from."""
        kept = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        kept["waiting"] = list(self.waiting.values())
        return to_json({"format": FORMAT, **kept}).decode()

    @classmethod
    def from_text(cls, text: str) -> "Fold":
        """The fold of `to_text`. Raises CustodyWireError where it is of another format: fold anew."""
        try:
            kept = json.loads(text)
            if kept.pop("format") != FORMAT:
                raise CustodyWireError("a fold of another format", "pit", "It is folded anew")
            fold = cls()
            kept["facts"] = from_json(TableFacts, kept["facts"], "facts")
            kept["waiting"] = {one["id"]: one for one in kept["waiting"]}
            for name in vars(fold):
                if not name.startswith("_"):
                    setattr(fold, name, kept[name])
        except (ValueError, KeyError, TypeError, AttributeError, WireError) as fault:
            raise CustodyWireError(f"no fold: {fault}", "pit", "It is folded anew") from None
        return fold


def _lies_on(alarm: dict[str, Any], shelf: dict[str, Any]) -> bool:
    named = shelf["device"] in (None, alarm["device"]) and shelf["seat"] in (None, alarm["seat"])
    return bool(named and shelf["kind"] == alarm["kind"])


def _checked(check: Callable[[str], str], body: dict[str, Any], name: str) -> str | None:
    """What a table says of itself and pages show as more than words: None where it is not what it should be."""
    said = body.get(name)
    try:
        return check(said) if isinstance(said, str) and len(said) <= TEXT_MOST else None
    except ValueError:
        return None


def _settings(value: object) -> dict[str, Any] | None:
    """Of a start, or as JSON of a note of what a person did."""
    found = json_of(value) if isinstance(value, str) else value
    return None if found is None else small(found)
