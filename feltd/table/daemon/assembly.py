"""The parts of one table, put together from what the journal holds."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from devices.drivers.badge import BadgeSettings
from devices.drivers.keys import KeysSettings
from feltd.books.own import loaded_of
from feltd.door import GivenRuling
from feltd.door.wishing import Setting
from feltd.table.config.config import TableConfig
from feltd.table.config.devices import takes_pin
from feltd.table.daemon.at_the_door import AtTheDoor
from feltd.table.daemon.shown import indicators_of, order_now
from feltd.table.host.health import LoopLag
from feltd.table.journal import Journal
from feltd.table.keeper.badge_pins import BadgePins, PinsWanted, pins_file_of
from feltd.table.keeper.badges import BadgeGate, ShownTo, signing_roles
from feltd.table.keeper.broadcast import Broadcast, BroadcastTo
from feltd.table.keeper.changes import Changes
from feltd.table.keeper.clock import TableClock, resumed_at
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.obeying import FloorMay
from feltd.table.keeper.recovery import Progress, Recovered, recover, to_nobody
from feltd.table.keeper.signatures import Signatures
from feltd.table.keeper.staff import StaffList, written_in
from feltd.table.keeper.wished_settings import Put, SettingWishes, TableWishes, settings_in
from feltd.table.keeper.wishes import BookWishes
from feltd.table.links.bridge import Bridge, make_drivers
from feltd.table.links.ends import TableEnds
from feltd.table.links.links import Reach, no_packs
from feltd.table.links.pins import add_stations, pin_groups
from feltd.table.links.presence import ShortLosses
from feltd.table.links.slots import Slot
from feltd.table.packs.pack_file import PackShelf
from feltd.table.workshop.workshop import Workshop
from table_fsm.events import Event, TableOpen
from table_fsm.outputs import Output
from table_fsm.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class Daemon:
    """A table with all its parts, and the calls for its own process."""

    config: TableConfig
    books: Mapping[str, Rulebook]
    keeper: TableKeeper
    bridge: Bridge
    journal: Journal
    recovered: Recovered
    workshop: Workshop
    signatures: Signatures
    staff: StaffList
    pins: BadgePins
    lag: LoopLag
    changes: Changes
    door: AtTheDoor
    wishes: TableWishes

    def open_with(self, opening: TableOpen) -> None:
        """Open the table with this opening: now if between two rounds, else after the round."""
        self.keeper.open_with(opening)

    def on_outputs(self, listener: Callable[[Event, Sequence[Output]], None]) -> None:
        """Call `listener` with each event and the table's answers to it."""
        self.keeper.on_outputs(listener)


