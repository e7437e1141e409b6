"""A tournament that was called off, as it was before: nothing can have happened since, so all of it comes back."""

from dataclasses import dataclass, replace

from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts
from floor_fsm.messages.money import Payout
from floor_fsm.messages.seating import Seated, Why
from floor_fsm.messages.undone import TournamentGoesOn
from floor_fsm.state.entries import Entries
from floor_fsm.state.floor import Time
from floor_fsm.state.hands import Hands, Places
from floor_fsm.state.money import Money
from floor_fsm.state.refunds import Refunds
from floor_fsm.state.seating import Seating
from floor_fsm.state.sessions import Sessions
from floor_fsm.state.tables import Tables


@dataclass(frozen=True, slots=True)
class CalledOff:
    """`before`: the state before a tournament was called off, at second `at`."""

    before: Parts
    at: float


def going_on(off: CalledOff, now: Parts) -> tuple[Parts, tuple[Output, ...]]:
    """The state with which it goes on, and what is said. The clock stands where it stood: nobody has played since.

    `now`: the state meanwhile. Raises Refused where the cage has given back fees since, and they are not there again.
    """
    parts, clock = off.before, off.before.of(Time).clock
    parts = parts.having(now.of(Refunds).before(parts.of(Refunds)))
    if clock is not None and clock.running:
        parts = parts.having(replace(parts.of(Time), clock=clock.stand(off.at)))
    seated = [Seated(entry, place, Why.GIVEN) for entry, place in sorted(parts.of(Seating).places.items())]
    prizes = [Payout(entry, cents) for entry, cents in sorted(parts.of(Money).told.items()) if cents]
    return parts, (TournamentGoesOn(parts.of(Entries).tally.alive), *seated, *prizes)


def all_goes_back(parts: Parts) -> bool:
    """Whether all that was paid goes back by the book where the tournament is called off now."""
    rule = parts.law.book.cancelling
    return rule is not None and (rule.refund == "all" or not _has_begun(parts))


def _has_begun(parts: Parts) -> bool:
    """Whether a table has told of a hand, a level has begun, somebody is out, or a session is over."""
    dealt = parts.of(Tables).dealt or parts.of(Hands).play is not None or parts.of(Places).ladder is not None
    return bool(dealt or parts.of(Entries).level or parts.of(Sessions).last is not None)
