"""The scales of commission, at both sides of every edge the sources name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.poker.commission import Scale, commission_due

POTS = st.integers(min_value=0, max_value=2_000_000)


def dollars(amount: float) -> int:
    return round(amount * 100)


@pytest.mark.parametrize("pot", [0, 1, 2000, 2001, 5000, 5001, 1_000_000])
def test_none_takes_nothing(pot: int) -> None:
    assert commission_due("none", pot) == 0


@pytest.mark.parametrize(
    ("pot", "due"),
    [
        (2.01, 2),
        (49.99, 2),
        (50, 2),
        (50.01, 4),
        (100, 4),
        (100.01, 6),
        (150, 6),
        (150.01, 8),
        (200, 8),
        (200.01, 10),
        (250, 10),
        (250.01, 12),
        (300, 12),
        (350, 14),
        (350.01, 16),
        (1000, 40),
        (1000.01, 42),
    ],
)
def test_normal_is_two_dollars_for_each_fifty_or_part(pot: float, due: float) -> None:  # TAS 2018 B 15.1
    assert commission_due("normal", dollars(pot)) == dollars(due)


@pytest.mark.parametrize(
    ("pot", "due"),
    [
        (2, 0),
        (50, 0),
        (50.01, 4),
        (100, 4),
        (100.01, 6),
        (150, 6),
        (150.01, 8),
        (200, 8),
        (200.01, 10),
        (250, 10),
        (250.01, 12),
        (300, 12),
        (300.01, 14),
        (350, 14),
        (350.01, 15),
        (400, 15),
        (400.01, 15),
        (9999, 15),
    ],
)
def test_capped_is_nothing_to_fifty_and_fifteen_above_three_hundred_and_fifty(pot: float, due: float) -> None:  # B 15.2
    assert commission_due("capped", dollars(pot)) == dollars(due)


@pytest.mark.parametrize(
    ("pot", "due"),
    [
        (0.01, 0),
        (10, 0),
        (19.99, 0),
        (20, 0),
        (20.01, 2),
        (29.99, 2),
        (30, 3),
        (30.01, 3),
        (50, 5),
        (50.01, 5),
        (139.99, 13),
        (140, 14),
        (149.99, 14),
        (150, 15),
        (150.01, 15),
        (160, 15),
        (5000, 15),
    ],
)
def test_one_is_a_tenth_in_whole_dollars_from_above_twenty_to_fifteen(pot: float, due: float) -> None:  # C 17.2(a)
    assert commission_due("one", dollars(pot)) == dollars(due)


@pytest.mark.parametrize(
    ("pot", "due"),
    [
        (1, 1),
        (19.99, 1),
        (20, 1),
        (20.01, 2.5),
        (49.99, 2.5),
        (50, 2.5),
        (50.01, 5),
        (100, 5),
        (100.01, 7.5),
        (1000, 50),
        (1000.01, 52.5),
    ],
)
def test_two_is_two_and_a_half_for_each_fifty_or_part_but_one_to_twenty(pot: float, due: float) -> None:  # C 17.2(b)
    assert commission_due("two", dollars(pot)) == dollars(due)


@pytest.mark.parametrize("scale", Scale)
def test_an_empty_pot_owes_nothing(scale: Scale) -> None:
    assert commission_due(scale, 0) == 0


@pytest.mark.parametrize(("scale", "smallest"), [("normal", 200), ("two", 100)])
def test_no_more_is_taken_than_there_is(scale: str, smallest: int) -> None:
    assert commission_due(scale, smallest - 1) == smallest - 1
    assert commission_due(scale, smallest) == smallest
    assert commission_due(scale, smallest + 1) == smallest


@given(st.sampled_from(Scale), POTS, POTS)
def test_a_larger_pot_never_pays_less(scale: Scale, pot: int, other: int) -> None:
    assert commission_due(scale, min(pot, other)) <= commission_due(scale, max(pot, other))


@given(st.sampled_from(Scale), POTS)
def test_it_is_between_nothing_and_the_pot(scale: Scale, pot: int) -> None:
    assert 0 <= commission_due(scale, pot) <= pot


@given(POTS)
def test_capped_never_takes_more_than_normal(pot: int) -> None:
    assert commission_due("capped", pot) <= commission_due("normal", pot)


@given(POTS)
def test_one_is_a_number_of_dollars_and_at_most_a_tenth(pot: int) -> None:
    due = commission_due("one", pot)
    assert due % 100 == 0
    assert due * 10 <= pot


def test_two_pots_pay_each_on_its_own() -> None:
    # 30 and 30 dollars: two charges for a part of fifty, where 60 in one pot would pay for a whole and a part as well.
    assert [commission_due("two", 3000), commission_due("two", 3000)] == [250, 250]
    # 20 and 20 dollars pay nothing, 40 in one pot would pay four.
    assert [commission_due("one", 2000), commission_due("one", 2000)] == [0, 0]
    assert commission_due("one", 4000) == 400


@pytest.mark.parametrize("name", ["", "three", "None", "ONE"])
def test_an_unknown_scale_is_named_with_those_there_are(name: str) -> None:
    with pytest.raises(ValueError, match=f"commission scale '{name}': choose one of none, normal, capped, one, two"):
        commission_due(name, 5000)


def test_a_pot_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="a pot of -1 cents"):
        commission_due("one", -1)
