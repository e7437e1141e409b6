"""Places: who is out, in which order, and what place that is."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law, ruled
from floor_fsm.law.matters import Measure
from floor_fsm.messages.entries import (
    EntryBack,
    EntryCame,
    EntryGivenUp,
    EntryNeverCame,
    EntryNoShow,
    EntryOut,
    EntryWithdrawn,
    LateClosed,
    LevelBegan,
    Rebuy,
)
from floor_fsm.messages.hands import (
    HandForHandBegan,
    HandOver,
    HandReleased,
    Placed,
    PlaceDecided,
    TableExcused,
    ToDecide,
)
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.sessions import EntryStayedAway, SessionEnded
from floor_fsm.messages.undone import LateTakenBack, SessionTakenBack
from floor_fsm.play.places import Finish, Gone, Ladder, Out
from floor_fsm.state.entries import Entries
from floor_fsm.state.hands import Hands, Places, field_of, hand_for_hand, how_many_left, left
from floor_fsm.state.reports import stacks_that_cannot_be
from floor_fsm.state.seating import Seating
from floor_fsm.state.sessions import Sessions, taken_back


def _over(parts: Parts, event: HandOver) -> Step:
    rules = ruled(parts.law.book.places, "places")
    by_stack, wrong = rules.measure is Measure.STACK, stacks_that_cannot_be(parts, event)
    amounts = {one.entry: one.stack if by_stack else one.put_in for one in event.out if one.entry not in wrong}
    outs = [Out(one.entry, event.table, amounts.get(one.entry)) for one in event.out]
    places = parts.of(Places)
    if event.hand is None:
        places = replace(places, dealt=places.dealt | {places.next}) if outs else places
        return _add(parts, places, outs) if outs else Step(places)
    places = _numbered(places, event.hand)
    play = hand_for_hand(parts)
    return _add(parts, places, outs, play.awaited(event.hand), places.orders[event.hand])


def _released(parts: Parts, _event: HandReleased) -> Step:
    return Step(_numbered(parts.of(Places), hand_for_hand(parts).hand))


def _numbered(places: Places, hand: int) -> Places:
    """The places with an order for this hand: all tables tell of it under the same."""
    if hand in places.orders:
        return places
    return replace(
        places,
        orders={**places.orders, hand: places.next},
        released=places.released | {places.next},
        next=places.next + 1,
    )


def _anew(parts: Parts, _event: HandForHandBegan) -> Step:
    return Step(replace(parts.of(Places), orders={}))


def _excused(parts: Parts, _event: TableExcused) -> Step:
    places, play = parts.of(Places), hand_for_hand(parts)
    return _add(parts, places, [], play.awaited(play.hand), places.orders[play.hand])


def _session_ended(parts: Parts, event: SessionEnded) -> Step:
    """Who does not go on is placed by the counts, as the announced rule for equal ones has it."""
    done, places = parts.of(Sessions).last, parts.of(Places)
    assert done is not None  # its subject comes first
    assert event.by is not None  # it needs a person
    if not done.out:
        return Step(places)
    ladder, order = places.ladder or Ladder(ruled(parts.law.book.places, "places")), places.next
    out = set(done.out)
    ladder = ladder.add(order, [Out(entry, done.name, done.chips[entry]) for entry in done.out])
    groups = [tuple(entry for entry in group if entry in out) for group in done.result.groups]
    if len(out) > 1:
        ladder = ladder.decide(order, groups, event.by.who)
    return _told(parts, replace(places, ladder=ladder, next=order + 1), order)


def _session_taken_back(parts: Parts, _event: SessionTakenBack) -> Step:
    """Who was placed by the counts of the session's end has no place."""
    places, out = parts.of(Places), taken_back(parts).out
    if not out or places.ladder is None:
        return Step(places)
    return _none_of(parts, places, out)


def _alone(parts: Parts, event: EntryOut | EntryGivenUp | EntryNeverCame | PersonLeft | EntryStayedAway) -> Step:
    """One is out. In hand for hand, while a hand is under way at any table, it is out in that hand.

    A place of its own would be final at once, and paid, and another table could still lose a player in the same hand.
    """
    places, play = parts.of(Places), parts.of(Hands).play
    out = Out(event.entry, parts.of(Seating).ended.get(event.entry, ""), None)
    if play is None or not play.waits_for:
        return _add(parts, places, [out])
    return _add(parts, places, [out], play.awaited(play.hand), places.orders[play.hand])


def _back(parts: Parts, event: EntryBack | EntryCame | Rebuy) -> Step:
    """Who is in again has no place; those who went out later have another one, and nobody has won."""
    places = parts.of(Places)
    if places.ladder is None:
        return Step(places)
    if event.entry not in places.ladder.known:
        still = set(left(parts))
        said = {entry: told for entry, told in places.said.items() if entry not in still}
        return _told(parts, replace(places, said=said), 0)
    return _none_of(parts, places, (event.entry,))


def _none_of(parts: Parts, places: Places, entries: Sequence[int]) -> Step:
    """The places without these entries, which went out together and are in again."""
    ladder = places.ladder
    assert ladder is not None  # they are in it
    order = next(one.order for one in ladder.gone if any(out.entry == entries[0] for out in one.outs))
    for entry in entries:
        ladder = ladder.back(entry)
    still = set(left(parts))
    said = {entry: told for entry, told in places.said.items() if entry not in still}
    return _told(parts, replace(places, ladder=ladder, said=said), order)


