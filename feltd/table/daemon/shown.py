"""The public state of a running table, gathered at one moment: for pages, and for what its devices show.

It comes from the table's own public view, from rulings (which name no card that is not public) and from counters. No
event passes this way, so no face-down card can.
"""

from collections.abc import Mapping
from typing import Any

from feltd.door import DeviceState, GivenRuling, JournalFacts, RefusedDecision, ShownRuling, ToldFault
from feltd.door.state import LinkTrouble
from feltd.table.journal import Health
from feltd.table.keeper.keeper import RESTING, TableKeeper
from feltd.table.links.bridge import Bridge
from feltd.table.links.display_words import NOTHING_FIRST, First, order_on_display, shown_again
from feltd.table.links.slots import Slot
from feltd.text.language import Language
from feltd.text.stops import Beside
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


def indicators_of(
    table: Table, language: Language = Language.ENGLISH, *, testing: bool = False, first: First = NOTHING_FIRST
) -> list[Mapping[str, Any]]:
    """All outputs that devices with something to show or to set should have now.

    `testing`: in test mode; `first`: what the display says before all else.
    """
    view = table.view()
    order = order_now(table, language, testing=testing, first=first)
    outputs: list[Mapping[str, Any]] = [{"phase": view["phase"]}]
    if view["prompt"] is not None:
        outputs.append({"prompt": view["prompt"]})
    return [
        *outputs,
        *(shown_again(output, view["pending"], language, order=order) for output in table.indicators()),
    ]


def order_now(table: Table, language: Language, *, testing: bool, first: First = NOTHING_FIRST) -> str:
    """Why no card may be dealt now, for the display. `testing`, `first`: as of `indicators_of`.

    That the record cannot be kept the bridge says itself. What comes first is for the time between rounds.
    """
    first = first if table.phase in RESTING else NOTHING_FIRST
    return order_on_display(table.view(), Beside(None, testing, needed_away(table)), language, first)
