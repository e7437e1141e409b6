"""The part of sessions: the one that is on, the result of the last one, and who has one to play yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from floor_fsm.core.parts import Parts
from floor_fsm.play.sessions import SessionResult, Ties


class Until(StrEnum):
    """Which session an entry without a seat plays."""

    LATER = "later"
    """Its first one, which has not begun."""
    NEXT = "next"
    """It goes on from one that is over."""
    CATCH_UP = "catch_up"
    """It may play a catch-up session."""


@dataclass(frozen=True, slots=True)
class SessionNow:
    """The session that is on, as it was announced. `carried`: who goes on takes the counted chips along."""

    name: str
    advance: int | None
    ties: Ties
    repechage: bool
    carried: bool


@dataclass(frozen=True, slots=True)
class SessionDone:
    """The last session that is over. `chips`: of each entry that was in play, as two people counted them.

    `now`: the session as it was announced. `before`: the last session of each of these that had played another one.
    """

    name: str
    chips: Mapping[int, int]
    result: SessionResult
    carried: bool
    now: SessionNow
    before: Mapping[int, str]

    @property
    def out(self) -> tuple[int, ...]:
        """Who neither goes on nor may catch up, the best first."""
        stays = {*self.result.advance, *self.result.catch_up}
        return tuple(entry for group in self.result.groups for entry in group if entry not in stays)


@dataclass(frozen=True, slots=True)
class Sessions:
    """The part of sessions. `names`: of all that began. `rests`: who has a session to play yet, and no seat.

    `played`: by entry that has played one, the last. `taken_back`: the end of the session that is on, where it had been
    told to be over.
    """

    on: SessionNow | None = None
    last: SessionDone | None = None
    names: tuple[str, ...] = ()
    rests: Mapping[int, Until] = field(default_factory=dict)
    played: Mapping[int, str] = field(default_factory=dict)
    taken_back: SessionDone | None = None


def is_between(parts: Parts) -> bool:
    """Whether a session is over, and the next one has not begun."""
    sessions = parts.of(Sessions)
    return sessions.last is not None and sessions.on is None


def taken_back(parts: Parts) -> SessionDone:
    """The end that was just taken back: of the session that is on."""
    done = parts.of(Sessions).taken_back
    assert done is not None  # the subject of sessions comes first
    return done
