"""Hand for hand: who is released, who waits, who turns up."""

from dataclasses import replace
from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.hands import (
    AllInHeld,
    AllInsTurned,
    HandForHandBegan,
    HandForHandEnded,
    HandOver,
    HandReleased,
    TableAway,
    TableBack,
    TableExcused,
)
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.seating import Redrawn, TableBreaks, TableBroken
from floor_fsm.play.hand_for_hand import HandForHand, Told, begin
from floor_fsm.state.hands import Hands, Places, hand_for_hand
from floor_fsm.state.opening import seats_of
from floor_fsm.state.seating import Seating, in_use


def _begin_play(parts: Parts, event: HandForHandBegan) -> Step:
    hands = parts.of(Hands)
    if hands.play is not None:
        raise Refused(Reason.WRONG_STATE, "hand for hand is played already")
    tables = [table for table in in_use(parts) if parts.of(Seating).at(table)]
    play = begin(parts.law.book.hand_for_hand, event.why, tables)
    for table in (table for table in hands.away if table in tables):
        play = play.away(table)
    return Step(replace(hands, play=play))


def _end(parts: Parts, _event: HandForHandEnded) -> Step:
    play = hand_for_hand(parts)
    if play.waits_for:
        raise Refused(
            Reason.TABLES_PLAY, f"hand {play.hand} is not over at table {', '.join(play.waits_for)}: wait for it"
        )
    owing = [name for name, one in sorted(play.tables.items()) if one.owes and _owed(parts, play, name)]
    if owing:
        raise Refused(
            Reason.TABLES_PLAY,
            f"table {', '.join(owing)} has not told the end of a hand: wait for it, say it for the table, "
            "or decide the places of that hand",
            play.rules.clause,
        )
    return Step(replace(parts.of(Hands), play=None))


def _owed(parts: Parts, play: HandForHand, table: str) -> frozenset[int]:
    """The hands whose report a table owes, but those whose places the director has decided without it."""
    places = parts.of(Places)
    ladder = places.ladder
    hands = [] if ladder is None else [(hand, ladder.under(places.orders[hand])) for hand in play.tables[table].owes]
    return frozenset(hand for hand, gone in hands if gone is not None and table in gone.awaited)


def _release(parts: Parts, _event: HandReleased) -> Step:
    play, seating = hand_for_hand(parts), parts.of(Seating)
    return _now(parts, play.release([table for table in play.tables if len(seating.at(table)) < 2]))


def _held(parts: Parts, event: AllInHeld) -> Step:
    return _now(parts, hand_for_hand(parts).froze(event.table, event.hand))


def _turned(parts: Parts, _event: AllInsTurned) -> Step:
    return _now(parts, hand_for_hand(parts).turn())


def _over(parts: Parts, event: HandOver) -> Step:
    seats_of(parts, event.table)
    play = parts.of(Hands).play
    if (play is None) is not (event.hand is None):
        now = "is not" if play is None else "is"
        raise Refused(
            Reason.WRONG_HAND,
            f"table {event.table} tells of hand {event.hand or 'without a number'}, and hand for hand {now} played: "
            "look what the table was told",
        )
    if play is None or event.hand is None:
        return Step(parts.of(Hands))
    return _now(parts, play.over(event.table, event.hand, for_it=event.by is not None))


def _away(parts: Parts, event: TableAway) -> Step:
    seats_of(parts, event.table)
    hands = parts.of(Hands)
    if event.table in hands.away:
        raise Refused(Reason.WRONG_STATE, f"table {event.table} is away already")
    play = hands.play
    if play is not None and event.table in play.tables:
        play = play.away(event.table)
    return Step(Hands(play, tuple(sorted({*hands.away, event.table}))))


def _back(parts: Parts, event: TableBack) -> Step:
    seats_of(parts, event.table)
    hands = parts.of(Hands)
    if event.table not in hands.away:
        raise Refused(Reason.WRONG_STATE, f"table {event.table} was not away")
    play = hands.play
    if play is not None and event.table in play.tables:
        play = play.back(event.table)
    return Step(Hands(play, tuple(table for table in hands.away if table != event.table)))


def _excused(parts: Parts, event: TableExcused) -> Step:
    return _now(parts, hand_for_hand(parts).excuse(event.table))


def _broken(parts: Parts, _event: TableBroken | TableBreaks | Redrawn) -> Step:
    """Tables that are broken now play no more hands."""
    hands = parts.of(Hands)
    play = hands.play
    for table in parts.of(Seating).broken:
        if play is not None and table in play.tables:
            settled = play.owing(table, _owed(parts, play, table))
            play, _ = settled.closed(table)  # which tells tables nothing: no hand is under way
    return Step(replace(hands, play=play))


def _cancelled(_parts: Parts, _event: TournamentCancelled) -> Step:
    return Step(Hands())


def _now(parts: Parts, step: tuple[HandForHand, Told]) -> Step:
    play, told = step
    return Step(replace(parts.of(Hands), play=play), told)


def _begin(_law: Law) -> Hands:
    return Hands()


SUBJECT: Final = Subject(
    Hands,
    _begin,
    {
        HandForHandBegan: _begin_play,
        HandForHandEnded: _end,
        HandReleased: _release,
        AllInHeld: _held,
        AllInsTurned: _turned,
        HandOver: _over,
        TableAway: _away,
        TableBack: _back,
        TableExcused: _excused,
        TableBroken: _broken,
        TableBreaks: _broken,
        Redrawn: _broken,
        TournamentCancelled: _cancelled,
    },
)
