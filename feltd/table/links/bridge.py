"""The bridge between links and table: device messages to events, outputs to commands.

There is one slot for each device: its link (firmware_bridge), its driver (devices), and facts about it for the page.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from devices.adapters.chip_names import ChipNames
from devices.adapters.chip_numbers import Packs
from devices.drivers.badge import BadgeDriver
from devices.drivers.base import Driver
from devices.drivers.cleaning import clean_text
from devices.drivers.reader import ReaderDriver
from devices.drivers.registry import driver_for
from devices.drivers.status import read_status
from devices.errors import DeviceError, DeviceMessageError
from devices.pins.watch import DisabledInput
from feltd.record import Source
from feltd.table.config.devices import DeviceConfig
from feltd.table.keeper.deliveries import Delivery
from feltd.table.links.chips_at_hand import TableChips
from feltd.table.links.display_words import First, StoppedBy, first_in_turns
from feltd.table.links.ends import TableEnds, nobody
from feltd.table.links.fault_log import FaultLog
from feltd.table.links.given_words import enrolment_code, page_fingerprint
from feltd.table.links.indicating import Indicating
from feltd.table.links.late_order import LateOrder
from feltd.table.links.links import DeviceLink, Reach, make_link, tells_leaving
from feltd.table.links.presence import DEFAULT_LOSSES, REASON_MAX, Presence, ShortLosses, named
from feltd.table.links.slots import FaultSeen, Place, Slot
from feltd.table.links.zone_watch import zone_changes
from feltd.text.errors import FeltdError
from firmware_bridge.errors import FaultCode
from firmware_bridge.link import DeviceIdentity, Jump, Link, LinkFault, LinkState
from table_fsm.events import CardPlaced, Event, ShoeCard
from table_fsm.outputs import Output

_log = logging.getLogger("feltd.devices")
TURN: Final = 5.0
"""Seconds for which a small display shows one part of what comes before all else, and then none of it."""


class Bridge:
    """All devices of a table and the handler of their links.

    `connect` it to the table before `run`.
    """

    def __init__(
        self,
        devices: Sequence[DeviceConfig],
        keys: Mapping[str, bytes],
        resume: Mapping[str, tuple[bytes, int]],
        drivers: Mapping[str, Driver[Any]],
        *,
        wall: Callable[[], float],
        changed: Callable[[], None] = lambda: None,
        reach: Reach = Reach(),  # noqa: B008 - frozen
        short_losses: ShortLosses = DEFAULT_LOSSES,
    ) -> None:
        """Make a slot for each device.

        `keys` (of sessions), `drivers`: by the device's name; `resume`: its last event in the journal. `wall`: seconds
        since 1970; `changed`: called after each change that people are shown.
        `reach`: how places are opened, and which chip is which card.
        """
        self.slots: dict[str, Slot] = {}
        self.faults = FaultLog(wall)
        self.changed = changed
        self.wall = wall
        self.code = enrolment_code(time.monotonic)
        """By which a floor is to know this table, where its display shows one."""
        self.fingerprint = page_fingerprint(time.monotonic)
        """Of the page's own certificate, where its display shows one."""
        self.clock: Callable[[], float] = time.monotonic
        self._turn = 0
        self._chips = ChipNames(partial(_packs_of, reach))
        self._at_hand = TableChips(reach.packs)
        self._table = TableEnds(nobody)
        self._order = LateOrder()
        self._awaited = {device.name for device in devices}
        self._presence = Presence(
            short_losses,
            deliver=lambda delivery: self._table.deliver(delivery),
            needed=lambda name: self._table.needed(name),
            changed=lambda: self.indicating.set_gate(),
        )
        self.indicating = Indicating(holds_gate=self._holds_gate, fault=self.fault)
        for device in devices:
            link = make_link(device, keys, self, resume, reach, self._at_hand)
            driver = drivers[device.name]
            listens = type(driver).commands is not Driver.commands
            self._add(Slot(device, driver, link, listens))

    def first(self) -> First:
        """What the display says before all else between two rounds, in its turn."""
        turns = self._turns()
        return turns[int(self.clock() / TURN) % len(turns)]

    def first_ends(self) -> bool:
        """Whether the time of some of it has just run out, or it is another part's turn: true once."""
        before, self._turn = self._turn, int(self.clock() / TURN) if len(self._turns()) > 1 else 0
        return any([self.code.ends(), self.fingerprint.ends(), self._turn != before])

    @property
    def shows_fingerprint(self) -> bool:
        """Whether displays have room for all of the fingerprint, in parts or not."""
        return self.indicating.has_display and any(turn.fingerprint for turn in self._turns())

    def _turns(self) -> Sequence[First]:
        return first_in_turns(self.code.now(), self.fingerprint.now(), self.indicating.language, self._reads)

    def _reads(self, text: str, part: str) -> bool:
        return self.indicating.shows_first({"display": {"text": text, "rule": None}}, part)

    def connect(self, table: TableEnds) -> None:
        """Connect the devices to their table.

        Call it once, before `run`.
        """
        self._table = table
        self.indicating.connect(table)

    def add(self, place: Place, driver: Driver[Any], link: DeviceLink) -> None:
        """Add a device that is kept by something else than a link over a wire.

        Call it before `run`.
        """
        self._awaited.add(place.name)
        self._add(Slot(place, driver, link, type(driver).commands is not Driver.commands))

    def _add(self, slot: Slot) -> None:
        self.slots[slot.config.name] = slot
        self.indicating.add(slot)

    def _holds_gate(self) -> bool:
        return bool(self._awaited) or self._presence.holds_gate

    # -- what links say

    def on_session(self, name: str, identity: DeviceIdentity) -> None:
        """Take a device whose session has begun: what it kept follows."""
        self._presence.session(self.slots[name], identity)

    def on_jump(self, name: str, jump: Jump) -> None:
        """Take the word of a device's link that the record lacks events of it; told once, not at each reconnect."""
        slot = self.slots[name]
        if slot.jump != jump:
            slot.jump = jump
            self._table.jumped(slot, jump)
            self.indicating.set_fault_lamp()

    def on_up(self, name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        """Take a device that has come up: compare its state, then set its indicators."""
        slot = self.slots[name]
        before = slot.identity
        restarted = before is not None and before.boot_id != identity.boot_id
        if before is None or restarted or before.serial != identity.serial:
            slot.keypad = None  # it is another device, or may have another firmware
        slot.identity = identity
        self._chips.renew(name, tells_leaving=tells_leaving(slot.link))
        slot.there, slot.since = True, self.wall()
        slot.disabled = {}
        slot.zones.begin(self._table.zone_troubles(name))
        reason = named(identity, slot.trust)
        _log.info("%s is up: %s%s", name, reason, ", restarted" if restarted else "")
        self._table.deliver(
            Delivery(name, lambda t: self._came(slot, state, reason, t), done=lambda: self._settled(slot))
        )
        self._arrived(name)
        self.indicating.set_fault_lamp()
        self._table.came(slot)

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any], at: float | None = None) -> None:
        """Deliver an event of a device.

        `at`: monotonic seconds at which it happened, where that is known.
        """
        slot = self.slots[name]
        source = Source(name, boot_id, seq)
        kept = slot.link.state is LinkState.CATCHING_UP
        identity = slot.identity
        away = tuple(other for other, its in self.slots.items() if not its.there)
        self._table.deliver(
            Delivery(
                name,
                lambda t: self._events(slot, body, t, away, kept=kept),
                source=source,
                at=at,
                kept_by_device=not kept and identity is not None and identity.persistent,
            )
        )

    def on_inputs(self, name: str, disabled: Sequence[DisabledInput], state: Mapping[str, Any]) -> None:
        """Take a change of a device's disabled inputs.

        The table counts the device as offline until all its inputs are used again.
        """
        slot = self.slots[name]
        for pin in disabled:
            if pin not in slot.disabled:
                self.fault(name, f"{name}: {pin}: it is disabled until it has been quiet, or somebody says it is well")
        slot.disabled = {pin: slot.disabled.get(pin, self.wall()) for pin in disabled}
        if disabled:
            self._presence.gone(slot, clean_text("disabled: " + "; ".join(str(pin) for pin in disabled), REASON_MAX))
        else:
            _log.info("%s: every input is used again", name)
            # the reason of a device that comes is its own word, which exports and rounds' beginnings repeat
            said = None if slot.identity is None else named(slot.identity, slot.trust)
            self._table.deliver(Delivery(name, lambda t: self._came(slot, state, said, t)))
        self.indicating.set_fault_lamp()
        self.changed()

    def _events(self, slot: Slot, body: Mapping[str, Any], t: float, away: Sequence[str], *, kept: bool) -> list[Event]:
        if self._table.laid(slot, body):
            return []
        told = self._chips.named(slot.config.name, body, None if kept else t)
        for doubt in self._chips.doubts():
            self.fault(slot.config.name, f"{slot.config.name}: {doubt}")
        if told is None:
            return []
        events = slot.driver.events(told, t)
        self._tell_doubts(slot)
        if (pack := self._chips.pack_of(body)) is not None:
            events = [_of_pack(event, pack) for event in events]
        if self._table.tested(slot, told):
            return []
        events = list(self._table.check(slot, events, told.get("pin")))
        if events:
            self._order.before(slot, away, self._table, kept=kept)
        return [*self._presence.before_events(slot, t), *events] if kept else events

    def _tell_doubts(self, slot: Slot) -> None:
        for doubt in slot.driver.doubts():
            self.fault(slot.config.name, str(doubt))

    def on_status(self, name: str, status: Mapping[str, Any]) -> None:
        """Take the status that a device sends every second."""
        slot = self.slots[name]
        before = slot.status.keypad
        try:
            zones = slot.driver.watches if slot.driver.role == ReaderDriver.role else ()
            slot.status = read_status(name, status, zones, of_badges=slot.driver.role == BadgeDriver.role)
        except DeviceMessageError as fault:
            self.fault(name, str(fault))
            return
        self._take_keypad(slot, before, slot.status.keypad)
        self._check_stickers(slot)
        slot.told = self.wall()
        if self._table.between_rounds():
            # How well a zone is read depends on the chips that lie there: in a round it could tell a face-down card.
            slot.readings = slot.status.zones
        self._take_zones(slot)

    def _take_keypad(self, slot: Slot, before: bool | None, said: bool | None) -> None:
        """Take a reader's word that a PIN can be keyed at it; taken back, it would switch PINs off for witnesses."""
        if said is not False or not slot.keypad:
            slot.keypad = slot.keypad if said is None else said
        elif before is not False:  # once for each time that it says so: a status comes every second
            name = slot.config.name
            self.fault(
                name,
                f"{name}: it says that it has no keypad, and said that it has one: a PIN is wanted there as before. "
                "See that the reader is the one you paired; where it has no keys, write settings.keypad = false",
            )

    def _check_stickers(self, slot: Slot) -> None:
        name, zones = slot.config.name, slot.status.zones
        try:
            self._chips.check_stickers(name, {zone: of.mark for zone, of in zones.items() if of.mark is not None})
        except DeviceError as fault:
            self.fault(name, str(fault))

    def _take_zones(self, slot: Slot) -> None:
        """Tell the table which zones of a reader are not read, where that has changed."""
        name = slot.config.name
        lasting = slot.zones.take(slot.status.zones)
        if slot.online is True and lasting != self._table.zone_troubles(name):
            self._table.deliver(
                Delivery(name, lambda t: zone_changes(name, self._table.zone_troubles(name), lasting, t))
            )

    def on_down(self, name: str, fault: LinkFault) -> None:
        """Take a device that has gone, or does not come up."""
        slot = self.slots[name]
        reason = clean_text(f"{fault.code.value}: {fault.text}", REASON_MAX)
        _log.log(logging.INFO if _begins_again(slot, fault) else logging.WARNING, "%s is down: %s", name, reason)
        if slot.there is not False:
            slot.there, slot.since = False, self.wall()
        slot.disabled = {}
        slot.last_fault = FaultSeen(self.wall(), fault, slot.link.last_frames())
        if slot.online is True:
            self._presence.lost(slot, fault, reason)
        self.indicating.set_fault_lamp()
        self.changed()

    # -- the first moments

    @property
    def complete(self) -> bool:
        """Whether every device has come up or is known to be missing."""
        return not self._awaited

    def give_up_waiting(self) -> None:
        """Report devices that have not come up by now as missing."""
        for name in sorted(self._awaited):
            fault = self.slots[name].link.fault
            reason = "it has not come up" if fault is None else f"{fault.code.value}: {fault.text}"
            self._presence.gone(self.slots[name], clean_text(reason, REASON_MAX))
        self._awaited.clear()
        self.indicating.set_again()

    def _arrived(self, name: str) -> None:
        if name in self._awaited:
            self._awaited.remove(name)
            if not self._awaited:
                self.indicating.set_again()

    def _came(self, slot: Slot, state: Mapping[str, Any], reason: str | None, t: float) -> list[Event]:
        try:
            changes = slot.driver.state_events(self._chips.named_state(slot.config.name, state), t)
        except DeviceError as fault:
            self.fault(slot.config.name, str(fault))
            return self._presence.unread(slot, str(fault), t)
        finally:
            self._tell_doubts(slot)
        return self._presence.came(slot, reason, changes, t)

    def _settled(self, slot: Slot) -> None:
        """The table has taken a device that has come up, and before it all that the device kept."""
        self._order.up(slot.config.name)
        self._presence.settled(slot)
        self.indicating.set_device(slot)

    def cards_are_laid(self, *, laid: bool) -> None:
        """From now on cards are laid for a pack, or no more: adapters then tell each chip, whatever it is."""
        self._at_hand.being_laid = laid
        self.changed()

    def packs_changed(self) -> None:
        """Have the list of packs read anew before the next chip is named."""
        self._chips.read_anew()
        self.changed()

    # -- what the keeper asks

    def observe(self, event: Event) -> None:
        """Let the drivers note an event that the table has taken.

        Its outputs are sent before: the dealer waits for them.
        """
        for slot in self.slots.values():
            slot.driver.observe(event)
        self._chips.observe(event)
        self.indicating.follow_order()

    def send(self, outputs: Sequence[Output]) -> None:
        """Send outputs as commands at once. While play is stopped some are withheld (`Indicating`)."""
        self.indicating.send(outputs)

    def stop_play(self, why: str, by: StoppedBy = StoppedBy.RECORD) -> None:
        """Shut the gate, light the stop lamp, and show why. `by`: what the display gives as the cause."""
        self.indicating.stop_play(why, by)

    def resume_play(self) -> None:
        """Let the table set gate, lamps and display again."""
        self.indicating.resume_play()

    def hold_what_was_put_back(self) -> None:
        """Stop play where it is told at a device that the record was put back, else let it go on."""
        self.indicating.hold_what_was_put_back()
        self.changed()

    def bear_losses(self, seconds: float) -> None:
        """From now on a line may be lost for so long without the table being told; 0: every loss is told."""
        self._presence.bear(seconds)

    def acknowledge(self, source: Source) -> None:
        """Tell the device that it may forget the event and all before it."""
        slot = self.slots.get(source.device)
        if slot is not None:
            slot.link.acknowledge(source.boot_id, source.seq)

    def fault(self, device: str, text: str, times: int = 1) -> None:
        """Report a fault of a device, for the page and the log.

        `times`: how many messages in succession had one.
        """
        if device in self.slots:
            self.slots[device].faults += times
        self.faults.count_up(device, text, times)
        self.changed()

    def tell(self, device: str, text: str) -> None:
        """Report something about a device that the staff must know, for the page and the log."""
        self.faults.tell(device, text)
        self.changed()

    # -- what technicians and people who sign need

    def use_key(self, name: str, key: bytes) -> None:
        """Use another key of 32 bytes for a device, from its link's next session on."""
        link = self.slots[name].link
        assert isinstance(link, Link), "only a device on a wire has a key"
        link.use_key(key)
        _log.info("%s has another key, from its next session on", name)
        self.changed()

    # -- running

    async def run(self) -> None:
        """Supervise every link until cancelled.

        A failure in feltd ends it and is raised.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for slot in self.slots.values():
                    group.create_task(slot.link.run(), name=f"link {slot.config.name}")
        finally:
            self._presence.forget()


def _begins_again(slot: Slot, fault: LinkFault) -> bool:
    """Whether a device that has not come up yet starts its first session anew, as it does where both begin together."""
    return fault.code is FaultCode.CLOSED_BY_DEVICE and slot.identity is None and slot.last_fault is None


def make_drivers(devices: Sequence[DeviceConfig]) -> dict[str, Driver[Any]]:
    """Make a driver for each device, by its name.

    Raises DeviceSettingsError.
    """
    return {device.name: driver_for(device.role)(device.name, device.settings) for device in devices}


def _of_pack(event: Event, pack: str) -> Event:
    """The event of a card with the pack that its chip is of. No device says it: the host's list does."""
    return replace(event, pack=pack) if isinstance(event, CardPlaced | ShoeCard) else event


def _packs_of(reach: Reach) -> Packs | None:
    """The list of packs as it is now. Raises DeviceError where it cannot be read: no card is guessed."""
    try:
        return reach.packs()
    except FeltdError as fault:
        raise DeviceError(str(fault)) from None
