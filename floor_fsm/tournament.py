"""`Tournament.apply`: the one way in which a tournament changes."""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from pydantic import TypeAdapter

from floor_fsm.core.event import Cause, Event
from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts, Subject, Take
from floor_fsm.core.required import require_behind, require_person
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.opening import TournamentCancelled, TournamentOpen
from floor_fsm.messages.refunds import RefundPaid, RefundTakenBack
from floor_fsm.messages.undone import CancelTakenBack
from floor_fsm.state.calling_off import CalledOff, going_on
from floor_fsm.state.night import require_awake
from floor_fsm.state.opening import Opening
from floor_fsm.subjects import SUBJECTS

_AFTER_ALL: Final = (CancelTakenBack, RefundPaid, RefundTakenBack)
"""What happens once a tournament is called off."""
_NEWEST_MOST: Final = 256
_ADAPTERS: Final[dict[type[Any], TypeAdapter[Any]]] = {}
"""One for each type of a part: to make one takes as long as to dump a thousand times."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an event: its number in the tournament, from 1, and what is said."""

    seq: int
    outputs: tuple[Output, ...]


class Tournament:
    """A tournament under one law. The same events give the same outputs for ever."""

    def __init__(self, law: Law, subjects: Sequence[Subject] = SUBJECTS) -> None:
        self._subjects: Final = tuple(subjects)
        self._takes: Final = _by_event(self._subjects)
        self._parts = Parts(law, {subject.part: subject.begin(law) for subject in self._subjects})
        self._seq = 0
        self._t = 0.0
        self._causes: frozenset[Cause] = frozenset()
        self._newest: frozenset[Cause] = frozenset()
        """The last causes: the others are copied once for so many events, not for each."""
        self._called_off: CalledOff | None = None

    @classmethod
    def going_on(cls, parts: Parts, seq: int, t: float = 0.0) -> "Tournament":
        """A tournament that goes on from a state. It knows no cause before that: it is for trying steps."""
        made = cls(parts.law)
        made._parts, made._seq, made._t = parts, seq, t
        return made

    @property
    def seq(self) -> int:
        """The number of the last event that was taken; 0 before the first."""
        return self._seq

    @property
    def t(self) -> float:
        """The second of the last event."""
        return self._t

    @property
    def parts(self) -> Parts:
        """The state."""
        return self._parts

    def knows(self, cause: Cause) -> bool:
        """Whether an event followed from this entry of a table."""
        return cause in self._newest or cause in self._causes

    def copied(self) -> "Tournament":
        """A tournament at the same event, which goes on by itself: what it takes, this one does not."""
        return copy(self)  # nothing of it is changed in its place

    def apply(self, event: Event, *, expected: int | None = None) -> Outcome:
        """Take an event.

        `expected`: the number of the last event that its sender knew; None: the sender is alone. Raises Refused before
        anything has changed.
        """
        self._require(event, expected)
        parts, outputs = self._parts, list[Output]()
        for take in self._takes.get(type(event), ()):
            step = take(parts, event)
            parts = parts.having(step.part)
            outputs += step.outputs
        if isinstance(event, TournamentCancelled):
            self._called_off = CalledOff(self._parts, event.t)
        elif isinstance(event, CancelTakenBack) and self._called_off is not None:
            parts, told = going_on(self._called_off, parts)
            outputs += told
        self._parts, self._t = parts, event.t
        self._seq += 1
        if event.cause is not None:
            self._newest |= {event.cause}
        if len(self._newest) > _NEWEST_MOST:
            self._causes, self._newest = self._causes | self._newest, frozenset()
        return Outcome(self._seq, tuple(outputs))

    def digest(self) -> str:
        """Return the SHA-256 of the whole state, in hexadecimal: equal states have equal digests."""
        known = sorted((cause.journal, cause.seq) for cause in self._causes | self._newest)
        whole = {"seq": self._seq, "t": self._t, "causes": known, "parts": self.told()}
        return sha256(json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def told(self) -> dict[str, Any]:
        """Return the state as JSON has it: each subject's part by its name, e.g. `Entries`, `Seating`."""
        return {type(part).__name__: _plain(part) for part in self._parts.all()}

    def _require(self, event: Event, expected: int | None) -> None:
        if expected is not None and expected != self._seq:
            raise Refused(
                Reason.MOVED_ON, f"the tournament is at event {self._seq}, not at {expected}: look again, then decide"
            )
        require_behind(event, self._t)
        if event.cause is not None and self.knows(event.cause):
            raise Refused(Reason.CAUSE_IS_KNOWN, f"entry {event.cause.seq} of {event.cause.journal} was taken before")
        require_person(event)
        if self._parts.of(Opening).cancelled and not isinstance(event, _AFTER_ALL):
            raise Refused(Reason.CANCELLED, f"{event.ev}: the tournament was called off")
        is_open = self._parts.of(Opening).tournament is not None
        if not is_open and not isinstance(event, TournamentOpen):
            raise Refused(Reason.NOT_OPEN, f"{event.ev} came before {TournamentOpen.ev}: open the tournament first")
        require_awake(self._parts, event)


def _by_event(subjects: Sequence[Subject]) -> Mapping[type[Event], tuple[Take, ...]]:
    takes: dict[type[Event], tuple[Take, ...]] = {}
    for subject in subjects:
        for kind, take in subject.takes.items():
            takes[kind] = (*takes.get(kind, ()), take)
    return takes


def _plain(part: object) -> Any:
    kind = type(part)
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind].dump_python(part, mode="json")
