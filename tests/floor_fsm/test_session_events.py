"""Sessions as events: flights whose survivors meet, heats by points with a catch-up, and what is refused."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.core.event import By
from floor_fsm.errors import Reason
from floor_fsm.lines import from_line, to_line
from floor_fsm.messages.chips import ChipsTaken, RaceOrdered, StackBagged, Suspended
from floor_fsm.messages.clock import ClockRan, LevelRow, ScheduleSet
from floor_fsm.messages.entries import (
    EntryBack,
    EntryGivenUp,
    EntryHandedOn,
    EntryNoShow,
    EntryOut,
    EntryWithdrawn,
    LateClosed,
)
from floor_fsm.messages.hands import HandForHandBegan, Placed
from floor_fsm.messages.money import PayoutsSet
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.people import AbsenceTold, Carried
from floor_fsm.messages.seating import SeatGiven, TableBroken
from floor_fsm.messages.sessions import EntryStayedAway, SessionBegan, SessionEnded, SessionOn, SessionOver
from floor_fsm.messages.tables import BreakingOrder, HandBegan
from floor_fsm.play.clock import ClockTold
from floor_fsm.play.sessions import Ties
from floor_fsm.state.entries import Standing
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Places
from floor_fsm.state.money import Money
from floor_fsm.state.seating import Seating, in_use
from floor_fsm.state.sessions import Sessions, Until
from floor_fsm.state.tables import Tables
from tests.floor_fsm.drills import without
from tests.floor_fsm.support import Desk, laws, reason_of

STACK = 30_000


def sitting(desk: Desk) -> list[int]:
    return sorted(desk.tournament.parts.of(Seating).places)


def stacks(desk: Desk) -> Stacks:
    return desk.tournament.parts.of(Stacks)


def bag(desk: Desk, chips: Mapping[int, int]) -> None:
    for entry, count in chips.items():
        desk.say(StackBagged, entry=entry, first="Ann", first_chips=count, second="Bob", second_chips=count)


def flight(desk: Desk, name: str, entries: tuple[int, ...] = (), **terms: Any) -> list[int]:
    """A session begins and its seats are drawn; return who sits."""
    desk.say(SessionBegan, session=name, entries=entries, **terms)
    desk.draw()
    return sitting(desk)


def test_two_flights_end_with_bags_and_their_survivors_draw_seats_for_the_second_day() -> None:
    """Onyx, Redraws 2."""
    desk = Desk("onyx", tables=2, seats=4)
    a, b, c, d, e, f = desk.enter("A", "B", "C", "D", "E", "F")
    told = desk.say(SessionBegan, session="1A", entries=(a, b, c))
    assert told == [SessionOn("1A", (a, b, c), ("T1", "T2"))]
    assert desk.standing(Standing.BETWEEN) == [d, e, f]
    desk.draw()
    assert sitting(desk) == [a, b, c]
    desk.say(ScheduleSet, levels=(LevelRow(seconds=1200, blinds=(100, 200)),))
    desk.say(ClockRan)
    desk.out(b)
    assert reason_of(desk, SessionEnded) == (Reason.WRONG_STATE, "Table Redraws 2"), "nothing is counted yet"
    bag(desk, {a: 20_000, c: 69_999})
    assert reason_of(desk, SessionEnded) == (Reason.DOES_NOT_ADD_UP, "Table Redraws 2")
    bag(desk, {c: 70_000})
    told = desk.say(SessionEnded)
    assert SessionOver("1A", ((c,), (a,)), (c, a), (), (), "Table Redraws 2") in told
    assert any(isinstance(one, ClockTold) and not one.running for one in told), "the clock stands"
    assert sitting(desk) == []
    assert stacks(desk).carried == {a: 20_000, c: 70_000}
    assert desk.tournament.parts.of(Sessions).rests == {
        a: Until.NEXT, c: Until.NEXT, d: Until.LATER, e: Until.LATER, f: Until.LATER,
    }  # fmt: skip

    assert flight(desk, "1B", (d, e, f)) == [d, e, f]
    assert stacks(desk).on_tables == 3 * STACK
    bag(desk, {d: 10_000, e: 50_000, f: 30_000})
    desk.say(SessionEnded)
    desk.say(LateClosed)
    assert flight(desk, "day 2") == [a, c, d, e, f]
    assert stacks(desk).carried == {}
    assert stacks(desk).ledger.in_play == 6 * STACK, "nobody gets a second stack"
    for entry in (a, c, d, e):
        desk.out(entry)
    assert desk.tournament.parts.of(Places).final[f].first == 1


def test_heats_by_points_have_a_catch_up_and_the_house_wins_and_loses_chips() -> None:
    """UTH 16.3(a)(iii)(D) to (F)."""
    desk = Desk("act-2019-uth", tables=2, seats=3, re_entries=0)
    a, b, c, d = desk.enter("A", "B", "C", "D")
    desk.say(LateClosed)
    desk.say(PayoutsSet, percent=("60", "40"))
    assert flight(desk, "heat", advance=1, repechage=True, stacks="anew") == [a, b, c, d]
    bag(desk, {a: 10_000, b: 90_000, c: 5_000, d: 70_000})
    told = desk.say(SessionEnded)
    assert SessionOver("heat", ((b,), (d,), (a,), (c,)), (b,), (d, a, c), (), "16.3(a)(iii)") in told
    assert stacks(desk).ledger.in_play == 0, "what the house gave is gone again"
    assert reason_of(desk, SessionBegan, session="final", entries=(d,))[0] is Reason.NOT_ALLOWED

    assert flight(desk, "catch-up", catch_up=True, advance=1, stacks="anew") == [a, c, d]
    bag(desk, {a: 40_000, c: 20_000, d: 20_000})
    told = desk.say(SessionEnded)
    assert {Placed(c, 3, 4, provisional=False), Placed(d, 3, 4, provisional=False)} <= set(told)
    desk.say(SessionBegan, session="final", advance=0, ties="drawn")
    desk.draw()
    assert stacks(desk).ledger.in_play == 2 * STACK
    bag(desk, {a: 30_000, b: 30_000})
    assert reason_of(desk, SessionEnded) == (Reason.NOT_DECIDED, "16.3(a)(iii)")
    desk.say(SessionEnded, drawn=(b, a))
    final = desk.tournament.parts.of(Places).final
    assert (final[b].first, final[a].first) == (1, 2)
    pool = sum(desk.tournament.parts.of(Money).told.values())
    assert desk.tournament.parts.of(Money).told[b] == pool * 60 // 100


def test_tables_that_broke_stand_ready_again_and_each_session_has_its_own_draw() -> None:
    desk = Desk("star-2025", tables=3, seats=4)
    entries = desk.enter("A", "B", "C", "D", "E", "F")
    commitment = desk.secrets[0]
    flight(desk, "1A", tuple(entries[:4]), tables=("T1",))
    assert in_use(desk.tournament.parts) == ("T1",)
    desk.say(HandBegan, by=None, table="T1", hand=1, big_blind=2, small_blind=1)
    desk.say(BreakingOrder, tables=("T1",))
    bag(desk, dict.fromkeys(entries[:4], STACK))
    desk.say(SessionEnded)
    desk.say(SessionBegan, session="2")
    assert in_use(desk.tournament.parts) == ("T1", "T2", "T3")
    assert desk.tournament.parts.of(Tables) == Tables(), "nobody knows whose blind it is there"
    assert desk.secrets[0] != commitment
    desk.say(SeatGiven, entry=entries[4], table="T3", seat=1)
    desk.say(SeatGiven, entry=entries[0], table="T2", seat=1)
    desk.say(TableBroken, table="T2", to=((entries[0], "T1", 1),))
    assert sitting(desk) == [entries[0], entries[4]]


def test_what_a_player_carries_goes_along_to_the_next_session() -> None:
    desk = Desk("star-2025", tables=1, seats=4)
    entries = desk.enter("A", "B", "C", "D")
    flight(desk, "1")
    desk.say(AbsenceTold, by=None, entry=entries[1], absent=True)
    bag(desk, dict.fromkeys(entries, STACK))
    desk.say(SessionEnded)
    desk.say(SessionBegan, session="2")
    assert Carried(entries[1], "T1", 0, 0, None, absent=True) in desk.draw()


def test_who_stays_away_from_the_next_session_is_out_and_the_carried_chips_leave_play() -> None:
    desk = Desk("onyx", tables=2, seats=4)
    a, b, c = desk.enter("A", "B", "C")
    flight(desk, "1")
    bag(desk, dict.fromkeys((a, b, c), STACK))
    assert reason_of(desk, EntryStayedAway, entry=a)[0] is Reason.WRONG_STATE
    desk.say(SessionEnded)
    desk.say(LateClosed)
    assert Placed(a, 3, 3, provisional=False) in desk.say(EntryStayedAway, entry=a)
    assert stacks(desk).ledger.in_play == 2 * STACK
    assert flight(desk, "2") == [b, c]


def test_who_goes_on_and_does_not_come_once_the_session_has_begun_stays_away_without_a_seat() -> None:
    desk = Desk("onyx", tables=2, seats=4)
    a, b, c, d = desk.enter("A", "B", "C", "D")
    flight(desk, "1", advance=3)
    bag(desk, {a: STACK, b: STACK // 2 + 100, c: 2 * STACK, d: STACK // 2 - 100})
    desk.say(SessionEnded)
    desk.say(LateClosed)
    desk.say(SessionBegan, session="2")
    assert Placed(a, 3, 3, provisional=False) in desk.say(EntryStayedAway, entry=a)
    assert stacks(desk).ledger.in_play == 2 * STACK + STACK // 2 + 100
    assert reason_of(desk, EntryStayedAway, entry=a)[0] is Reason.WRONG_STATE
    desk.draw()
    assert sitting(desk) == [b, c]
    assert reason_of(desk, EntryStayedAway, entry=b)[0] is Reason.WRONG_STATE, "who sits plays"


def test_who_has_played_a_session_is_neither_withdrawn_nor_handed_on() -> None:
    desk = Desk("star-2025", tables=1, seats=4)
    a, b, c = desk.enter("A", "B", "C")
    flight(desk, "1", advance=2)
    bag(desk, {a: 3 * STACK // 2, b: STACK, c: STACK // 2})
    desk.say(SessionEnded)
    desk.say(SessionBegan, session="2")
    assert reason_of(desk, EntryWithdrawn, entry=a, refund=True)[0] is Reason.NOT_ALLOWED
    assert reason_of(desk, EntryHandedOn, entry=a, person="pal", name="Pal")[0] is Reason.NOT_ALLOWED
    [late] = desk.enter("D")
    desk.say(EntryHandedOn, entry=late, person="E", name="E")
    desk.say(EntryWithdrawn, entry=late, refund=True)


def test_a_session_is_refused_where_it_cannot_be() -> None:
    desk = Desk("onyx", tables=2, seats=4)
    assert reason_of(desk, SessionBegan, session="1") == (Reason.UNKNOWN_ENTRY, "Table Redraws 2")
    a, b, c, d = desk.enter("A", "B", "C", "D")
    assert reason_of(desk, SessionEnded) == (Reason.WRONG_STATE, "Table Redraws 2")
    assert reason_of(desk, SessionBegan, session="1", entries=(a, a))[0] is Reason.NAMED_TWICE
    assert reason_of(desk, SessionBegan, session="1", entries=(99,))[0] is Reason.UNKNOWN_ENTRY
    assert reason_of(desk, SessionBegan, session="1", tables=("T9",))[0] is Reason.UNKNOWN_TABLE
    assert reason_of(desk, SessionBegan, session="1", catch_up=True, repechage=True)[0] is Reason.NOT_ALLOWED
    assert reason_of(desk, SessionBegan, session="1", catch_up=True)[0] is Reason.UNKNOWN_ENTRY
    desk.say(SessionBegan, session="1", entries=(a, b, c), advance=0)
    assert reason_of(desk, SessionBegan, session="2")[0] is Reason.WRONG_STATE
    assert reason_of(desk, SessionEnded)[0] is Reason.WRONG_STATE, "the fourth has not played"
    desk.say(EntryStayedAway, entry=d)
    assert reason_of(desk, SessionEnded) == (Reason.NOT_SEATED, "Table Redraws 2")
    desk.draw()
    desk.say(RaceOrdered, chip=25, new_chip=100)
    bag(desk, dict.fromkeys((a, b, c), STACK))
    assert reason_of(desk, SessionEnded)[0] is Reason.WRONG_STATE, "a race is on"


def test_hand_for_hand_and_stacks_that_nobody_counted_come_before_the_end() -> None:
    desk = Desk("onyx", tables=2, seats=3)
    a, b, c, d = desk.enter("A", "B", "C", "D")
    desk.say(SessionBegan, session="1")
    for entry, table in ((a, "T1"), (b, "T1"), (c, "T2"), (d, "T2")):
        desk.say(SeatGiven, entry=entry, table=table, seat=1 + entry % 2)
    desk.say(EntryGivenUp, entry=a)
    bag(desk, dict.fromkeys((b, c, d), STACK))
    assert reason_of(desk, SessionEnded)[0] is Reason.WRONG_STATE
    desk.say(ChipsTaken, entry=a, why="forfeited", chips=STACK)
    desk.say(HandForHandBegan, why="bubble")
    assert reason_of(desk, SessionEnded)[0] is Reason.WRONG_STATE


def test_between_two_sessions_nobody_gets_a_seat_and_a_name_is_taken_once() -> None:
    desk = Desk("act-2019-uth", tables=1, seats=4)
    a, b, c = desk.enter("A", "B", "C")
    flight(desk, "1", advance=2)
    bag(desk, {a: 3, b: 2, c: 1})
    desk.say(SessionEnded)
    assert desk.standing(Standing.OUT) == [c]
    [late] = desk.enter("D")
    assert reason_of(desk, SeatGiven, entry=late, table="T1", seat=1)[0] is Reason.WRONG_STATE
    assert reason_of(desk, EntryBack, entry=c)[0] is Reason.WRONG_STATE
    assert reason_of(desk, SessionBegan, session="1")[0] is Reason.NAMED_TWICE
    flight(desk, "2")
    assert reason_of(desk, SessionBegan, session="3")[0] is Reason.WRONG_STATE
    assert reason_of(desk, EntryNoShow, entry=a) == (Reason.NOT_ALLOWED, "16.3(a)(iii)")
    desk.say(EntryNoShow, entry=late)
    desk.say(TournamentCancelled)
    assert desk.tournament.parts.of(Sessions) == Sessions()


def test_the_events_are_lines() -> None:
    by = By(who="lea", why="as announced")
    began = SessionBegan(
        t=1, by=by, session="1A", entries=(1, 2), tables=("T1",), advance=2, ties=Ties.DRAWN, stacks="anew"
    )
    for event in (began, SessionEnded(t=2, by=by, drawn=(2, 1)), EntryStayedAway(t=3, by=by, entry=4)):
        assert from_line(to_line(event)) == event


def test_a_book_that_is_silent_leaves_sessions_to_the_director() -> None:
    desk = Desk(without(laws()["act-2001"], "sessions"), tables=1, seats=4)
    desk.enter("A", "B")
    assert reason_of(desk, SessionBegan, session="1") == (Reason.NOT_IN_THE_BOOK, None)


def test_a_suspended_session_keeps_the_chips_of_other_flights_apart() -> None:
    """The Star 1."""
    desk = Desk("star-2025", tables=2, seats=4)
    entries = desk.enter(*"ABCDEFGH")
    flight(desk, "1A", tuple(entries[:4]))
    bag(desk, dict.fromkeys(entries[:4], STACK))
    desk.say(SessionEnded)
    flight(desk, "1B", tuple(entries[4:]))
    bag(desk, dict.fromkeys(entries[4:], STACK))
    desk.say(Suspended)
    assert stacks(desk).night


@given(st.data())
def test_flights_of_any_sizes_keep_every_entry_chip_and_place(data: st.DataObject) -> None:
    """Entries go on or are out, chips are what was issued, and places are one each."""
    desk = Desk("onyx", tables=3, seats=4)
    entries = desk.enter(*(f"P{number}" for number in range(data.draw(st.integers(4, 12)))))
    first = data.draw(st.integers(2, len(entries) - 2))
    for name, some in (("1A", entries[:first]), ("1B", entries[first:])):
        flight(desk, name, tuple(some))
        gone = data.draw(st.lists(st.sampled_from(some), unique=True, max_size=len(some) - 1))
        for entry in gone:
            desk.say(EntryOut, by=None, entry=entry)
        left = [entry for entry in some if entry not in gone]
        bag(desk, dict.fromkeys(left[1:], STACK) | {left[0]: STACK * (len(gone) + 1)})
        desk.say(SessionEnded)
    rests = desk.tournament.parts.of(Sessions).rests
    assert sorted((*rests, *desk.standing(Standing.OUT))) == sorted(entries)
    assert sum(stacks(desk).carried.values()) == stacks(desk).ledger.in_play == len(entries) * STACK
    desk.say(LateClosed)
    assert flight(desk, "2") == sorted(rests)
    for entry in sorted(rests)[1:]:
        desk.out(entry)
    places = desk.tournament.parts.of(Places).final
    assert sorted(one.first for one in places.values()) == list(range(1, len(entries) + 1))
