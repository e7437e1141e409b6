"""Penalties that go along, who must leave, chips, races at all tables, a night, and the clock, through their events."""

from typing import Any

import pytest

from floor_fsm.errors import Reason
from floor_fsm.messages.chips import (
    BackTo,
    ChipsCounted,
    ChipsDiffer,
    ChipsIssued,
    ChipsMissing,
    ChipsReturned,
    ChipsTaken,
    Denomination,
    RaceAt,
    RaceOrdered,
    RaceOver,
    RaceTold,
    Resumed,
    StackBagged,
    StacksCounted,
    Suspended,
)
from floor_fsm.messages.clock import ActionClockPut, ClockPut, ClockRan, ClockStood, LevelRow, ScheduleSet
from floor_fsm.messages.entries import EntryBack, EntryGivenUp, EntryOut, LevelBegan
from floor_fsm.messages.hands import HandForHandBegan, HandForHandEnded, HandReleased, Placed, TableAway, TableBack
from floor_fsm.messages.money import Payout, PayoutsSet, PoolIs
from floor_fsm.messages.people import (
    AbsenceTold,
    Carried,
    Gone,
    PenaltyImposed,
    PenaltyTold,
    PersonLeft,
    TimeBanksTold,
)
from floor_fsm.messages.seating import Moved, TableBroken
from floor_fsm.messages.undone import LateTakenBack
from floor_fsm.play.chips import Returned
from floor_fsm.play.clock import ClockTold
from floor_fsm.state.floor import Counted, People, Stacks
from floor_fsm.state.seating import Seating
from tests.floor_fsm.game import Game
from tests.floor_fsm.refusing import refused
from tests.floor_fsm.support import Desk

STACK = 30_000
LEVELS = tuple(LevelRow(seconds=1200, blinds=(100, 200 * number)) for number in range(1, 4))


def stacks(game: Desk) -> Stacks:
    return game.tournament.parts.of(Stacks)


def free_seat(game: Game, table: str) -> int:
    return next(seat for seat in range(1, 6) if seat not in game.tournament.parts.of(Seating).at(table))


def test_a_penalty_time_banks_and_absence_go_to_the_next_table() -> None:
    """The Star 7.39, 7.46(e) and (f)."""
    game = Game("star-2025")
    one, players = game.at("T1")[0], len(game.at("T1"))
    game.say(PenaltyImposed, entry=one, penalty="rounds", number=2)
    game.say(PenaltyTold, by=None, entry=one, left=players)
    game.say(TimeBanksTold, by=None, entry=one, number=3)
    game.say(AbsenceTold, by=None, entry=one, absent=True)
    told = game.say(Moved, entry=one, table="T2", seat=free_seat(game, "T2"))
    assert Carried(one, "T2", players, 0, 3, absent=True) in told
    assert game.refuse(PenaltyImposed, entry=one, penalty="rounds", number=5) == (Reason.NOT_ALLOWED, "7.39")
    assert game.refuse(PenaltyTold, entry=one, left=99)[0] is Reason.DOES_NOT_ADD_UP


def test_with_a_broken_table_each_takes_theirs_along() -> None:
    """Onyx, Penalties 3."""
    game = Game("onyx", players=6)
    last, *others = game.at("T2")
    for entry in others:
        game.out(entry)
    game.say(PenaltyImposed, entry=last, penalty="rounds", number=1)
    told = game.say(TableBroken, table="T2", to=((last, "T1", free_seat(game, "T1")),))
    assert Carried(last, "T1", 0, 1, None, absent=False) in told


def test_a_disqualified_player_has_no_prize_and_the_chips_leave_play() -> None:
    """Onyx, Penalties 4; The Star 6.9."""
    game = Game("onyx")
    game.say(PayoutsSet, percent=("50", "30", "20"))
    while len(game.at("T1") + game.at("T2")) > 3:
        table = max(("T1", "T2"), key=lambda name: len(game.at(name)))
        game.over(table, (game.at(table)[0], 5))
    bad, one, two = game.at("T1") + game.at("T2")
    told = game.say(PersonLeft, entry=bad, why="disqualified", chips=100_000)
    assert Gone(bad, refund=False, prize=False, barred=False, clause="Penalties 4") in told
    assert {Placed(bad, 3, 3, provisional=False), Payout(bad, 0)} <= set(told)
    assert stacks(game).ledger.in_play == 8 * STACK - 100_000
    where = "T1" if one in game.at("T1") else "T2"
    told = game.over(where, (one, 5))
    assert {Payout(one, 60_000), Payout(two, 100_000)} <= set(told)


