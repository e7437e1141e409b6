"""What the page shows, gathered at one moment: public things only, JSON-ready.

Everything here comes from the table's own public view, from rulings (which name no card that is not public) and from
counters. No event passes this way, so no face-down card can.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Protocol

from feltd.table.host.health import LoopLag
from feltd.table.journal import Health
from feltd.table.keeper.deliveries import GivenRuling
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.pending_rulings import PendingRulings
from feltd.table.links.bridge import Bridge
from feltd.table.links.slots import Slot
from feltd.text.prompt_words import prompt_in_words
from feltd.text.words import alarm_in_words, begin_sentence, phase_in_words, words_of
from firmware_bridge.link import LinkState
from table_fsm.rulebook.irregularities import Irregularity, Outcome


class JournalHealth(Protocol):
    """What is asked of the journal."""

    @property
    def health(self) -> Health: ...


class TableFacts:
    """Everything there is to show of one running table."""

    def __init__(
        self,
        name: str,
        keeper: TableKeeper,
        bridge: Bridge,
        journal: JournalHealth,
        lag: LoopLag,
        titles: dict[str, str],
    ) -> None:
        """`titles`: rulebooks' names for people, by id."""
        self.name = name
        self.keeper = keeper
        self.bridge = bridge
        self.journal = journal
        self.lag = lag
        self.signatures: Callable[[], list[dict[str, Any]]] = list
        """Decisions that wait for a badge, or ended so a moment ago."""
        self.test: Callable[[], dict[str, Any] | None] = lambda: None
        """The test of a device that runs, or the last one: that there is one, and how far it is."""
        self._titles = titles

    def state(self) -> dict[str, Any]:
        """The page's state."""
        view = self.keeper.table.view()
        waiting, may_overrule = self.keeper.table.waiting, self.keeper.table.overrulable
        book = self.keeper.table.rulebook
        return {
            "name": self.name,
            "rulebook": None
            if book is None
            else {"id": book.id, "title": self._titles[book.id], "digest": book.digest},
            "t": round(self.keeper.now, 1),
            "wall": round(self.bridge.wall(), 1),
            "stopped": self.keeper.stopped,
            "phase": phase_in_words(view["phase"], view["street"]),
            "prompt": prompt_in_words(self.keeper.table.prompt()),
            "table": view,
            "rulings": [
                _ruling(given, waiting, may_overrule, self.keeper.pending_rulings) for given in self.keeper.rulings
            ],
            "alarms": [{**alarm, "text": alarm_in_words(alarm)} for alarm in view["alarms"]],
            "devices": [device_state(slot) for slot in self.bridge.slots.values()],
            "faults": [
                {"wall": fault.wall, "device": fault.device, "text": str(fault)} for fault in self.bridge.faults
            ],
            "signatures": self.signatures(),
            "test": self.test(),
            "journal": journal_state(self.journal.health, self.keeper.waiting),
            "loop": {"lag_ms": round(self.lag.last * 1000, 1), "worst_ms": round(self.lag.worst * 1000, 1)},
        }

    def unwell(self) -> str | None:
        """Why the table cannot be played now, in a word; None where all is well."""
        if self.keeper.stopped is not None:
            return "the record of the table cannot be kept"
        return None


def _ruling(given: GivenRuling, waiting: frozenset[int], may_overrule: frozenset[int], all_: PendingRulings) -> Any:
    ruling = given.ruling
    settled = all_.settled(ruling["id"])
    return {
        "wall": given.wall,
        "t": None,
        **ruling,
        "irregularity_words": words_of(Irregularity, ruling["irregularity"]),
        "outcome_words": begin_sentence(words_of(Outcome, ruling["outcome"])),
        "also_words": [words_of(Outcome, outcome) for outcome in ruling["also"]],
        "waits": ruling["id"] in waiting,
        "may_overrule": ruling["id"] in may_overrule,
        "settled": None if settled is None else asdict(settled),
    }


def device_state(slot: Slot) -> dict[str, Any]:
    """One device's link: state, who is there, what its counters say."""
    link, counters, identity = slot.link, slot.link.counters, slot.identity
    return {
        "name": slot.config.name,
        "role": slot.config.role,
        "state": link.state.value,
        "up": link.state is LinkState.UP,
        "fault": None if link.fault is None else {"code": link.fault.code.value, "text": link.fault.text},
        "serial": None if identity is None else identity.serial,
        "firmware": None if identity is None else identity.firmware,
        "round_trip_ms": None if counters.round_trip is None else round(counters.round_trip * 1000, 2),
        "events": counters.events,
        "frames": counters.frames_received,
        "bad_frames": counters.bad_frames,
        "resynchronised_bytes": counters.resynchronised_bytes,
        "retransmissions": counters.retransmissions,
        "authentication_failures": counters.authentication_failures,
        "reconnects": counters.reconnects,
        "faults": slot.faults,
        "millivolts": slot.status.millivolts,
        "note": slot.status.note,
        "replaced": slot.replaced,
        "disabled": [str(one) for one in slot.disabled],
        "trust": slot.trust.value,
    }


def journal_state(health: Health, waiting: int) -> dict[str, Any]:
    """Whether the record is kept, and how far it is."""
    counters = health.counters
    return {
        "state": health.state.value,
        "error": None if health.error is None else str(health.error),
        "appended": health.appended,
        "synced": health.synced,
        "backlog": health.backlog,
        "accepting": health.accepting,
        "waiting": waiting,
        "commits": counters.groups,
        "last_commit_ms": round(counters.last_commit_seconds * 1000, 2),
        "longest_commit_ms": round(counters.longest_commit_seconds * 1000, 2),
    }
