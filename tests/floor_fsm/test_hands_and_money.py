"""A tournament's end through its events: hand for hand, places, prizes and a chop, under each book."""

from functools import partial
from typing import Any

import pytest

from floor_fsm.errors import Reason
from floor_fsm.messages.entries import EntryOut, LateClosed
from floor_fsm.messages.hands import (
    AllInHeld,
    AllInsTurned,
    HandForHandBegan,
    HandForHandEnded,
    HandOver,
    HandReleased,
    Placed,
    PlaceDecided,
    TableAway,
    TableBack,
    TableExcused,
    ToDecide,
    WentOut,
)
from floor_fsm.messages.money import Chopped, Payout, PayoutsSet, PoolIs, PrizePaid
from floor_fsm.messages.seating import SeatFree, TableBroken, TableGone
from floor_fsm.play.hand_for_hand import Finished, Release, Turn
from floor_fsm.state.hands import Places, Unreported, unreported
from floor_fsm.state.seating import Seating
from tests.floor_fsm.game import Game
from tests.floor_fsm.refusing import refused
from tests.floor_fsm.support import DIRECTOR, Desk

HALVES = ("62.5", "37.5")


def test_out_at_both_tables_in_one_hand_they_share_place_and_prize() -> None:
    """The Star 7.18(a), 7.19; Onyx, Hand for Hand 1 and 4."""
    game = Game("star-2025")
    one, two = game.at("T1")[0], game.at("T2")[0]
    game.say(HandForHandBegan, why="bubble")
    assert game.say(HandReleased) == [Release(1, ("T1", "T2"), 180)]
    told = game.over("T1", (one, 500), hand=1)
    assert Placed(one, 8, 8, provisional=True) in told
    told = game.over("T2", (two, 900), hand=1)
    assert Finished(1, ()) in told
    assert {Placed(one, 7, 8, provisional=False), Placed(two, 7, 8, provisional=False)} <= set(told)


def test_at_one_table_the_larger_stack_is_placed_higher() -> None:
    """The Star 7.18(b)."""
    game = Game("star-2025")
    one, two = game.at("T1")[:2]
    told = game.over("T1", (one, 500), (two, 900))
    assert {Placed(one, 8, 8, provisional=False), Placed(two, 7, 7, provisional=False)} <= set(told)
    assert sum(isinstance(output, SeatFree) for output in told) == 2
    assert game.at("T1") == [entry for entry in game.at("T1") if entry not in (one, two)]


def test_the_more_in_the_pot_the_higher_and_between_tables_the_director_says() -> None:
    """ACT 2001 15.1, 15.2 has no hand for hand; Tasmania C 20.16."""
    game = Game("act-2001")
    one, two = game.at("T1")[:2]
    told = game.over("T1", (one, 500), (two, 900))
    assert {Placed(one, 8, 8, provisional=False), Placed(two, 7, 7, provisional=False)} <= set(told)
    assert game.refuse(HandForHandBegan, why="bubble") == (Reason.NOT_IN_THE_BOOK, None)


def test_where_no_text_measures_the_director_decides_and_until_then_it_is_provisional() -> None:
    """UTH 16.20."""
    game = Game("act-2019-uth")
    one, two = game.at("T1")[:2]
    told = game.over("T1", (one, 500), (two, 900))
    assert Placed(one, 7, 8, provisional=True) in told
    assert ToDecide(1, tuple(sorted((one, two))), "16.20") in told
    told = game.say(PlaceDecided, order=1, groups=((one,), (two,)))
    assert {Placed(one, 7, 7, provisional=False), Placed(two, 8, 8, provisional=False)} <= set(told)
    assert game.refuse(PlaceDecided, order=1, groups=((one,),))[0] is Reason.UNKNOWN_ENTRY


