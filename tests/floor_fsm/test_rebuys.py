"""Rebuys, add-ons, sizes, who may enter, no-shows, substitutes, steps taken back, a tournament called off."""

from collections.abc import Mapping
from typing import Any

import pytest

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.law.matters import Leaves
from floor_fsm.messages.chips import ChipsTaken, StacksCounted
from floor_fsm.messages.entries import (
    AddOn,
    Bought,
    EntryBack,
    EntryGivenUp,
    EntryNoShow,
    EntryOut,
    EntrySubstituted,
    EntryTaken,
    EntryWithdrawn,
    LateClosed,
    LevelBegan,
    Rebuy,
)
from floor_fsm.messages.hands import HandOver, Placed
from floor_fsm.messages.money import Payout, PayoutsSet, PrizePaid, PrizeTakenBack
from floor_fsm.messages.opening import Refund, TableSeats, TournamentCancelled, TournamentOpen
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import SeatGiven
from floor_fsm.messages.tables import HandBegan
from floor_fsm.play.chips import OutOf
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Places
from floor_fsm.state.money import Money, pool_of
from floor_fsm.state.rebuys import bought_by, chips_of, table_amount
from floor_fsm.state.seating import Seating
from floor_fsm.tournament import Tournament
from table_fsm.structures.structure import Structure
from tests.floor_fsm.books import ACT, STRUCTURES
from tests.floor_fsm.support import DIRECTOR, FEE, HOUSE, Desk, laws, reason_of

REBUY: Mapping[str, Any] = {"price": 10_000, "house": 1_000, "chips": 20_000, "most": 2, "until_level": 3}
ADD_ON: Mapping[str, Any] = {"price": 5_000, "chips": 40_000, "from_level": 3, "until_level": 4}


def seated(law: str | Law = "onyx", players: int = 4, **terms: Any) -> Desk:
    """Players with seats at one table."""
    given = {"re_entries": 0, "rebuy": REBUY, "add_on": ADD_ON} if law == "onyx" else {"re_entries": 0}
    desk = Desk(law, tables=2, seats=6, committed=False, **{**given, **terms})
    for number in desk.enter(*(f"p{number}" for number in range(1, players + 1))):
        desk.say(SeatGiven, entry=number, table="T1", seat=number)
    return desk


def bust(desk: Desk, *entries: int, hand: int = 1) -> list[Any]:
    at = {entry: place.seat for entry, place in desk.tournament.parts.of(Seating).places.items()}
    big = next(seat for entry, seat in at.items() if entry not in entries)
    desk.say(HandBegan, by=None, table="T1", hand=hand, big_blind=big)
    out = [{"entry": entry, "stack": 100 * entry, "put_in": 100 * entry} for entry in entries]
    return desk.say(HandOver, by=None, table="T1", out=tuple(out))


def test_a_rebuy_brings_chips_and_cents_and_is_told() -> None:
    desk = seated()
    before = pool_of(desk.tournament.parts)
    place = desk.tournament.parts.of(Seating).places[1]
    desk.say(StacksCounted, table=place.table, stacks=((1, 500),))
    [said] = desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    assert desk.tournament.parts.of(Stacks).counted == {}, "it was counted before chips were bought"
    assert said == Bought(1, 1, 0, 50_000)
    parts = desk.tournament.parts
    assert pool_of(parts) == before + 10_000, "what the house keeps of it is no part of the pool"
    assert parts.of(Stacks).ledger.in_play == 4 * 30_000 + 20_000
    desk.say(LevelBegan, by=None, level=3)
    [said] = desk.say(AddOn, entry=1, paid=5_000)
    assert said == Bought(1, 1, 1, 90_000)
    assert (bought_by(desk.tournament.parts, 1).house, bought_by(desk.tournament.parts, 2).chips) == (1_000, 30_000)


