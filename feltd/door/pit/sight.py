"""Which of the floor's tables a person sees: floord keeps it by account, and answers each question within it."""

from dataclasses import dataclass
from typing import Final

from feltd.door.wire.calls import Call

SCREENS: Final = "(screens)"
"""In whose name the players' screens are asked for where nobody signs in. No account can have this name."""


@dataclass(frozen=True, slots=True)
class OfAccount:
    """A question in the name of an account; empty where nobody has signed in."""

    account: str = ""


@dataclass(frozen=True, slots=True)
class PitSight:
    """What they see. `mark`: the same for whoever sees the same tables; empty for all of them."""

    mark: str


SIGHT: Final[Call[OfAccount, PitSight]] = Call("sight", OfAccount, PitSight)