def test_hands_that_were_released_one_after_the_other_are_not_decided_together() -> None:
    """The places of each hand are its own: a late report joins the hand that it is of."""
    game = Game("onyx")
    one, two = game.at("T1")[0], game.at("T2")[0]
    game.say(EntryOut, entry=game.at("T1")[1])
    game.say(EntryOut, entry=game.at("T2")[1])
    game.say(HandForHandBegan, why="bubble")
    for hand, out in ((1, (one, 500)), (2, (two, 700))):
        game.say(HandReleased)
        game.over("T1", *([out] if hand == 1 else []), hand=hand)
        game.over("T2", *([out] if hand == 2 else []), hand=hand)
    ladder = game.tournament.parts.of(Places).ladder
    assert ladder is not None
    orders = [gone.order for gone in ladder.gone]
    assert game.refuse(PlaceDecided, order=orders[2], groups=((one, two),))[0] is Reason.WRONG_HAND
    before = tuple(out.entry for gone in ladder.gone[:2] for out in gone.outs)
    told = game.say(PlaceDecided, order=orders[0], groups=(before,))
    assert {(placed.first, placed.last) for placed in told if isinstance(placed, Placed)} == {(7, 8)}
    game.say(HandForHandEnded)
    assert game.refuse(PlaceDecided, order=orders[2], groups=((one, two),))[0] is Reason.WRONG_HAND
    assert final(game) == dict.fromkeys(before, (7, 8)) | {one: (6, 6), two: (5, 5)}
    game.say(HandForHandBegan, why="bubble")
    assert game.refuse(PlaceDecided, order=orders[2], groups=((one, two),)) == (Reason.WRONG_HAND, "Hand for Hand 1, 6")


def test_whom_one_table_lost_in_one_hand_after_another_are_not_placed_together() -> None:
    game = Game("onyx")
    (first, second, race, *_), (other, *_) = game.at("T1"), game.at("T2")
    for table, one in (("T1", first), ("T2", other), ("T1", second)):
        game.over(table, (one, 500))
    game.say(EntryOut, entry=race)
    ladder = game.tournament.parts.of(Places).ladder
    assert ladder is not None
    orders = [gone.order for gone in ladder.gone]
    assert game.refuse(PlaceDecided, order=orders[0], groups=((second,), (other,), (first,)))[0] is Reason.WRONG_HAND
    assert game.refuse(PlaceDecided, order=orders[2], groups=((second,), (race,)))[0] is Reason.WRONG_HAND
    game.say(PlaceDecided, order=orders[0], groups=((first,), (other,)))
    assert final(game) == {other: (8, 8), first: (7, 7), second: (6, 6), race: (5, 5)}
    assert game.refuse(PlaceDecided, order=orders[0], groups=((second,), (other, first)))[0] is Reason.WRONG_HAND


def test_nobody_is_placed_by_the_director_before_somebody_is_out() -> None:
    assert Game("act-2019-uth").refuse(PlaceDecided, order=1, groups=((1,),))[0] is Reason.WRONG_STATE


def test_an_all_in_waits_for_the_others_and_the_director() -> None:
    """The Star 7.30; Onyx, Hand for Hand 3."""
    star, onyx = Game("star-2025"), Game("onyx")
    for game in (star, onyx):
        game.say(HandForHandBegan, why="final_table")
        game.say(HandReleased)
        assert game.say(AllInHeld, by=None, table="T1", hand=1) == []
        assert refused(partial(game.over, "T1", hand=1))[0] is Reason.TABLES_PLAY
    assert star.over("T2", hand=1) == [Turn(1, ("T1",))]
    assert onyx.over("T2", hand=1) == []
    assert onyx.say(AllInsTurned) == [Turn(1, ("T1",))]
    assert onyx.over("T1", hand=1) == [Finished(1, ())]


