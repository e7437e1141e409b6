"""Chip races by each book's method."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.errors import Refused
from table_fsm.felt import full_deck
from table_fsm.poker.tournament.races import Race, RaceMethod, RaceResult, start_race

ACT, STAR, ONYX = RaceMethod.TAKES_ALL, RaceMethod.HALF_UP, RaceMethod.PLAYERS_FAVOUR


def play(race: Race, *cards: str) -> Race:
    """Deals cards to whoever is due one."""
    for card in cards:
        assert race.due is not None
        race = race.deal(race.due, card)
    return race


def decided(race: Race) -> RaceResult:
    assert race.result is not None
    return race.result


# -- ACT 2001, 4.8


def test_act_deals_one_card_each_and_the_highest_takes_all() -> None:
    race = play(start_race(ACT, 25, 100, {5: 3, 2: 3, 7: 1}), "Kd", "As")
    assert (race.due, race.result) == (7, None)
    result = decided(race.deal(7, "Ah"))
    assert (result.chips, result.removed, result.remainder) == ({5: 1}, 100, 75)


@pytest.mark.parametrize("winner", [1, 2, 3, 4])
def test_act_ranks_the_suits_spades_hearts_diamonds_clubs(winner: int) -> None:
    suits = list(permutations("shdc"))[winner * 5]
    race = play(start_race(ACT, 25, 100, {1: 1, 2: 1, 3: 1, 4: 1}), *(f"9{suit}" for suit in suits))
    assert list(decided(race).chips) == [suits.index("s") + 1]


def test_act_rank_comes_before_suit() -> None:
    assert list(decided(play(start_race(ACT, 25, 100, {1: 1, 2: 1}), "Qs", "Kc")).chips) == [2]


def test_act_too_few_for_one_new_chip_all_stay_with_the_winner() -> None:
    result = decided(play(start_race(ACT, 25, 100, {1: 1, 2: 2}), "2c", "3c"))
    assert (result.chips, result.removed, result.remainder) == ({2: 0}, 0, 75)


def test_act_lets_a_player_be_raced_out() -> None:
    result = decided(play(start_race(ACT, 25, 100, {1: 2, 2: 2}, last=[1, 2]), "2c", "3c"))
    assert (result.chips, result.kept_in, result.raced_out) == ({2: 1}, (), (1,))


def test_an_only_holder_of_odd_chips_needs_no_card() -> None:
    assert decided(start_race(ACT, 25, 100, {6: 3})).remainder == 75
    assert decided(start_race(ONYX, 25, 100, {6: 1})).chips == {6: 1}  # Onyx Chip Races 3
    assert decided(start_race(STAR, 25, 100, {6: 2})).chips == {6: 1}
    assert decided(start_race(STAR, 25, 100, {6: 1})).chips == {}


# -- The Star, 7.42


@pytest.mark.parametrize(("chips", "prize"), [(5, 1), (6, 2), (7, 2), (8, 2), (9, 2), (10, 3)])
def test_star_half_a_new_chip_counts_as_one(chips: int, prize: int) -> None:
    """7.42(c): totals of 150 and 175 in 25s are two 100s for the race."""
    odd = {seat: min(3, chips - 3 * (seat - 1)) for seat in range(1, 5) if chips > 3 * (seat - 1)}
    race = start_race(STAR, 25, 100, odd)
    assert (sum(odd.values()), race.prize) == (chips, prize)


def test_star_deals_a_card_per_odd_chip_from_the_dealers_left() -> None:
    race = start_race(STAR, 25, 100, {8: 1, 1: 2, 3: 3})
    dealt = []
    for card in ("2s", "3s", "4s", "5s", "6s", "7s"):
        assert race.due is not None
        dealt.append(race.due)
        race = race.deal(race.due, card)
    assert dealt == [1, 1, 3, 3, 3, 8]
    assert (decided(race).chips, decided(race).removed) == ({3: 1, 8: 1}, 150)


def test_star_one_new_chip_a_player_at_most() -> None:
    race = play(start_race(STAR, 25, 100, {1: 3, 2: 3, 3: 2}), "As", "Ah", "Ad", "2s", "3s", "4s", "5s", "2h")
    assert decided(race).chips == {1: 1, 3: 1}


def test_star_equal_at_the_last_chip_get_another_card_each() -> None:
    race = play(start_race(STAR, 25, 100, {1: 3, 2: 2, 4: 2, 6: 1}), "As", "2s", "3s", "Kh", "2h", "Ks", "3h", "4c")
    assert (race.prize, race.owed, race.result) == (2, {2: 1, 4: 1}, None)
    race = play(race, "5s", "5h")
    assert race.owed == {2: 1, 4: 1}
    race = play(race, "9c", "Tc")
    assert decided(race).chips == {1: 1, 4: 1}


def test_star_three_equal_for_two_chips_play_off_until_two_have_won() -> None:
    race = play(start_race(STAR, 25, 100, {1: 2, 2: 2, 3: 3}), "Ks", "2s", "Kh", "2h", "Kd", "2d", "2c")
    assert race.owed == {1: 1, 2: 1, 3: 1}
    race = play(race, "7s", "Ts", "7h")
    assert race.owed == {1: 1, 3: 1}
    assert decided(play(race, "3s", "3h").deal(1, "4s").deal(3, "6h")).chips == {2: 1, 3: 1}


def test_star_equal_cards_that_all_win_are_no_tie() -> None:
    race = play(start_race(STAR, 25, 100, {1: 3, 2: 3, 3: 1}), "Ks", "2s", "3s", "Kh", "2h", "3h", "4c")
    assert decided(race).chips == {1: 1, 2: 1}


def test_star_and_onyx_race_nobody_out() -> None:
    for method in (STAR, ONYX):
        race = play(start_race(method, 25, 100, {1: 2, 2: 2}, last=[1]), "2s", "3s", "Kh", "2h")
        result = decided(race)
        assert (result.chips, result.kept_in, result.raced_out) == ({1: 1, 2: 1}, (1,), ())


def test_star_removes_less_than_half_without_a_race_and_still_nobody_is_out() -> None:
    result = decided(start_race(STAR, 100, 1000, {1: 2, 2: 2}, last=[2]))
    assert (result.chips, result.kept_in, result.removed) == ({2: 1}, (2,), 400)


# -- Onyx, Chip Races


def test_onyx_rounds_in_the_players_favour() -> None:
    """Chip Races 3: 325 will be four hundred-chips."""
    race = start_race(ONYX, 25, 100, {1: 3, 2: 3, 3: 3, 4: 3, 5: 1})
    assert race.prize == 4
    assert start_race(ONYX, 25, 100, {1: 3, 2: 1}).prize == 1


def test_onyx_ties_go_by_bridge_suits() -> None:
    race = play(start_race(ONYX, 25, 100, {1: 1, 2: 2, 3: 1}), "Kd", "Kh", "2s", "Kc")
    assert (race.prize, decided(race).chips, decided(race).removed) == (1, {2: 1}, 100)


def test_onyx_suits_do_not_lift_a_lower_rank() -> None:
    assert decided(play(start_race(ONYX, 25, 100, {1: 1, 2: 1}), "Qs", "Kc")).chips == {2: 1}


# -- what cannot be, and what a person must decide


def test_the_same_card_twice_is_for_a_person() -> None:
    race = play(start_race(ACT, 25, 100, {1: 1, 2: 1}), "Ks", "Ks")
    assert race.result is None
    assert race.due is None
    assert race.undecided == "seats 1 and 2 show the same card"


def test_an_unread_card_is_for_a_person_until_it_is_read() -> None:
    race = start_race(ACT, 25, 100, {1: 1, 2: 1}).deal(1, None).deal(2, "Ks")
    assert (race.result, race.undecided) == (None, "seat 1 has a card that was not read")
    assert decided(race.read(1, "As")).chips == {1: 0}
    with pytest.raises(Refused, match="seat 2 has no unread card"):
        race.read(2, "As")
    with pytest.raises(Refused, match="has no rank"):
        race.read(1, "Jo")


def test_a_card_may_be_taken_back() -> None:
    race = start_race(ACT, 25, 100, {1: 1, 2: 1}).deal(1, "Ks").take_back(1)
    assert (race.due, race.cards) == (1, ())
    with pytest.raises(Refused, match="seat 1 has no card to take back"):
        race.take_back(1)


def test_a_card_to_another_seat_in_the_race_counts_there() -> None:
    race = start_race(ACT, 25, 100, {1: 1, 2: 1}).deal(2, "Ks")
    assert race.due == 1
    assert list(decided(race.deal(1, "2s")).chips) == [2]


def test_cards_nobody_is_due_are_refused() -> None:
    race = start_race(ACT, 25, 100, {1: 1, 2: 1})
    with pytest.raises(Refused, match="seat 3 is due no card: seat 1 is due"):
        race.deal(3, "2s")
    with pytest.raises(Refused, match="nobody is due"):
        play(race, "2s", "3s").deal(1, "4s")
    with pytest.raises(Refused, match="joker has no rank"):
        race.deal(1, "Jo")
    with pytest.raises(Refused, match="is no card"):
        race.deal(1, "1s")


@pytest.mark.parametrize(
    ("chip", "new_chip", "odd", "last", "reason"),
    [
        (0, 100, {1: 1}, [], "above 0"),
        (100, 100, {1: 1}, [], "worth more"),
        (25, 100, {11: 1}, [], "no seat 11"),
        (25, 100, {1: -1}, [], "cannot have -1"),
        (25, 100, {1: 4}, [], "change them for 100 first"),
        (25, 100, {1: 1, 2: 0}, [2], "seat 2 has no odd chips"),
    ],
)
def test_a_race_that_cannot_be_is_refused(
    chip: int, new_chip: int, odd: dict[int, int], last: list[int], reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        start_race(STAR, chip, new_chip, odd, last)


def test_a_race_with_no_odd_chips_is_over_at_once() -> None:
    assert decided(start_race(ONYX, 25, 100, {1: 0})).chips == {}


@given(
    st.sampled_from(list(RaceMethod)),
    st.dictionaries(st.integers(1, 10), st.integers(0, 3)),
    st.permutations(sorted(full_deck())),
    st.data(),
)
def test_any_race_ends_with_its_prize_given_once(
    method: RaceMethod, odd: dict[int, int], deck: list[str], data: st.DataObject
) -> None:
    holders = sorted(seat for seat in odd if odd[seat])
    last = data.draw(st.lists(st.sampled_from(holders), unique=True)) if holders else []
    race = play_out(start_race(method, 25, 100, odd, last), deck)
    result = decided(race)
    won = {seat: n for seat, n in result.chips.items() if seat not in result.kept_in}
    assert sum(won.values()) == race.prize
    assert set(result.chips) <= set(holders)
    assert method is ACT or (set(result.chips.values()) <= {1} and set(last) <= set(result.chips))
    assert result.removed + result.remainder == 25 * sum(odd.values())


def play_out(race: Race, deck: list[str]) -> Race:
    for card in deck:
        if race.due is None:
            break
        race = race.deal(race.due, card)
    return race
