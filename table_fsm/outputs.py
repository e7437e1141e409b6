"""What the table answers: zero or more outputs for each event, in order, each one JSON object with the event's `t`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The closed set of output keys."""

    PHASE = "phase"
    PROMPT = "prompt"
    RULING = "ruling"
    ALARM = "alarm"
    LAMP = "lamp"
    DISPLAY = "display"
    BUZZER = "buzzer"
    SHOE = "shoe"
    COMMISSION = "commission"
    SETTLEMENT = "settlement"
    SHOWDOWN = "showdown"
    CLOCK = "clock"
    RACE = "race"
    PLACING = "placing"
    PENALTY = "penalty"
    BUTTON = "button"
    LEVEL = "level"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Output:
    """One answer. `value` is JSON-ready: a string for phase and shoe, an object for the rest.

    `beside` are keys that stand next to the main one (a phase's `street`).
    """

    t: float
    kind: Kind
    value: Any
    beside: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of one output line."""
        out = {"t": self.t, self.kind.value: self.value}
        if self.beside:
            out.update(self.beside)
        return out
