"""Every order of hands against the rules read aloud, over every hand of every deck; joker; two and three."""

import random
from collections import Counter
from dataclasses import FrozenInstanceError
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pokerkit import OmahaHoldemHand, ShortDeckHoldemHand, StandardHighHand
from pokerkit.lookups import ShortDeckHoldemLookup, Standard2Lookup, StandardLookup

from table_fsm.felt import DECK_SIZES, RANKS, full_deck
from table_fsm.poker.hands.evaluation import STANDARD, HandName
from table_fsm.poker.hands.order import Ace, HandOrder, Ladder, Selection, Winner, hand_order
from tests.table_fsm.hand_rules import FULL, REDUCED, TAS_32, best_key, counts_worked_out, every_hand, fives

LADDERS = {Ladder.FULL: FULL, Ladder.REDUCED: REDUCED, Ladder.TAS_32: TAS_32}
OMAHA = HandOrder(selection=Selection.TWO_OF_FOUR)
MANILA = HandOrder(selection=Selection.TWO_OF_THREE)

# Every order that a book of ours can ask for.
ORDERS = [
    *(
        hand_order(deck=deck, joker=joker, ace=ace)
        for deck in DECK_SIZES
        for joker in (False, True)
        for ace in ("high", "high_low")
    ),
    hand_order(deck=32, reduced="tas_32"),
    hand_order(deck=32, reduced="tas_32", joker=True),
]


def name_of(order: HandOrder) -> str:
    return f"{order.deck}{'+joker' if order.joker else ''} {order.ladder} ace {order.ace}"


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS, ids=name_of)
def test_every_five_card_hand_has_its_kind_and_its_place(order: HandOrder) -> None:
    ladder, ace_low = LADDERS[order.ladder], order.ace is Ace.HIGH_LOW
    of_each_kind: Counter[str] = Counter()
    strength_of: dict[tuple[int, tuple[int, ...]], int] = {}
    for hand, ways in every_hand(order.deck, order.joker):
        key, rank = best_key(hand, ladder, order.deck, ace_low), order.best_high(hand, ())
        assert rank.name == ladder[key[0]]
        assert strength_of.setdefault(key, rank.strength) == rank.strength
        assert sorted(rank.cards) == sorted(hand)
        of_each_kind[rank.name] += ways
    assert of_each_kind == counts_worked_out(order.deck, order.joker, ace_low)
    assert of_each_kind.total() == comb(order.deck + order.joker, 5)
    assert [strength_of[key] for key in sorted(strength_of)] == list(range(len(strength_of)))


def test_what_the_arithmetic_says_of_the_decks_that_everybody_knows() -> None:
    full = counts_worked_out(52, joker=False, ace_low=True)
    assert list(full.values()) == [4, 36, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540]
    assert sum(full.values()) == 2_598_960
    # 53 cards with a wild joker, lowest kind first, as the usual tables have them.
    wild = counts_worked_out(53 - 1, joker=True, ace_low=True)
    assert list(wild.values()) == [
        1_302_540, 1_268_088, 123_552, 137_280, 20_532, 7_804, 6_552, 3_120, 180, 13, 24,
    ]  # fmt: skip
    assert sum(wild.values()) == 2_869_685


@pytest.mark.slow
def test_every_single_hand_of_the_32_and_the_joker() -> None:
    """No patterns here: all 237,336 hands, so that nothing rests on suits being alike."""
    order = hand_order(deck=32, joker=True)
    value_of: dict[tuple[str, bool], tuple[int, str]] = {}
    of_each_kind: Counter[str] = Counter()
    for hand in combinations(sorted(full_deck(32, joker=True)), 5):
        rank = order.best_high(hand, ())
        natural = [card for card in hand if card != "Jo"]
        pattern = ("".join(sorted(card[0] for card in natural)), len({card[1] for card in natural}) == 1)
        assert value_of.setdefault(pattern, (rank.strength, rank.name)) == (rank.strength, rank.name)
        of_each_kind[rank.name] += 1
    assert of_each_kind == counts_worked_out(32, joker=True, ace_low=True)