def assemble(
    config: TableConfig,
    books: Mapping[str, Rulebook],
    keys: Mapping[str, bytes],
    journal: Journal,
    told: Callable[[Progress], None] = to_nobody,
    shelf: PackShelf | None = None,
) -> Daemon:
    """Assemble table, clock, bridge, keeper, workshop and door from the journal.

    `keys`: by the device's name. `told`: how far the recovery is. `shelf`: the packs of cards that are chips.
    """
    groups = pin_groups(config.pins)
    drivers = make_drivers(config.devices) | {group.name: group.driver() for group in groups}

    def observe(event: Event) -> None:
        for driver in drivers.values():
            driver.observe(event)

    recovered = recover(journal, books, observe, told)
    clock = _clock(recovered)
    changes = Changes()
    bridge = Bridge(
        config.devices,
        keys,
        recovered.resume,
        drivers,
        wall=clock.wall,
        changed=changes.tell,
        short_losses=ShortLosses(config.links.short_loss_seconds),
        reach=Reach(packs=no_packs if shelf is None else shelf.in_play),
    )
    bridge.indicating.language = config.table.language
    add_stations(bridge, config.pins, groups)
    journal.keep_devices(bridge.slots)
    keeper = TableKeeper(recovered.table, journal, clock, bridge, recovered.standing, changed=changes.tell)
    _recall(keeper, journal)
    workshop = Workshop(config.devices, keys, keeper, bridge, journal, shelf=shelf)
    staff = StaffList(config.staff_file, written_in(drivers.values()))
    pins = BadgePins(
        pins_file_of(journal.path),
        config.journal.sealing_key_file.read(),
        lambda: keeper.now,
        wanted=PinsWanted(config.table.badge_pins),
    )
    signatures = Signatures(keeper, bridge.indicating, staff, changes.tell, pins=pins)
    gate = BadgeGate(staff, lambda: signing_roles(loaded_of(books).values()), signatures, pins)
    bridge.connect(ends_of(keeper, workshop, gate))
    lag = LoopLag()
    may = FloorMay(
        config.floor.may,
        tournament=config.floor.tournament,
        receipts=config.floor.receipt_keys,
        keys=config.floor.keys,
        versions=config.floor.versions,
    )
    roles = {device.role for device in config.devices} | {slot.driver.role for slot in bridge.slots.values()}
    memory = FloorMemory(memory_file_of(journal.path))
    book_wishes = BookWishes(books, config.floor.books, config.table.opening(), roles, memory)
    settings = SettingWishes(config.floor.settings, settings_in(config), memory, _putting(bridge, journal))
    wishes = TableWishes(book_wishes, settings)
    door = AtTheDoor(config.table.name, workshop, signatures, staff, lag, changes, may, wishes)
    if (to := config.broadcast) is not None:
        door.broadcasting = Broadcast(keeper, journal, workshop.together, BroadcastTo(to.sealed_to, to.delay_minutes))
    return Daemon(
        config, books, keeper, bridge, journal, recovered, workshop, signatures, staff, pins, lag, changes, door, wishes
    )


def _putting(bridge: Bridge, journal: Journal) -> Put:
    """What has a setting in force at a table's parts."""
    do: Mapping[Setting, Callable[[Any], None]] = {
        Setting.LANGUAGE: bridge.indicating.speak,
        Setting.SHORT_LOSS: bridge.bear_losses,
        Setting.GATHER: journal.gather,
    }
    return lambda setting, value: do[setting](value)


def _clock(recovered: Recovered) -> TableClock:
    start, believed = resumed_at(recovered.last_t, recovered.last_wall, time.time())
    if not believed:
        recovered.notes.append("the wall clock cannot say how long feltd was down: table time goes on at once")
    return TableClock(start)


def _recall(keeper: TableKeeper, journal: Journal) -> None:
    """Give the keeper the latest rulings of the record with their resolutions."""
    shown = journal.reader.rulings(keeper.rulings.maxlen or 0)
    keeper.rulings.extend(GivenRuling(entry.wall, entry.body["ruling"]) for entry in shown)
    if shown:
        keeper.pending_rulings.recall(journal.reader, shown[-1].seq)


def ends_of(keeper: TableKeeper, workshop: Workshop, gate: BadgeGate) -> TableEnds:
    """The calls by which the bridge reaches the table. `gate`: what badges and staff cards pass."""

    bridge = workshop.bridge

    def check(slot: Slot, events: Sequence[Event], pin: str | None) -> Sequence[Event]:
        settings = slot.driver.settings
        switch = settings.key_switch if isinstance(settings, KeysSettings) else None
        keypad = isinstance(settings, BadgeSettings) and takes_pin(settings, slot.adapter, slot.keypad)
        return gate.check(ShownTo(slot.config.name, keypad, switch), events, pin)

    shown = bridge.indicating

    def testing() -> bool:
        return keeper.standing.testing

    return TableEnds(
        deliver=keeper.deliver,
        indicators=lambda: indicators_of(keeper.table, shown.language, testing=testing(), first=bridge.first()),
        pending=lambda: keeper.table.view()["pending"],
        order=lambda: order_now(keeper.table, shown.language, testing=testing(), first=bridge.first()),
        came=workshop.came,
        jumped=workshop.jumped,
        told_late=workshop.told_late,
        tested=workshop.tests.says,
        laid=workshop.packs.hears,
        needed=keeper.table.needs,
        zone_troubles=keeper.table.zone_troubles,
        between_rounds=lambda: keeper.between_rounds,
        check=check,
    )
