"""Settlement of Ultimate Texas Hold'em, against the tables and the clauses of ACT 2019."""

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.felt import full_deck
from table_fsm.poker.hands.evaluation import HandRank, rank_hand
from table_fsm.poker.uth_payouts import (
    Limits,
    PlayStage,
    Settlement,
    Wagers,
    allowed_multiples,
    amounts_at_stake,
    below_minimum,
    qualifies,
    settle,
    settle_fold,
)

DECK = sorted(full_deck())


def hand(cards: str) -> HandRank:
    return rank_hand(cards.split(), ())


ROYAL = hand("As Ks Qs Js Ts")
STRAIGHT_FLUSH = hand("9h 8h 7h 6h 5h")
QUADS = hand("9s 9h 9d 9c 5h")
FULL_HOUSE = hand("9s 9h 9d 5c 5h")
FLUSH = hand("Kd Jd 9d 7d 5d")
STRAIGHT = hand("9s 8h 7d 6c 5h")
TRIPS = hand("9s 9h 9d 6c 5h")
TWO_PAIR = hand("9s 9h 5d 5c 2h")
PAIR = hand("9s 9h 7d 5c 2h")
LOW_PAIR = hand("2s 2h 7d 5c 4h")
ACE_HIGH = hand("As Kh 7d 5c 2h")
NINE_HIGH = hand("9s 8h 6d 5c 2h")

WAGERS = Wagers(ante=1000, blind=1000, trips=500, play=4000)
BEFORE = PlayStage.BEFORE_FLOP


def result(player: HandRank | None, dealer: HandRank) -> tuple[int, int, int | None, int | None]:
    settled = settle(player, dealer, WAGERS, BEFORE)
    return settled.ante, settled.blind, settled.trips, settled.play


@pytest.mark.parametrize(
    ("player", "blind", "trips"),
    [
        (ROYAL, 500_000, 25_000),
        (STRAIGHT_FLUSH, 50_000, 20_000),
        (QUADS, 10_000, 15_000),
        (FULL_HOUSE, 3_000, 4_000),
        (FLUSH, 1_500, 3_500),
        (STRAIGHT, 1_000, 2_000),
        (TRIPS, 0, 1_500),
        (TWO_PAIR, 0, -500),
        (PAIR, 0, -500),
    ],
    ids=lambda value: value.name if isinstance(value, HandRank) else None,
)
def test_the_odds_of_each_hand_that_beats_the_dealer(player: HandRank, blind: int, trips: int) -> None:  # 10.1
    assert result(player, LOW_PAIR) == (1000, blind, trips, 4000)


@pytest.mark.parametrize(
    ("player", "trips"),
    [(STRAIGHT_FLUSH, 20_000), (FLUSH, 3_500), (TRIPS, 1_500), (PAIR, -500), (ACE_HIGH, -500)],
)
def test_a_better_dealer_takes_all_but_trips(player: HandRank, trips: int) -> None:  # 9.5(b), 9.6(b), 9.7, 9.8(b)
    assert result(player, ROYAL) == (-1000, -1000, trips, -4000)


@pytest.mark.parametrize(("player", "trips"), [(ROYAL, 25_000), (FLUSH, 3_500), (TRIPS, 1_500), (PAIR, -500)])
def test_the_same_value_pushes_all_but_trips(player: HandRank, trips: int) -> None:  # 9.5(c)(i), 9.6(c)(i), 9.8(c)
    assert result(player, player) == (0, 0, trips, 0)


def test_no_qualifying_dealer_and_a_better_player() -> None:  # 9.5(c)(ii), 9.6(c)(ii), 9.8(a)
    assert result(PAIR, ACE_HIGH) == (0, 0, -500, 4000)
    assert result(ACE_HIGH, NINE_HIGH) == (0, 0, -500, 4000)
    assert result(FLUSH, ACE_HIGH) == (0, 1500, 3500, 4000)