@pytest.mark.parametrize(
    ("fields", "level", "reason"),
    [
        ({"entry": 1, "paid": 10_000, "stake": 5}, 1, Reason.WRONG_AMOUNT),
        ({"entry": 1, "paid": 11_000, "stake": 5}, 4, Reason.NOT_ALLOWED),
        ({"entry": 9, "paid": 11_000, "stake": 5}, 1, Reason.UNKNOWN_ENTRY),
        ({"entry": 5, "paid": 11_000, "stake": 5}, 1, Reason.NOT_SEATED),
        ({"entry": 1, "paid": 11_000, "stake": 10**9}, 1, Reason.DOES_NOT_ADD_UP),
    ],
)
def test_a_rebuy_that_cannot_be_is_refused(fields: dict[str, Any], level: int, reason: Reason) -> None:
    desk = seated()
    desk.enter("p5")
    desk.say(LevelBegan, by=None, level=level)
    assert reason_of(desk, Rebuy, **fields)[0] is reason


def test_a_rebuy_is_for_who_has_few_chips_and_not_once_too_often() -> None:
    desk = seated(rebuy={**REBUY, "below": 30_000})
    assert reason_of(desk, Rebuy, entry=1, paid=11_000, stake=30_000) == (Reason.NOT_ALLOWED, "Formats")
    for _ in range(2):
        desk.say(Rebuy, entry=1, paid=11_000, stake=29_999)
    assert reason_of(desk, Rebuy, entry=1, paid=11_000, stake=10)[0] is Reason.NOT_ALLOWED
    assert reason_of(desk, AddOn, entry=1, paid=5_000)[0] is Reason.NOT_ALLOWED, "it begins with level 3"
    desk.say(LevelBegan, by=None, level=4)
    desk.say(AddOn, entry=1, paid=5_000)
    assert reason_of(desk, AddOn, entry=1, paid=5_000)[0] is Reason.NOT_ALLOWED


def test_who_lost_the_last_chips_buys_before_the_next_hand_and_has_no_place() -> None:
    desk = seated()
    bust(desk, 1)
    assert desk.standing(Standing.OUT) == [1]
    assert reason_of(desk, Rebuy, entry=1, paid=11_000, stake=7)[0] is Reason.ENTRY_IS_OVER, "it has no chips"
    desk.say(Rebuy, entry=1, paid=11_000, stake=0)
    parts = desk.tournament.parts
    assert desk.standing(Standing.OUT) == []
    assert parts.of(Seating).at("T1")[1] == 1
    ladder = parts.of(Places).ladder
    assert ladder is not None
    assert ladder.gone == ()
    bust(desk, 1, hand=2)
    desk.say(HandBegan, by=None, table="T1", hand=3, big_blind=2)
    assert reason_of(desk, Rebuy, entry=1, paid=11_000, stake=0)[0] is Reason.ENTRY_IS_OVER


def test_beside_rebuys_nobody_enters_again_where_the_book_has_it_so() -> None:
    with pytest.raises(Refused) as refused:
        seated(re_entries=1)
    assert (refused.value.reason, refused.value.clause) == (Reason.NOT_ALLOWED, "Formats")


def test_a_book_that_is_silent_leaves_rebuys_to_a_person() -> None:
    with pytest.raises(Refused) as refused:
        seated("star-2025", rebuy=REBUY)
    assert refused.value.reason is Reason.NOT_IN_THE_BOOK


# -- the games of ACT 2001


def act(game: str | None = "omaha", seats: int = 6, **terms: Any) -> Tournament:
    tournament = Tournament(laws()["act-2001"])
    tables = tuple(TableSeats(table=f"T{number}", seats=tuple(range(1, seats + 1))) for number in (1, 2))
    opening = {"name": "Cup", "fee": FEE, "house": HOUSE, "stack": 1_000, "re_entries": 0, "tables": tables}
    tournament.apply(TournamentOpen(t=0, by=DIRECTOR, game=game, **{**opening, **terms}))
    return tournament


