"""Cards no reader has seen for too long, and cards seen too often."""

from copy import deepcopy
from itertools import combinations
from math import comb, exp, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from table_fsm.felt import full_deck
from table_fsm.poker.cards.unseen_cards import (
    LONGEST_WAIT,
    MOST_MISSING,
    CardsInDoubt,
    UnseenCards,
    _often_chance,
    _share,
    _unseen_chance,
)
from tests.table_fsm.simulate_odds import INCIDENTS, rounds_until_caught, unseen_alarms

DECK = full_deck()
CARDS = sorted(DECK)


def play(cards: list[str], read: int, rounds: int, seed: int = 1) -> UnseenCards:
    rng, memory = Random(seed), UnseenCards.of(DECK)
    for _ in range(rounds):
        memory.add_round(rng.sample(cards, read))
    return memory


def found_in(memory: UnseenCards) -> CardsInDoubt:
    found = memory.judge()
    assert found is not None
    return found


@pytest.mark.parametrize(("read", "rounds"), [(5, 183), (9, 98), (12, 71), (26, 27)])
def test_a_missing_card_is_raised_by_its_improbability_and_named(read: int, rounds: int) -> None:
    """N (1 - n/N) ^ w falls below half of one in a million."""
    assert 52 * (1 - read / 52) ** rounds <= 0.5e-6 < 52 * (1 - read / 52) ** (rounds - 1)
    missing = CARDS[17]
    cards = [card for card in CARDS if card != missing]
    assert missing not in (play(cards, read, rounds - 1).judge() or CardsInDoubt((), 0, (), 1.0)).unseen
    found = found_in(play(cards, read, rounds))
    assert (found.unseen, found.rounds) == ((missing,), rounds)
    assert found.odds <= 0.5e-6


@pytest.mark.parametrize(("read", "most"), [(5, 30), (9, 16), (26, 5)])
def test_sixteen_missing_cards_are_raised_long_before_46_rounds(read: int, most: int) -> None:
    """Pennsylvania, 2018: sixteen cards stayed in the shuffler for 46 rounds."""
    sixteen = next(incident for incident in INCIDENTS if incident.name == "sixteen cards missing")
    took = [rounds_until_caught(sixteen, read, Random(seed)) for seed in range(5)]
    assert all(rounds is not None and rounds <= most for rounds in took)


def test_sixteen_missing_cards_are_all_among_those_named() -> None:
    found = found_in(play(CARDS[16:], read=9, rounds=20))
    assert set(CARDS[:16]) <= set(found.unseen)
    assert len(found.unseen) <= 18


def test_one_missing_and_one_doubled_are_both_named() -> None:
    """Pennsylvania, 2018: about 420 hands with a right count."""
    found = found_in(play([*CARDS[1:], CARDS[9]], read=12, rounds=420))
    assert (found.unseen, found.doubled) == ((CARDS[0],), (CARDS[9],))


def test_a_card_shown_is_there_but_counts_for_nothing_else() -> None:
    memory = play(CARDS[1:], read=9, rounds=97)
    shown = deepcopy(memory)
    memory.add_round(CARDS[1:10])
    assert memory.judge() is not None
    shown.add_round(CARDS[1:10], shown=[CARDS[0]])
    assert shown.judge() is None
    assert (shown.waited[CARDS[0]], shown.came[CARDS[0]]) == (0, 0)


def test_cards_shown_often_are_not_doubled() -> None:
    """Players show aces: that is no chance."""
    rng, memory = Random(3), UnseenCards.of(DECK)
    for _ in range(300):
        memory.add_round(rng.sample(CARDS, 5), shown=["As", "Ah"])
    assert memory.judge() is None


def test_a_round_in_which_nothing_was_read_by_chance_does_not_count() -> None:
    memory = play(CARDS, read=9, rounds=3)
    before = memory.waited
    memory.add_round([], shown=[CARDS[0]])
    assert (memory.rounds, memory.read_in_all) == (3, 27)
    assert memory.waited == {**before, CARDS[0]: 0}


def test_names_that_are_not_of_the_deck_are_passed_over() -> None:
    memory = UnseenCards.of(DECK)
    memory.add_round(["Jo", "As", "As"], shown=["Jo"])
    assert (memory.read_in_all, memory.came["As"], len(memory.came)) == (1, 1, 52)


