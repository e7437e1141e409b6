"""Who may enter, when and how often; and where each entry stands."""

from dataclasses import replace
from typing import Final

from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law, ruled
from floor_fsm.messages.draw import DrawAnnulled, SeatsDrawn
from floor_fsm.messages.entries import (
    Entered,
    EntryBack,
    EntryCame,
    EntryCorrected,
    EntryGivenUp,
    EntryHandedOn,
    EntryNeverCame,
    EntryNoShow,
    EntryOut,
    EntrySubstituted,
    EntryTaken,
    EntryWithdrawn,
    LateClosed,
    LateEntryOver,
    LevelBegan,
    Rebuy,
)
from floor_fsm.messages.hands import HandOver
from floor_fsm.messages.opening import Refund, TournamentCancelled
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import SeatGiven, SeatLate
from floor_fsm.messages.sessions import EntryStayedAway, SessionBegan, SessionEnded
from floor_fsm.messages.undone import LateEntryOpen, LateTakenBack, SessionTakenBack
from floor_fsm.play.people import provisionally_out
from floor_fsm.state.entering import (
    Wish,
    closes_with,
    require_eligible,
    require_not_barred,
    require_open,
    require_room,
    require_way_back,
    rules_broken,
)
from floor_fsm.state.entries import (
    ALIVE,
    Entries,
    Entry,
    Standing,
    card_of,
    entry_of,
    require_forfeitable,
    with_standing,
)
from floor_fsm.state.floor import People, Time
from floor_fsm.state.hands import Hands
from floor_fsm.state.opening import opened
from floor_fsm.state.rebuys import Rebuys
from floor_fsm.state.refunds import fee_goes_back
from floor_fsm.state.seating import Seating
from floor_fsm.state.sessions import Sessions, taken_back


def _take(parts: Parts, event: EntryTaken) -> Step:
    require_open(parts, event.t)
    for broken in rules_broken(parts, Wish(event.entry, event.person, event.name, event.paid)):
        raise broken
    entries = parts.of(Entries)
    again = len(entries.of_person(event.person)) + 1
    entry = Entry(event.entry, event.person, event.name, event.paid, again)
    return Step(entries.having(entry), (Entered(entry.number, entry.again),))


def _hand_on(parts: Parts, event: EntryHandedOn) -> Step:
    entries, entry = parts.of(Entries), entry_of(parts, event.entry)
    rule = ruled(parts.law.book.entries, "handing an entry on")
    if not rule.transfer:
        raise Refused(Reason.NO_TRANSFER, "an entry is not handed on", rule.clause)
    if entry.standing is not Standing.WAITING:
        raise Refused(Reason.NO_TRANSFER, f"entry {entry.number} is {entry.standing}: it is not handed on in play")
    _require_not_played(parts, entry)
    require_not_barred(parts, event.person, event.name)
    if entries.of_person(event.person):
        raise Refused(Reason.ENTERED_ALREADY, f"{event.name} has entered already", rule.clause)
    return Step(entries.having(replace(entry, person=event.person, name=event.name, again=1)))


def _require_not_played(parts: Parts, entry: Entry) -> None:
    """Refuse who waits for the next session: it has a place, and chips that it may carry."""
    played, rules = parts.of(Sessions).played.get(entry.number), parts.law.book.sessions
    if played is not None:
        raise Refused(
            Reason.NOT_ALLOWED,
            f"entry {entry.number} has played the session {played}: say that it stayed away, or give it its seat",
            None if rules is None else rules.clause,
        )


def _correct(parts: Parts, event: EntryCorrected) -> Step:
    """The entry is another person's, and always was. Refuses one whom the rules would not have let enter."""
    entries, entry = parts.of(Entries), entry_of(parts, event.entry)
    if entry.standing is Standing.WITHDRAWN:
        raise Refused(Reason.ENTRY_IS_OVER, f"entry {entry.number} is {entry.standing}: take another one instead")
    if card_of(event.person) == card_of(entry.person):
        return Step(entries.having(replace(entry, person=event.person, name=event.name)))
    require_not_barred(parts, event.person, event.name)
    require_eligible(parts, event.person)
    now = entries.having(replace(entry, person=event.person, name=event.name))
    for person in (entry.person, event.person):
        for again, one in enumerate(now.of_person(person), 1):
            now = now.having(replace(one, again=again))
    return Step(now)


def _withdraw(parts: Parts, event: EntryWithdrawn) -> Step:
    entries, entry = parts.of(Entries), entry_of(parts, event.entry)
    if entry.standing is not Standing.WAITING:
        raise Refused(Reason.ENTRY_IS_OVER, f"entry {entry.number} is {entry.standing}: only who waits is withdrawn")
    _require_not_played(parts, entry)
    gone = replace(entry, standing=Standing.WITHDRAWN, paid=0 if fee_goes_back(parts, event) else entry.paid)
    return Step(entries.having(gone))


