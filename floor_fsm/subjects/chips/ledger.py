"""Chips that come into play and leave it, entry by entry, and counts of them."""

from dataclasses import replace
from typing import Any, Final

from floor_fsm.core.parts import Parts, Step
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import ruled
from floor_fsm.messages.chips import (
    ChipsCounted,
    ChipsDiffer,
    ChipsIssued,
    ChipsMissing,
    ChipsReturned,
    ChipsTaken,
    StacksCounted,
)
from floor_fsm.messages.draw import DrawAnnulled, SeatsDrawn
from floor_fsm.messages.entries import (
    AddOn,
    EntryBack,
    EntryCame,
    EntryGivenUp,
    EntryNeverCame,
    EntryNoShow,
    EntryOut,
    Rebuy,
    StakeBack,
)
from floor_fsm.messages.hands import HandOver
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import SeatGiven, SeatLate
from floor_fsm.messages.tables import HandBegan
from floor_fsm.messages.undone import AddOnTakenBack, RebuyTakenBack
from floor_fsm.play.chips import Into, OutOf, differences
from floor_fsm.play.people import Missed, stake_back
from floor_fsm.state.entries import Entries, Entry, Standing, entry_of, require_forfeitable
from floor_fsm.state.floor import Counted, Departed, Stacks, Time
from floor_fsm.state.night import ruled_night
from floor_fsm.state.opening import opened
from floor_fsm.state.reports import stacks_that_cannot_be
from floor_fsm.state.seating import Seating, place_of
from floor_fsm.state.stack_limits import require_left_for_others, require_whole_stack

PLAY: Final = "play"
"""Who holds the chips in play: which table has how many, no event tells."""


def seated(parts: Parts, event: SeatsDrawn | SeatLate | SeatGiven) -> Step:
    """A stack for each who has sat down."""
    stacks = parts.of(Stacks)
    new = [one for one in parts.of(Entries).standing(Standing.IN_PLAY) if one.number not in stacks.issued]
    ledger = stacks.ledger
    for one in new:
        ledger = ledger.issue(_into(one), PLAY, opened(parts).stack)
    issued = {**stacks.issued, **{one.number: True for one in new}}
    first = isinstance(event, SeatsDrawn)
    unplayed = stacks.unplayed if not (first or stacks.unplayed) else (
        *(() if first else stacks.unplayed), *(one.number for one in new),
    )  # fmt: skip
    return Step(replace(stacks, ledger=ledger, issued=issued, unplayed=unplayed))


def _into(entry: Entry) -> Into:
    return Into.ENTRY if entry.again == 1 else Into.RE_ENTRY


def annulled(parts: Parts, _event: DrawAnnulled) -> Step:
    """Who waits again has the stack with the next seat."""
    stacks, entries = parts.of(Stacks), parts.of(Entries)
    waits = [entries.by_number[one] for one in stacks.unplayed if entries.by_number[one].standing is Standing.WAITING]
    if not waits:
        return Step(stacks)
    ledger = stacks.ledger
    for one in waits:
        ledger = ledger.take_back(_into(one), PLAY, opened(parts).stack)
    gone = {one.number for one in waits}
    issued = {entry: had for entry, had in stacks.issued.items() if entry not in gone}
    return Step(replace(stacks, ledger=ledger, issued=issued, unplayed=(), counted={}, bags={}))


def dealt(parts: Parts, _event: HandBegan) -> Step:
    """A hand has begun: from here on a draw that is annulled takes back no stack."""
    stacks = parts.of(Stacks)
    return Step(replace(stacks, unplayed=()) if stacks.unplayed else stacks)


def given_up(parts: Parts, event: EntryGivenUp) -> Step:
    """The chips of an entry that its player gives up leave play, once they are counted."""
    stacks = parts.of(Stacks)
    if event.chips is None:
        return Step(replace(stacks, uncounted=(*stacks.uncounted, event.entry)))
    require_whole_stack(parts, event.entry, event.chips)
    return Step(_gone(stacks, event.entry, OutOf.FORFEITED, event.chips))


def _gone(stacks: Stacks, entry: int, why: OutOf, chips: int, *, never_came: bool = False) -> Stacks:
    """The chips of an entry have left play with it; it may come back, and they with it."""
    ledger = stacks.ledger.remove(why, PLAY, chips) if chips else stacks.ledger
    return replace(stacks, ledger=ledger, departed={**stacks.departed, entry: Departed(chips, never_came)})


def never_came(parts: Parts, event: EntryNeverCame) -> Step:
    """The chips of a player who never came leave play."""
    return Step(_gone(parts.of(Stacks), event.entry, OutOf.REMOVED, event.chips, never_came=True))


def back(parts: Parts, event: EntryBack) -> Step:
    """The chips that left play with who is back are in play again."""
    stacks = parts.of(Stacks)
    had = stacks.departed.get(event.entry)
    now = replace(stacks, uncounted=tuple(entry for entry in stacks.uncounted if entry != event.entry))
    if had is None:
        return Step(now)
    ledger = now.ledger.issue(Into.RESTORED, PLAY, had.chips) if had.chips else now.ledger
    return Step(replace(now.without_departed(event.entry), ledger=ledger))