def test_a_wrong_hand_is_refused() -> None:
    game = Game("star-2025")
    assert refused(lambda: game.over("T1", hand=1)) == (Reason.WRONG_HAND, None)
    game.say(HandForHandBegan, why="bubble")
    assert refused(lambda: game.over("T1")) == (Reason.WRONG_HAND, None)
    game.say(HandReleased)
    assert refused(lambda: game.over("T1", hand=2)) == (Reason.WRONG_HAND, "7.19")
    assert game.refuse(HandForHandBegan, why="bubble") == (Reason.WRONG_STATE, None)
    assert game.refuse(HandForHandEnded) == (Reason.TABLES_PLAY, None)
    for table in ("T1", "T2"):
        game.over(table, hand=1)
    assert game.say(HandForHandEnded) == []
    assert game.refuse(HandReleased) == (Reason.WRONG_STATE, None)


def test_a_table_that_is_away_holds_all_until_the_director_rules_and_joins_later() -> None:
    game = Game("star-2025")
    one, two = game.at("T1")[0], game.at("T2")[0]
    game.say(TableAway, by=None, table="T2")
    assert game.refuse(TableAway, table="T2")[0] is Reason.WRONG_STATE
    game.say(TableBack, by=None, table="T2")
    assert game.refuse(TableBack, table="T2")[0] is Reason.WRONG_STATE
    game.say(HandForHandBegan, why="bubble")
    game.say(HandReleased)
    game.say(TableAway, by=None, table="T2")
    game.over("T1", (one, 500), hand=1)
    assert game.refuse(HandReleased) == (Reason.TABLES_PLAY, "7.19")
    assert game.say(TableExcused, table="T2") == [Finished(1, ("T2",))]
    assert game.tournament.parts.of(Places).final == {}
    assert game.say(HandReleased) == [Release(2, ("T1",), 180)]
    told = game.over("T2", (two, 900), hand=1)
    assert {Placed(one, 7, 8, provisional=False), Placed(two, 7, 8, provisional=False)} <= set(told)
    game.say(TableBack, by=None, table="T2")


def owing(law: str, **terms: Any) -> tuple[Game, int, int]:
    """Hand 1 is over but at T2, which was away and is excused. The game, who is out of it at T1, and a player of T2."""
    game = Game(law, **terms)
    one, two = game.at("T1")[0], game.at("T2")[0]
    game.say(HandForHandBegan, why="bubble")
    game.say(HandReleased)
    game.say(TableAway, by=None, table="T2")
    game.over("T1", (one, 500), hand=1)
    game.say(TableExcused, table="T2")
    return game, one, two


def final(game: Game) -> dict[int, tuple[int, int]]:
    """The places that do not change any more, by entry."""
    return {entry: (one.first, one.last) for entry, one in game.tournament.parts.of(Places).final.items()}


def test_hand_for_hand_does_not_end_while_a_table_owes_a_report_that_may_still_come() -> None:
    game, one, two = owing("onyx")
    assert unreported(game.tournament.parts) == (Unreported(1, 1, (one,), ("T2",)),)
    assert game.refuse(HandForHandEnded) == (Reason.TABLES_PLAY, "Hand for Hand 1, 6")
    assert game.refuse(TableBroken, table="T2", to=())[0] is Reason.NOT_SEATED
    game.say(HandReleased)
    game.say(TableBack, by=None, table="T2")
    game.over("T1", hand=2)
    assert final(game) == {}
    game.over("T2", (two, 900), hand=1)
    assert final(game) == {one: (7, 8), two: (7, 8)}
    assert unreported(game.tournament.parts) == ()
    assert game.say(HandForHandEnded) == []