def _substitute(parts: Parts, event: EntrySubstituted) -> Step:
    rule = ruled(parts.law.book.substitutes, "substitutes")
    entries, entry = parts.of(Entries), entry_of(parts, event.entry)
    allowed = (Standing.WAITING, Standing.IN_PLAY) if rule.in_play else (Standing.WAITING,)
    if entry.standing not in allowed:
        raise Refused(Reason.NO_TRANSFER, f"entry {entry.number} is {entry.standing}: nobody plays it on", rule.clause)
    require_not_barred(parts, event.person, event.name)
    if entries.of_person(event.person):
        raise Refused(Reason.ENTERED_ALREADY, f"{event.name} has entered already", rule.clause)
    return Step(entries.having(replace(entry, person=event.person, name=event.name, again=1)))


def _no_show(parts: Parts, event: EntryNoShow) -> Step:
    """Who did not come has forfeited the entry: the fee stays, and it was the one that the person had."""
    rule = ruled(parts.law.book.no_shows, "who does not come")
    if rule.stack != "forfeited":
        raise Refused(
            Reason.NOT_ALLOWED,
            "the stack of who does not come is not forfeited: it pays its blinds, or waits",
            rule.clause,
        )
    entries, entry = parts.of(Entries), entry_of(parts, event.entry)
    return Step(entries.having(replace(entry, standing=Standing.WITHDRAWN)))


def _back(parts: Parts, event: EntryBack | EntryCame | Rebuy) -> Step:
    """Who was out is in again; of a rebuy, who had just lost the last chips."""
    entries, entry = parts.of(Entries), entry_of(parts, event.entry)
    if isinstance(event, Rebuy) and entry.standing is not Standing.OUT:
        return Step(entries)
    _require_no_other(entries, entry)
    if entry.standing is Standing.WITHDRAWN:
        require_room(parts, entry.person)  # a reserve may have entered for who did not come
    return Step(with_standing(entries, [entry.number], Standing.IN_PLAY))


def _require_no_other(entries: Entries, entry: Entry) -> None:
    """Refuse to bring an entry back whose person has entered again since."""
    alive = [one for one in entries.of_person(entry.person) if one.number != entry.number and one.standing in ALIVE]
    if alive:
        raise Refused(Reason.IN_PLAY_ALREADY, f"{entry.name} has entry {alive[0].number}, which is not over")


def _cancelled(parts: Parts, event: TournamentCancelled) -> Step:
    """Nobody has an entry any more; what was paid goes back where the book, or the director, says so."""
    entries, bought = parts.of(Entries), parts.of(Rebuys).bought
    back, given = event.refund is not False, parts.of(People).refunded
    now, outputs = dict(entries.by_number), list[Output]()
    for number, entry in entries.by_number.items():
        beside = bought.get(number)
        cents = (0 if number in given else entry.paid) + (0 if beside is None else beside.pool + beside.house)
        if back and cents:
            outputs.append(Refund(number, cents))
        now[number] = replace(entry, standing=Standing.WITHDRAWN, paid=0 if back else entry.paid)
    return Step(replace(entries, by_number=now, closed=True), tuple(outputs))


def _given_up(parts: Parts, event: EntryGivenUp) -> Step:
    """Refuse it where the book has no way back, or more chips than it lets a player give up.

    Chips that are counted later are held against it then.
    """
    if event.chips is not None:
        require_forfeitable(parts, event.entry, event.chips)
    out = _out(parts, event)
    require_way_back(parts, entry_of(parts, event.entry), event.t)
    return out


def _close(parts: Parts, _event: LateClosed) -> Step:
    entries = parts.of(Entries)
    if entries.closed:
        raise Refused(Reason.LATE_ENTRY_IS_OVER, "late entry is over", _clause(parts.law))
    return Step(replace(entries, closed=True), (LateEntryOver(entries.counted),))


def _reopen(parts: Parts, event: LateTakenBack) -> Step:
    """Entries are taken again. Refuses where they never ended, by the terms end, or hand for hand is played."""
    entries, clause, clock = parts.of(Entries), _clause(parts.law), parts.of(Time).clock
    if not entries.closed:
        raise Refused(Reason.WRONG_STATE, "late entry is not over: there is no end to take back", clause)
    level = entries.level if clock is None else min(entries.level, clock.reading(event.t).level.number)
    if level >= closes_with(parts):
        raise Refused(
            Reason.WRONG_STATE, f"late entry ends with level {closes_with(parts)}: set the clock back first", clause
        )
    if parts.of(Hands).play is not None:
        raise Refused(Reason.WRONG_STATE, "hand for hand is played: end it first", clause)
    return Step(replace(entries, closed=False, level=level), (LateEntryOpen(entries.counted),))


