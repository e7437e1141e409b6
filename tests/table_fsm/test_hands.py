"""Hand ranking against a classifier written from the rules alone, over every value a hand can have."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pokerkit import StandardHighHand

from table_fsm.felt import RANKS, SUITS, full_deck
from table_fsm.poker.hands.evaluation import HandName, rank_hand

DECK = sorted(full_deck())
SEVEN = st.lists(st.sampled_from(DECK), min_size=7, max_size=7, unique=True)

# TAS 2018 C 4.3, lowest first; the number of five-card hands of each kind is arithmetic, not anybody's program.
HANDS_OF_EACH_KIND = {
    "high card": 1_302_540,
    "one pair": 1_098_240,
    "two pair": 123_552,
    "three of a kind": 54_912,
    "straight": 10_200,
    "flush": 5_108,
    "full house": 3_744,
    "four of a kind": 624,
    "straight flush": 36,
    "royal flush": 4,
}
KINDS = list(HANDS_OF_EACH_KIND)

Key = tuple[int, tuple[int, ...]]


def classify(five: tuple[str, ...]) -> Key:
    """The rules read aloud: kind, then the ranks that count, those of most cards first."""
    ranks = sorted((RANKS.index(card[0]) for card in five), reverse=True)
    counts = sorted(Counter(ranks).items(), key=lambda item: (item[1], item[0]), reverse=True)
    shape = tuple(count for _, count in counts)
    order = tuple(rank for rank, _ in counts)
    suited = len({card[1] for card in five}) == 1
    if order == (12, 3, 2, 1, 0):
        order = (3, 2, 1, 0, -1)  # the ace counts low
    straight = shape == (1, 1, 1, 1, 1) and order[0] - order[4] == 4
    if straight and suited:
        kind = "royal flush" if order[0] == 12 else "straight flush"
    elif straight:
        kind = "straight"
    elif suited:
        kind = "flush"
    else:
        kind = {
            (4, 1): "four of a kind",
            (3, 2): "full house",
            (3, 1, 1): "three of a kind",
            (2, 2, 1): "two pair",
            (2, 1, 1, 1): "one pair",
            (1, 1, 1, 1, 1): "high card",
        }[shape]
    return KINDS.index(kind), order


def every_value() -> Iterator[tuple[tuple[str, ...], int]]:
    """One hand of each rank pattern, suited and not, with the number of hands that share the pattern: all 2,598,960."""
    for ranks in combinations_with_replacement(RANKS, 5):
        counts = Counter(ranks)
        if max(counts.values()) == 5:
            continue
        ways = prod(comb(4, count) for count in counts.values())
        if len(counts) == 5:
            yield tuple(rank + "h" for rank in ranks), 4
            yield tuple(rank + suit for rank, suit in zip(ranks, "shdcs", strict=True)), ways - 4
            continue
        dealt: Counter[str] = Counter()
        hand = []
        for rank in ranks:
            hand.append(rank + SUITS[dealt[rank]])
            dealt[rank] += 1
        yield tuple(hand), ways


def test_every_value_of_a_hand_has_its_name_and_its_place() -> None:
    hands = list(every_value())
    ranked = [(classify(hand), rank_hand(hand[:2], hand[2:]), ways) for hand, ways in hands]
    assert sum(ways for _, _, ways in ranked) == 2_598_960

    of_each_kind: Counter[str] = Counter()
    for key, rank, ways in ranked:
        assert rank.name == KINDS[key[0]]
        of_each_kind[rank.name] += ways
    assert of_each_kind == HANDS_OF_EACH_KIND

    ranked.sort(key=lambda row: row[0])
    assert [rank.strength for _, rank, _ in ranked] == list(range(7462))


def test_the_best_five_of_seven() -> None:
    rnd = random.Random(20180901)
    for _ in range(2_000):
        seven = rnd.sample(DECK, 7)
        rank = rank_hand(seven[:2], seven[2:])
        best = max(classify(five) for five in combinations(seven, 5))
        assert (rank.name, classify(rank.cards)) == (KINDS[best[0]], best)
        assert set(rank.cards) <= set(seven)


def test_it_is_what_pokerkit_says_of_a_game() -> None:
    rnd = random.Random(7)
    for _ in range(500):
        seven = rnd.sample(DECK, 7)
        theirs = StandardHighHand.from_game("".join(seven[:2]), "".join(seven[2:]))
        assert rank_hand(seven[:2], seven[2:]).strength == theirs.entry.index


@given(SEVEN, SEVEN)
def test_two_hands_compare_as_their_best_five_do(one: list[str], other: list[str]) -> None:
    mine, theirs = rank_hand(one[:2], one[2:]), rank_hand(other[:2], other[2:])
    my_key = max(classify(five) for five in combinations(one, 5))
    their_key = max(classify(five) for five in combinations(other, 5))
    assert (mine < theirs) == (my_key < their_key)
    assert (mine == theirs) == (my_key == their_key)
    assert (hash(mine) == hash(theirs)) or mine != theirs


@given(SEVEN, st.randoms(use_true_random=False))
def test_the_order_the_cards_come_in_does_not_matter(seven: list[str], rnd: random.Random) -> None:
    rank = rank_hand(seven[:2], seven[2:])
    rnd.shuffle(seven)
    again = rank_hand(seven[:2], seven[2:])
    assert (again.strength, again.name, again.cards) == (rank.strength, rank.name, rank.cards)


@given(SEVEN)
def test_a_card_more_never_makes_a_hand_worse(seven: list[str]) -> None:
    assert rank_hand(seven[:5], ()) <= rank_hand(seven[:6], ()) <= rank_hand(seven, ())


@pytest.mark.parametrize(
    ("hole", "board", "name", "cards"),
    [
        # The examples of the sources: TAS 2018 C 4.3, ACT 2019 3.1.
        ("As Ks", "Qs Js Ts 2h 3d", "royal flush", "As Ks Qs Js Ts"),
        ("Jh Th", "9h 8h 7h As Ad", "straight flush", "Jh Th 9h 8h 7h"),
        ("5s 4s", "3s 2s As Kd Kc", "straight flush", "5s 4s 3s 2s As"),
        ("As Ah", "Ad Ac 4s 3d 2c", "four of a kind", "As Ah Ad Ac 4s"),
        ("Ks Kh", "Kd Js Jh 3d 2c", "full house", "Ks Kh Kd Js Jh"),
        ("Kd Jd", "9d 7d 5d As Ac", "flush", "Kd Jd 9d 7d 5d"),
        ("Kh Qc", "Jc Ts 9s 3d 2c", "straight", "Kh Qc Jc Ts 9s"),
        ("5h 4c", "3c 2s As Kd Kh", "straight", "5h 4c 3c 2s As"),
        ("Qs Qh", "Qd 8s 5s 3d 2c", "three of a kind", "Qs Qh Qd 8s 5s"),
        ("Qs Qh", "4d 4s Js 3d 2c", "two pair", "Qs Qh 4s 4d Js"),
        ("Ts Th", "Kd 6s 2s 4d 3c", "one pair", "Ts Th Kd 6s 4d"),
        ("Qh Tc", "7c 4d 3s 2h 8d", "high card", "Qh Tc 8d 7c 4d"),
        # The board alone; three pairs; two threes; a straight through the ace is none.
        ("2c 3d", "As Ks Qs Js Ts", "royal flush", "As Ks Qs Js Ts"),
        ("9s 9h", "8s 8h 7d 7c Ks", "two pair", "9s 9h 8s 8h Ks"),
        ("9s 9h", "9d 8s 8h 8d Ks", "full house", "9s 9h 9d 8s 8h"),
        ("Qs Kh", "Ad 2c 3s 7d 8h", "high card", "Ad Kh Qs 8h 7d"),
    ],
)
def test_the_five_that_count_as_they_are_read_out(hole: str, board: str, name: str, cards: str) -> None:
    rank = rank_hand(hole.split(), board.split())
    assert (rank.name, " ".join(rank.cards)) == (name, cards)


def test_all_cards_count() -> None:  # TAS 2018 C 4.2: Q Q J J 10 beats Q Q J J 9
    board = ["Qs", "Qh", "Js", "Jh", "2c"]
    assert rank_hand(["Td", "3c"], board) > rank_hand(["9d", "8d"], board)


def test_a_full_house_takes_its_rank_from_the_three() -> None:  # TAS 2018 C 4.3(d)
    assert rank_hand(["Ks", "Kh", "Kd", "2s", "2h"], ()) > rank_hand(["Qs", "Qh", "Qd", "As", "Ah"], ())


def test_suits_do_not_count() -> None:  # TAS 2018 C 4.1
    spades = rank_hand(["As", "Ks", "9s", "5s", "3s"], ())
    assert spades == rank_hand(["Ac", "Kc", "9c", "5c", "3c"], ())
    assert hash(spades) == hash(rank_hand(["Ac", "Kc", "9c", "5c", "3c"], ()))


def test_the_wheel_is_the_lowest_straight() -> None:
    assert rank_hand(["As", "2h", "3d", "4c", "5s"], ()) < rank_hand(["2h", "3d", "4c", "5s", "6s"], ())


@pytest.mark.parametrize(
    ("hole", "board", "says"),
    [
        (["As", "Ks"], ["Qs", "Js"], "a hand of 4 cards"),
        ([], [], "a hand of 0 cards"),
        (["As", "Ks", "Qd"], ["Qs", "Js", "Ts", "9s", "8s"], "a hand of 8 cards"),
        (["As", "Ks"], ["As", "Js", "Ts", "9s", "8s"], "with a card in it twice"),
        (["As", "Jo"], ["Qs", "Js", "Ts", "9s", "8s"], "not of the deck: only its 52 cards and no joker"),
        (["As", "Xx"], ["Qs", "Js", "Ts", "9s", "8s"], "not of the deck: only its 52 cards and no joker"),
    ],
)
def test_what_is_no_hand_is_refused_without_naming_a_card(hole: list[str], board: list[str], says: str) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        rank_hand(hole, board)
    assert not any(card in str(refused.value) for card in (*hole, *board))


def test_a_rank_shows_no_cards_and_does_not_change() -> None:
    rank = rank_hand(["As", "Ks"], ["Qd", "Jd", "9h", "3c", "2c"])
    assert repr(rank) == f"HandRank(strength={rank.strength}, name={HandName.HIGH_CARD!r})"
    with pytest.raises(FrozenInstanceError):
        rank.strength = 0  # type: ignore[misc]  # that it is refused is the point


def test_names_are_plain_text() -> None:
    assert f"{HandName.TWO_PAIR}" == "two pair"
    assert [name for name in HandName if name is not HandName.FIVE_OF_A_KIND] == KINDS