def test_a_directors_ruling_closes_the_places_of_a_hand_that_a_table_does_not_tell() -> None:
    """Everybody who went out later has a final place too, and is paid; what comes after all joins its hand again."""
    game, one, two = owing("onyx")
    game.say(PayoutsSet, percent=("50", "20", "10", "5", "5", "4", "3", "3"))
    game.say(HandReleased)
    later = game.at("T1")[0]
    told = game.over("T1", (later, 700), hand=2)
    assert Placed(later, 7, 7, provisional=True) in told
    assert not any(isinstance(output, Payout) for output in told)
    told = game.say(PlaceDecided, order=1, groups=((one,),))
    assert {Placed(one, 8, 8, provisional=False), Placed(later, 7, 7, provisional=False)} <= set(told)
    assert [output.entry for output in told if isinstance(output, Payout)] == sorted((one, later))
    game.over("T2", (two, 900), hand=1)
    assert final(game) == {one: (7, 8), two: (7, 8), later: (6, 6)}
    game.say(HandForHandEnded)


def test_a_hand_in_which_nobody_is_known_to_be_out_is_closed_by_a_ruling_too_and_its_table_may_break() -> None:
    game = Game("onyx", players=6)
    game.say(HandForHandBegan, why="bubble")
    game.say(HandReleased)
    game.say(TableAway, by=None, table="T2")
    game.over("T1", hand=1)
    game.say(TableExcused, table="T2")
    seats = [seat for seat in range(1, 6) if seat not in game.tournament.parts.of(Seating).at("T1")]
    for gone in game.at("T2")[1:]:
        game.out(gone)
    assert final(game) == {}
    last = game.at("T2")[0]
    there = ((last, "T1", seats[0]),)
    assert game.refuse(TableBroken, table="T2", to=there) == (Reason.TABLES_PLAY, "Hand for Hand 1, 6")
    game.say(PlaceDecided, order=1, groups=())
    assert sorted(first for first, _ in final(game).values()) == [5, 6]
    assert game.refuse(PlaceDecided, order=1, groups=())[0] is Reason.WRONG_STATE
    game.say(TableBroken, table="T2", to=there)
    game.say(HandForHandEnded)


def test_what_a_director_has_decided_stands_when_the_missing_report_names_nobody() -> None:
    """ACT 2001 has no hand for hand; at the Star's tables an unknown stack is the director's to place."""
    game = Game("star-2025")
    one, other = game.at("T1")[:2]
    game.say(HandForHandBegan, why="bubble")
    game.say(HandReleased)
    game.say(TableAway, by=None, table="T2")
    game.say(HandOver, by=None, table="T1", hand=1, out=(WentOut(entry=one), WentOut(entry=other)))
    game.say(TableExcused, table="T2")
    game.say(PlaceDecided, order=1, groups=((other,), (one,)))
    assert final(game) == {other: (7, 7), one: (8, 8)}
    game.over("T2", hand=1)
    assert final(game) == {other: (7, 7), one: (8, 8)}


def test_who_is_out_in_the_midst_of_a_hand_is_out_in_that_hand() -> None:
    """Onyx, Hand for Hand 4: another table may lose a player in the same hand; until it has told, nobody is paid."""
    game = Game("onyx")
    game.say(PayoutsSet, percent=("50", "20", "10", "5", "5", "4", "3", "3"))
    game.say(HandForHandBegan, why="bubble")
    before = game.at("T1")[0]
    assert Placed(before, 8, 8, provisional=False) in game.out(before), "no hand is under way"
    game.say(HandReleased)
    one, two = game.at("T1")[0], game.at("T2")[0]
    told = game.out(one)
    assert Placed(one, 7, 7, provisional=True) in told
    assert game.refuse(PlaceDecided, order=2, groups=((one,),)) == (Reason.TABLES_PLAY, None)
    assert not any(isinstance(output, Payout) for output in told)
    assert game.refuse(PrizePaid, entry=one, cents=4_800)[0] is Reason.WRONG_AMOUNT
    game.over("T2", (two, 900), hand=1)
    told = game.over("T1", hand=1)
    assert {Placed(one, 6, 7, provisional=False), Placed(two, 6, 7, provisional=False)} <= set(told)
    assert {output.entry for output in told if isinstance(output, Payout)} == {one, two}