@pytest.mark.parametrize(
    ("terms", "reason", "clause"),
    [
        ({"game": "whist"}, Reason.NOT_IN_THE_BOOK, None),
        ({"game": "manila", "seats": 10}, Reason.NOT_ALLOWED, "A 3.1, 3.3"),
        ({"game": "manila", "most": 73}, Reason.NOT_ALLOWED, "A 3.1, 3.3"),
        ({"game": "manila", "rebuy": REBUY}, Reason.NOT_ALLOWED, "A 3.1, 3.3"),
        ({"game": "manila", "add_on": ADD_ON}, Reason.NOT_ALLOWED, "A 3.1, 3.3"),
        ({"game": "omaha", "rebuy": {**REBUY, "below": 1_001}}, Reason.NOT_ALLOWED, "C 3.1, 3.3"),
        ({"game": "omaha", "rebuy": {**REBUY, "until_level": 4}}, Reason.NOT_ALLOWED, "C 3.1, 3.3"),
        ({"game": None, "rebuy": REBUY}, Reason.NOT_DECIDED, "4.1; A to I 3.3"),
    ],
)
def test_act_has_sizes_and_rebuys_of_each_game(terms: dict[str, Any], reason: Reason, clause: str | None) -> None:
    with pytest.raises(Refused) as refused:
        act(**terms)
    assert (refused.value.reason, refused.value.clause) == (reason, clause)


def structure_of(game: str) -> Structure:
    return STRUCTURES[f"act-2001-{game}"]


def test_the_books_dollars_are_the_tables_cents_at_one_place() -> None:
    """The text says $1,000; a table's structure has 100000. Both must be the same limit."""
    law: Law = laws()["act-2001"]
    for row in ACT.games:
        structure = structure_of(row.game)
        assert (row.rebuy_below is None) is (structure.rebuys is None), row.game
        if row.rebuy_below is not None and structure.rebuys is not None:
            assert table_amount(law, row.rebuy_below) == structure.rebuys.stake_below, row.game
            assert row.rebuy_until == structure.rebuys.last_level, row.game
            assert row.top_up is structure.rebuys.top_up
        assert (row.least, row.most) == (structure.seats.least_players, structure.seats.most_players), row.game
    assert chips_of(law, 100_050) == 1_000
    assert (table_amount(laws()["onyx"], 5), chips_of(laws()["onyx"], 5)) == (5, 5)


def test_in_act_a_rebuy_is_for_who_has_less_than_a_thousand_dollars() -> None:
    desk = Desk("act-2001", tables=1, seats=10, committed=False, re_entries=0, game="omaha", rebuy=REBUY)
    desk.enter("a")
    desk.say(SeatGiven, entry=1, table="T1", seat=1)
    desk.say(Rebuy, entry=1, paid=11_000, stake=999)
    assert reason_of(desk, Rebuy, entry=1, paid=11_000, stake=1_000) == (Reason.NOT_ALLOWED, "C 3.1, 3.3")


# -- who may enter


def test_the_stars_two_hundred_are_people_and_who_withdrew_is_none() -> None:
    desk = Desk("star-2025", tables=40, seats=10, committed=False, re_entries=None)
    desk.enter(*(f"p{number}" for number in range(1, 201)))
    assert reason_of(desk, EntryTaken, entry=900, person="x", name="X", paid=FEE + HOUSE) == (Reason.FULL, "1")
    desk.say(SeatGiven, entry=1, table="T1", seat=1)
    desk.out(1)
    desk.people = 200
    desk.enter("p1")
    assert len(desk.tournament.parts.of(Entries).by_number) == 201, "who enters again is nobody new"
    desk.say(EntryWithdrawn, entry=7, refund=True)
    desk.enter("x")
    assert reason_of(desk, EntryTaken, entry=901, person="y", name="Y", paid=FEE + HOUSE)[0] is Reason.FULL


def test_who_is_barred_enters_no_more_and_takes_no_entry_over() -> None:
    desk = seated("star-2025", players=4)
    desk.say(PersonLeft, entry=1, why=Leaves.HARM, chips=0)
    fields = {"person": "p1", "name": "Mx p1"}
    assert reason_of(desk, EntryTaken, entry=50, paid=FEE + HOUSE, **fields)[0] is Reason.BARRED
    assert reason_of(desk, EntryTaken, entry=50, paid=FEE + HOUSE, **fields)[1] == "6.14"