@pytest.mark.parametrize("paid", [("100",), ("60", "40")])
def test_where_all_in_paid_places_are_disqualified_the_next_below_has_the_prize(paid: tuple[str, ...]) -> None:
    """Ours: no source says whose it is. It would have been nobody's."""
    game = Game("onyx")
    game.say(PayoutsSet, percent=paid)
    out = list[int]()
    while len(left := game.at("T1") + game.at("T2")) > len(paid):
        table = max(("T1", "T2"), key=lambda name: len(game.at(name)))
        out.append(game.at(table)[0])
        game.over(table, (out[-1], 5))
    for entry in left[:-1]:
        game.say(PersonLeft, entry=entry, why="disqualified", chips=1)
    told = game.say(PersonLeft, entry=left[-1], why="disqualified", chips=stacks(game).ledger.in_play)
    assert Payout(out[-1], 8 * 20_000) in told
    assert [one for one in told if isinstance(one, Payout) and one.cents] == [Payout(out[-1], 8 * 20_000)]
    told = game.say(EntryBack, entry=left[-1])
    assert Payout(out[-1], 0) in told


def test_a_refund_that_the_director_approves_leaves_the_pool() -> None:
    """The Star 7.15.2."""
    game = Game("star-2025")
    one = game.at("T1")[0]
    assert game.refuse(PersonLeft, entry=one, why="absent", chips=5) == (Reason.NOT_DECIDED, "7.15.2")
    assert game.refuse(PersonLeft, entry=one, why="broke_rules", chips=5)[0] is Reason.NOT_IN_THE_BOOK
    told = game.say(PersonLeft, entry=one, why="absent", chips=0, refund=True)
    assert PoolIs(7 * 20_000, (7 * 20_000,)) in told


def test_who_is_removed_to_prevent_harm_enters_no_further_event() -> None:
    """The Star 6.14."""
    game = Game("star-2025")
    one = game.at("T1")[0]
    game.say(PersonLeft, entry=one, why="harm", chips=STACK)
    assert len(game.tournament.parts.of(People).barred) == 1


def test_every_chip_is_issued_to_somebody_and_leaves_with_somebody() -> None:
    """The Star 7.10, 7.11."""
    desk = Desk("star-2025", tables=2, seats=5)
    entries = desk.enter("A", "B", "C", "D", "E")
    desk.draw()
    assert stacks(desk).ledger.in_play == 5 * STACK
    desk.say(EntryGivenUp, entry=entries[0])
    assert stacks(desk).uncounted == (entries[0],)
    desk.say(ChipsTaken, entry=entries[0], why="forfeited", chips=12_000)
    assert stacks(desk).uncounted == ()
    again = desk.enter("A")[0]
    desk.late(again)
    assert stacks(desk).ledger.in_play == 5 * STACK - 12_000 + STACK
    desk.say(ChipsIssued, entry=again, why="add_on", chips=10_000)
    in_play = 6 * STACK - 2_000
    assert desk.say(ChipsCounted, stage="final", chips=in_play) == []
    assert desk.say(ChipsCounted, stage="final", chips=in_play - 25) == [ChipsDiffer(in_play, in_play - 25)]


def test_a_stack_is_known_as_it_was_counted_last() -> None:
    game = Game("onyx")
    one, two, *_ = game.at("T1")
    game.say(StacksCounted, table="T1", stacks=((one, 25_000), (two, 35_000)))
    assert stacks(game).counted == {one: Counted(25_000, game.t), two: Counted(35_000, game.t)}
    game.say(StacksCounted, table="T1", stacks=((one, 26_000),))
    assert stacks(game).counted[one] == Counted(26_000, game.t)
    other = game.at("T2")[0]
    for counted, reason in (
        (((one, 5), (one, 6)), Reason.NAMED_TWICE),
        (((other, 5),), Reason.NOT_SEATED),
        (((one, 8 * STACK + 1),), Reason.DOES_NOT_ADD_UP),
    ):
        assert game.refuse(StacksCounted, table="T1", stacks=counted)[0] is reason


def test_at_most_two_counts_in_a_heat() -> None:
    """ACT 2001, 4.9."""
    game = Game("act-2001")
    for _ in range(2):
        game.say(ChipsCounted, stage="heat", chips=8 * STACK)
    assert game.refuse(ChipsCounted, stage="heat", chips=8 * STACK) == (Reason.TOO_MANY_COUNTS, "4.9")