def test_no_qualifying_dealer_and_a_worse_player() -> None:  # the ante pushes, blind and play are lost: 9.6(b), 9.8(b)
    assert result(NINE_HIGH, ACE_HIGH) == (0, -1000, -500, -4000)


def test_no_qualifying_dealer_and_the_same_value() -> None:
    assert result(ACE_HIGH, ACE_HIGH) == (0, 0, -500, 0)


def test_the_lowest_pair_qualifies_and_the_highest_odd_cards_do_not() -> None:
    assert qualifies(hand("2s 2h 5d 4c 3h"))
    assert not qualifies(hand("As Kh Qd Jc 9h"))


@pytest.mark.parametrize("dealer", [ROYAL, PAIR, NINE_HIGH])
def test_a_fold_loses_all_trips_too(dealer: HandRank) -> None:  # dictionary: Fold; 9.1
    assert result(None, dealer) == (-1000, -1000, -500, -4000)
    assert settle(None, dealer, Wagers(1000, 1000)) == Settlement(None, -1000, -1000, None, None)
    assert settle_fold(Wagers(1000, 1000, trips=700)) == Settlement(None, -1000, -1000, -700, None)


def test_no_wager_is_none_and_the_hand_is_named() -> None:
    assert settle(FLUSH, PAIR, Wagers(1000, 1000)) == Settlement(FLUSH.name, 1000, 1500, None, None)


def test_it_speaks_of_the_hand_in_words() -> None:
    assert settle(TWO_PAIR, PAIR, WAGERS, BEFORE).hand == "two pair"
    assert settle_fold(WAGERS, BEFORE).hand is None


@pytest.mark.parametrize(("blind", "paid"), [(1, 1), (2, 3), (3, 4), (500, 750), (501, 751), (2500, 3750)])
def test_three_to_two_is_rounded_down_to_the_cent(blind: int, paid: int) -> None:
    assert settle(FLUSH, PAIR, Wagers(1000, blind)).blind == paid


@pytest.mark.parametrize(
    ("player", "most", "paid"),
    [
        (ROYAL, 499_999, 499_999),
        (ROYAL, 500_000, 500_000),
        (ROYAL, 500_001, 500_000),
        (STRAIGHT, 999, 999),
        (FLUSH, 1_499, 1_499),
        (FULL_HOUSE, 3_000, 3_000),
    ],
)
def test_a_blind_is_paid_up_to_the_maximum_payout(player: HandRank, most: int, paid: int) -> None:  # 10.1
    assert settle(player, LOW_PAIR, WAGERS, BEFORE, Limits(max_payout=most)).blind == paid


def test_the_maximum_payout_touches_nothing_else() -> None:  # 10.1 names it beside the blind's rows only
    assert settle(ROYAL, PAIR, WAGERS, BEFORE, Limits(max_payout=1)) == Settlement(ROYAL.name, 1000, 1, 25_000, 4000)
    assert settle(PAIR, ROYAL, WAGERS, BEFORE, Limits(max_payout=1)).blind == -1000
    assert settle_fold(WAGERS, BEFORE, Limits(max_payout=1)).blind == -1000


def test_a_wager_below_the_minimum_is_paid_or_collected_as_it_is() -> None:  # 5.4
    limits = Limits(table_min=1000)
    wagers = Wagers(ante=300, blind=300, trips=100, play=1200)
    assert settle(STRAIGHT, PAIR, wagers, BEFORE, limits) == Settlement(STRAIGHT.name, 300, 300, 400, 1200)
    assert settle_fold(wagers, BEFORE, limits) == Settlement(None, -300, -300, -100, -1200)


def test_the_boxes_below_the_minimum_are_named() -> None:  # 5.4
    assert below_minimum(Wagers(999, 1000, 999, 3), Limits(table_min=1000)) == ("ante", "trips")
    assert below_minimum(Wagers(1000, 999), Limits(table_min=1000)) == ("blind",)
    assert below_minimum(Wagers(1000, 1000), Limits(table_min=1000)) == ()
    assert below_minimum(Wagers(1, 1, 1), Limits()) == ()


