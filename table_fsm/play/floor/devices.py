"""Devices of the table: they come and go, they are tested, and a reader tells which of its zones it does not read."""

from table_fsm.core import alarms, questions
from table_fsm.core.core import Core
from table_fsm.core.round import WITHOUT_SHOE
from table_fsm.errors import Refused
from table_fsm.events import DeviceState, TestMode, ZoneState
from table_fsm.felt import SEAT_OF, ZONE_TROUBLES, ZONES, AlarmKind


def on_device_state(core: Core, event: DeviceState) -> None:
    """Record that a device went online or offline.

    A round in progress goes on; no round starts while a needed device is offline.
    """
    standing = core.standing
    if event.online:
        if standing.offline.pop(event.device, None) is None:
            return
        if not questions.shoe_offline(core):
            core.round.rulings.reopen(WITHOUT_SHOE)
        for alarm in [a for a in standing.alarms if a.kind == AlarmKind.DEVICE_OFFLINE and a.device == event.device]:
            alarms.over(core, alarm)
        return
    if core.in_round:
        core.round.doubts.reader_lost = True
    _forget_zones(core, event.device)
    if event.device in standing.offline:
        standing.offline[event.device] = event.reason or ""
        return
    standing.offline[event.device] = event.reason or ""
    alarms.raise_alarm(core, AlarmKind.DEVICE_OFFLINE, device=event.device)


def on_zone_state(core: Core, event: ZoneState) -> None:
    """Record that a reader does not read a zone whole, or reads it again. Play goes on."""
    standing, device, zone, trouble = core.standing, event.device, event.zone, event.trouble
    if zone not in ZONES:
        raise Refused(f"zone {zone!r}: there is no such zone")
    if trouble is not None and trouble not in ZONE_TROUBLES:
        raise Refused(f"trouble {trouble!r}: {', '.join(sorted(ZONE_TROUBLES))}")
    zones = dict(standing.zone_troubles.get(device, {}))
    before = zones.pop(zone, None)
    if before == trouble:
        return
    if trouble is not None:
        zones[zone] = trouble
    if zones:
        standing.zone_troubles[device] = zones
    else:
        standing.zone_troubles.pop(device, None)
    if before is not None:
        _end_alarms(core, device)
    if trouble is None:
        return
    if core.in_round:
        core.round.doubts.reader_lost = True  # a card may come, or go, unseen
    alarms.raise_alarm(core, ZONE_TROUBLES[trouble], device=device, seat=SEAT_OF.get(zone))


def _forget_zones(core: Core, device: str) -> None:
    """A device that is away says nothing of its zones any more: that it is away has an alarm of its own."""
    if core.standing.zone_troubles.pop(device, None) is not None:
        _end_alarms(core, device)


def _end_alarms(core: Core, device: str) -> None:
    """End the alarms about zones of this device of which none has that trouble any more."""
    kinds = frozenset(ZONE_TROUBLES.values())
    for alarm in [one for one in core.standing.alarms if one.device == device and one.kind in kinds]:
        if not questions.zones_of(core, alarm):
            alarms.over(core, alarm)


def on_test_mode(core: Core, event: TestMode) -> None:
    """Switch test mode: while it is on the gate is shut, a round in progress waits, and none starts."""
    core.standing.test_mode = event.on


def needed_online(core: Core) -> bool:
    """Whether every device that the book needs is online and none is being tested."""
    return not core.standing.test_mode and not questions.needed_offline(core)
