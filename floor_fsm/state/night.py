"""What waits for a suspended tournament to go on: play, its clock, and what would change a sealed stack or its seat."""

from typing import Final

from floor_fsm.core.event import Event
from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import ruled
from floor_fsm.messages.chips import ChipsIssued, ChipsTaken, RaceOrdered
from floor_fsm.messages.clock import ClockPut, ClockRan
from floor_fsm.messages.entries import AddOn, EntryGivenUp, EntryNeverCame, EntryNoShow, EntryOut, Rebuy
from floor_fsm.messages.hands import HandOver, HandReleased
from floor_fsm.messages.seating import Moved, Redrawn, TableBreaks, TableBroken
from floor_fsm.messages.tables import Balanced
from floor_fsm.messages.undone import AddOnTakenBack, RebuyTakenBack
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Hands

_PLAY: Final = (HandOver, HandReleased, ClockRan, RaceOrdered)
_SEATS: Final = (Moved, Balanced, Redrawn, TableBreaks, TableBroken)
_OF_A_STACK: Final = (
    EntryOut, EntryGivenUp, EntryNoShow, EntryNeverCame, Rebuy, AddOn, RebuyTakenBack, AddOnTakenBack, ChipsIssued,
    ChipsTaken,
)  # fmt: skip


def require_awake(parts: Parts, event: Event) -> None:
    """Refuse, while the tournament is suspended, what waits until it goes on."""
    stacks, rule = parts.of(Stacks), parts.law.book.suspension
    if not stacks.night or rule is None:
        return
    if isinstance(event, _PLAY) or (isinstance(event, ClockPut) and event.running):
        raise Refused(Reason.WRONG_STATE, f"{event.ev}: the tournament is suspended", rule.clause)
    if isinstance(event, _SEATS) and rule.same_seat:
        raise Refused(
            Reason.WRONG_STATE,
            f"{event.ev}: the tournament is suspended, and each has the same seat when it goes on",
            rule.clause,
        )
    if isinstance(event, _OF_A_STACK) and event.entry in stacks.bags:
        raise Refused(
            Reason.WRONG_STATE,
            f"{event.ev}: the stack of entry {event.entry} is sealed, let the tournament go on first",
            rule.clause,
        )


def require_no_hand(parts: Parts) -> None:
    """Refuse to seal stacks, or to begin the night, while a hand of hand for hand is under way, where the book has it.

    Outside hand for hand no event tells that a hand is under way: whoever has the tables' records looks there.
    """
    play, rule = parts.of(Hands).play, parts.law.book.suspension
    if play is None or rule is None or rule.begins is None or not play.waits_for:
        return
    raise Refused(
        Reason.TABLES_PLAY,
        f"hand {play.hand} is not over at table {', '.join(play.waits_for)}: wait for its end, or rule on a table that "
        "is away, then count the stacks",
        rule.clause,
    )


def ruled_night(parts: Parts) -> str:
    """The clause of the book's row of suspension. Raises Refused where it is silent."""
    return ruled(parts.law.book.suspension, "a tournament over night").clause