def test_more_than_a_starting_stack_is_not_given_up_in_the_star() -> None:
    desk = seated("star-2025", players=4, re_entries=1)
    assert reason_of(desk, EntryGivenUp, entry=1, chips=30_001) == (Reason.NOT_ALLOWED, "7.11")
    desk.say(EntryGivenUp, entry=1, chips=30_000)
    assert desk.tournament.parts.of(Stacks).ledger.in_play == 3 * 30_000
    desk.say(EntryGivenUp, entry=2)
    taken: dict[str, Any] = {"entry": 2, "why": OutOf.FORFEITED}
    assert reason_of(desk, ChipsTaken, chips=30_001, **taken) == (Reason.NOT_ALLOWED, "7.11")
    desk.say(ChipsTaken, chips=12_000, **taken)
    assert desk.tournament.parts.of(Stacks).ledger.in_play == 2 * 30_000 + 18_000


@pytest.mark.parametrize(("law", "clause"), [("act-2001", "8.1"), ("tas-2018-c", "C 20.5, 20.9")])
def test_nobody_gives_chips_up_where_nobody_enters_again(law: str, clause: str) -> None:
    desk = seated(law, fee=FEE + HOUSE - 3_000, house=3_000)
    assert reason_of(desk, EntryGivenUp, entry=1) == (Reason.NO_RE_ENTRY, clause)
    assert reason_of(desk, EntryGivenUp, entry=1, chips=30_000) == (Reason.NO_RE_ENTRY, clause)
    assert desk.standing(Standing.IN_PLAY) == [1, 2, 3, 4]
    desk.say(EntryOut, entry=1)


@pytest.mark.parametrize(("law", "clause"), [("onyx", "Seating 5"), ("act-2019-uth", "16.6, 16.3(a)(iii)(G)")])
def test_the_last_entry_that_was_announced_is_not_given_up(law: str, clause: str) -> None:
    desk = seated(law, re_entries=1, rebuy=None, add_on=None)
    desk.say(EntryGivenUp, entry=1)
    [again] = desk.enter("p1")
    desk.say(SeatGiven, entry=again, table="T2", seat=1)
    assert reason_of(desk, EntryGivenUp, entry=again) == (Reason.NO_RE_ENTRY, clause)
    desk.say(EntryGivenUp, entry=2)


def test_chips_are_not_given_up_where_the_tournament_takes_no_entry_more() -> None:
    desk = seated(re_entries=1, rebuy=None, add_on=None, most=5)
    desk.say(EntryGivenUp, entry=1)
    desk.enter("p1")
    assert reason_of(desk, EntryGivenUp, entry=2)[0] is Reason.FULL


@pytest.mark.parametrize("law", ["onyx", "act-2019-uth"])
def test_chips_are_given_up_until_late_entry_is_over(law: str) -> None:
    desk = seated(law, re_entries=1, rebuy=None, add_on=None, late_until=3)
    desk.say(LevelBegan, level=2)
    desk.say(EntryGivenUp, entry=1)
    desk.say(LevelBegan, level=3)
    assert reason_of(desk, EntryGivenUp, entry=2)[0] is Reason.LATE_ENTRY_IS_OVER
    assert reason_of(desk, EntryGivenUp, entry=1)[0] is Reason.NOT_SEATED, "what is wrong first is said first"


def test_the_star_has_chips_given_up_at_the_end_of_the_period_too() -> None:
    """The Star 7.11: also at the completion of play, to enter another flight."""
    desk = seated("star-2025", re_entries=1)
    desk.say(LateClosed)
    desk.say(EntryGivenUp, entry=1, chips=30_000)


@pytest.mark.parametrize("law", ["act-2001", "onyx"])
def test_a_tournament_that_began_under_the_book_of_before_goes_on_by_it(law: str) -> None:
    now = laws()[law]
    assert now.book.entries is not None
    before = now.book.model_copy(update={"entries": now.book.entries.model_copy(update={"forfeit": None})})
    desk = seated(Law(before, now.digest), re_entries=0, rebuy=None, add_on=None)
    desk.say(LateClosed)
    desk.say(EntryGivenUp, entry=1)
    assert desk.standing(Standing.OUT) == [1]


