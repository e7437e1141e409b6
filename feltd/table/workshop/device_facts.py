"""The technician's view of a running table, gathered at one moment.

It holds no card and no key.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from devices.drivers.status import ZoneReading
from feltd.door.devices import (
    ComputerFacts,
    CountersFacts,
    DeviceFacts,
    DevicesFacts,
    DisabledFacts,
    DropBoxFacts,
    FaultFacts,
    FrameKind,
    IdentityFacts,
    KeyFacts,
    LastFaultFacts,
    LinkFacts,
    PassedFrameFacts,
    ProgramFacts,
    RecordFacts,
    ReplacedFacts,
    SeenFacts,
    StatusFacts,
    TestFacts,
    TrialKind,
    UnderVoltageFacts,
    ZoneFacts,
)
from feltd.installed.mark import running_package
from feltd.table.config.key_files import KeyFile
from feltd.table.host import computer
from feltd.table.host.health import LoopLag
from feltd.table.journal import Health
from feltd.table.keeper.edition import software
from feltd.table.links.slots import FaultSeen, Slot
from feltd.table.workshop.device_keys import DeviceKeyError, changeable, old_key
from feltd.table.workshop.device_tests import Trial
from feltd.table.workshop.workshop import NO_SESSION_KEY, Workshop
from feltd.text.board import BoardTrouble
from firmware_bridge.framing import FrameType
from firmware_bridge.link import FaultCode, LinkFault, LinkState
from table_fsm.felt import ZONE_TROUBLES

COUNTED_BYTES: Final = 2**20
"""Disk and record are told in whole MiB: told by the byte, each entry's length could be read from them."""
_KINDS: Final[Mapping[FrameType | None, FrameKind]] = {
    FrameType.HANDSHAKE_REQUEST: "handshake request",
    FrameType.HANDSHAKE_ANSWER: "handshake answer",
    FrameType.TRANSPORT: "transport",
    FrameType.REJECT: "reject",
    None: "no frame",
}


def gather(
    workshop: Workshop,
    lag: LoopLag,
    disk: computer.Disk | None,
    troubles: tuple[BoardTrouble, ...] = (),
    system: Path = Path("/sys"),
) -> DevicesFacts:
    """Gather everything.

    `disk`: ask for it in a thread before, because a disk in trouble blocks. `troubles`: of the computer.
    """
    keeper, bridge = workshop.keeper, workshop.bridge
    box = keeper.standing.drop_box
    latest = workshop.tests.latest
    return DevicesFacts(
        wall=bridge.wall(),
        test_mode=keeper.standing.testing,
        between_rounds=keeper.between_rounds,
        test=None if latest is None else test_facts(latest, keeper.now),
        devices=tuple(
            _device(slot, workshop.session_key(name), keeper.table.zone_troubles(name))
            for name, slot in bridge.slots.items()
        ),
        drop_box=None if box is None else DropBoxFacts(box.present, box.locked),
        board=replace(_computer(workshop, lag, disk, system), troubles=troubles),
        record=_record(workshop.journal.health, disk),
        program=ProgramFacts(software(), running_package()),
    )


def test_facts(trial: Trial, now: float) -> TestFacts:
    """One test of a device. `now`: table seconds."""
    return TestFacts(
        number=trial.number,
        device=trial.device,
        test=trial.kind,
        lamp=trial.lamp,
        expect=trial.expect,
        by=trial.person.account,
        began=trial.began,
        seconds_left=0.0 if trial.over is not None else round(max(0.0, trial.until - now), 1),
        over=trial.over,
        passed=trial.passed,
        seen=tuple(SeenFacts(seen.wall, seen.event, seen.place, seen.read, dict(seen.said)) for seen in trial.seen),
    )


def _device(slot: Slot, key_file: KeyFile | None, troubles: Mapping[str, str]) -> DeviceFacts:
    config, identity = slot.config, slot.identity
    tests = slot.driver.trials
    replaced = None
    if slot.replaced is not None:
        replaced = ReplacedFacts(None if identity is None else identity.serial, slot.replaced)
    return DeviceFacts(
        name=config.name,
        role=config.role,
        port=config.place,
        trust=slot.trust,
        adapter=slot.adapter,
        watches=slot.driver.watches,
        wanted_serial=config.serial,
        link=_link(slot),
        identity=_identity(slot),
        status=_status(slot),
        replaced=replaced,
        missing=slot.missing,
        disabled=tuple(
            DisabledFacts(pin.name, pin.place, pin.trouble.value, since) for pin, since in slot.disabled.items()
        ),
        key=_key(config.name, key_file),
        tests=tests,
        lamps=slot.driver.lamps,
        says=tuple(slot.driver.event_names) if TrialKind.LISTEN in tests else (),
        zones=_zones(slot, troubles),
    )


def _zones(slot: Slot, troubles: Mapping[str, str]) -> tuple[ZoneFacts, ...]:
    """The zones of which a reader says something, or of which the table believes that they are not read."""
    found = []
    for zone in slot.driver.watches:
        read, trouble = slot.readings.get(zone), troubles.get(zone)
        if read is not None:
            found.append(_zone(zone, trouble, read))
        elif trouble is not None:
            found.append(ZoneFacts(zone, ZONE_TROUBLES[trouble], None, None, None))
    return tuple(found)