@pytest.mark.parametrize("selection", [Selection.ANY_FIVE, Selection.TWO_OF_FOUR, Selection.TWO_OF_THREE])
@pytest.mark.parametrize("deck", DECK_SIZES)
@pytest.mark.parametrize("joker", [False, True])
def test_the_best_of_all_that_the_selection_lets_through(selection: Selection, deck: int, joker: bool) -> None:
    rnd = random.Random(f"{selection} {deck} {joker}")
    order = hand_order(deck=deck, joker=joker, selection=selection, ace=rnd.choice(["high", "high_low"]))
    own = {Selection.ANY_FIVE: 2, Selection.TWO_OF_FOUR: 4, Selection.TWO_OF_THREE: 3}[selection]
    cards = sorted(full_deck(deck, joker))
    for dealt in range(30):
        hand = rnd.sample(cards, own + 5)
        if joker and dealt % 2 and "Jo" not in hand:  # seldom dealt, so put it in
            hand[rnd.randrange(len(hand))] = "Jo"
        hole, board = hand[:own], hand[own:]
        rank = order.best_high(hole, board)
        args = (LADDERS[order.ladder], deck, order.ace is Ace.HIGH_LOW)
        best = max(best_key(five, *args) for five in fives(hole, board, own > 2))
        assert best_key(rank.cards, *args) == best
        assert rank.name == args[0][best[0]]
        from_hole = len(set(rank.cards) & set(hole))
        assert len(set(rank.cards) & {*hole, *board}) == 5
        assert own == 2 or from_hole == 2


@given(st.data())
def test_two_hands_compare_as_the_rules_compare_them(data: st.DataObject) -> None:
    order = data.draw(st.sampled_from(ORDERS))
    seven = st.lists(st.sampled_from(sorted(full_deck(order.deck, order.joker))), min_size=7, max_size=7, unique=True)
    one, other = data.draw(seven), data.draw(seven)
    args = (LADDERS[order.ladder], order.deck, order.ace is Ace.HIGH_LOW)
    mine, theirs = order.best_high(one[:2], one[2:]), order.best_high(other[:2], other[2:])
    my_key, their_key = best_key(mine.cards, *args), best_key(theirs.cards, *args)
    assert (mine < theirs) == (my_key < their_key)
    assert (mine == theirs) == (my_key == their_key)


@given(st.data(), st.randoms(use_true_random=False))
def test_the_order_the_cards_come_in_does_not_matter(data: st.DataObject, rnd: random.Random) -> None:
    order = data.draw(st.sampled_from([HandOrder(joker=True), OMAHA]))
    nine = data.draw(st.permutations(sorted(full_deck(52, order.joker))))[:9]
    hole, board = (nine[:4], nine[4:]) if order is OMAHA else (nine[:2], nine[2:7])
    rank = order.best_high(hole, board)
    rnd.shuffle(hole)
    rnd.shuffle(board)
    again = order.best_high(hole, board)
    assert (again.strength, again.name, again.cards) == (rank.strength, rank.name, rank.cards)


# Where pokerkit reaches, it agrees.


@pytest.mark.parametrize(
    ("order", "lookup"),
    [
        (HandOrder(), StandardLookup()),
        (HandOrder(ace=Ace.HIGH), Standard2Lookup()),
        (hand_order(deck=36), ShortDeckHoldemLookup()),
    ],
)
def test_pokerkit_gives_every_hand_the_same_place(
    order: HandOrder, lookup: StandardLookup | Standard2Lookup | ShortDeckHoldemLookup
) -> None:
    for hand, _ in every_hand(order.deck, joker=False):
        assert order.best_high(hand, ()).strength == lookup.get_entry("".join(hand)).index


def test_pokerkit_finds_the_same_hands_in_hold_em_and_omaha() -> None:
    rnd = random.Random(52)
    short = hand_order(deck=36)
    for _ in range(100):
        cards = rnd.sample(sorted(full_deck()), 9)
        hold_em = StandardHighHand.from_game("".join(cards[:2]), "".join(cards[2:7]))
        assert STANDARD.best_high(cards[:2], cards[2:7]).strength == hold_em.entry.index
        omaha = OmahaHoldemHand.from_game("".join(cards[:4]), "".join(cards[4:]))
        assert OMAHA.best_high(cards[:4], cards[4:]).strength == omaha.entry.index
        cards = rnd.sample(sorted(full_deck(36)), 7)
        theirs = ShortDeckHoldemHand.from_game("".join(cards[:2]), "".join(cards[2:]))
        assert short.best_high(cards[:2], cards[2:]).strength == theirs.entry.index


# The clauses, one by one.


