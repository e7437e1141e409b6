"""Rounds of stud dealt as the table prompts: nothing is ever ruled, whatever the players do and the table can see."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_fsm.outputs import Kind
from table_fsm.poker.hands.open_hands import open_hand
from tests.table_fsm.stud_streams import ANTE, Dealer, Decide, stud7

SUPPLY = "insufficient_cards: final_card_communal"


def player(chance: Random, *, folds: float, all_ins: float) -> Decide:
    """Somebody who calls or bets the least there is, and now and then folds or taps out."""

    def decide(seat: int, owed: int) -> str:
        lot = chance.random()
        if lot < folds:
            return "fold"
        if lot < folds + all_ins:
            return f"all_in {max(1, chance.choice((owed // 2, owed)) or ANTE)}"
        return f"call {owed}" if owed else f"bet {ANTE}"

    return decide


def checks_or_bets(chance: Random, decide: Decide, dealer: Dealer) -> Decide:
    """In all but the first round a player who owes nothing may check too."""

    def choose(seat: int, owed: int) -> str:
        said = decide(seat, owed)
        later = dealer.play.core.round.street > 0
        return "check" if later and owed == 0 and said.startswith("bet") and chance.random() < 0.7 else said

    return choose


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    seats=st.lists(st.integers(1, 8), min_size=2, max_size=8, unique=True),
    opener=st.sampled_from(["low", "high"]),
    pack=st.sampled_from([(52, False), (52, True), (48, False), (44, True), (40, False)]),
    sees=st.sampled_from([(True, True, True), (False, True, True), (True, False, True), (True, True, False)]),
    folds=st.sampled_from([0.0, 0.1, 0.3]),
    all_ins=st.sampled_from([0.0, 0.05, 0.2]),
)
def test_a_round_dealt_as_prompted_raises_nothing(
    seed: int,
    seats: list[int],
    opener: str,
    pack: tuple[int, bool],
    sees: tuple[bool, bool, bool],
    folds: float,
    all_ins: float,
) -> None:
    size, joker = pack
    if 6 * len(seats) + 1 > size + joker:
        seats = seats[:6]
    keypad, shoe, reads = sees
    play = stud7(seats, opener=opener, deck=size, joker=joker)
    chance = Random(seed)
    dealer = Dealer(play, seed, keypad=keypad, shoe=shoe, reads=reads)
    decide = checks_or_bets(chance, player(chance, folds=folds, all_ins=all_ins), dealer)
    told = dealer.round(decide)
    short = any(prompt.get("deal") == "board:1" for prompt in dealer.asked)
    assert told.told == [SUPPLY] * short
    assert told.errors == []
    assert play.phase == "complete"


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 7), opener=st.sampled_from(["low", "high"]))
def test_the_turn_begins_at_the_card_the_book_says(seed: int, seats: int, opener: str) -> None:
    play = stud7(range(1, seats + 1), button=2, opener=opener)
    dealer = Dealer(play, seed)
    opened: dict[str, int] = {}

    def decide(seat: int, owed: int) -> str:
        phase = play.phase
        if phase not in opened:
            opened[phase] = seat
            assert seat == _by_hand(dealer, low=opener == "low" and phase == "betting.third")
        return f"call {owed}" if owed else "check" if phase != "betting.third" else f"bet {ANTE}"

    assert dealer.round(decide).told == []
    assert len(opened) == 5


def _by_hand(dealer: Dealer, *, low: bool) -> int:
    """Who holds the lowest or highest open card, the first from the buck of equals."""
    order = dealer.play.order
    best = {seat: [open_hand([card]) for card in dealer.held[f"seat:{seat}"][2:6]] for seat in order}
    ranked = {seat: min(hands) if low else max(hands) for seat, hands in best.items()}
    top = min(ranked.values()) if low else max(ranked.values())
    return next(seat for seat in order if ranked[seat] == top)


@pytest.mark.parametrize("players", [2, 7])
def test_cards_that_suffice_give_everybody_a_seventh(players: int) -> None:
    play = stud7(range(1, players + 1))
    dealer = Dealer(play, 1)
    told = dealer.round(lambda seat, owed: f"call {owed}" if owed else f"bet {ANTE}")
    assert told.told == []
    assert {len(dealer.held[f"seat:{seat}"]) for seat in play.seats} == {7}
    assert len(told.of(Kind.SHOWDOWN)) == 1


def test_a_round_replays_to_the_same_state() -> None:
    digests = set()
    for _ in range(2):
        play = stud7(range(1, 9))
        Dealer(play, 7).round(lambda seat, owed: f"call {owed}" if owed else f"bet {ANTE}", most=90)
        digests.add(play.table.digest())
    assert len(digests) == 1