def came(parts: Parts, event: EntryCame) -> Step:
    """What the book gives back. Refuses who is out for another reason, and one of whose stake nothing is left."""
    stacks, rules, clock = parts.of(Stacks), ruled(parts.law.book.no_shows, "who does not come"), parts.of(Time).clock
    had = stacks.departed.get(event.entry)
    if had is None or not had.never_came:
        raise Refused(
            Reason.NOT_ALLOWED,
            f"entry {event.entry} is out for another reason than not coming: nothing is given back",
            rules.clause,
        )
    if clock is None:
        raise Refused(Reason.WRONG_STATE, "there is no schedule: nobody knows which blinds were missed", rules.clause)
    late = next((level for level, _, _ in event.missed if level > parts.of(Entries).level), None)
    if late is not None:
        raise Refused(Reason.DOES_NOT_ADD_UP, f"level {late} has not begun: it was not missed", rules.clause)
    chips = stake_back(clock.structure, had.chips, [Missed(*one) for one in event.missed])
    if not chips:
        raise Refused(
            Reason.DOES_NOT_ADD_UP,
            f"blinds and antes that were missed take all {had.chips} chips: entry {event.entry} stays out",
            rules.clause,
        )
    ledger = stacks.ledger.issue(Into.RESTORED, PLAY, chips)
    return Step(replace(stacks.without_departed(event.entry), ledger=ledger), (StakeBack(event.entry, chips),))


def no_show(parts: Parts, event: EntryNoShow) -> Step:
    """The whole stack of who did not come leaves play. Refuses one that was counted, and is not whole."""
    stacks, stack = parts.of(Stacks), opened(parts).stack
    counted = stacks.counted.get(event.entry)
    if counted is not None and counted.chips != stack:
        raise Refused(
            Reason.NOT_ALLOWED,
            f"entry {event.entry} was counted with {counted.chips} chips and began with {stack}: it was played",
            ruled(parts.law.book.no_shows, "who does not come").clause,
        )
    return Step(_gone(stacks, event.entry, OutOf.FORFEITED, stack))


def bought(parts: Parts, event: Rebuy | AddOn) -> Step:
    terms = opened(parts).rebuy if isinstance(event, Rebuy) else opened(parts).add_on
    assert terms is not None  # the subject of rebuys refuses it
    stacks, why = parts.of(Stacks), Into.REBUY if isinstance(event, Rebuy) else Into.ADD_ON
    if isinstance(event, Rebuy):
        require_left_for_others(parts, event.entry, event.stake)
    if isinstance(event, Rebuy) and event.stake > stacks.on_tables:
        raise Refused(
            Reason.DOES_NOT_ADD_UP,
            f"entry {event.entry} has {event.stake} chips, and {stacks.on_tables} are in play: count again",
        )
    counted = {entry: had for entry, had in stacks.counted.items() if entry != event.entry}
    return Step(replace(stacks, ledger=stacks.ledger.issue(why, PLAY, terms.chips), counted=counted))


def bought_back(parts: Parts, event: RebuyTakenBack | AddOnTakenBack) -> Step:
    """The chips leave the table, or are another entry's. Refuses chips that are sealed in a bag."""
    stacks = parts.of(Stacks)
    counted = {entry: had for entry, had in stacks.counted.items() if entry not in (event.entry, event.to)}
    if event.to is not None:
        return Step(replace(stacks, counted=counted))
    if event.entry in stacks.bags:
        words = f"{event.ev}: the stack of entry {event.entry} is sealed in a bag: a hand or another count opens it"
        raise Refused(Reason.WRONG_STATE, words)
    is_rebuy = isinstance(event, RebuyTakenBack)
    terms = opened(parts).rebuy if is_rebuy else opened(parts).add_on
    assert terms is not None  # the subject of rebuys refuses it
    ledger = stacks.ledger.take_back(Into.REBUY if is_rebuy else Into.ADD_ON, PLAY, terms.chips)
    return Step(replace(stacks, ledger=ledger, counted=counted))


def cancelled(parts: Parts, _event: TournamentCancelled) -> Step:
    """All chips leave play."""
    stacks, in_play = parts.of(Stacks), parts.of(Stacks).ledger.in_play
    ledger = stacks.ledger.remove(OutOf.RETURNED, PLAY, in_play) if in_play else stacks.ledger
    return Step(replace(stacks, ledger=ledger, uncounted=(), race=None, bags={}, night=False, carried={}))


def issued(parts: Parts, event: ChipsIssued) -> Step:
    """Refuse more chips than an entry has, and more given back than have left play."""
    place_of(parts, event.entry)
    stacks, most = parts.of(Stacks), opened(parts).stack
    if event.why in (Into.ENTRY, Into.RE_ENTRY) and event.chips > most:
        raise Refused(Reason.DOES_NOT_ADD_UP, f"{event.chips} chips for an entry: it has {most}")
    gone = sum(stacks.ledger.left.values()) - stacks.ledger.came[Into.RESTORED]
    if event.why is Into.RESTORED and event.chips > gone:
        raise Refused(Reason.DOES_NOT_ADD_UP, f"{event.chips} chips given back, and {gone} have left play")
    return Step(replace(stacks, ledger=stacks.ledger.issue(event.why, PLAY, event.chips)))


