"""The Star's payout table."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.poker.tournament.payouts import amounts, column_of, payout


@pytest.mark.parametrize("players", range(2, 201))
def test_every_number_of_players_has_a_column_that_sums_to_100_percent(players: int) -> None:
    parts = payout(players)
    assert sum(parts) == Decimal(100)
    assert len(parts) == (players + 7) // 8
    assert list(parts) == sorted(parts, reverse=True)


def test_columns_begin_where_the_source_says() -> None:
    assert payout(8) == (Decimal(100),)
    assert payout(9) == payout(16) == (Decimal(65), Decimal(35))
    assert payout(17) == (Decimal(50), Decimal(30), Decimal(20))


def test_samples_from_the_source() -> None:
    assert payout(100)[:2] == (Decimal("30.5"), Decimal("18.75"))
    assert payout(96)[-1] == Decimal("2.502")
    assert payout(152)[8] == Decimal("2.761")
    assert (payout(200)[0], payout(200)[24]) == (Decimal("24.893"), Decimal("0.75"))


@pytest.mark.parametrize("players", [-1, 0, 1, 201])
def test_the_table_has_no_column_for_fewer_or_more(players: int) -> None:
    with pytest.raises(ValueError, match="2 to 200"):
        payout(players)


def test_amounts_are_whole_cents_and_never_more_than_the_pool() -> None:
    assert amounts(16, 1001) == (650, 350)
    assert amounts(24, 10_000_000) == (5_000_000, 3_000_000, 2_000_000)
    assert amounts(2, 7) == (7,)
    with pytest.raises(ValueError, match="0 or more"):
        amounts(16, -1)


@given(st.integers(2, 200), st.integers(0, 10**12))
def test_what_is_left_over_is_less_than_a_cent_a_place(players: int, pool: int) -> None:
    paid = amounts(players, pool)
    assert 0 <= pool - sum(paid) < len(paid)
    assert all(abs(cents - part * pool / 100) < 1 for cents, part in zip(paid, payout(players), strict=True))


@pytest.mark.parametrize(("players", "column"), [(2, (2, 8)), (8, (2, 8)), (9, (9, 16)), (200, (193, 200))])
def test_the_column_is_named_by_its_players(players: int, column: tuple[int, int]) -> None:
    assert column_of(players) == column
