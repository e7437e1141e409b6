"""The technician's side of a running table: keys, serial numbers, packs and tests of devices."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from devices.drivers.badge import BadgeDriver
from devices.drivers.keys import KeysDriver
from devices.pins.station import PinStation
from feltd.door import Person
from feltd.door.together import StepKind
from feltd.record import HostEntry
from feltd.record.jumps import ToldJumps, gone_body, jump_body, jump_words
from feltd.record.notes import LATE_NOTE
from feltd.table.config.devices import DeviceConfig
from feltd.table.config.key_files import KeyFile
from feltd.table.journal import Journal
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.together import Together
from feltd.table.links.bridge import Bridge
from feltd.table.links.known_serials import KnownSerials, serials_file_of
from feltd.table.links.late_order import late_words
from feltd.table.links.slots import Slot
from feltd.table.packs.pack_file import PackShelf
from feltd.table.workshop.device_keys import (
    DeviceKeyError,
    KeyWatch,
    changeable,
    make_key,
    parse_key,
    take_back,
    take_back_possible,
    write_key,
)
from feltd.table.workshop.device_tests import DeviceTests, Later
from feltd.table.workshop.key_marks import KeyMarks
from feltd.table.workshop.pack_table import PackTable
from firmware_bridge.link import Jump

REPLACED_NOTE: Final = "a device was replaced"
KEY_NOTE: Final = "device.key"
KEY_BACK_NOTE: Final = "device.key.back"
KEY_FILE_NOTE: Final = "device.key.file"
"""A key's file was changed by whoever may write it: at the console, by one person alone."""
ACCEPTED_NOTE: Final = "device.accepted"
KEY_MARKS: Final = "device-keys.json"
SPEAK_FOR_PEOPLE: Final = frozenset({BadgeDriver.role, KeysDriver.role})
"""Roles whose devices say who decides."""
NO_SESSION_KEY: Final = "it is on pins, or an adapter speaks with it: it has no key of a session"