@pytest.mark.parametrize(("wagered", "counts"), [(9_999, 9_999), (10_000, 10_000), (10_001, 10_000), (50_000, 10_000)])
def test_above_the_maximum_a_box_counts_as_the_maximum(wagered: int, counts: int) -> None:  # 5.5
    limits = Limits(table_max=10_000)
    wagers = Wagers(ante=wagered, blind=wagered, trips=wagered)
    assert settle(STRAIGHT, PAIR, wagers, None, limits) == Settlement(STRAIGHT.name, counts, counts, 4 * counts, None)
    assert settle(PAIR, STRAIGHT, wagers, None, limits) == Settlement(PAIR.name, -counts, -counts, -counts, None)
    assert settle_fold(wagers, None, limits) == Settlement(None, -counts, -counts, -counts, None)


def test_the_multiples_of_each_stage() -> None:  # 8.1, 8.3, 8.5
    assert [allowed_multiples(stage) for stage in PlayStage] == [(3, 4), (2,), (1,)]


@pytest.mark.parametrize(
    ("stage", "play", "counts"),
    [
        (PlayStage.BEFORE_FLOP, 2000, 2000),  # below: as wagered, 13.7(a)
        (PlayStage.BEFORE_FLOP, 3000, 3000),
        (PlayStage.BEFORE_FLOP, 3500, 3500),  # neither three nor four times, but neither below nor above
        (PlayStage.BEFORE_FLOP, 4000, 4000),
        (PlayStage.BEFORE_FLOP, 4001, 4000),  # above: to the maximum, 13.7(b)
        (PlayStage.AFTER_FLOP, 1999, 1999),
        (PlayStage.AFTER_FLOP, 2000, 2000),
        (PlayStage.AFTER_FLOP, 2001, 2000),
        (PlayStage.AFTER_FLOP, 4000, 2000),
        (PlayStage.RIVER, 999, 999),
        (PlayStage.RIVER, 1000, 1000),
        (PlayStage.RIVER, 1001, 1000),
    ],
)
def test_a_play_wager_counts_up_to_its_highest_multiple(stage: PlayStage, play: int, counts: int) -> None:
    wagers = Wagers(ante=1000, blind=1000, play=play)
    assert settle(PAIR, LOW_PAIR, wagers, stage).play == counts
    assert settle(LOW_PAIR, PAIR, wagers, stage).play == -counts
    assert settle_fold(wagers, stage).play == -counts


def test_a_play_wager_may_be_above_the_maximum_of_a_box() -> None:  # 8.1 allows four times the highest ante
    at_the_maximum = Wagers(ante=10_000, blind=10_000, play=40_000)
    assert amounts_at_stake(at_the_maximum, BEFORE, Limits(table_max=10_000)) == at_the_maximum


def test_an_ante_above_the_maximum_carries_the_play_wager_of_the_maximum() -> None:
    wagers = Wagers(ante=15_000, blind=15_000, play=60_000)
    assert amounts_at_stake(wagers, BEFORE, Limits(table_max=10_000)) == Wagers(10_000, 10_000, None, 40_000)


def test_a_play_wager_needs_its_stage() -> None:
    with pytest.raises(ValueError, match="a play wager without the stage"):
        settle(PAIR, LOW_PAIR, WAGERS)


