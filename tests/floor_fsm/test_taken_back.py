"""What is taken back: a chop, the end of late entry, a session's end, a broken table; where the rules do not let it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floor_fsm.core.event import Event
from floor_fsm.drawing import Place
from floor_fsm.errors import Reason, Refused
from floor_fsm.lines import from_line, to_line
from floor_fsm.messages.chips import ChipsTaken, RaceOrdered
from floor_fsm.messages.clock import ClockPut, LevelRow, ScheduleSet
from floor_fsm.messages.draw import SeatsDrawn
from floor_fsm.messages.entries import LateClosed, LevelBegan
from floor_fsm.messages.hands import HandForHandBegan, HandForHandEnded, Placed
from floor_fsm.messages.money import Chopped, Payout, PayoutsSet, PrizePaid, PrizeTakenBack
from floor_fsm.messages.people import AbsenceTold, Carried
from floor_fsm.messages.seating import Moved, Redrawn, Seated, TableBreaks, TableBroken, Why
from floor_fsm.messages.sessions import EntryStayedAway, SessionBegan, SessionEnded
from floor_fsm.messages.tables import BreakingOrder, HandBegan
from floor_fsm.messages.undone import (
    ChopTakenBack,
    LateEntryOpen,
    LateTakenBack,
    Players,
    SessionGoesOn,
    SessionTakenBack,
    TableReady,
    TableTakenBack,
)
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Places
from floor_fsm.state.money import Money
from floor_fsm.state.seating import Seating, in_use
from floor_fsm.state.sessions import Sessions
from tests.floor_fsm.drills import without
from tests.floor_fsm.game import Game
from tests.floor_fsm.support import Desk, laws, reason_of
from tests.floor_fsm.test_session_events import STACK, bag, flight, sitting

CHOP = "1; 5 Chop"
SESSION = "Table Redraws 2"


def money(desk: Desk) -> Money:
    return desk.tournament.parts.of(Money)


# -- a chop


def chopped() -> tuple[Game, list[int]]:
    """Three are left of ten, and have divided the rest."""
    game = Game("star-2025", players=10)
    while len(game.at("T1") + game.at("T2")) > 3:
        table = max(("T1", "T2"), key=lambda name: len(game.at(name)))
        game.over(table, (game.at(table)[0], 5))
    three = game.at("T1") + game.at("T2")
    game.say(Chopped, cents=tuple(zip(three, (100_000, 60_000, 40_000), strict=True)))
    return game, three


def test_a_chop_is_taken_back_and_the_prizes_follow_from_places_again() -> None:
    """The Star 1 and 5, Chop: who agreed by mistake plays on for the prizes as they were."""
    game, three = chopped()
    told = game.say(ChopTakenBack)
    assert told == [Payout(entry, 0) for entry in sorted(three)]
    assert money(game).chop is None
    while len(game.at("T1") + game.at("T2")) > 1:
        table = max(("T1", "T2"), key=lambda name: len(game.at(name)))
        game.over(table, (game.at(table)[0], 5))
    assert sum(money(game).told.values()) == 10 * 20_000, "the prizes are the pool"
    assert game.refuse(ChopTakenBack) == (Reason.WRONG_STATE, CHOP)


def test_who_went_out_after_the_chop_gets_the_prize_of_the_place_when_it_is_taken_back() -> None:
    game, (one, two, three) = chopped()
    for entry in (one, two):
        game.over("T1" if entry in game.at("T1") else "T2", (entry, 5))
    told = game.say(ChopTakenBack)
    assert len(told) == 3, "each is told once"
    first, second = money(game).told[three], money(game).told[two]
    assert set(told) == {Payout(one, 0), Payout(two, second), Payout(three, first)}
    assert first > second > 0
    assert first + second == 10 * 20_000


def test_a_chop_of_which_the_cage_has_paid_something_is_not_taken_back() -> None:
    game, (one, *_) = chopped()
    game.say(PrizePaid, entry=one, cents=100_000)
    assert game.refuse(ChopTakenBack) == (Reason.PAID_ALREADY, None)
    game.say(PrizeTakenBack, entry=one)
    game.say(ChopTakenBack)


def test_a_chop_is_taken_back_only_where_there_is_one() -> None:
    assert reason_of(Desk("star-2025"), ChopTakenBack) == (Reason.WRONG_STATE, CHOP)
    assert reason_of(Desk("onyx"), ChopTakenBack) == (Reason.NOT_IN_THE_BOOK, None)


def test_nobody_takes_anything_back_without_a_name_and_a_reason() -> None:
    game, _ = chopped()
    steps: list[tuple[type[Event], dict[str, Any]]] = [
        (LateTakenBack, {}),
        (ChopTakenBack, {}),
        (SessionTakenBack, {}),
        (TableTakenBack, {"table": "T1", "players": "stay"}),
    ]
    for kind, fields in steps:
        with pytest.raises(Refused) as refused:
            game.say(kind, by=None, **fields)
        assert refused.value.reason is Reason.NOBODY_DECIDES


# -- the end of late entry

ENTER = "Formats; Seating 4"


def test_late_entry_that_was_ended_by_mistake_is_open_again_and_nobody_has_a_place_or_a_prize() -> None:
    """The director ended it an hour too early: who was placed is placed anew, with those who enter since."""
    game = Game("onyx", players=6)
    game.say(PayoutsSet, percent=("50", "30", "20"))
    first_out, second_out = game.at("T1")[:2]
    game.out(first_out)
    game.out(second_out)
    while len(game.standing(Standing.IN_PLAY)) > 2:
        last = game.standing(Standing.IN_PLAY)[0]
        game.out(last)
    third = last
    assert money(game).told == {third: 30_000 * 4 // 5}
    told = game.say(LateTakenBack)
    assert told == [LateEntryOpen(6), Payout(third, 0)]
    assert game.tournament.parts.of(Places).said == {}
    assert (money(game).told, money(game).pool) == ({}, None)
    again = game.enter("P0", "new")
    for entry in reversed(again):
        game.late(entry)
    told = game.say(LateClosed)
    assert Placed(first_out, 8, 8, provisional=False) in told
    assert Placed(third, 5, 5, provisional=False) in told
    assert not [one for one in told if isinstance(one, Payout)], "four are left"


def test_the_end_of_late_entry_is_taken_back_only_where_it_was_no_mistake_of_the_clock() -> None:
    desk = Desk("onyx", late_until=2)
    assert reason_of(desk, LateTakenBack) == (Reason.WRONG_STATE, ENTER), "it is not over"
    rows = tuple(LevelRow(seconds=600, blinds=(25, 50)) for _ in range(3))
    desk.say(ScheduleSet, levels=rows)
    desk.enter("A", "B")
    desk.draw()
    desk.say(ClockPut, running=False, elapsed=700)
    desk.say(LevelBegan, by=None, level=2)
    assert reason_of(desk, LateTakenBack) == (Reason.WRONG_STATE, ENTER), "level 2 is played"
    desk.say(ClockPut, running=False, elapsed=500)
    desk.say(LateTakenBack)
    assert desk.tournament.parts.of(Entries).level == 1, "level 2 is told again when it begins"
    desk.enter("C")
    desk.say(LevelBegan, by=None, level=2)
    assert reason_of(desk, LateClosed)[0] is Reason.LATE_ENTRY_IS_OVER


def test_a_tournament_without_late_entry_has_its_end_taken_back_before_level_1_alone() -> None:
    desk = Desk("onyx", late_until=None)
    desk.say(LateClosed)
    desk.say(LateTakenBack)
    desk.enter("A")
    desk.say(LevelBegan, by=None, level=1)
    assert reason_of(desk, LateTakenBack) == (Reason.WRONG_STATE, ENTER)


def test_the_end_of_late_entry_stands_in_hand_for_hand_and_once_somebody_was_paid() -> None:
    game, three = chopped()
    assert game.refuse(LateTakenBack) == (Reason.WRONG_STATE, None), "the rest was divided"
    game.say(ChopTakenBack)
    for entry in three[:2]:
        game.out(entry)
    game.say(PrizePaid, entry=three[1], cents=money(game).told[three[1]])
    assert game.refuse(LateTakenBack) == (Reason.PAID_ALREADY, None)
    game.say(PrizeTakenBack, entry=three[1])
    game.say(LateTakenBack)
    other = Game("onyx", players=8)
    other.say(HandForHandBegan, why="bubble")
    assert other.refuse(LateTakenBack) == (Reason.WRONG_STATE, ENTER)
    other.say(HandForHandEnded)
    other.say(LateTakenBack)


# -- a session's end


def test_a_session_that_was_ended_by_mistake_is_on_again_with_everybody_in_the_same_seat() -> None:
    """Onyx, Redraws 2: one stack was written down wrongly; the next end has the right counts."""
    desk = Desk("onyx", tables=2, seats=4)
    a, b, c, d = desk.enter("A", "B", "C", "D")
    desk.say(PayoutsSet, percent=("60", "40"))
    flight(desk, "1A", (a, b, c, d), advance=2)
    desk.say(AbsenceTold, by=None, entry=b, absent=True)
    before = desk.tournament.told()
    bag(desk, {a: 40_000, b: 35_000, c: 20_000, d: 25_000})
    desk.say(LateClosed)
    desk.say(SessionEnded)
    assert a not in desk.standing(Standing.OUT)
    assert c in desk.standing(Standing.OUT)
    told = desk.say(SessionTakenBack)
    assert told[0] == SessionGoesOn("1A", (a, b, c, d))
    assert Carried(b, desk.tournament.parts.of(Seating).places[b].table, 0, 0, None, absent=True) in told
    after = desk.tournament.told()
    assert after["Seating"]["places"] == before["Seating"]["places"]
    assert after["Sessions"]["on"] == before["Sessions"]["on"]
    assert after["Sessions"]["rests"] == before["Sessions"]["rests"] == {}
    stacks = desk.tournament.parts.of(Stacks)
    assert stacks.ledger.in_play == 4 * STACK
    assert stacks.carried == {}
    assert desk.tournament.parts.of(Places).said == {}, "nobody has a place"
    assert sum(money(desk).told.values()) == 0
    bag(desk, {a: 10_000, c: 50_000})
    desk.say(SessionEnded)
    assert {*desk.tournament.parts.of(Sessions).rests} == {b, c}
    assert flight(desk, "day 2", advance=0) == [b, c]


def test_the_chips_of_a_session_against_the_house_are_as_before_its_end() -> None:
    """UTH 16.3(a)(iii): what the house gave is on the tables again."""
    desk = Desk("act-2019-uth", tables=2, seats=3, re_entries=0)
    a, b, c, d = desk.enter("A", "B", "C", "D")
    desk.say(LateClosed)
    flight(desk, "heat", advance=1, repechage=True, stacks="anew")
    ledger = desk.tournament.parts.of(Stacks).ledger
    bag(desk, {a: 10_000, b: 90_000, c: 5_000, d: 70_000})
    desk.say(SessionEnded)
    desk.say(SessionTakenBack)
    stacks = desk.tournament.parts.of(Stacks)
    assert stacks.ledger == ledger
    assert sorted(stacks.bags) == [a, b, c, d], "the bags are still sealed"
    desk.say(SessionEnded)
    desk.say(SessionBegan, session="catch-up", catch_up=True, advance=1)
    assert reason_of(desk, SessionTakenBack)[0] is Reason.WRONG_STATE, "another one has begun"


def ended(**terms: Any) -> Desk:
    desk = Desk("onyx", tables=2, seats=4)
    a, b, c = desk.enter("A", "B", "C")
    flight(desk, "1A", (a, b, c), **terms)
    bag(desk, {a: 20_000, b: 30_000, c: 40_000})
    desk.say(SessionEnded)
    return desk


def test_a_sessions_end_stands_once_something_followed_from_it() -> None:
    desk = ended()
    desk.say(EntryStayedAway, entry=1)
    assert reason_of(desk, SessionTakenBack) == (Reason.WRONG_STATE, SESSION)

    desk = ended(advance=1)
    desk.enter("A")
    assert reason_of(desk, SessionTakenBack) == (Reason.IN_PLAY_ALREADY, None), "A has entered again"

    desk = ended()
    desk.say(ChipsTaken, entry=1, chips=5_000, why="removed")
    assert reason_of(desk, SessionTakenBack) == (Reason.WRONG_STATE, SESSION)

    desk = ended()
    desk.say(SessionTakenBack)
    assert reason_of(desk, SessionTakenBack) == (Reason.WRONG_STATE, SESSION), "it is on"
    assert reason_of(Desk("onyx"), SessionTakenBack) == (Reason.WRONG_STATE, SESSION)
    assert reason_of(Desk(without(laws()["act-2001"], "sessions")), SessionTakenBack)[0] is Reason.NOT_IN_THE_BOOK


def test_a_sessions_end_by_which_somebody_was_paid_stands_until_the_prize_is_back() -> None:
    desk = Desk("onyx", tables=2, seats=4)
    a, b, c = desk.enter("A", "B", "C")
    desk.say(PayoutsSet, percent=("60", "40"))
    desk.say(LateClosed)
    flight(desk, "final", (a, b, c), advance=0)
    bag(desk, {a: 20_000, b: 30_000, c: 40_000})
    desk.say(SessionEnded)
    won = money(desk).told[c]
    assert won
    desk.say(PrizePaid, entry=c, cents=won)
    assert reason_of(desk, SessionTakenBack)[0] is Reason.PAID_ALREADY
    desk.say(PrizeTakenBack, entry=c)
    told = desk.say(SessionTakenBack)
    assert Payout(c, 0) in told
    assert sitting(desk) == [a, b, c]


# -- a table that was broken by mistake


def broken(law: str = "onyx") -> tuple[Game, dict[int, Place]]:
    """A game of six whose table T2 is broken by hand; and where its players sat."""
    game = Game(law, players=6)
    were = {entry: game.tournament.parts.of(Seating).places[entry] for entry in game.at("T2")}
    free = [seat for seat in range(1, 6) if seat not in game.tournament.parts.of(Seating).at("T1")]
    for entry in game.at("T2")[len(free) :]:
        game.out(entry)
        del were[entry]
    game.say(TableBroken, table="T2", to=tuple((entry, "T1", seat) for entry, seat in zip(were, free, strict=False)))
    return game, were


def test_a_table_that_was_broken_by_mistake_has_its_players_again() -> None:
    game, were = broken()
    told = game.say(TableTakenBack, table="T2", players="back")
    assert told[0] == TableReady("T2")
    assert {one.entry: one.place for one in told if isinstance(one, Seated)} == were
    assert {one.why for one in told if isinstance(one, Seated)} == {Why.GIVEN}
    assert in_use(game.tournament.parts) == ("T1", "T2")
    assert game.refuse(TableTakenBack, table="T2", players="back") == (Reason.WRONG_STATE, "Breaking Tables 1 to 3")
    game.say(HandBegan, by=None, table="T2", hand=1, big_blind=next(iter(were.values())).seat)


def test_what_a_player_carries_goes_back_with_them() -> None:
    game, were = broken()
    entry = next(iter(were))
    game.say(AbsenceTold, by=None, entry=entry, absent=True)
    assert Carried(entry, "T2", 0, 0, None, absent=True) in game.say(TableTakenBack, table="T2", players="back")


def test_players_who_have_played_on_elsewhere_do_not_come_back_but_the_table_does() -> None:
    game, were = broken()
    game.say(HandBegan, by=None, table="T1", hand=1, big_blind=next(iter(game.tournament.parts.of(Seating).at("T1"))))
    assert game.refuse(TableTakenBack, table="T2", players="back") == (Reason.WRONG_STATE, "Breaking Tables 1 to 3")
    assert game.say(TableTakenBack, table="T2", players="stay") == [TableReady("T2")]
    assert game.at("T2") == []
    game.say(Moved, entry=next(iter(were)), table="T2", seat=1)


def test_a_player_who_is_out_or_has_moved_since_does_not_come_back() -> None:
    for change in ("out", "moved"):
        game, were = broken()
        entry = next(iter(were))
        if change == "out":
            game.out(entry)
        else:
            there = game.tournament.parts.of(Seating).at("T1")
            free = [seat for seat in range(1, 6) if seat not in there]
            if not free:
                game.out(next(one for one in there.values() if one != entry))
                free = [seat for seat in range(1, 6) if seat not in game.tournament.parts.of(Seating).at("T1")]
            game.say(Moved, entry=entry, table="T1", seat=free[0])
        assert game.refuse(TableTakenBack, table="T2", players="back")[0] is Reason.WRONG_STATE


def test_a_table_that_a_redraw_broke_stands_ready_without_its_players() -> None:
    game = Game("onyx", players=5)
    game.say(HandBegan, by=None, table="T1", hand=1, big_blind=min(game.tournament.parts.of(Seating).at("T1")))
    game.by_draw(Redrawn, occasion="final_table", tables=("T1",))
    assert game.refuse(TableTakenBack, table="T2", players="back")[0] is Reason.WRONG_STATE
    assert game.say(TableTakenBack, table="T2", players="stay") == [TableReady("T2")]


def test_no_table_comes_back_into_hand_for_hand_or_a_race_and_none_that_was_never_broken() -> None:
    game, _ = broken()
    assert game.refuse(TableTakenBack, table="T1", players="stay") == (Reason.WRONG_STATE, "Breaking Tables 1 to 3")
    assert game.refuse(TableTakenBack, table="T9", players="stay")[0] is Reason.UNKNOWN_TABLE
    desk = Desk("onyx", tables=3, seats=4)
    desk.enter(*"ABCDEFGH")
    desk.draw()
    there = desk.tournament.parts.of(Seating).at("T2")
    desk.say(TableBroken, table="T2", to=tuple((entry, "T3", seat) for seat, entry in there.items()))
    desk.say(HandForHandBegan, why="bubble")
    assert reason_of(desk, TableTakenBack, table="T2", players="back")[0] is Reason.WRONG_STATE
    desk.say(HandForHandEnded)
    desk.say(RaceOrdered, chip=25, new_chip=100)
    assert reason_of(desk, TableTakenBack, table="T2", players="stay")[0] is Reason.WRONG_STATE


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 8), st.booleans(), st.sampled_from(("onyx", "star-2025", "act-2001")))
def test_whoever_breaks_a_table_and_takes_it_back_has_the_seats_as_they_were(
    players: int, draw: bool, law: str
) -> None:
    """By a draw and by hand; its lines make the same tournament again."""
    desk = Desk(law, tables=3, seats=4)
    desk.enter(*(f"P{number}" for number in range(players)))
    desk.by_draw(SeatsDrawn, short_tables=True)
    seating = desk.tournament.parts.of(Seating)
    table = max(("T1", "T2"), key=lambda name: len(seating.at(name)))
    elsewhere = [(name, seat) for name in ("T1", "T2", "T3") if name != table
                 for seat in range(1, 5) if seat not in seating.at(name)]  # fmt: skip
    desk.say(BreakingOrder, tables=(table,))
    if draw:
        desk.by_draw(TableBreaks, table=table)
    else:
        there = seating.at(table).values()
        desk.say(TableBroken, table=table, to=tuple((entry, *to) for entry, to in zip(there, elsewhere, strict=False)))
    assert not desk.tournament.parts.of(Seating).at(table)
    desk.say(TableTakenBack, table=table, players="back")
    now = desk.tournament.parts.of(Seating)
    assert (now.places, now.broken) == (seating.places, ())
    event = from_line(to_line(TableTakenBack(t=desk.t, by=None, table=table, players=Players.BACK)))
    assert isinstance(event, TableTakenBack)
    assert event.players is Players.BACK
