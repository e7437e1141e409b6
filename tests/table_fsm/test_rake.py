"""Rake: so much of each pot, one cap for the hand, nothing without a flop."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.outputs import Kind
from table_fsm.play.money import pot_by_pot
from table_fsm.poker.commission import rake_due
from tests.table_fsm.streams import Play


@pytest.mark.parametrize(
    ("pot", "percent", "cap", "due"),
    [(800, 5, None, 40), (30000, 5, 1000, 1000), (19, 5, None, 0), (0, 5, 1000, 0), (999, 10, None, 99)],
)
def test_a_part_of_the_pot_up_to_the_cap(pot: int, percent: int, cap: int | None, due: int) -> None:
    assert rake_due(pot, percent, cap) == due


@given(st.lists(st.integers(0, 10**7), max_size=5), st.integers(0, 100), st.integers(1, 10**6))
def test_all_pots_of_a_hand_fill_one_cap(pots: list[int], percent: int, cap: int) -> None:
    due = pot_by_pot(lambda cents, taken: rake_due(cents, percent, cap, taken))
    parts = [due(pot) for pot in pots]
    assert sum(parts) == min(cap, sum(pot * percent // 100 for pot in pots))
    assert all(0 <= part <= pot for part, pot in zip(parts, pots, strict=True))


def test_a_pot_below_zero_is_none() -> None:
    with pytest.raises(ValueError, match="zero or more"):
        rake_due(-1, 5)


def test_without_a_flop_nothing_is_due_and_with_one_it_is() -> None:
    play = Play("onyx-cash")
    play.open((1, 2, 3), button=3, rake_percent=5)
    play.shuffle(cut=False)
    play.hands()
    assert play.send("pot", cents=1000, pot=1).of(Kind.COMMISSION) == [{"due": 0, "dropped": 0, "pot": 1}]
    play.close()
    play.flop()
    assert play.send("pot", cents=1000, pot=1).of(Kind.COMMISSION) == [{"due": 50, "dropped": 0, "pot": 1}]


def test_a_pot_counted_again_is_no_second_pot() -> None:
    play = Play("onyx-cash")
    play.open((1, 2, 3), button=3, rake_percent=5, rake_cap=60)
    play.shuffle(cut=False)
    play.hands()
    play.close()
    play.flop()
    play.send("pot", cents=1000, pot=1)
    assert play.send("pot", cents=900, pot=1).of(Kind.COMMISSION)[0]["due"] == 45
    assert play.send("pot", cents=900, pot=2).of(Kind.COMMISSION)[0]["due"] == 15