@pytest.mark.parametrize(
    ("wagers", "says"),
    [
        ({"ante": 0, "blind": 5}, "ante wager of 0 cents"),
        ({"ante": 5, "blind": -5}, "blind wager of -5 cents"),
        ({"ante": 5, "blind": 5, "trips": 0}, "trips wager of 0 cents"),
        ({"ante": 5, "blind": 5, "play": 0}, "play wager of 0 cents"),
    ],
)
def test_an_empty_box_is_none_and_not_zero(wagers: dict[str, int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Wagers(**wagers)


@pytest.mark.parametrize("limit", ["table_min", "table_max", "max_payout"])
def test_no_limit_is_none_and_not_zero(limit: str) -> None:
    with pytest.raises(ValueError, match=f"{limit} of 0 cents"):
        Limits(**{limit: 0})  # type: ignore[arg-type]  # for mypy the name may be any field's


CENTS = st.integers(min_value=1, max_value=1_000_000)
WAGERS_OF_ALL_KINDS = st.builds(Wagers, CENTS, CENTS, st.none() | CENTS, st.none() | CENTS)
LIMITS_OF_ALL_KINDS = st.builds(Limits, st.none() | CENTS, st.none() | CENTS, st.none() | CENTS)
STAGES = st.sampled_from(PlayStage)


@st.composite
def dealt(draw: st.DrawFn) -> tuple[HandRank, HandRank]:
    """Player's and dealer's best hands on one board."""
    cards = draw(st.lists(st.sampled_from(DECK), min_size=9, max_size=9, unique=True))
    return rank_hand(cards[:2], cards[4:]), rank_hand(cards[2:4], cards[4:])


@given(dealt(), WAGERS_OF_ALL_KINDS, STAGES, LIMITS_OF_ALL_KINDS)
def test_play_turns_round_with_the_hands(
    hands: tuple[HandRank, HandRank], wagers: Wagers, stage: PlayStage, limits: Limits
) -> None:
    player, dealer = hands
    one, other = settle(player, dealer, wagers, stage, limits), settle(dealer, player, wagers, stage, limits)
    assert (one.play is None) == (wagers.play is None) == (other.play is None)
    assert (one.play or 0) == -(other.play or 0)
    if all(map(qualifies, hands)):
        assert one.ante == -other.ante


@given(dealt(), WAGERS_OF_ALL_KINDS, STAGES, LIMITS_OF_ALL_KINDS)
def test_no_wager_loses_more_than_it_stakes_and_a_fold_loses_all(
    hands: tuple[HandRank, HandRank], wagers: Wagers, stage: PlayStage, limits: Limits
) -> None:
    settled, folded = settle(*hands, wagers, stage, limits), settle_fold(wagers, stage, limits)
    stake = amounts_at_stake(wagers, stage, limits)
    assert astuple(folded)[1:] == tuple(None if cents is None else -cents for cents in astuple(stake))
    for box in ("ante", "blind", "trips", "play"):
        result, loss, wagered = getattr(settled, box), getattr(folded, box), getattr(wagers, box)
        if wagered is None:
            assert result is None
            assert loss is None
            continue
        assert -wagered <= loss <= result


@given(dealt(), dealt(), WAGERS_OF_ALL_KINDS, STAGES, LIMITS_OF_ALL_KINDS)
def test_trips_do_not_care_for_the_dealer(
    hands: tuple[HandRank, HandRank],
    others: tuple[HandRank, HandRank],
    wagers: Wagers,
    stage: PlayStage,
    limits: Limits,
) -> None:
    settled = settle(hands[0], hands[1], wagers, stage, limits)
    assert settled.trips == settle(hands[0], others[1], wagers, stage, limits).trips


@given(dealt(), WAGERS_OF_ALL_KINDS, STAGES, LIMITS_OF_ALL_KINDS)
def test_counting_twice_changes_nothing(
    hands: tuple[HandRank, HandRank], wagers: Wagers, stage: PlayStage, limits: Limits
) -> None:
    stake = amounts_at_stake(wagers, stage, limits)
    assert amounts_at_stake(stake, stage, limits) == stake
    assert settle(*hands, stake, stage, limits) == settle(*hands, wagers, stage, limits)


@given(dealt(), WAGERS_OF_ALL_KINDS, STAGES)
def test_the_ante_pushes_whenever_the_dealer_does_not_qualify(
    hands: tuple[HandRank, HandRank], wagers: Wagers, stage: PlayStage
) -> None:
    player, dealer = hands
    settled = settle(player, dealer, wagers, stage)
    assert (settled.ante == 0) == (not qualifies(dealer) or player == dealer)
    assert (settled.blind < 0) == (player < dealer)
