"""The technician's view of a running table, gathered at one moment. It holds no card and no key."""

from pathlib import Path
from typing import Any, Final

from feltd.page.api.device_models import (
    BoardView,
    CountersView,
    DevicesView,
    DeviceView,
    DisabledView,
    DropBoxView,
    FaultView,
    IdentityView,
    KeyView,
    LastFaultView,
    LinkView,
    PassedFrameView,
    RecordView,
    ReplacedView,
    SeenView,
    StatusView,
    TestView,
    UnderVoltageView,
)
from feltd.table.config.key_files import KeyFile
from feltd.table.host import computer
from feltd.table.host.health import LoopLag
from feltd.table.journal import Health
from feltd.table.links.slots import FaultSeen, Slot
from feltd.table.workshop.device_keys import DeviceKeyError, changeable, old_key
from feltd.table.workshop.device_tests import Trial, TrialKind, possible
from feltd.table.workshop.workshop import NO_SESSION_KEY, Workshop
from firmware_bridge.framing import FrameType
from firmware_bridge.link import FaultCode, LinkFault, LinkState

_KINDS: Final[dict[FrameType | None, Any]] = {
    FrameType.HANDSHAKE_REQUEST: "handshake request",
    FrameType.HANDSHAKE_ANSWER: "handshake answer",
    FrameType.TRANSPORT: "transport",
    FrameType.REJECT: "reject",
    None: "no frame",
}


def gather(workshop: Workshop, lag: LoopLag, disk: computer.Disk | None, system: Path = Path("/sys")) -> DevicesView:
    """Everything. `disk`: asked in a thread, because a disk in trouble keeps who asks waiting."""
    keeper, bridge = workshop.keeper, workshop.bridge
    box = keeper.standing.drop_box
    latest = workshop.tests.latest
    return DevicesView(
        wall=bridge.wall(),
        test_mode=keeper.standing.testing,
        between_rounds=keeper.between_rounds,
        test=None if latest is None else trial_view(latest, keeper.now),
        devices=[device_view(slot, workshop.session_key(name)) for name, slot in bridge.slots.items()],
        drop_box=None if box is None else DropBoxView(present=box.present, locked=box.locked),
        board=_board(workshop, lag, disk, system),
        record=_record(workshop.journal.health, disk),
    )


def device_view(slot: Slot, key_file: KeyFile | None) -> DeviceView:
    """One device."""
    config, identity = slot.config, slot.identity
    tests = possible(slot)
    return DeviceView(
        name=config.name,
        role=config.role,
        port=config.place,
        trust=slot.trust,
        adapter=slot.adapter,
        watches=_watches(slot),
        wanted_serial=config.serial,
        link=_link(slot),
        identity=None
        if identity is None
        else IdentityView(
            serial=identity.serial,
            says_firmware=identity.firmware,
            protocol=identity.version,
            keeps_events=identity.persistent,
        ),
        status=_status(slot),
        replaced=None
        if slot.replaced is None
        else ReplacedView(serial=None if identity is None else identity.serial, before=slot.replaced),
        disabled=[
            DisabledView(name=one.name, place=one.place, trouble=one.trouble.value, since=since)
            for one, since in slot.disabled.items()
        ],
        key=_key(config.name, key_file),
        tests=list(tests),
        lamps=list(getattr(slot.driver, "lamps", ())),
        says=list(slot.driver.event_names) if TrialKind.LISTEN in tests else [],
    )


def trial_view(trial: Trial, now: float) -> TestView:
    """A test. `now`: table seconds."""
    return TestView(
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
        seen=[
            SeenView(wall=one.wall, event=one.event, place=one.place, read=one.read, said=dict(one.said))
            for one in trial.seen
        ],
    )


def _watches(slot: Slot) -> list[str]:
    told = slot.driver.settings_dict()
    found = told.get("zones") or told.get("parts") or told.get("markers") or ()
    return [str(one) for one in found]


def _link(slot: Slot) -> LinkView:
    link, counters = slot.link, slot.link.counters
    return LinkView(
        state=link.state,
        up=link.state is LinkState.UP,
        since=slot.since,
        round_trip_ms=None if counters.round_trip is None else round(counters.round_trip * 1000, 2),
        longest_round_trip_ms=round(counters.round_trip_max * 1000, 2),
        fault=None if link.fault is None else _fault(slot, link.fault),
        last_fault=None if slot.last_fault is None else _last_fault(slot, slot.last_fault),
        counters=CountersView(
            events=counters.events,
            frames_received=counters.frames_received,
            frames_sent=counters.frames_sent,
            bad_frames=counters.bad_frames,
            resynchronised_bytes=counters.resynchronised_bytes,
            stale_frames=counters.stale_frames,
            authentication_failures=counters.authentication_failures,
            retransmissions=counters.retransmissions,
            sessions=counters.sessions,
            reconnects=counters.reconnects,
            faults=slot.faults,
        ),
    )


def _fault(slot: Slot, fault: LinkFault) -> FaultView:
    return FaultView(code=fault.code, text=fault.text, remedy=_remedy(slot, fault.code))


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


def _last_fault(slot: Slot, seen: FaultSeen) -> LastFaultView:
    frames = [
        PassedFrameView(seconds_before=round(frame.ago, 3), sent=frame.sent, kind=_KINDS[frame.kind], bytes=frame.size)
        for frame in seen.frames
    ]
    fault = seen.fault
    return LastFaultView(
        code=fault.code, text=fault.text, remedy=_remedy(slot, fault.code), wall=seen.wall, frames=frames
    )


def _status(slot: Slot) -> StatusView | None:
    status = slot.status
    if slot.told is None:
        return None
    return StatusView(
        wall=slot.told,
        says_up_seconds=status.uptime,
        millivolts=status.millivolts,
        celsius=None if status.decidegrees is None else status.decidegrees / 10,
        free_bytes=status.free_bytes,
        waiting_events=status.waiting_events,
        note=status.note,
    )


def _key(name: str, file: KeyFile | None) -> KeyView:
    if file is None:
        return KeyView(changeable=False, why_not=f"{name}: {NO_SESSION_KEY}", old_kept=False)
    try:
        changeable(name, file)
    except DeviceKeyError as why:
        return KeyView(changeable=False, why_not=str(why), old_kept=False)
    return KeyView(changeable=True, why_not=None, old_kept=old_key(file) is not None)


def _board(workshop: Workshop, lag: LoopLag, disk: computer.Disk | None, system: Path) -> BoardView:
    tally = workshop.keeper.tally
    low = computer.under_voltage(system)
    return BoardView(
        celsius=computer.processor_celsius(system),
        under_voltage=None if low is None else UnderVoltageView(now=low.now, before=low.before),
        up_seconds=round(computer.seconds_since_start(), 1),
        disk_free_bytes=None if disk is None else disk.free,
        disk_bytes=None if disk is None else disk.total,
        loop_lag_ms=round(lag.last * 1000, 1),
        worst_loop_lag_ms=round(lag.worst * 1000, 1),
        clock_steps=tally.clock_steps,
        last_clock_step=tally.clock_step,
    )


def _record(health: Health, disk: computer.Disk | None) -> RecordView:
    counters = health.counters
    return RecordView(
        state=health.state.value,
        error=None if health.error is None else str(health.error),
        bytes=None if disk is None else disk.journal,
        entries=health.appended,
        not_yet_on_disk=health.backlog,
        accepting=health.accepting,
        last_commit_ms=round(counters.last_commit_seconds * 1000, 2),
        longest_commit_ms=round(counters.longest_commit_seconds * 1000, 2),
    )