def test_a_race_is_ordered_for_all_and_told_by_each() -> None:
    """The Star 7.42; Onyx, Chip Races."""
    game = Game("star-2025")
    assert game.refuse(RaceTold, table="T1")[0] is Reason.WRONG_STATE
    assert game.say(RaceOrdered, chip=25, new_chip=100) == [RaceAt(25, 100, ("T1", "T2"))]
    assert game.refuse(RaceOrdered, chip=25, new_chip=100)[0] is Reason.WRONG_STATE
    assert game.say(RaceTold, by=None, table="T1", odd=((1, 3), (2, 3)), chips=((1, 1), (2, 1)), out=150) == []
    told = game.say(RaceTold, by=None, table="T2", odd=((1, 1),), out=25)
    assert told == [RaceOver(25)]
    assert stacks(game).ledger.in_play == 8 * STACK + 25
    assert Game("act-2019-uth").refuse(RaceOrdered, chip=25, new_chip=100)[0] is Reason.NOT_IN_THE_BOOK


def test_number_and_value_come_back() -> None:
    """The Star 7.10."""
    game = Game("star-2025")
    whole = Denomination(chip=100, issued=20, back=20)
    assert game.say(ChipsReturned, chips=(whole,)) == []
    short = Denomination(chip=500, issued=20, back=19)
    assert game.say(ChipsReturned, chips=(whole, short)) == [ChipsMissing((Returned(500, 20, 19),))]
    assert game.refuse(ChipsReturned, chips=(whole, whole)) == (Reason.NAMED_TWICE, "7.10")


def test_chips_that_cannot_be_are_refused() -> None:
    game = Game("onyx", players=2)
    entries = sorted((*game.at("T1"), *game.at("T2")))
    cannot = Reason.DOES_NOT_ADD_UP
    assert game.refuse(ChipsIssued, entry=entries[0], why="restored", chips=1)[0] is cannot
    assert game.refuse(ChipsIssued, entry=entries[0], why="entry", chips=STACK + 1)[0] is cannot
    assert refused(lambda: game.over("T1", *((entry, STACK) for entry in entries)))[0] is cannot
    game.over("T1", (entries[0], STACK))
    assert game.refuse(EntryOut, entry=entries[1])[0] is cannot
    game.say(ScheduleSet, levels=LEVELS)
    assert game.refuse(LevelBegan, level=len(LEVELS) + 1)[0] is cannot
    game.say(LevelBegan, level=len(LEVELS))


def test_where_players_play_against_the_house_all_may_be_out_at_once() -> None:
    game = Game("act-2019-uth", players=4)
    game.over("T1", *((entry, STACK) for entry in game.at("T1")))
    game.over("T2", *((entry, STACK) for entry in game.at("T2")))


def sealed(game: Game) -> None:
    for entry in (*game.at("T1"), *game.at("T2")):
        game.say(StackBagged, entry=entry, first="Ann", first_chips=STACK, second="Bob", second_chips=STACK)


def test_a_night_between_the_same_seats() -> None:
    """The Star 1."""
    game = Game("star-2025")
    one = game.at("T1")[0]
    assert game.refuse(Suspended)[0] is Reason.WRONG_STATE
    both = {"first_chips": STACK, "second_chips": STACK}
    assert game.refuse(StackBagged, entry=one, first="Ann", second="Ann", **both) == (Reason.ONE_PERSON, "1")
    sealed(game)
    game.over("T1")  # a hand after all: the bags are open again
    assert game.refuse(Suspended)[0] is Reason.WRONG_STATE
    sealed(game)
    game.say(Suspended)
    assert game.refuse(Suspended)[0] is Reason.WRONG_STATE
    with pytest.raises(Exception, match="suspended"):
        game.over("T1")
    seats = {place.seat for place in game.tournament.parts.of(Seating).places.values()}
    back = game.say(Resumed)
    assert len(back) == 8
    assert {output.seat for output in back if isinstance(output, BackTo)} == seats
    assert game.refuse(Resumed)[0] is Reason.WRONG_STATE