def taken(parts: Parts, event: ChipsTaken) -> Step:
    """Chips are taken from an entry: what it forfeits, or what is too many."""
    entry_of(parts, event.entry)
    stacks = parts.of(Stacks)
    if event.why is OutOf.FORFEITED and event.entry in stacks.uncounted:
        require_forfeitable(parts, event.entry, event.chips)
    require_left_for_others(parts, event.entry, event.chips)
    uncounted = tuple(entry for entry in stacks.uncounted if entry != event.entry)
    if event.entry in stacks.uncounted:
        return Step(replace(_gone(stacks, event.entry, event.why, event.chips), uncounted=uncounted))
    return Step(replace(stacks, ledger=stacks.ledger.remove(event.why, PLAY, event.chips)))


def person_left(parts: Parts, event: PersonLeft) -> Step:
    """The chips of who must leave are gone. At night they are those of the bag."""
    stacks = parts.of(Stacks)
    sealed = stacks.bags.get(event.entry) if stacks.night else None
    if sealed is not None and sealed.chips != event.chips:
        words = f"entry {event.entry} has {sealed.chips} chips in the bag, not {event.chips}"
        raise Refused(Reason.DOES_NOT_ADD_UP, words, ruled_night(parts))
    require_whole_stack(parts, event.entry, event.chips)
    bags = {entry: one for entry, one in stacks.bags.items() if entry != event.entry}
    return Step(_gone(replace(stacks, bags=bags), event.entry, OutOf.DISQUALIFIED, event.chips))


def counted(parts: Parts, event: ChipsCounted) -> Step:
    """All chips in play were counted: say so where they are more or fewer than came into play."""
    stacks, rules = parts.of(Stacks), parts.law.book.counts
    new = replace(stacks, counts=stacks.counts.add(rules, event.stage)) if rules is not None else stacks
    in_play = stacks.on_tables
    return Step(new, (ChipsDiffer(in_play, event.chips),) if event.chips != in_play else ())


def stacks_counted(parts: Parts, event: StacksCounted) -> Step:
    """Refuse who does not sit there, and at one table more chips than there are in play."""
    stacks, there = parts.of(Stacks), parts.of(Seating).at(event.table).values()
    named = [entry for entry, _ in event.stacks]
    if len(set(named)) < len(named):
        raise Refused(Reason.NAMED_TWICE, "an entry is counted twice: name each once")
    for entry in named:
        if entry not in there:
            raise Refused(Reason.NOT_SEATED, f"entry {entry} does not sit at table {event.table}")
    told = sum(chips for _, chips in event.stacks)
    if told > stacks.on_tables:
        raise Refused(
            Reason.DOES_NOT_ADD_UP, f"{told} chips at one table, and {stacks.on_tables} are in play: count again"
        )
    return Step(
        replace(stacks, counted={**stacks.counted, **{one: Counted(had, event.t) for one, had in event.stacks}})
    )


def returned(parts: Parts, event: ChipsReturned) -> Step:
    """Chips came back, by denomination: say which are missing."""
    rule = ruled(parts.law.book.chips_back, "chips that come back")
    chips = [one.chip for one in event.chips]
    if len(set(chips)) < len(chips):
        raise Refused(Reason.NAMED_TWICE, "a denomination is named twice", rule.clause)
    found = differences({one.chip: one.issued for one in event.chips}, {one.chip: one.back for one in event.chips})
    return Step(parts.of(Stacks), (ChipsMissing(found),) if found else ())


def plays(parts: Parts, event: Any) -> Step:
    """A hand opens the bags."""
    stacks = parts.of(Stacks)
    if isinstance(event, HandOver):
        _require_stacks(parts, event)
        if event.out:
            _require_somebody(parts)
    return Step(replace(stacks, bags={}) if stacks.bags else stacks)


def last(parts: Parts, _event: EntryOut) -> Step:
    """Once entry is closed, refuse that nobody is left who has the chips."""
    if parts.of(Entries).closed:
        _require_somebody(parts)
    return Step(parts.of(Stacks))


def _require_somebody(parts: Parts) -> None:
    """Refuse that nobody is left where players play for each other's chips: somebody has them."""
    stacks, sessions, rule = parts.of(Stacks), parts.law.book.sessions, parts.law.book.places
    if (sessions is not None and sessions.against_house) or parts.of(Entries).tally.at[Standing.IN_PLAY]:
        return
    if stacks.on_tables:
        clause = None if rule is None else rule.clause
        raise Refused(Reason.DOES_NOT_ADD_UP, f"nobody would be left, and {stacks.on_tables} chips are in play", clause)


def _require_stacks(parts: Parts, event: HandOver) -> None:
    """Refuse a person who tells chips that cannot be: they count again. A table cannot: its other facts hold."""
    wrong = stacks_that_cannot_be(parts, event)
    if wrong and event.by is not None:
        raise next(iter(wrong.values()))
