"""Chips: every one that came into play and left it; races at all tables; bags over night."""

from dataclasses import replace
from typing import Any, Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law, ruled
from floor_fsm.messages.chips import (
    BackTo,
    ChipsCounted,
    ChipsDiffer,
    ChipsIssued,
    ChipsMissing,
    ChipsReturned,
    ChipsTaken,
    RaceAt,
    RaceOrdered,
    RaceOver,
    RaceTold,
    Resumed,
    StackBagged,
    StacksCounted,
    Suspended,
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
from floor_fsm.messages.hands import HandOver, HandReleased
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import SeatGiven, SeatLate
from floor_fsm.messages.sessions import EntryStayedAway, SessionBegan, SessionEnded
from floor_fsm.messages.tables import HandBegan
from floor_fsm.messages.undone import AddOnTakenBack, RaceOff, RaceTakenBack, RebuyTakenBack, SessionTakenBack
from floor_fsm.play.chips import Into, OutOf, TableRace, differences, order_race, raced
from floor_fsm.play.people import Missed, stake_back
from floor_fsm.play.sessions import Count, bag, suspend
from floor_fsm.state.entries import Entries, Entry, Standing, entry_of, require_forfeitable
from floor_fsm.state.floor import BeforeEnd, Counted, Departed, Stacks, Time
from floor_fsm.state.night import require_no_hand
from floor_fsm.state.opening import opened
from floor_fsm.state.reports import stacks_that_cannot_be
from floor_fsm.state.seating import Seating, in_use, place_of
from floor_fsm.state.sessions import Sessions
from floor_fsm.state.stack_limits import require_bags, require_left_for_others, require_whole_stack

PLAY: Final = "play"
"""Who holds the chips in play: which table has how many, no event tells."""


def _seated(parts: Parts, event: SeatsDrawn | SeatLate | SeatGiven) -> Step:
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


def _annulled(parts: Parts, _event: DrawAnnulled) -> Step:
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


def _dealt(parts: Parts, _event: HandBegan) -> Step:
    stacks = parts.of(Stacks)
    return Step(replace(stacks, unplayed=()) if stacks.unplayed else stacks)


def _given_up(parts: Parts, event: EntryGivenUp) -> Step:
    stacks = parts.of(Stacks)
    if event.chips is None:
        return Step(replace(stacks, uncounted=(*stacks.uncounted, event.entry)))
    require_whole_stack(parts, event.entry, event.chips)
    return Step(_gone(stacks, event.entry, OutOf.FORFEITED, event.chips))


def _gone(stacks: Stacks, entry: int, why: OutOf, chips: int, *, never_came: bool = False) -> Stacks:
    """The chips of an entry have left play with it; it may come back, and they with it."""
    ledger = stacks.ledger.remove(why, PLAY, chips) if chips else stacks.ledger
    return replace(stacks, ledger=ledger, departed={**stacks.departed, entry: Departed(chips, never_came)})


def _never_came(parts: Parts, event: EntryNeverCame) -> Step:
    return Step(_gone(parts.of(Stacks), event.entry, OutOf.REMOVED, event.chips, never_came=True))


def _back(parts: Parts, event: EntryBack) -> Step:
    """The chips that left play with who is back are in play again."""
    stacks = parts.of(Stacks)
    had = stacks.departed.get(event.entry)
    now = replace(stacks, uncounted=tuple(entry for entry in stacks.uncounted if entry != event.entry))
    if had is None:
        return Step(now)
    ledger = now.ledger.issue(Into.RESTORED, PLAY, had.chips) if had.chips else now.ledger
    return Step(replace(now.without_departed(event.entry), ledger=ledger))


def _came(parts: Parts, event: EntryCame) -> Step:
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


def _no_show(parts: Parts, event: EntryNoShow) -> Step:
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


def _bought(parts: Parts, event: Rebuy | AddOn) -> Step:
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


def _bought_back(parts: Parts, event: RebuyTakenBack | AddOnTakenBack) -> Step:
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


def _cancelled(parts: Parts, _event: TournamentCancelled) -> Step:
    """All chips leave play."""
    stacks, in_play = parts.of(Stacks), parts.of(Stacks).ledger.in_play
    ledger = stacks.ledger.remove(OutOf.RETURNED, PLAY, in_play) if in_play else stacks.ledger
    return Step(replace(stacks, ledger=ledger, uncounted=(), race=None, bags={}, night=False, carried={}))


def _issued(parts: Parts, event: ChipsIssued) -> Step:
    """Refuse more chips than an entry has, and more given back than have left play."""
    place_of(parts, event.entry)
    stacks, most = parts.of(Stacks), opened(parts).stack
    if event.why in (Into.ENTRY, Into.RE_ENTRY) and event.chips > most:
        raise Refused(Reason.DOES_NOT_ADD_UP, f"{event.chips} chips for an entry: it has {most}")
    gone = sum(stacks.ledger.left.values()) - stacks.ledger.came[Into.RESTORED]
    if event.why is Into.RESTORED and event.chips > gone:
        raise Refused(Reason.DOES_NOT_ADD_UP, f"{event.chips} chips given back, and {gone} have left play")
    return Step(replace(stacks, ledger=stacks.ledger.issue(event.why, PLAY, event.chips)))


def _taken(parts: Parts, event: ChipsTaken) -> Step:
    entry_of(parts, event.entry)
    stacks = parts.of(Stacks)
    if event.why is OutOf.FORFEITED and event.entry in stacks.uncounted:
        require_forfeitable(parts, event.entry, event.chips)
    require_left_for_others(parts, event.entry, event.chips)
    uncounted = tuple(entry for entry in stacks.uncounted if entry != event.entry)
    if event.entry in stacks.uncounted:
        return Step(replace(_gone(stacks, event.entry, event.why, event.chips), uncounted=uncounted))
    return Step(replace(stacks, ledger=stacks.ledger.remove(event.why, PLAY, event.chips)))


def _person_left(parts: Parts, event: PersonLeft) -> Step:
    """The chips of who must leave are gone. At night they are those of the bag."""
    stacks = parts.of(Stacks)
    sealed = stacks.bags.get(event.entry) if stacks.night else None
    if sealed is not None and sealed.chips != event.chips:
        words = f"entry {event.entry} has {sealed.chips} chips in the bag, not {event.chips}"
        raise Refused(Reason.DOES_NOT_ADD_UP, words, ruled_night(parts))
    require_whole_stack(parts, event.entry, event.chips)
    bags = {entry: one for entry, one in stacks.bags.items() if entry != event.entry}
    return Step(_gone(replace(stacks, bags=bags), event.entry, OutOf.DISQUALIFIED, event.chips))


def _counted(parts: Parts, event: ChipsCounted) -> Step:
    stacks, rules = parts.of(Stacks), parts.law.book.counts
    new = replace(stacks, counts=stacks.counts.add(rules, event.stage)) if rules is not None else stacks
    in_play = stacks.on_tables
    return Step(new, (ChipsDiffer(in_play, event.chips),) if event.chips != in_play else ())


def _stacks_counted(parts: Parts, event: StacksCounted) -> Step:
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


def _ordered(parts: Parts, event: RaceOrdered) -> Step:
    stacks = parts.of(Stacks)
    if stacks.race is not None:
        raise Refused(
            Reason.WRONG_STATE, f"a race is on: tables {', '.join(stacks.race.waits_for)} have not told theirs"
        )
    tables = tuple(table for table in in_use(parts) if parts.of(Seating).at(table))
    race = order_race(parts.law.book.races, event.chip, event.new_chip, tables)
    return Step(replace(stacks, race=race), (RaceAt(event.chip, event.new_chip, race.tables),))


def _raced(parts: Parts, event: RaceTold) -> Step:
    stacks = parts.of(Stacks)
    if stacks.race is None:
        raise Refused(Reason.WRONG_STATE, f"table {event.table} tells a race, and none was ordered")
    told = TableRace(dict(event.odd), dict(event.chips), event.last, event.kept_in, event.out)
    race = stacks.race.tell(event.table, told)
    if race.waits_for:
        return Step(replace(stacks, race=race))
    change = sum(race.told.values())
    return Step(replace(stacks, race=None, ledger=raced(stacks.ledger, PLAY, change)), (RaceOver(change),))


def _race_taken_back(parts: Parts, _event: RaceTakenBack) -> Step:
    """Nobody races any more; what tables have raced stays so."""
    stacks, rules = parts.of(Stacks), parts.law.book.races
    if stacks.race is None:
        clause = None if rules is None else rules.clause
        raise Refused(Reason.WRONG_STATE, "no chip race is on: there is no order to take back", clause)
    change = sum(stacks.race.told.values())
    ledger = raced(stacks.ledger, PLAY, change)
    return Step(replace(stacks, race=None, ledger=ledger), (RaceOff(stacks.race.waits_for, change),))


def _returned(parts: Parts, event: ChipsReturned) -> Step:
    rule = ruled(parts.law.book.chips_back, "chips that come back")
    chips = [one.chip for one in event.chips]
    if len(set(chips)) < len(chips):
        raise Refused(Reason.NAMED_TWICE, "a denomination is named twice", rule.clause)
    found = differences({one.chip: one.issued for one in event.chips}, {one.chip: one.back for one in event.chips})
    return Step(parts.of(Stacks), (ChipsMissing(found),) if found else ())


def _bagged(parts: Parts, event: StackBagged) -> Step:
    """At night a bag that was wrong is counted again: refuse more chips in all bags than there are in play."""
    require_no_hand(parts)
    stacks, place = parts.of(Stacks), place_of(parts, event.entry)
    first, second = Count(event.first, event.first_chips), Count(event.second, event.second_chips)
    sealed = bag(event.entry, place.table, place.seat, first, second, _bag_clause(parts))
    bags = {**stacks.bags, event.entry: sealed}
    bagged = sum(one.chips for one in bags.values())
    if stacks.night and bagged > stacks.on_tables:
        words = (
            f"the bags would have {bagged} chips, and {stacks.on_tables} are in play: count first the bag of too many"
        )
        raise Refused(Reason.DOES_NOT_ADD_UP, words, ruled_night(parts))
    unsealed = sum(entry not in bags for entry in parts.of(Seating).places)
    require_bags(parts, bagged, unsealed)
    return Step(replace(stacks, bags=bags))


def _bag_clause(parts: Parts) -> str:
    """The clause for which a stack is bagged: of the session that is on, else of the suspension."""
    rules = parts.law.book.sessions
    return ruled_night(parts) if parts.of(Sessions).on is None or rules is None else rules.clause


def ruled_night(parts: Parts) -> str:
    """The clause of the book's row of suspension. Raises Refused where it is silent."""
    return ruled(parts.law.book.suspension, "a tournament over night").clause


def _suspended(parts: Parts, _event: Suspended) -> Step:
    stacks, seating = parts.of(Stacks), parts.of(Seating)
    if stacks.night:
        raise Refused(Reason.WRONG_STATE, "the tournament is suspended already")
    stacks.require_settled(ruled_night(parts))
    require_no_hand(parts)
    playing = {entry: (place.table, place.seat) for entry, place in seating.places.items()}
    suspend(parts.law.book.suspension, playing, list(stacks.bags.values()), stacks.on_tables)
    return Step(replace(stacks, night=True, nights=stacks.nights + 1))


def _resumed(parts: Parts, _event: Resumed) -> Step:
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


def _session_ended(parts: Parts, _event: SessionEnded) -> Step:
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


def _session_taken_back(parts: Parts, _event: SessionTakenBack) -> Step:
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


def _session_began(parts: Parts, _event: SessionBegan) -> Step:
    """Who plays the session has the carried chips on the table again."""
    stacks, rests = parts.of(Stacks), parts.of(Sessions).rests
    carried = {entry: chips for entry, chips in stacks.carried.items() if entry in rests}
    brought = {entry: chips for entry, chips in stacks.carried.items() if entry not in rests}
    return Step(replace(stacks, carried=carried, brought=brought, ended=None))


def _stayed_away(parts: Parts, event: EntryStayedAway) -> Step:
    stacks = parts.of(Stacks)
    chips = stacks.carried.get(event.entry, stacks.brought.get(event.entry, 0))
    carried = {entry: one for entry, one in stacks.carried.items() if entry != event.entry}
    ledger = stacks.ledger.remove(OutOf.FORFEITED, PLAY, chips) if chips else stacks.ledger
    return Step(replace(stacks, ledger=ledger, carried=carried))


def _plays(parts: Parts, event: Any) -> Step:
    """A hand opens the bags."""
    stacks = parts.of(Stacks)
    if isinstance(event, HandOver):
        _require_stacks(parts, event)
        if event.out:
            _require_somebody(parts)
    return Step(replace(stacks, bags={}) if stacks.bags else stacks)


def _last(parts: Parts, _event: EntryOut) -> Step:
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


def _begin(_law: Law) -> Stacks:
    return Stacks()


SUBJECT: Final = Subject(
    Stacks,
    _begin,
    {
        SeatsDrawn: _seated,
        SeatLate: _seated,
        SeatGiven: _seated,
        DrawAnnulled: _annulled,
        HandBegan: _dealt,
        EntryGivenUp: _given_up,
        EntryNoShow: _no_show,
        EntryNeverCame: _never_came,
        EntryBack: _back,
        EntryCame: _came,
        Rebuy: _bought,
        AddOn: _bought,
        RebuyTakenBack: _bought_back,
        AddOnTakenBack: _bought_back,
        TournamentCancelled: _cancelled,
        ChipsIssued: _issued,
        ChipsTaken: _taken,
        PersonLeft: _person_left,
        ChipsCounted: _counted,
        StacksCounted: _stacks_counted,
        RaceOrdered: _ordered,
        RaceTold: _raced,
        RaceTakenBack: _race_taken_back,
        ChipsReturned: _returned,
        StackBagged: _bagged,
        Suspended: _suspended,
        Resumed: _resumed,
        SessionBegan: _session_began,
        SessionEnded: _session_ended,
        SessionTakenBack: _session_taken_back,
        EntryStayedAway: _stayed_away,
        HandOver: _plays,
        EntryOut: _last,
        HandReleased: _plays,
    },
)