def test_who_does_not_come_has_forfeited_the_seat_and_enters_no_second_time() -> None:
    desk = seated("act-2019-uth")
    before = pool_of(desk.tournament.parts)
    desk.say(EntryNoShow, entry=1)
    parts = desk.tournament.parts
    assert (desk.standing(Standing.WITHDRAWN), pool_of(parts)) == ([1], before), "the fee stays in the pool"
    assert parts.of(Stacks).ledger.in_play == 3 * 30_000
    again = {"entry": 60, "person": "p1", "name": "Mx p1", "paid": FEE + HOUSE}
    assert reason_of(desk, EntryTaken, **again) == (Reason.NO_RE_ENTRY, "16.6, 16.3(a)(iii)(G)")
    desk.people = 4
    desk.enter("reserve")
    desk.say(SeatGiven, entry=5, table="T1", seat=1)
    assert reason_of(seated("star-2025"), EntryNoShow, entry=1) == (Reason.NOT_ALLOWED, "7.12")
    assert reason_of(seated("act-2001"), EntryNoShow, entry=1) == (Reason.NOT_ALLOWED, "17.3")


def test_who_was_told_not_to_have_come_and_plays_is_back_with_the_whole_stack() -> None:
    desk = seated("act-2019-uth")
    desk.say(LateClosed)
    desk.out(4)
    desk.say(EntryNoShow, entry=1)
    desk.say(EntryBack, entry=1)
    parts = desk.tournament.parts
    assert (desk.standing(Standing.WITHDRAWN), parts.of(Stacks).ledger.in_play) == ([], 4 * 30_000)
    assert parts.of(Seating).at("T1") == {1: 1, 2: 2, 3: 3}
    assert {entry: finish.first for entry, finish in parts.of(Places).final.items()} == {4: 4}
    for entry in (1, 2):
        desk.out(entry)
    assert {entry: finish.first for entry, finish in desk.tournament.parts.of(Places).final.items()} == {
        3: 1, 2: 2, 1: 3, 4: 4
    }  # fmt: skip


def test_nobody_has_won_when_the_last_but_one_comes_after_all() -> None:
    desk = seated("act-2019-uth", players=2)
    desk.say(LateClosed)
    desk.say(EntryNoShow, entry=1)
    desk.say(EntryBack, entry=1)
    assert not desk.tournament.parts.of(Places).said


def test_a_withdrawn_entry_is_not_back_and_a_full_tournament_takes_nobody_back() -> None:
    desk = seated("act-2019-uth", most=5)
    [waits] = desk.enter("p5")
    desk.say(EntryWithdrawn, entry=waits)
    assert reason_of(desk, EntryBack, entry=waits)[0] is Reason.NOT_ALLOWED
    desk.say(EntryNoShow, entry=1)
    reserve = desk.enter("p6", "p7")
    assert reason_of(desk, EntryBack, entry=1)[0] is Reason.FULL
    desk.say(EntryWithdrawn, entry=reserve[0], refund=True)
    desk.say(EntryBack, entry=1)


def test_who_was_counted_with_other_chips_than_the_first_has_come() -> None:
    desk = seated("act-2019-uth")
    desk.say(StacksCounted, table="T1", stacks=((1, 60_000), (2, 30_000)))
    assert reason_of(desk, EntryNoShow, entry=1) == (Reason.NOT_ALLOWED, "16.10, 16.11")
    desk.say(EntryNoShow, entry=2)


def test_a_substitute_plays_an_entry_on() -> None:
    desk = seated("act-2001")
    desk.say(EntrySubstituted, entry=1, person="new", name="Mx New")
    assert desk.tournament.parts.of(Entries).by_number[1].name == "Mx New"
    assert reason_of(desk, EntrySubstituted, entry=2, person="new", name="Mx New") == (Reason.ENTERED_ALREADY, "8.2")
    desk.out(3)
    assert reason_of(desk, EntrySubstituted, entry=3, person="other", name="O") == (Reason.NO_TRANSFER, "8.2")
    silent = seated("star-2025")
    assert reason_of(silent, EntrySubstituted, entry=1, person="new", name="N")[0] is Reason.NOT_IN_THE_BOOK


# -- steps taken back