def _zone(zone: str, trouble: str | None, read: ZoneReading) -> ZoneFacts:
    kind = None if trouble is None else ZONE_TROUBLES[trouble].value
    return ZoneFacts(zone, kind, read.whole, read.torn, read.milliseconds)


def _identity(slot: Slot) -> IdentityFacts | None:
    identity = slot.identity
    if identity is None:
        return None
    return IdentityFacts(identity.serial, identity.firmware, identity.version, identity.persistent)


def _link(slot: Slot) -> LinkFacts:
    link, counters = slot.link, slot.link.counters
    return LinkFacts(
        state=link.state,
        up=link.state is LinkState.UP,
        since=slot.since,
        round_trip_ms=None if counters.round_trip is None else round(counters.round_trip * 1000, 2),
        longest_round_trip_ms=round(counters.round_trip_max * 1000, 2),
        fault=None if link.fault is None else _fault(slot, link.fault),
        last_fault=None if slot.last_fault is None else _last_fault(slot, slot.last_fault),
        counters=CountersFacts(
            events=counters.events,
            frames_received=counters.frames_received,
            frames_sent=counters.frames_sent,
            bad_frames=counters.bad_frames,
            resynchronised_bytes=counters.resynchronised_bytes,
            stale_frames=counters.stale_frames,
            authentication_failures=counters.authentication_failures,
            retransmissions=counters.retransmissions,
            pauses=counters.pauses,
            sessions=counters.sessions,
            reconnects=counters.reconnects,
            faults=slot.faults,
        ),
    )


def _fault(slot: Slot, fault: LinkFault) -> FaultFacts:
    return FaultFacts(fault.code, fault.text, _remedy(slot, fault.code))


def _remedy(slot: Slot, code: FaultCode) -> str | None:
    name = slot.config.name
    if code is FaultCode.UNKNOWN_DEVICE:
        return (
            f"to accept the device that is there: write its serial number at [[device]] {name} in the table's "
            "configuration, give it a new key here, load that into it, and restart feltd between two rounds"
        )
    if code is FaultCode.WRONG_KEY:
        return "give it a new key here and load that into the device, or go back to the key it had"
    return None


def _last_fault(slot: Slot, seen: FaultSeen) -> LastFaultFacts:
    frames = tuple(
        PassedFrameFacts(round(frame.ago, 3), frame.sent, _KINDS[frame.kind], frame.size) for frame in seen.frames
    )
    fault = seen.fault
    return LastFaultFacts(fault.code, fault.text, _remedy(slot, fault.code), seen.wall, frames)


def _status(slot: Slot) -> StatusFacts | None:
    status = slot.status
    if slot.told is None:
        return None
    return StatusFacts(
        wall=slot.told,
        says_up_seconds=status.uptime,
        millivolts=status.millivolts,
        celsius=None if status.decidegrees is None else status.decidegrees / 10,
        free_bytes=status.free_bytes,
        waiting_events=status.waiting_events,
        note=status.note,
    )


def _key(name: str, file: KeyFile | None) -> KeyFacts:
    if file is None:
        return KeyFacts(changeable=False, why_not=f"{name}: {NO_SESSION_KEY}", old_kept=False)
    try:
        changeable(name, file)
    except DeviceKeyError as why:
        return KeyFacts(changeable=False, why_not=str(why), old_kept=False)
    return KeyFacts(changeable=True, why_not=None, old_kept=old_key(file) is not None)


def _computer(workshop: Workshop, lag: LoopLag, disk: computer.Disk | None, system: Path) -> ComputerFacts:
    tally = workshop.keeper.tally
    low = computer.under_voltage(system)
    return ComputerFacts(
        celsius=computer.processor_celsius(system),
        under_voltage=None if low is None else UnderVoltageFacts(low.now, low.before),
        up_seconds=round(computer.seconds_since_start(), 1),
        disk_free_bytes=None if disk is None else disk.free // COUNTED_BYTES * COUNTED_BYTES,
        disk_bytes=None if disk is None else disk.total,
        loop_lag_ms=round(lag.last * 1000, 1),
        worst_loop_lag_ms=round(lag.worst * 1000, 1),
        clock_steps=tally.clock_steps,
        last_clock_step=tally.clock_step,
    )


def _record(health: Health, disk: computer.Disk | None) -> RecordFacts:
    counters = health.counters
    return RecordFacts(
        state=health.state.value,
        error=None if health.error is None else str(health.error),
        bytes=None if disk is None else -(-disk.journal // COUNTED_BYTES) * COUNTED_BYTES,
        entries=health.appended,
        not_yet_on_disk=health.backlog,
        accepting=health.accepting,
        last_commit_ms=round(counters.last_commit_seconds * 1000, 2),
        longest_commit_ms=round(counters.longest_commit_seconds * 1000, 2),
    )