def test_of_two_of_a_table_one_by_the_directors_word_the_director_says_who_is_placed_higher() -> None:
    game = Game("onyx")
    game.say(HandForHandBegan, why="bubble")
    game.say(HandReleased)
    one, two = game.at("T1")[:2]
    game.out(one)
    game.over("T2", hand=1)
    told = game.over("T1", (two, 500), hand=1)
    assert any(isinstance(output, ToDecide) and output.entries == tuple(sorted((one, two))) for output in told)
    assert final(game) == {}


def test_a_hand_that_put_out_more_than_a_hundred_can_be_decided() -> None:
    """A player told out beside the hand, at any of hundreds of tables, leaves the whole hand to the director."""
    everybody = tuple((entry,) for entry in range(1, 5_001))
    assert len(PlaceDecided(t=0.0, by=DIRECTOR, order=1, groups=everybody).groups) == 5_000


def test_hand_for_hand_that_begins_without_a_table_gives_it_no_hand() -> None:
    game = Game("star-2025")
    game.say(TableAway, by=None, table="T2")
    game.say(HandForHandBegan, why="next_prize")
    assert game.say(HandReleased) == [Release(1, ("T1",), 180)]


def test_a_broken_table_holds_nobody_up() -> None:
    game = Game("onyx", players=6)
    game.say(HandForHandBegan, why="final_table")
    free = [seat for seat in range(1, 6) if seat not in game.tournament.parts.of(Seating).at("T1")]
    last, *others = game.at("T2")
    for entry in others:
        game.out(entry)
    told = game.say(TableBroken, table="T2", to=((last, "T1", free[0]),))
    assert TableGone("T2") in told
    assert game.say(HandReleased) == [Release(1, ("T1",), 0)]


def test_who_is_out_at_another_table_than_the_one_that_tells_is_refused() -> None:
    game = Game("star-2025")
    assert refused(lambda: game.over("T2", (game.at("T1")[0], 5)))[0] is Reason.NOT_SEATED
    assert refused(lambda: game.over("T9"))[0] is Reason.UNKNOWN_TABLE
    one = game.at("T1")[0]
    assert refused(lambda: game.over("T1", (one, 5), (one, 5)))[0] is Reason.NOT_SEATED


def test_the_pool_is_told_once_entries_are_over_and_paid_out_to_the_last_cent() -> None:
    """The Star 3, 7.3, 7.4 and Appendix a: eight players, all to the first."""
    game = Game("star-2025", players=9, added=1)
    assert PoolIs(9 * 20_000 + 1, (117_001, 63_000)) in game.closing
    paid: dict[int, int] = {}
    while len(left := game.at("T1") + game.at("T2")) > 1:
        table = "T1" if game.at("T1") else "T2"
        gone = game.at(table)[0]
        told = game.over(table, (gone, 100))
        paid |= {output.entry: output.cents for output in told if isinstance(output, Payout)}
    assert Placed(left[0] if left[0] != gone else left[1], 1, 1, provisional=False) in told
    assert sorted(paid.values()) == [63_000, 117_001]


def test_the_conditions_say_what_each_place_gets_where_no_text_does() -> None:
    game = Game("onyx")
    assert PoolIs(8 * 20_000, ()) in game.closing
    assert game.refuse(PayoutsSet, percent=("50", "40")) == (Reason.DOES_NOT_ADD_UP, "ours")
    assert game.refuse(PayoutsSet, percent=("10", "60", "30")) == (Reason.DOES_NOT_ADD_UP, "ours")
    assert game.refuse(PayoutsSet, percent=("100", "0")) == (Reason.DOES_NOT_ADD_UP, "ours")
    assert PoolIs(160_000, (100_000, 60_000)) in game.say(PayoutsSet, percent=HALVES)
    for _ in range(3):
        game.over("T1", (game.at("T1")[0], 5))
    for _ in range(3):
        game.over("T2", (game.at("T2")[0], 5))
    one, two = [*game.at("T1"), *game.at("T2")]
    told = game.over("T1", (one, 5)) if one in game.at("T1") else game.over("T2", (one, 5))
    assert {Payout(one, 60_000), Payout(two, 100_000)} <= set(told)
    assert game.refuse(PayoutsSet, percent=HALVES)[0] is Reason.WRONG_STATE


