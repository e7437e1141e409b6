"""Rounds of Five Card Stud dealt as the table prompts: nothing is ruled, and where one thing went wrong, only that."""

from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Play
from tests.table_fsm.stud5_streams import STUD5
from tests.table_fsm.stud_streams import ANTE, Dealer, Decide

PREMATURE = "board_premature: burn_to_player_count"


def opened(seats: list[int], *, deck: int = 52, **options: object) -> Play:
    """Checked, open, shuffled and cut; the button at the highest seat."""
    play = Play(STUD5)
    play.send("shoe.deck_checked", deck="blue", count=deck)
    settled = {"table_min": ANTE, "deck": deck, **options}
    table = play.send("table.open", rulebook=STUD5, seats=seats, button=max(seats), options=settled)
    assert not table.errors, table.errors
    play.send("shoe.shuffled", deck="blue", count=deck)
    play.send("cut", by=f"seat:{max(seats)}")
    return play


class StudDealer(Dealer):
    """Burns too where the table asks for it. `peeks`: in how many betting turns the top card is shown too soon."""

    peeks = 0.0
    shown = 0

    def _follow(self, prompt: dict[str, object], decide: Decide) -> None:
        if "burn" in prompt:
            self._deal("burn", "down")
            return
        last = self.play.core.round.street + 1 == len(self.play.core.book.streets)
        if "act" in prompt and not last and not self.shown and self.chance.random() < self.peeks:
            self.shown += 1
            self._do(self.play.send("card.exposed", zone="shoe", card=None, by="dealer"))
        super()._follow(prompt, decide)


def player(chance: Random, dealer: Dealer, *, folds: float, all_ins: float) -> Decide:
    """Folds, taps out, raises by what there is to call, checks where it is allowed; else bets the least, or calls."""

    def decide(seat: int, owed: int) -> str:
        lot = chance.random()
        if lot < folds:
            return "fold"
        if lot < folds + all_ins:
            return f"all_in {max(1, chance.choice((owed // 2, owed)) or ANTE)}"
        if owed:
            return f"raise {2 * owed}" if owed < 8 * ANTE and chance.random() < 0.2 else f"call {owed}"
        return "check" if dealer.play.core.round.street and chance.random() < 0.6 else f"bet {ANTE}"

    return decide


SEATS = st.lists(st.integers(1, 10), min_size=3, max_size=10, unique=True)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    seats=SEATS,
    deck=st.sampled_from([52, 32]),
    sees=st.sampled_from([(True, True, True), (False, True, True), (True, False, True), (True, True, False)]),
    folds=st.sampled_from([0.0, 0.1, 0.3]),
    all_ins=st.sampled_from([0.0, 0.05, 0.2]),
    commission=st.sampled_from([None, "none", "normal", "capped"]),
)
@example(  # nobody reads the cards, and those who could still bet fold on the last street
    seed=262, seats=[*range(1, 11)], deck=52, sees=(True, True, False), folds=0.3, all_ins=0.2, commission=None
)
def test_a_round_dealt_as_prompted_raises_nothing(
    seed: int,
    seats: list[int],
    deck: int,
    sees: tuple[bool, bool, bool],
    folds: float,
    all_ins: float,
    commission: str | None,
) -> None:
    keypad, shoe, reads = sees
    play = opened(seats[:5] if deck == 32 else seats, deck=deck, commission=commission)
    dealer = StudDealer(play, seed, keypad=keypad, shoe=shoe, reads=reads)
    told = dealer.round(player(Random(seed), dealer, folds=folds, all_ins=all_ins))
    assert told.told == []
    assert told.errors == []
    assert play.phase == "complete"


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), seats=SEATS, folds=st.sampled_from([0.0, 0.2]), shoe=st.booleans())
def test_a_top_card_shown_too_soon_is_one_ruling_and_the_burns_that_follow_are_in_order(
    seed: int, seats: list[int], folds: float, shoe: bool
) -> None:
    play = opened(seats[:8])
    dealer = StudDealer(play, seed, shoe=shoe)
    dealer.peeks = 0.3
    told = dealer.round(player(Random(seed), dealer, folds=folds, all_ins=0.05))
    assert told.told == [PREMATURE] * dealer.shown
    assert told.errors == []
    assert play.phase == "complete"


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), seats=SEATS)
def test_each_pot_goes_to_somebody_who_has_not_folded(seed: int, seats: list[int]) -> None:
    play = opened(seats)
    dealer = StudDealer(play, seed)
    says = player(Random(seed), dealer, folds=0.1, all_ins=0.1)
    folded = set()

    def decide(seat: int, owed: int) -> str:
        said = says(seat, owed)
        folded.update([seat] if said == "fold" else [])
        return said

    pots = dealer.round(decide).of(Kind.SHOWDOWN)
    assert pots
    assert all(pot["winners"] and set(pot["winners"]) <= set(seats) - folded for pot in pots)


def bets(amount: int) -> Decide:
    """Nobody folds or raises: the opener bets so much."""

    def decide(seat: int, owed: int) -> str:
        return f"call {owed}" if owed else f"bet {amount}"

    return decide


def test_a_freeze_out_goes_on_from_round_to_round_until_one_is_left() -> None:
    play = opened([1, 2, 3, 4], freeze_out=True)
    for ante, leaver in ((500, 3), (1000, 1), (1500, 2)):
        dealer = StudDealer(play, ante)
        told = dealer.round(bets(ante))
        assert (told.told, told.errors) == ([], [])
        assert dealer.asked[0]["ante"] == dict.fromkeys(dealer.asked[0]["ante"], ante)
        play.send("seat.out", seat=leaver)
        play.send("shoe.shuffled", deck="blue", count=52)
        play.send("cut", by="dealer")
    assert play.send("deal.start").told == ["too_few_players: stop_table"]
