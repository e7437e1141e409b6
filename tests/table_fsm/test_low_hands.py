"""Low hands: low ball, high and low, eight or better, the ace either way, the joker; against the rules read aloud."""

import random
from math import comb

import pytest
from pokerkit import EightOrBetterLowHand, OmahaEightOrBetterLowHand
from pokerkit.lookups import RegularLookup

from table_fsm.felt import DECK_SIZES, full_deck
from table_fsm.poker.hands.order import HandOrder, Selection, Winner, hand_order
from tests.table_fsm.hand_rules import every_hand, fives, low_key, lows_worked_out

EIGHT = hand_order(winner="high_low_eight")
LOWBALL = hand_order(winner="low")
ORDERS = [
    hand_order(deck=deck, joker=joker, ace=ace, winner="low")
    for deck in DECK_SIZES
    for joker in (False, True)
    for ace in ("high", "high_low")
]


def name_of(order: HandOrder) -> str:
    return f"{order.deck}{'+joker' if order.joker else ''} ace {order.ace}"


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS, ids=name_of)
def test_every_five_card_hand_has_its_place_and_the_eights_are_as_many_as_arithmetic_says(order: HandOrder) -> None:
    eight = hand_order(deck=order.deck, joker=order.joker, ace=order.ace, winner="high_low_eight")
    strength_of: dict[tuple[int, tuple[int, ...]], int] = {}
    hands = qualified = 0
    for hand, ways in every_hand(order.deck, order.joker):
        key, rank = low_key(hand, order.deck, order.ace == "high_low"), order.best_low(hand, ())
        assert rank is not None
        assert strength_of.setdefault(key, rank.strength) == rank.strength
        assert sorted(rank.cards) == sorted(hand)
        hands += ways
        qualified += ways if eight.best_low(hand, ()) == rank else 0
    assert hands == comb(order.deck + order.joker, 5)
    assert qualified == lows_worked_out(order.deck, order.joker, order.ace == "high_low")
    assert [strength_of[key] for key in sorted(strength_of)] == list(range(len(strength_of)))


@pytest.mark.parametrize("selection", [Selection.ANY_FIVE, Selection.TWO_OF_FOUR, Selection.TWO_OF_THREE])
@pytest.mark.parametrize("deck", [52, 44, 32])
@pytest.mark.parametrize("joker", [False, True])
@pytest.mark.parametrize("ace", ["high", "high_low"])
def test_the_lowest_of_all_that_the_selection_lets_through(
    selection: Selection, deck: int, joker: bool, ace: str
) -> None:
    rnd = random.Random(f"low {selection} {deck} {joker} {ace}")
    order = hand_order(deck=deck, joker=joker, selection=selection, ace=ace, winner="high_low")
    eight = hand_order(deck=deck, joker=joker, selection=selection, ace=ace, winner="high_low_eight")
    own = {Selection.ANY_FIVE: 2, Selection.TWO_OF_FOUR: 4, Selection.TWO_OF_THREE: 3}[selection]
    cards = sorted(full_deck(deck, joker))
    for dealt in range(20):
        hand = rnd.sample(cards, own + 5)
        if joker and dealt % 2 and "Jo" not in hand:
            hand[rnd.randrange(len(hand))] = "Jo"
        hole, board = hand[:own], hand[own:]
        low = order.best_low(hole, board)
        assert low is not None
        best = max(low_key(five, deck, ace == "high_low") for five in fives(hole, board, own > 2))
        assert low_key(low.cards, deck, ace == "high_low") == best
        assert own == 2 or len(set(low.cards) & set(hole)) == 2
        qualifies = best[0] == 0 and -best[1][0] <= 8  # five odd cards, the highest an eight
        assert eight.best_low(hole, board) == (low if qualifies else None)


def test_pokerkit_gives_every_low_hand_the_same_place() -> None:
    lookup = RegularLookup()
    for hand, _ in every_hand(52, joker=False):
        low = LOWBALL.best_low(hand, ())
        assert low is not None
        assert low.strength == 6174 - lookup.get_entry("".join(hand)).index  # theirs rises with the hand, ours falls


def test_pokerkit_finds_the_same_eights_in_hold_em_and_omaha() -> None:
    rnd = random.Random(8)
    omaha = hand_order(winner="high_low_eight", selection="two_of_four")
    found = 0
    for _ in range(300):
        cards = rnd.sample(sorted(full_deck()), 9)
        for order, theirs, own in ((EIGHT, EightOrBetterLowHand, 2), (omaha, OmahaEightOrBetterLowHand, 4)):
            hole, board = cards[:own], cards[4:]
            low = order.best_low(hole, board)
            hand = theirs.from_game_or_none("".join(hole), "".join(board))
            assert (low is None) == (hand is None)
            if low is not None and hand is not None:
                found += 1
                assert sorted(card[0] for card in low.cards) == sorted(card.rank for card in hand.cards)
    assert found > 100