class Workshop:
    """Everything a technician works with."""

    def __init__(
        self,
        devices: Sequence[DeviceConfig],
        keys: Mapping[str, bytes],
        keeper: TableKeeper,
        bridge: Bridge,
        journal: Journal,
        later: Later | None = None,
        shelf: PackShelf | None = None,
    ) -> None:
        """`keys`: those in use, by the device's name. `shelf`: the packs of chips, None where no list is kept."""
        self.bridge = bridge
        self.keeper = keeper
        self.journal = journal
        self.serials = KnownSerials(serials_file_of(Path(journal.path)))
        self.tests = DeviceTests(keeper, bridge, bridge.wall, later)
        self._key_files: Mapping[str, KeyFile] = {
            device.name: device.wire_key for device in devices if device.wire_key is not None
        }
        self._jumps = ToldJumps(journal.reader.host_entries(HostEntry.JUMP))
        if not journal.health.appended:
            self._tell_what_is_gone()
        for name, slot in bridge.slots.items():
            slot.replaced = self.serials.replaced(name)
            self._show_jump(slot)
        bridge.hold_what_was_put_back()
        self.together = Together(keeper, bridge.changed)
        """Steps that two people must want."""
        self.packs = PackTable(keeper, bridge, journal, shelf)
        """Packs of cards that are chips."""
        self._watch = KeyWatch(self._key_files, keys, bridge.use_key)
        self._marks = KeyMarks(Path(journal.path).with_name(KEY_MARKS))
        self._untold = self._marks.others(keys)
        """Devices whose key was changed by its file, until that is on record."""

    def beat(self) -> None:
        """Take up keys that were changed at the console, and end steps that are too old. Call once a second.

        Such a key goes on record, one that was changed while the table was stopped too: whoever may write its file has
        changed it alone.
        """
        self._take_up()
        while self._untold and self.journal.health.accepting:
            self.journal.append_note(KEY_FILE_NOTE, {"device": self._untold.pop(0)})
        if not self._untold:  # not before: what a crash keeps from the record is told at the next start
            self._marks.keep(self._watch.keys)
        self.together.expire()
        self.packs.beat()

    # -- keys

    def session_key(self, device: str) -> KeyFile | None:
        """The file of a device's session key; None where an adapter speaks with the device."""
        return self._key_files.get(device)

    def key_file(self, device: str) -> KeyFile:
        """The file of a device's session key.

        Raises DeviceKeyError where an adapter speaks with the device.
        """
        file = self.session_key(device)
        if file is None:
            raise DeviceKeyError(f"{device}: {NO_SESSION_KEY}")
        return file

    def _take_up(self, but: str | None = None) -> None:
        """Take up keys that have changed. `but`: the device whose change is on record already."""
        self._untold += (name for name in self._watch.look() if name != but)

    def changeable(self, device: str) -> None:
        """Raises DeviceKeyError for a device whose key is not changed here."""
        changeable(device, self.key_file(device))

    def new_key(self, person: Person, device: str, given: str | None) -> bytes:
        """Give a device another key: made here, or given as 64 hexadecimal digits.

        Another person has approved it. It counts from the next session on. Raises DeviceKeyError, StepNotTaken,
        PlayStopped.
        """
        self._check_between_rounds(device)
        key = make_key() if given is None else parse_key(given)
        if self._watch.belongs_to_another(device, key):
            raise DeviceKeyError("another device of this table has this key already: no two share one")
        file = self.key_file(device)
        changeable(device, file)
        with self._approved(person, KEY_NOTE, device):
            write_key(device, file, key)
        self._take_up(but=device)
        return key

    def key_back(self, person: Person, device: str) -> None:
        """The key that a device had before its last change. Raises as `new_key`."""
        self._check_between_rounds(device)
        file = self.key_file(device)
        take_back_possible(device, file)
        with self._approved(person, KEY_BACK_NOTE, device):
            take_back(device, file)
        self._take_up(but=device)

    @contextmanager
    def _approved(self, person: Person, act: str, device: str) -> Iterator[None]:
        """Do a step that another person has approved; it is on record before, and counts once, where it succeeds."""
        step = self.together.approved(person, StepKind.DEVICE_KEY, device)
        second = None if step.second is None else step.second.account
        self.keeper.note_by_hand(person, act, step.reason, device=device, number=step.number, approved_by=second)
        yield
        self.together.done(step)

    def _check_between_rounds(self, device: str) -> None:
        """Raise DeviceKeyError in a round, for a device by which people decide: its key is their word."""
        if self.bridge.slots[device].driver.role in SPEAK_FOR_PEOPLE and self.journal.open_rounds:
            raise DeviceKeyError(
                f"{device}: people decide by it, so its key changes between two rounds alone; decide this round at the "
                "page if the device is gone"
            )

    # -- who is there

    def accept(self, person: Person, device: str) -> None:
        """Accept the device in place of another, every disabled input of it, and that events of it are missing.

        Raises PlayStopped.
        """
        self._keep_note(person, ACCEPTED_NOTE, device)
        slot = self.bridge.slots[device]
        if slot.replaced is not None:
            self.serials.accept(device)
            slot.replaced = None
        if slot.missing is not None:
            self.journal.append_jump({"device": device, "accepted": person.account})
            self._jumps.accept(device)
            self._show_jump(slot)
            self.bridge.hold_what_was_put_back()
            self.bridge.indicating.set_again()
        if slot.disabled and isinstance(slot.link, PinStation):
            slot.link.in_order()
        self.bridge.changed()

    def jumped(self, slot: Slot, jump: Jump) -> None:
        """Put on record that events of a device are missing; the alarm stays until a person accepts it.

        Where the record was put back to an older state, play stops until then.
        """
        put_back = slot.put_back or self._was_put_back(slot, jump)  # what nobody has accepted stops play on
        body = jump_body(slot.config.name, jump.held, jump.coming, jump.acknowledged, put_back=put_back)
        if self._jumps.is_told(body):
            return
        if self.journal.health.accepting:
            self.journal.append_jump(body)
        self._jumps.tell(body)
        self._show_jump(slot)
        self.bridge.tell(slot.config.name, jump_words(body))
        self.bridge.hold_what_was_put_back()

    def told_late(self, slot: Slot, others: Sequence[str]) -> None:
        """Put on record, and tell the staff, that a device's kept events come behind others, in no known order."""
        self.journal.append_note(LATE_NOTE, {"device": slot.config.name, "behind": list(others)})
        self.bridge.tell(slot.config.name, late_words(slot.config.name, others))

    def _tell_what_is_gone(self) -> None:
        """In a record without an entry: tell that the one before it is gone, where the table knew devices before.

        A record that a person began in its place (`feltd journal set-aside`, `from-floor`) has the entry that says so.
        """
        slots, known = self.bridge.slots, self.serials.devices
        if not known:
            return
        bodies = [gone_body(name) for name in slots if name in known] or [gone_body(name) for name in slots]
        with self.journal.together():
            for body in bodies:
                self.journal.append_jump(body)
                self._jumps.tell(body)
                self.bridge.tell(body["device"], jump_words(body))

    def _was_put_back(self, slot: Slot, jump: Jump) -> bool:
        """Whether the record is older than a device's memory of it, and nothing else explains that.

        An event is acknowledged once it is on the disk, so that no power cut takes it away. A device that is new here
        was acknowledged by another table's record; one whose own memory is the older remembers what the record has.
        """
        held, acknowledged, who = jump.held, jump.acknowledged, slot.session
        if jump.known or held is None or acknowledged is None:
            return False
        if who is not None and self.serials.is_another(slot.config.name, who.serial):
            return False
        if acknowledged.boot_id == held.boot_id:
            return acknowledged.seq > held.seq
        return not self.journal.reader.holds_boot(slot.config.name, acknowledged.boot_id)

    def _show_jump(self, slot: Slot) -> None:
        body = self._jumps.standing.get(slot.config.name)
        slot.missing = None if body is None else jump_words(body)
        slot.put_back = body is not None and body.get("put_back") is True

    def _keep_note(self, person: Person, act: str, device: str) -> None:
        self.keeper.note_by_hand(person, act, None, device=device)

    # -- what the bridge tells

    def came(self, slot: Slot) -> None:
        """Take a device that has come up: prove its key and compare its serial number."""
        name, identity = slot.config.name, slot.identity
        if slot.link.is_proven():
            self._watch.proven(name)
        if identity is None or not identity.serial:  # a device behind an adapter may have none
            return
        before = self.serials.seen(name, identity.serial)
        slot.replaced = self.serials.replaced(name)
        if before is None:
            return
        if self.journal.health.accepting:
            self.journal.append_note(REPLACED_NOTE, {"device": name, "serial": identity.serial, "before": before})
        self.bridge.tell(name, f"{name}: another device than the last time: {identity.serial}, was {before}")
