"""A step that two people must want: one asks, another approves, and then it is done, once."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ASKED_SECONDS: Final = 900.0
"""How long a step waits for a second person."""


class StepKind(StrEnum):
    """What takes two people."""

    DEVICE_KEY = "device_key"
    """Another key for a device, or the one before: who asked does it on the page."""
    UPDATE = "update"
    """Another version of the system on the board: the board does it, in the small hours."""
    BROADCAST = "broadcast"
    """Cards of rounds that are over go to the broadcast: the table does it as the second person approves."""
    ACCOUNT = "account"
    """An account is made, given another code, shut or opened: the page does it as the second person approves, and tells
    how that went."""


APPROVED_SECONDS: Final[Mapping[StepKind, float]] = {
    StepKind.DEVICE_KEY: 600.0,
    StepKind.UPDATE: 24 * 3600.0,
    StepKind.BROADCAST: 0.0,
    StepKind.ACCOUNT: 60.0,
}
"""How long a step may be done once a second person has approved it."""


class StepState(StrEnum):
    """How far a step is."""

    WAITING = "waiting"
    APPROVED = "approved"
    DONE = "done"
    FAILED = "failed"
    """Approved, and it could not be done."""
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


OPEN: Final = frozenset({StepState.WAITING, StepState.APPROVED})


@dataclass(frozen=True, slots=True)
class StepFacts:
    """A step that waits, or how it ended.

    `about`: the device, the version, the fingerprint of the broadcast's key, or what becomes of which account.
    `reason`: empty where none is asked for. `asked_by`, `second`: accounts; `second` has approved or refused it, None
    while nobody has. An account's step that expired with a `second` may be done: its page has not told. `seconds_left`:
    until it expires, 0 once it is over.
    """

    id: int
    kind: StepKind
    about: str
    reason: str
    asked_by: str
    second: str | None
    state: StepState
    seconds_left: float