def beats(order: HandOrder, better: str, worse: str) -> bool:
    return order.best_high(better.split(), ()) > order.best_high(worse.split(), ())


FLUSH, HOUSE, FOURS = "Kd Jd 9d 8d 7d", "Ks Kh Kd Js Jh", "9s 9h 9d 9c Qs"


def test_a_full_deck_has_fours_over_full_house_over_flush() -> None:  # ACT 2001 3.3, TAS 2018 B 14.1
    order = hand_order()
    assert beats(order, FOURS, HOUSE)
    assert beats(order, HOUSE, FLUSH)


@pytest.mark.parametrize("deck", [48, 44, 40, 36, 32])
def test_a_reduced_deck_has_fours_over_flush_over_full_house(deck: int) -> None:  # ACT 2001 3.4
    order = hand_order(deck=deck, joker=True)  # 48 and a joker are a reduced deck still (ours)
    assert beats(order, FOURS, FLUSH)
    assert beats(order, FLUSH, HOUSE)
    assert beats(order, HOUSE, "As Kh Qd Js Th")


def test_the_32_of_tasmania_have_the_flush_over_fours() -> None:  # TAS 2018 B 14.2
    order = hand_order(deck=32, reduced="tas_32")
    assert beats(order, "Js Ts 9s 8s 7s", FLUSH)
    assert beats(order, FLUSH, FOURS)
    assert beats(order, FOURS, HOUSE)
    assert beats(order, HOUSE, "As Kh Qd Js Th")
    assert beats(order, "Ts 9h 8d 7s Ah", "As Ah Ad Ks Qh")  # the ace as a 6, 14.2(f)
    assert beats(order, "Js Th 9d 8s 7h", "Ts 9h 8d 7s Ah")


@pytest.mark.parametrize(
    ("deck", "lowest"),
    [
        (52, "5s 4h 3d 2c As"),
        (48, "6s 5h 4d 3c As"),
        (44, "7s 6h 5d 4c As"),
        (40, "8s 7h 6d 5c As"),  # ACT 2001 3.4(c) and (g)
        (36, "9s 8h 7d 6c As"),
        (32, "Ts 9h 8d 7c As"),
    ],
)
def test_the_ace_counts_below_the_lowest_card_only_where_it_is_high_and_low(deck: int, lowest: str) -> None:
    low = hand_order(deck=deck, ace="high_low").best_high(lowest.split(), ())
    assert (low.name, " ".join(low.cards)) == ("straight", lowest)
    suited = [card[0] + "h" for card in lowest.split()]
    assert hand_order(deck=deck, ace="high_low").best_high(suited, ()).name == "straight flush"
    high = hand_order(deck=deck, ace="high").best_high(lowest.split(), ())
    assert (high.name, high.cards[0]) == ("high card", "As")
    assert hand_order(deck=deck, ace="high").best_high(suited, ()).name == "flush"


