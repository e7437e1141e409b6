"""The public state of a running table, gathered at one moment.

It comes from the table's own public view, from rulings (which name no card that is not public) and from counters. No
event passes this way, so no face-down card can.
"""

from feltd.door import (
    DeviceState,
    GivenRuling,
    JournalFacts,
    RefusedDecision,
    ShownRuling,
    ToldFault,
)
from feltd.door.state import LinkTrouble
from feltd.table.journal import Health
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.links.bridge import Bridge
from feltd.table.links.slots import Slot
from firmware_bridge.link import LinkState
from table_fsm.felt import AlarmKind
from table_fsm.table import Table


def shown_rulings(keeper: TableKeeper) -> tuple[ShownRuling, ...]:
    """The latest rulings with the decisions possible on them, newest first."""
    waiting, overrulable = keeper.table.waiting, keeper.table.overrulable

    def shown(given: GivenRuling) -> ShownRuling:
        number = given.ruling["id"]
        return ShownRuling(given, number in waiting, number in overrulable, keeper.pending_rulings.settled(number))

    return tuple(shown(given) for given in keeper.rulings)


def refused_decisions(keeper: TableKeeper) -> tuple[RefusedDecision, ...]:
    """The floor decisions that the table would refuse now, with the reason."""
    refused = keeper.table.refused_decisions()
    return tuple(RefusedDecision(decision.value, seat, why) for (decision, seat), why in refused.items())


def needed_away(table: Table) -> bool:
    """Whether a device is offline without which no round starts."""
    alarms = table.view()["alarms"]
    return any(
        alarm["kind"] == AlarmKind.DEVICE_OFFLINE and not alarm["over"] and table.needs(alarm["device"] or "")
        for alarm in alarms
    )


def told_faults(bridge: Bridge) -> tuple[ToldFault, ...]:
    """Device faults reported to the staff, newest first."""
    return tuple(ToldFault(fault.wall, fault.device, str(fault)) for fault in bridge.faults)


def device_state(slot: Slot) -> DeviceState:
    """Summary of one device: its link, its identity, its counters."""
    link, counters, identity = slot.link, slot.link.counters, slot.identity
    return DeviceState(
        name=slot.config.name,
        role=slot.config.role,
        state=link.state,
        up=link.state is LinkState.UP,
        fault=None if link.fault is None else LinkTrouble(link.fault.code, link.fault.text),
        serial=None if identity is None else identity.serial,
        firmware=None if identity is None else identity.firmware,
        round_trip_ms=None if counters.round_trip is None else round(counters.round_trip * 1000, 2),
        events=counters.events,
        frames=counters.frames_received,
        bad_frames=counters.bad_frames,
        resynchronised_bytes=counters.resynchronised_bytes,
        stale_frames=counters.stale_frames,
        pauses=counters.pauses,
        retransmissions=counters.retransmissions,
        authentication_failures=counters.authentication_failures,
        reconnects=counters.reconnects,
        faults=slot.faults,
        millivolts=slot.status.millivolts,
        note=slot.status.note,
        replaced=slot.replaced,
        disabled=tuple(str(pin) for pin in slot.disabled),
        trust=slot.trust,
    )


def journal_facts(health: Health, waiting: int) -> JournalFacts:
    """The state of the record.

    `waiting`: deliveries of devices that are not taken yet.
    """
    counters = health.counters
    return JournalFacts(
        state=health.state.value,
        error=None if health.error is None else str(health.error),
        appended=health.appended,
        synced=health.synced,
        backlog=health.backlog,
        accepting=health.accepting,
        waiting=waiting,
        commits=counters.groups,
        last_commit_ms=round(counters.last_commit_seconds * 1000, 2),
        longest_commit_ms=round(counters.longest_commit_seconds * 1000, 2),
    )