def test_a_deck_read_whole_each_round_is_never_in_doubt() -> None:
    memory = UnseenCards.of(DECK)
    for _ in range(20):
        memory.add_round(CARDS)
    assert memory.judge() is None
    assert memory.read == []


def test_nothing_played_says_nothing() -> None:
    assert UnseenCards.of(DECK).judge() is None
    nothing = UnseenCards.of(())
    nothing.add_round(["As"])
    assert nothing.judge() is None


def test_the_memory_is_bounded() -> None:
    memory = UnseenCards.of(["As", "Ah", "Ad"])
    for _ in range(LONGEST_WAIT + 10):
        memory.add_round(["As"])
    assert len(memory.read) == LONGEST_WAIT
    assert max(memory.waited.values()) == LONGEST_WAIT
    assert found_in(memory).unseen == ("Ad", "Ah")


def test_a_missing_card_is_raised_within_the_memory_even_with_one_card_read_a_round() -> None:
    assert 52 * (1 - 1 / 52) ** LONGEST_WAIT < 0.5e-6


def test_the_memory_is_plain_data() -> None:
    adapter = TypeAdapter(UnseenCards)
    memory = play(CARDS, read=9, rounds=30)
    assert adapter.validate_json(adapter.dump_json(memory)) == memory


# -- the odds


@pytest.mark.parametrize(("size", "missing", "read"), [(7, 1, 3), (7, 2, 3), (8, 3, 4)])
def test_the_chance_of_not_being_read_is_that_of_all_hands_counted(size: int, missing: int, read: int) -> None:
    hands = list(combinations(range(size), read))
    without = sum(min(hand) >= missing for hand in hands)
    assert exp(_unseen_chance(size, missing, read)) == pytest.approx(without / len(hands))


@pytest.mark.parametrize(("came", "rounds", "part"), [(30, 60, 0.25), (40, 40, 0.5), (25, 100, 9 / 52)])
def test_the_bound_for_coming_often_lies_above_the_binomial_tail(came: int, rounds: int, part: float) -> None:
    tail = sum(comb(rounds, n) * part**n * (1 - part) ** (rounds - n) for n in range(came, rounds + 1))
    assert tail <= exp(_often_chance(came, rounds, part * rounds)) * (1 + 1e-9)


def test_a_few_thousand_rounds_of_a_whole_deck_raise_nothing() -> None:
    assert unseen_alarms(5_000, seed=4, odds=1e-6) == 0


def test_with_looser_odds_alarms_come_and_stay_below_the_bound() -> None:
    assert 0 < unseen_alarms(5_000, seed=5, odds=0.02) <= 5_000 * 0.02


@pytest.mark.parametrize("seed", range(12))
def test_waits_that_are_soon_cleared_are_cleared_when_all_is_counted_too(seed: int) -> None:
    rng, memory = Random(seed), UnseenCards.of(DECK)
    cards = CARDS[rng.choice((0, 1, 2, 5, 16)) :]
    for _ in range(60):
        memory.add_round(rng.sample(cards, rng.choice((3, 9, 14, 26))))
        waited = memory.waited.values()
        found = (0, 1.0)
        for wait in sorted(set(waited) - {0}):
            missing = sum(one >= wait for one in waited)
            chance = memory._chance(wait, missing)
            if missing <= MOST_MISSING and chance <= log(1e-6 * _share(missing)):
                found = wait, exp(chance)
        assert memory._unseen(1e-6) == found


@given(st.lists(st.tuples(st.sets(st.sampled_from(CARDS)), st.sets(st.sampled_from(CARDS))), max_size=12))
def test_whatever_is_seen_memory_and_judgement_hold_together(rounds: list[tuple[set[str], set[str]]]) -> None:
    memory = UnseenCards.of(DECK)
    for by_chance, shown in rounds:
        memory.add_round(by_chance, shown)
        found = memory.judge()
        assert len(memory.read) == max(memory.waited.values())
        assert found is None or (found.odds <= 1e-6 and (found.unseen or found.doubled))
    assert memory.read_in_all == sum(memory.came.values())