def test_payouts_may_be_said_before_entries_are_over() -> None:
    desk = Desk("onyx")
    assert desk.say(PayoutsSet, percent=HALVES) == []
    desk.enter("A", "B")
    assert PoolIs(40_000, (25_000, 15_000)) in desk.say(LateClosed)


def test_more_than_fifteen_percent_is_not_kept() -> None:
    """Tasmania C 20.17."""
    assert refused(lambda: Desk("tas-2018-c")) == (Reason.KEPT_TOO_MUCH, "C 20.15, 20.17")


def test_all_who_are_left_agree_on_a_chop() -> None:
    """The Star 1 and 5, Chop."""
    game = Game("star-2025", players=10)
    while len(game.at("T1") + game.at("T2")) > 3:
        table = max(("T1", "T2"), key=lambda name: len(game.at(name)))
        game.over(table, (game.at(table)[0], 5))
    one, two, three = game.at("T1") + game.at("T2")
    clause = "1; 5 Chop"
    assert game.refuse(Chopped, cents=((one, 200_000),)) == (Reason.NOT_ALL_AGREE, clause)
    assert game.refuse(Chopped, cents=((one, 200_000), (two, 1), (three, 0))) == (Reason.DOES_NOT_ADD_UP, clause)
    assert game.refuse(Chopped, cents=((one, 5), (one, 5))) == (Reason.NAMED_TWICE, clause)
    told = game.say(Chopped, cents=((one, 100_000), (two, 60_000), (three, 40_000)))
    assert told == [Payout(entry, cents) for entry, cents in sorted({one: 100_000, two: 60_000, three: 40_000}.items())]
    assert game.refuse(Chopped, cents=())[0] is Reason.WRONG_STATE
    table = "T1" if one in game.at("T1") else "T2"
    assert not any(isinstance(output, Payout) for output in game.over(table, (one, 5)))


def test_there_is_no_chop_while_something_is_open_or_where_the_text_has_none() -> None:
    desk = Desk("star-2025")
    assert desk_refuses(desk) == (Reason.WRONG_STATE, "1; 5 Chop")
    assert desk_refuses(Desk("onyx")) == (Reason.NOT_IN_THE_BOOK, None)


def desk_refuses(desk: Desk) -> tuple[Reason, str | None]:
    return refused(lambda: desk.say(Chopped, cents=()))


@pytest.mark.parametrize("law", ["star-2025", "onyx", "act-2001", "act-2019-uth"])
def test_a_tournament_plays_out_to_its_winner(law: str) -> None:
    """Places are a partition of the entries, and prizes are the pool."""
    game = Game(law, players=10)
    if law != "star-2025":
        game.say(PayoutsSet, percent=HALVES)
    while len(game.at("T1") + game.at("T2")) > 1:
        table = max(("T1", "T2"), key=lambda name: len(game.at(name)))
        game.over(table, (game.at(table)[0], 5))
    final = game.tournament.parts.of(Places).final
    assert sorted(finish.first for finish in final.values()) == list(range(1, 11))


def test_a_table_without_two_players_has_no_hand_to_play_and_holds_nobody() -> None:
    game = Game("onyx", players=6)
    for entry in game.at("T2")[1:]:
        game.out(entry)
    game.say(HandForHandBegan, why="bubble")
    assert Release(1, ("T1",), 0) in game.say(HandReleased)
    game.over("T1", hand=1)
    assert Release(2, ("T1",), 0) in game.say(HandReleased)
    game.over("T1", hand=2)
    game.say(HandForHandEnded)