@pytest.mark.parametrize("deck", DECK_SIZES)
def test_the_ace_does_not_go_around_the_corner(deck: int) -> None:
    lowest, next_lowest = list(RANKS[-deck // 4 :])[:2]
    around = ["As", "Kh", "Qd", lowest + "s", next_lowest + "s"]
    assert hand_order(deck=deck).best_high(around, ()).name == "high card"


@pytest.mark.parametrize(
    ("cards", "name", "read_out"),
    [
        ("As Ah Ad Ac Jo", "five of a kind", "As Ah Ad Ac Jo"),  # 3.3(b)
        ("As Ks Qs Ts Jo", "royal flush", "As Ks Qs Jo Ts"),
        ("Ks Qs Js Ts Jo", "royal flush", "Jo Ks Qs Js Ts"),
        ("9h 8h 7h 6h Jo", "straight flush", "Jo 9h 8h 7h 6h"),
        ("As 5s 4s 2s Jo", "straight flush", "5s 4s Jo 2s As"),
        ("5s 4s 3s 2s Jo", "straight flush", "Jo 5s 4s 3s 2s"),
        ("Ks Kh Kd 4c Jo", "four of a kind", "Ks Kh Kd Jo 4c"),
        ("Ks Kh 4d 4c Jo", "full house", "Ks Kh Jo 4d 4c"),
        ("Ad Jd 9d 5d Jo", "flush", "Ad Jo Jd 9d 5d"),
        ("Ks Qh Td 9c Jo", "straight", "Ks Qh Jo Td 9c"),
        ("As 4h 3d 2c Jo", "straight", "Jo 4h 3d 2c As"),
        ("Ks Kh 4d 3c Jo", "three of a kind", "Ks Kh Jo 4d 3c"),
        ("Ks Qh 4d 3c Jo", "one pair", "Ks Jo Qh 4d 3c"),
    ],
)
def test_the_joker_is_the_card_that_helps_most(cards: str, name: str, read_out: str) -> None:  # ACT 2001 Terms, 3.7
    rank = hand_order(joker=True).best_high(cards.split(), ())
    assert (rank.name, " ".join(rank.cards)) == (name, read_out)


def test_five_of_a_kind_stands_between_the_straight_flush_and_the_royal_flush() -> None:  # 3.3(a) to (c), 3.4
    for deck in DECK_SIZES:
        order = hand_order(deck=deck, joker=True)
        assert beats(order, "As Ks Qs Js Jo", "Ah Ad Ac As Jo")
        assert beats(order, "Ts 9s 8s 7s Jo", "Ah Ad Ac As Kh")
        assert beats(order, "7h 7d 7c 7s Jo", "Ks Qs Js Ts 9s")
        assert beats(order, "8h 8d 8c 8s Jo", "7h 7d 7c 7s Jo")


def test_the_joker_is_worth_the_card_it_stands_for() -> None:  # 3.7
    order = hand_order(joker=True)
    assert order.best_high(["Ad", "Jo", "Jd", "9d", "5d"], ()) == order.best_high(["Ah", "Kh", "Jh", "9h", "5h"], ())


def test_the_joker_is_no_second_copy_of_a_card_in_the_hand() -> None:  # ours: an ace and a joker are no two aces
    order = hand_order(joker=True)
    with_joker = order.best_high(["Ad", "Jo", "Qd", "9d", "5d"], ())
    assert with_joker == order.best_high(["Ah", "Kh", "Qh", "9h", "5h"], ())


def test_of_equal_hands_the_one_without_the_joker_is_shown() -> None:
    rank = hand_order(joker=True).best_high(["Jo", "Ah"], ["As", "Ks", "Qs", "Js", "Ts"])
    assert rank.cards == ("As", "Ks", "Qs", "Js", "Ts")


@pytest.mark.parametrize(
    ("hole", "board", "name"),
    [
        ("As Ah Ad Ac", "Ks Kh Kd 2c 7h", "full house"),  # two aces only, and three kings
        ("As Kd Qc Jh", "Ts 9s 8s 7s 2h", "straight"),  # one spade of one's own makes no flush
        ("As 2s Kd Kc", "Ts 9s 8s 7h 3h", "flush"),
        ("Ac Kd Qc Jh", "Th 9s 8d 7s 6h", "straight"),  # the board's own straight cannot be played
        ("Ac 2d 3c 3h", "Kh Kd Ks Kc Qh", "full house"),
    ],
)
def test_omaha_takes_exactly_two_and_three(hole: str, board: str, name: str) -> None:  # ACT 2001 C 2.5
    assert OMAHA.best_high(hole.split(), board.split()).name == name


def test_manila_takes_exactly_two_and_three() -> None:  # ACT 2001 A 2.5
    assert MANILA.best_high(["As", "Ah", "Ad"], ["Ks", "Kh", "Qd", "2c", "7h"]).name == "two pair"
    assert MANILA.best_high(["2c", "3d", "9s"], ["As", "Ks", "Qs", "Js", "Ts"]).name == "high card"
    assert MANILA.best_high(["9s", "8s", "2d"], ["As", "Ks", "Qs", "Jd", "Td"]).name == "flush"


def test_five_held_are_ranked_as_they_are() -> None:  # ACT 2001 B 2.8
    order = hand_order(selection="five_held")
    assert order.best_high(["Qs", "Qh", "Js", "Jh", "Td"], ()) > order.best_high(["Qd", "Qc", "Jd", "Jc", "9d"], ())


def test_seven_card_stud_with_a_communal_last_card() -> None:  # ACT 2001 D 2.4, 4.4
    order = hand_order(deck=52)
    assert order.best_high(["As", "Ks", "Qs", "Js", "2h", "3d"], ["Ts"]).name == "royal flush"
    assert order.best_high(["As", "Ks", "Qs", "Js", "2h", "3d", "Ts"], ()).name == "royal flush"


@pytest.mark.parametrize(
    ("order", "hole", "board", "says"),
    [
        (OMAHA, "As Ks Qs", "2s 3s 4s 5s 6s", "3 own cards and 5 of the board: rank 4 own cards"),
        (OMAHA, "As Ks Qs Js", "2s 3s", "with 3 to 5 of the board"),
        (MANILA, "As Ks", "2s 3s 4s 5s 6s", "rank 3 own cards"),
        (hand_order(selection="five_held"), "As Ks Qs Js", "Ts", "rank 5 own cards, no board"),
        (hand_order(selection="five_held"), "As Ks Qs Js Ts 9s", "", "rank 5 own cards, no board"),
        (STANDARD, "As Ks Qs Js", "", "a hand of 4 cards: rank 5 to 7"),
        (STANDARD, "As Ks", "As Js Ts 9s 8s", "with a card in it twice"),
        (hand_order(joker=True), "Jo As", "Jo Js Ts 9s 8s", "with a card in it twice"),
        (hand_order(deck=32), "As 6s", "Qs Js Ts 9s 8s", "only its 32 cards and no joker"),
        (hand_order(deck=32, joker=True), "As 6s", "Qs Js Ts 9s 8s", "only its 32 cards and the joker"),
        (hand_order(deck=40), "As Jo", "Qs Js Ts 9s 8s", "only its 40 cards and no joker"),
    ],
)
def test_what_is_no_hand_is_refused_without_naming_a_card(order: HandOrder, hole: str, board: str, says: str) -> None:
    for rank in (order.best_high, order.best_low):
        with pytest.raises(ValueError, match=says) as refused:
            rank(hole.split(), board.split())
        assert not any(card in str(refused.value) for card in (*hole.split(), *board.split()))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"deck": 51}, "deck of 51 cards: choose one of 52, 48"),
        ({"ace": "low"}, "ace 'low': choose one of high, high_low"),
        ({"winner": "lowest"}, "winner 'lowest': choose one of high, low, high_low, high_low_eight"),
        ({"reduced": "short"}, "order of a reduced deck 'short': choose one of full, reduced, tas_32"),
        ({"selection": "six"}, "cards that make a hand 'six': choose one of any_five, two_of_four"),
    ],
)
def test_a_setting_that_is_none_is_named(settings: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        hand_order(**settings)


def test_an_order_that_no_deck_has_is_refused() -> None:
    with pytest.raises(ValueError, match="deck of 50 cards"):
        HandOrder(deck=50)


def test_the_words_of_the_options_make_the_order() -> None:
    assert hand_order() == STANDARD == HandOrder()
    assert hand_order(deck=32, reduced="tas_32").ladder is Ladder.TAS_32
    assert hand_order(deck=52, reduced="tas_32").ladder is Ladder.FULL
    assert hand_order(deck=44).ladder is Ladder.REDUCED
    assert hand_order(winner="high_low_eight", ace="high", selection="two_of_four") == HandOrder(
        ace=Ace.HIGH, winner=Winner.HIGH_LOW_EIGHT, selection=Selection.TWO_OF_FOUR
    )


@pytest.mark.parametrize("order", ORDERS, ids=name_of)
def test_the_sign_at_the_table_shows_the_kinds_in_their_order(order: HandOrder) -> None:  # TAS 2018 B 14.3
    ladder = [kind for kind in LADDERS[order.ladder] if order.joker or kind != "five of a kind"]
    assert list(order.kinds) == ladder
    assert all(isinstance(kind, HandName) for kind in order.kinds)


def test_an_order_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        STANDARD.joker = True  # type: ignore[misc]  # that it is refused is the point


def test_a_rank_shows_no_cards() -> None:
    rank = OMAHA.best_high(["As", "Ah", "Ad", "Ac"], ["Ks", "Kh", "Kd", "2c", "7h"])
    assert repr(rank) == f"HandRank(strength={rank.strength}, name={HandName.FULL_HOUSE!r})"


def test_warming_up_loads_the_low_hands_where_they_win() -> None:
    for order in (STANDARD, hand_order(winner="high_low_eight"), hand_order(deck=36, joker=True, winner="low")):
        order.warm_up()
        order.warm_up()
        assert order.best_high(["As", "Ks", "Qs", "Js", "Ts"], ()).name == "royal flush"