def _level(parts: Parts, event: LevelBegan) -> Step:
    """Refuse a level that the schedule does not have."""
    entries, clock = parts.of(Entries), parts.of(Time).clock
    if clock is not None and clock.structure.doubling_minutes is None and event.level > len(clock.structure.levels):
        raise Refused(
            Reason.DOES_NOT_ADD_UP, f"there is no level {event.level}: the schedule has {len(clock.structure.levels)}"
        )
    now = replace(entries, level=event.level)
    if entries.closed or event.level < closes_with(parts):
        return Step(now)
    return Step(replace(now, closed=True), (LateEntryOver(entries.counted),))


def _clause(law: Law) -> str | None:
    return None if law.book.entries is None else law.book.entries.clause


def _seated(parts: Parts, _event: SeatsDrawn | SeatLate | SeatGiven) -> Step:
    """Who has a seat is in play."""
    entries, places = parts.of(Entries), parts.of(Seating).places
    new = [entry.number for entry in entries.standing(Standing.WAITING) if entry.number in places]
    return Step(with_standing(entries, new, Standing.IN_PLAY))


def _annulled(parts: Parts, _event: DrawAnnulled) -> Step:
    """Who has no seat any more waits for one."""
    entries, places = parts.of(Entries), parts.of(Seating).places
    if places:
        return Step(entries)
    return Step(with_standing(entries, [one.number for one in entries.standing(Standing.IN_PLAY)], Standing.WAITING))


def _never_came(parts: Parts, event: EntryNeverCame) -> Step:
    """Refuse where the book does not let the director do it, or not yet, or for more chips than there were."""
    rules, stack = parts.law.book.no_shows, opened(parts).stack
    provisionally_out(rules, parts.of(Entries).level)
    if event.chips > stack:
        raise Refused(
            Reason.DOES_NOT_ADD_UP,
            f"{event.chips} chips are left of a stake of {stack}: count them again",
            None if rules is None else rules.clause,
        )
    return Step(with_standing(parts.of(Entries), [event.entry], Standing.OUT))


def _out(parts: Parts, event: EntryOut | EntryGivenUp | PersonLeft | EntryStayedAway) -> Step:
    entries, entry = parts.of(Entries), entry_of(parts, event.entry)
    return Step(with_standing(entries, [entry.number], Standing.OUT))


def _over(parts: Parts, event: HandOver) -> Step:
    """Who lost the last chips in a hand is out."""
    return Step(with_standing(parts.of(Entries), [one.entry for one in event.out], Standing.OUT))


def _session_began(parts: Parts, _event: SessionBegan) -> Step:
    """Who plays the session waits for a seat; who plays a later one does not."""
    entries, rests = parts.of(Entries), parts.of(Sessions).rests
    plays = [one.number for one in entries.standing(Standing.BETWEEN) if one.number not in rests]
    return Step(with_standing(with_standing(entries, rests, Standing.BETWEEN), plays, Standing.WAITING))


def _session_ended(parts: Parts, _event: SessionEnded) -> Step:
    done = parts.of(Sessions).last
    assert done is not None  # its subject comes first
    rests = (*done.result.advance, *done.result.catch_up)
    now = with_standing(parts.of(Entries), rests, Standing.BETWEEN)
    return Step(with_standing(now, done.out, Standing.OUT))


def _session_taken_back(parts: Parts, _event: SessionTakenBack) -> Step:
    """All who were in the session are in play again."""
    entries, back = parts.of(Entries), taken_back(parts).chips
    for number in back:
        _require_no_other(entries, entries.by_number[number])
    return Step(with_standing(entries, back, Standing.IN_PLAY))


def _begin(_law: Law) -> Entries:
    return Entries()


SUBJECT: Final = Subject(
    Entries,
    _begin,
    {
        EntryTaken: _take,
        EntryHandedOn: _hand_on,
        EntryCorrected: _correct,
        EntryWithdrawn: _withdraw,
        LateClosed: _close,
        LateTakenBack: _reopen,
        LevelBegan: _level,
        SeatsDrawn: _seated,
        SeatLate: _seated,
        SeatGiven: _seated,
        DrawAnnulled: _annulled,
        EntryOut: _out,
        EntryGivenUp: _given_up,
        EntryNoShow: _no_show,
        EntrySubstituted: _substitute,
        EntryNeverCame: _never_came,
        EntryBack: _back,
        EntryCame: _back,
        Rebuy: _back,
        TournamentCancelled: _cancelled,
        HandOver: _over,
        PersonLeft: _out,
        SessionBegan: _session_began,
        SessionEnded: _session_ended,
        SessionTakenBack: _session_taken_back,
        EntryStayedAway: _out,
    },
)