def _cancelled(_parts: Parts, _event: TournamentCancelled) -> Step:
    return Step(Places())


def _add(
    parts: Parts, places: Places, outs: Sequence[Out], awaited: Collection[str] = (), order: int | None = None
) -> Step:
    ladder = places.ladder or Ladder(ruled(parts.law.book.places, "places"))
    if order is None:
        order, places = places.next, replace(places, next=places.next + 1)
    return _told(parts, replace(places, ladder=ladder.add(order, outs, awaited)), order)


def _decided(parts: Parts, event: PlaceDecided) -> Step:
    places = parts.of(Places)
    assert event.by is not None  # it needs a person
    if places.ladder is None:
        raise Refused(Reason.WRONG_STATE, "nobody is out: there is no place to decide")
    play = parts.of(Hands).play
    if play is not None and play.waits_for and event.order == places.orders[play.hand]:
        raise Refused(
            Reason.TABLES_PLAY, f"hand {play.hand} is not over at table {', '.join(play.waits_for)}: wait for it"
        )
    joined = places.ladder.joined(event.order, {entry for group in event.groups for entry in group})
    _check_together(parts, places, joined)
    ladder = places.ladder.decide(event.order, event.groups, event.by.who)
    if any(one.order in places.dealt for one in joined):
        places = replace(places, dealt=places.dealt | {event.order})
    return _told(parts, replace(places, ladder=ladder), event.order)


def _check_together(parts: Parts, places: Places, joined: Sequence[Gone]) -> None:
    """Refuse to place together those of whom it is known who was out first.

    Hands of hand for hand are released one after the other, also once it is over, and a table deals one hand after the
    other.
    """
    if len(joined) < 2:
        return
    if any(one.order in places.released for one in joined):
        rules = parts.law.book.hand_for_hand
        raise Refused(
            Reason.WRONG_HAND,
            "hand for hand one hand is released after the other: decide the places of each",
            None if rules is None else rules.clause,
        )
    lost = Counter(table for one in joined for table in {out.table for out in one.outs})
    hands = {out.table for one in joined if one.order in places.dealt for out in one.outs}
    twice = sorted(table for table in hands if lost[table] > 1)
    if twice:
        raise Refused(
            Reason.WRONG_HAND,
            f"table {', '.join(twice)} lost them one after the other: decide the places of each hand",
        )


def _closing(parts: Parts, _event: LateClosed | LevelBegan) -> Step:
    return _told(parts, parts.of(Places), 0) if parts.of(Entries).closed else Step(parts.of(Places))


def _off_the_list(parts: Parts, _event: EntryNoShow | EntryWithdrawn) -> Step:
    """There is an entry less that gets a place: each who is out has a higher one, and one who is left has won."""
    places = parts.of(Places)
    if places.ladder is None and parts.of(Entries).closed and how_many_left(parts) == 1:
        places = replace(places, ladder=Ladder(ruled(parts.law.book.places, "places")))
    return _told(parts, places, 0)


def _reopened(parts: Parts, _event: LateTakenBack) -> Step:
    """Nobody has a place while entries are taken; who is out stays so, in the same order."""
    return Step(replace(parts.of(Places), said={}))


def _told(parts: Parts, places: Places, since: int) -> Step:
    """The places with those of `since` and later as they are now, and what of them is news.

    Nothing is told while entries are taken: each new entry moves every place.
    """
    ladder = places.ladder
    if ladder is None:
        return Step(places)
    outputs: list[Output] = []
    now: dict[int, tuple[Finish, bool]] = {}
    if parts.of(Entries).closed:
        now |= ladder.told(field_of(parts), since)
        now |= _winner(parts, ladder)
    news = {entry: said for entry, said in now.items() if places.said.get(entry) != said}
    outputs += [Placed(entry, finish.first, finish.last, soft) for entry, (finish, soft) in sorted(news.items())]
    gone = ladder.under(since)
    if gone is not None and gone.waits and not gone.awaited:
        outputs.append(ToDecide(since, tuple(sorted(out.entry for out in gone.outs)), ladder.rules.across_clause))
    return Step(replace(places, said={**places.said, **news}) if news else places, tuple(outputs))


def _winner(parts: Parts, ladder: Ladder) -> dict[int, tuple[Finish, bool]]:
    """The last one who is left has won, once no report is missing."""
    if how_many_left(parts) != 1:
        return {}
    still = left(parts)
    return {still[0]: (Finish(1, 1), bool(ladder.awaited))}


def _begin(_law: Law) -> Places:
    return Places()


SUBJECT: Final = Subject(
    Places,
    _begin,
    {
        HandOver: _over,
        HandReleased: _released,
        HandForHandBegan: _anew,
        TableExcused: _excused,
        EntryOut: _alone,
        EntryGivenUp: _alone,
        PersonLeft: _alone,
        SessionEnded: _session_ended,
        SessionTakenBack: _session_taken_back,
        EntryStayedAway: _alone,
        PlaceDecided: _decided,
        EntryNeverCame: _alone,
        EntryNoShow: _off_the_list,
        EntryWithdrawn: _off_the_list,
        EntryBack: _back,
        EntryCame: _back,
        Rebuy: _back,
        TournamentCancelled: _cancelled,
        LateClosed: _closing,
        LevelBegan: _closing,
        LateTakenBack: _reopened,
    },
)