def paid_out() -> Desk:
    """Four players; 1, then 2 went out; the second gets 20 percent."""
    desk = seated(re_entries=0)
    desk.say(PayoutsSet, percent=("50", "30", "20"))
    desk.say(LateClosed)
    desk.out(1)
    desk.out(2)
    return desk


def test_who_is_back_has_no_place_and_the_others_have_the_right_one() -> None:
    desk = paid_out()
    assert desk.tournament.parts.of(Money).told == {2: 16_000}
    outputs = desk.say(EntryBack, entry=1)
    assert Placed(2, 4, 4, provisional=False) in outputs
    assert Payout(2, 0) in outputs, "the fourth is not paid"
    parts = desk.tournament.parts
    assert parts.of(Seating).at("T1") == {1: 1, 3: 3, 4: 4}
    assert 1 not in parts.of(Places).said
    assert reason_of(desk, EntryBack, entry=1)[0] is Reason.NOT_ALLOWED
    desk.out(1)
    assert desk.tournament.parts.of(Money).told[1] == 16_000


def test_the_winner_has_not_won_when_somebody_is_back() -> None:
    desk = paid_out()
    desk.out(3)
    assert desk.tournament.parts.of(Money).told == {2: 16_000, 3: 24_000, 4: 40_000}
    outputs = desk.say(EntryBack, entry=3)
    assert {Payout(3, 0), Payout(4, 0)} <= set(outputs)
    assert set(desk.tournament.parts.of(Places).said) == {1, 2}


def test_a_prize_is_paid_once_and_a_paid_one_changes_only_when_it_is_back_at_the_cage() -> None:
    desk = paid_out()
    assert reason_of(desk, PrizePaid, entry=2, cents=16_001)[0] is Reason.WRONG_AMOUNT
    assert reason_of(desk, PrizePaid, entry=1, cents=0)[0] is Reason.WRONG_AMOUNT
    desk.say(PrizePaid, entry=2, cents=16_000)
    assert reason_of(desk, PrizePaid, entry=2, cents=16_000)[0] is Reason.PAID_ALREADY
    assert reason_of(desk, EntryBack, entry=1)[0] is Reason.PAID_ALREADY
    assert reason_of(desk, TournamentCancelled)[0] is Reason.NOT_DECIDED
    assert reason_of(desk, TournamentCancelled, refund=True)[0] is Reason.PAID_ALREADY
    assert reason_of(desk, PrizeTakenBack, entry=1)[0] is Reason.NOT_PAID
    desk.say(PrizeTakenBack, entry=2)
    desk.say(EntryBack, entry=1)
    assert desk.tournament.parts.of(Money).paid == {}


def test_a_seat_that_is_taken_is_not_given_back() -> None:
    desk = paid_out()
    assert reason_of(desk, EntryBack, entry=1, table="T1", seat=3)[0] is Reason.SEAT_IS_TAKEN
    assert reason_of(desk, EntryBack, entry=1, table="T1")[0] is Reason.NO_SUCH_SEAT
    desk.say(EntryBack, entry=1, table="T2", seat=6)
    assert desk.tournament.parts.of(Seating).at("T2") == {6: 1}


# -- called off


def test_what_was_paid_goes_back_when_a_tournament_is_called_off() -> None:
    desk = seated("act-2019-uth", rebuy={**REBUY, "house": 0})
    desk.say(Rebuy, entry=2, paid=10_000, stake=5)
    assert reason_of(desk, TournamentCancelled, refund=False) == (Reason.NOT_ALLOWED, "16.24")
    outputs = desk.say(TournamentCancelled)
    refunds = {one.entry: one.cents for one in outputs if isinstance(one, Refund)}
    assert refunds == {1: FEE + HOUSE, 2: FEE + HOUSE + 10_000, 3: FEE + HOUSE, 4: FEE + HOUSE}
    parts = desk.tournament.parts
    assert (parts.of(Seating).places, parts.of(Stacks).ledger.in_play) == ({}, 0)
    assert desk.standing(Standing.WITHDRAWN) == [1, 2, 3, 4]
    assert reason_of(desk, EntryTaken, entry=9, person="z", name="Z", paid=1)[0] is Reason.CANCELLED