def test_by_night_nothing_is_played_and_every_bag_and_seat_stays() -> None:
    """The Star 1: the same table and seat the next day."""
    game = Game("star-2025")
    one, two = game.at("T1")[:2]
    sealed(game)
    game.say(ScheduleSet, levels=LEVELS)
    game.say(Suspended)
    night = (Reason.WRONG_STATE, "1")
    assert game.refuse(Moved, entry=one, table="T2", seat=free_seat(game, "T2")) == night
    assert game.refuse(EntryOut, entry=one) == night
    assert game.refuse(ChipsIssued, entry=one, why="restored", chips=100) == night
    assert game.refuse(RaceOrdered, chip=25, new_chip=100) == night
    assert game.refuse(ClockRan) == night
    assert game.refuse(ClockPut, running=True, elapsed=0) == night
    game.say(ClockPut, running=False, elapsed=60)
    more: dict[str, Any] = {"first": "Ann", "second": "Bob", "first_chips": STACK + 1, "second_chips": STACK + 1}
    assert game.refuse(StackBagged, entry=one, **more) == (Reason.DOES_NOT_ADD_UP, "1")
    assert game.refuse(StackBagged, entry=one, **(more | {"second": " ann"})) == (Reason.ONE_PERSON, "1")
    game.say(StackBagged, entry=two, **(more | {"first_chips": STACK - 1, "second_chips": STACK - 1}))
    assert game.refuse(Resumed) == (Reason.DOES_NOT_ADD_UP, "1")
    game.say(StackBagged, entry=one, **more)
    gone: dict[str, Any] = {"entry": two, "why": "harm"}
    assert game.refuse(PersonLeft, **gone, chips=7) == (Reason.DOES_NOT_ADD_UP, "1")
    game.say(PersonLeft, **gone, chips=STACK - 1)
    back = game.say(Resumed)
    assert sum(output.chips for output in back if isinstance(output, BackTo)) == stacks(game).on_tables
    game.say(Moved, entry=one, table="T2", seat=free_seat(game, "T2"))


def test_by_night_players_may_draw_seats_where_the_book_has_a_redraw() -> None:
    """Onyx, Redraws 2."""
    game = Game("onyx")
    sealed(game)
    game.say(Suspended)
    game.say(Moved, entry=game.at("T1")[0], table="T2", seat=free_seat(game, "T2"))
    game.say(Resumed)


def test_a_night_with_a_redraw_tells_no_seats_and_a_stack_given_up_must_be_counted() -> None:
    """Onyx, Redraws 2."""
    game = Game("onyx", re_entries=1)
    sealed(game)
    game.say(Suspended)
    assert game.say(Resumed) == []
    game.say(LateTakenBack)
    game.say(EntryGivenUp, entry=game.at("T1")[0])
    sealed(game)
    assert game.refuse(Suspended)[0] is Reason.WRONG_STATE


def test_one_clock_for_all_tables() -> None:
    """The Star 7.20, 7.46(k)."""
    game = Game("star-2025")
    assert game.refuse(ClockRan)[0] is Reason.WRONG_STATE
    game.say(ScheduleSet, levels=LEVELS)
    assert game.say(ClockRan) == [ClockTold(running=True, elapsed=0.0)]
    assert game.say(ClockPut, running=True, elapsed=100.0) == [ClockTold(running=True, elapsed=100.0)]
    assert game.say(ClockStood) == [ClockTold(running=False, elapsed=101.0)]
    game.say(ActionClockPut, on=True)
    assert game.refuse(ActionClockPut, on=False) == (Reason.NOT_ALLOWED, "7.46(k)")
    game.say(ScheduleSet, levels=LEVELS, doubling_minutes=30)  # a schedule may change; the clock goes on
    assert game.say(ClockRan) == [ClockTold(running=True, elapsed=101.0)]


def test_where_no_text_says_so_an_action_clock_may_be_suspended() -> None:
    game = Game("onyx")
    game.say(ScheduleSet, levels=(LevelRow(seconds=60, blinds=(1, 2), break_after=60.0),))
    game.say(ActionClockPut, on=True)
    assert game.say(ActionClockPut, on=False) == []


def test_hand_for_hand_charges_the_clock_and_a_table_that_comes_back_is_told_it() -> None:
    """The Star 7.19."""
    game = Game("star-2025")
    game.say(ScheduleSet, levels=LEVELS)
    game.say(ClockRan)
    began = game.say(HandForHandBegan, why="bubble")
    assert began == [ClockTold(running=False, elapsed=1.0)]
    game.say(HandReleased)
    assert game.over("T1", hand=1) == []
    assert ClockTold(running=False, elapsed=181.0) in game.over("T2", hand=1)
    game.say(TableAway, by=None, table="T2")
    assert game.say(TableBack, by=None, table="T2") == [ClockTold(running=False, elapsed=181.0)]
    assert game.say(HandForHandEnded) == [ClockTold(running=True, elapsed=181.0)]