@pytest.mark.parametrize(
    ("order", "cards", "read_out"),
    [
        (EIGHT, "8h 6c 4c 3d 2s", "8h 6c 4c 3d 2s"),  # ACT 2001 3.5(d)
        (EIGHT, "9h 6c 4c 3d 2s", None),
        (EIGHT, "5s 4s 3s 2s As", "5s 4s 3s 2s As"),  # straights and flushes do not count, 3.6
        (EIGHT, "8h 6c 4c 4d 2s", None),  # no five odd cards
        (EIGHT, "8h 6c 4c 4d 2s As Kd", "8h 6c 4d 2s As"),
        (hand_order(winner="high_low_eight", ace="high"), "8h 6c 4c 3d As", None),
        (hand_order(winner="high_low_eight", ace="high"), "6h 5h 4h 3h 2h", "6h 5h 4h 3h 2h"),
        (LOWBALL, "9h 6c 4c 3d 2s", "9h 6c 4c 3d 2s"),
        (LOWBALL, "Kh Kc 4c 4d As", "Kh Kc 4d 4c As"),
        (LOWBALL, "As Ah 4c 3d 2s", "As Ah 4c 3d 2s"),
        (hand_order(winner="low", joker=True), "Kh Qc 4c 2d Jo", "Kh Qc 4c 2d Jo"),  # as an ace
        (hand_order(winner="low", joker=True), "Kh 4c 2d Ah Jo", "Kh 4c Jo 2d Ah"),  # as a 3
        (hand_order(winner="low", joker=True, ace="high"), "Kh 4c 3d 2h Jo", "Kh Jo 4c 3d 2h"),  # as a 5
        (hand_order(winner="high_low_eight", joker=True), "8h 6c 4c 3d Jo", "8h 6c 4c 3d Jo"),
        (hand_order(winner="high_low_eight", joker=True), "9h 6c 4c 3d Jo", None),
        (hand_order(winner="high_low_eight", deck=40), "8h 7c 6c 5d As", "8h 7c 6c 5d As"),
        (hand_order(winner="high_low_eight", deck=36), "8h 7c 6c 9d As", None),
    ],
)
def test_the_lowest_hand_as_it_is_read_out(order: HandOrder, cards: str, read_out: str | None) -> None:
    low = order.best_low(cards.split(), ())
    assert (" ".join(low.cards) if low is not None else None) == read_out


def test_the_lower_hand_has_the_greater_value() -> None:
    lows = [
        LOWBALL.best_low(hand.split(), ())
        for hand in (
            "Kh Kc Ks Kd Qs",
            "2h 2c 2s Ad Ac",
            "Kh Kc Ks Qd Js",
            "3h 3c 2s 2d As",
            "Ks Kh Qs Js Ts",
            "As Ah 4c 3d 2s",
            "Ks Qs Js Ts 9s",
            "8h 7c 3c 2d As",
            "8h 6c 5c 4d 3s",
            "5h 4h 3h 2h Ah",
        )
    ]
    assert all(low is not None for low in lows)
    assert [low.strength for low in lows if low] == sorted({low.strength for low in lows if low})


def test_equal_low_hands_split_whatever_their_suits() -> None:
    assert EIGHT.best_low(["8h", "6c", "4c", "3d", "2s"], ()) == EIGHT.best_low(["8s", "6s", "4s", "3s", "2s"], ())


def test_one_hand_may_win_both_ways_and_each_way_takes_the_joker_for_itself() -> None:
    order = hand_order(winner="high_low_eight", joker=True)
    cards = ["7h", "6h", "5h", "4h", "Jo"]
    low = order.best_low(cards, ())
    assert low is not None
    assert low.cards[-1] == "Jo"  # an ace
    assert order.best_high(cards, ()).cards[0] == "Jo"  # the 8 of hearts


def test_where_only_the_high_hand_wins_there_is_no_low_one() -> None:
    assert hand_order().best_low(["5h", "4h", "3h", "2h", "Ah"], ()) is None


@pytest.mark.parametrize(
    ("winner", "high", "low"),
    [
        (Winner.HIGH, True, False),
        (Winner.LOW, False, True),
        (Winner.HIGH_LOW, True, True),
        (Winner.HIGH_LOW_EIGHT, True, True),
    ],
)
def test_which_halves_of_the_pot_there_are(winner: Winner, high: bool, low: bool) -> None:  # ACT 2001 3.5(b) to (d)
    order = HandOrder(winner=winner)
    assert (order.high_wins, order.low_wins) == (high, low)
