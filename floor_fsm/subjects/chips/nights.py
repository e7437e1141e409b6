"""Bags over night, and the chips that go from one session into the next."""

from dataclasses import replace

from floor_fsm.core.parts import Parts, Step
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import ruled
from floor_fsm.messages.chips import BackTo, Resumed, StackBagged, Suspended
from floor_fsm.messages.sessions import EntryStayedAway, SessionBegan, SessionEnded
from floor_fsm.messages.undone import SessionTakenBack
from floor_fsm.play.chips import Into, OutOf
from floor_fsm.play.sessions import Count, bag, suspend
from floor_fsm.state.floor import BeforeEnd, Stacks
from floor_fsm.state.night import require_no_hand, ruled_night
from floor_fsm.state.seating import Seating, place_of
from floor_fsm.state.sessions import Sessions
from floor_fsm.state.stack_limits import require_bags
from floor_fsm.subjects.chips.ledger import PLAY


def bagged(parts: Parts, event: StackBagged) -> Step:
    """At night a bag that was wrong is counted again: refuse more chips in all bags than there are in play."""
    require_no_hand(parts)
    stacks, place = parts.of(Stacks), place_of(parts, event.entry)
    first, second = Count(event.first, event.first_chips), Count(event.second, event.second_chips)
    sealed = bag(event.entry, place.table, place.seat, first, second, _bag_clause(parts))
    bags = {**stacks.bags, event.entry: sealed}
    in_bags = sum(one.chips for one in bags.values())
    if stacks.night and in_bags > stacks.on_tables:
        words = (
            f"the bags would have {in_bags} chips, and {stacks.on_tables} are in play: count first the bag of too many"
        )
        raise Refused(Reason.DOES_NOT_ADD_UP, words, ruled_night(parts))
    unsealed = sum(entry not in bags for entry in parts.of(Seating).places)
    require_bags(parts, in_bags, unsealed)
    return Step(replace(stacks, bags=bags))


def _bag_clause(parts: Parts) -> str:
    """The clause for which a stack is bagged: of the session that is on, else of the suspension."""
    rules = parts.law.book.sessions
    return ruled_night(parts) if parts.of(Sessions).on is None or rules is None else rules.clause


def suspended(parts: Parts, _event: Suspended) -> Step:
    """The tournament rests over night. Refuses while a stack is in no bag."""
    stacks, seating = parts.of(Stacks), parts.of(Seating)
    if stacks.night:
        raise Refused(Reason.WRONG_STATE, "the tournament is suspended already")
    stacks.require_settled(ruled_night(parts))
    require_no_hand(parts)
    playing = {entry: (place.table, place.seat) for entry, place in seating.places.items()}
    suspend(parts.law.book.suspension, playing, list(stacks.bags.values()), stacks.on_tables)
    return Step(replace(stacks, night=True, nights=stacks.nights + 1))


def resumed(parts: Parts, _event: Resumed) -> Step:
    """The tournament goes on. Where the book keeps the seats, say where each sits and with how many chips."""
    stacks = parts.of(Stacks)
    if not stacks.night:
        raise Refused(Reason.WRONG_STATE, "the tournament is not suspended")
    bagged = sum(one.chips for one in stacks.bags.values())
    if set(stacks.bags) == set(parts.of(Seating).places) and bagged != stacks.on_tables:
        words = f"the bags have {bagged} chips, and {stacks.on_tables} are in play: count again"
        raise Refused(Reason.DOES_NOT_ADD_UP, words, ruled_night(parts))
    outputs = tuple(BackTo(one.entry, one.table, one.seat, one.chips) for one in stacks.bags.values())
    rule = ruled(parts.law.book.suspension, "a tournament over night")
    return Step(replace(stacks, night=False, bags={}), outputs if rule.same_seat else ())


def session_ended(parts: Parts, _event: SessionEnded) -> Step:
    """Who goes on takes the chips along where they are carried; all others' leave play."""
    stacks, done = parts.of(Stacks), parts.of(Sessions).last
    assert done is not None  # its subject comes first
    ledger, counted = stacks.ledger, sum(done.chips.values())
    change = counted - stacks.on_tables
    if change > 0:
        ledger = ledger.issue(Into.WON, PLAY, change)
    elif change:
        ledger = ledger.remove(OutOf.LOST, PLAY, -change)
    takes = {entry: done.chips[entry] for entry in done.result.advance} if done.carried else {}
    back = counted - sum(takes.values())
    if back:
        ledger = ledger.remove(OutOf.RETURNED, PLAY, back)
    anew = {*done.result.advance, *done.result.catch_up} - set(takes)
    issued = {entry: had for entry, had in stacks.issued.items() if entry not in anew}
    before = BeforeEnd(stacks.ledger, stacks.issued, stacks.bags, stacks.carried, ledger)
    carried = {**stacks.carried, **takes}
    now = replace(stacks, ledger=ledger, issued=issued, carried=carried, bags={}, ended=before, counted={}, brought={})
    return Step(now)


def session_taken_back(parts: Parts, _event: SessionTakenBack) -> Step:
    """The chips are in their bags on the tables again. Refuses once somebody's have left play since."""
    stacks = parts.of(Stacks)
    before = stacks.ended
    assert before is not None  # the subject of sessions refuses it
    if stacks.ledger != before.after:
        clause = ruled(parts.law.book.sessions, "sessions").clause
        raise Refused(Reason.WRONG_STATE, "chips came into play or left it since: the session's end stands", clause)
    bags, carried = before.bags, before.carried
    now = replace(stacks, ledger=before.ledger, issued=before.issued, bags=bags, carried=carried, ended=None)
    return Step(now)


def session_began(parts: Parts, _event: SessionBegan) -> Step:
    """Who plays the session has the carried chips on the table again."""
    stacks, rests = parts.of(Stacks), parts.of(Sessions).rests
    carried = {entry: chips for entry, chips in stacks.carried.items() if entry in rests}
    brought = {entry: chips for entry, chips in stacks.carried.items() if entry not in rests}
    return Step(replace(stacks, carried=carried, brought=brought, ended=None))


def stayed_away(parts: Parts, event: EntryStayedAway) -> Step:
    """The carried chips of who stays away from a session leave play."""
    stacks = parts.of(Stacks)
    chips = stacks.carried.get(event.entry, stacks.brought.get(event.entry, 0))
    carried = {entry: one for entry, one in stacks.carried.items() if entry != event.entry}
    ledger = stacks.ledger.remove(OutOf.FORFEITED, PLAY, chips) if chips else stacks.ledger
    return Step(replace(stacks, ledger=ledger, carried=carried))
