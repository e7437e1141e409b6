"""The pool, the prizes and a chop."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.errors import Reason, Refused
from floor_fsm.play.places import Finish
from floor_fsm.play.prizes import Fees, chop, divided, pool, prizes, shares
from tests.floor_fsm import books

STAR, TAS, UTH = (books.row(book.pool) for book in (books.STAR, books.TAS, books.UTH))
CHOP = books.row(books.STAR.chop).clause


def test_the_pool_is_fees_times_entries_and_re_entries_and_what_is_added() -> None:
    """The Star 7.3 and 7.4."""
    assert pool(STAR, Fees(20_000, entries=100, re_entries=20, added=50_000)) == 2_450_000


def test_the_star_keeps_nothing_of_the_entry_fees() -> None:
    """The Star 2: all entry fees are used exclusively as prizes."""
    with pytest.raises(Refused) as refused:
        pool(STAR, Fees(20_000, entries=100, kept=1))
    assert (refused.value.reason, refused.value.clause) == (Reason.KEPT_TOO_MUCH, "2, 3, 7.3, 7.4")


def test_at_most_fifteen_percent_is_kept() -> None:
    """TAS C 20.17, and 20.15: the whole net pool goes back."""
    assert pool(TAS, Fees(10_001, entries=3, kept=4_500)) == 30_003 - 4_500
    with pytest.raises(Refused) as refused:
        pool(TAS, Fees(10_001, entries=3, kept=4_501))
    assert refused.value.reason is Reason.KEPT_TOO_MUCH


def test_rebuys_are_in_the_pool_and_the_commission_is_the_conditions_to_say() -> None:
    """UTH 16.21."""
    assert pool(UTH, Fees(1000, entries=10, rebuys=700, kept=2_000)) == 8_700
    with pytest.raises(Refused):
        pool(UTH, Fees(1000, entries=10, rebuys=700, kept=10_001))


@pytest.mark.parametrize("name", ["entry", "entries", "re_entries", "rebuys", "kept", "added"])
def test_no_amount_is_below_nothing(name: str) -> None:
    with pytest.raises(Refused, match=name):
        pool(UTH, Fees(**{"entry": 1, "entries": 1} | {name: -1}))


def test_the_stars_shares_go_by_count() -> None:
    assert shares(STAR, 12) == (Decimal(65), Decimal(35))
    with pytest.raises(Refused) as refused:
        shares(STAR, 201)
    assert (refused.value.reason, refused.value.clause) == (Reason.NOT_DECIDED, "8 Appendix a")


def test_other_books_leave_the_shares_to_the_conditions() -> None:
    assert shares(TAS, 9, [Decimal("62.5"), Decimal("37.5")]) == (Decimal("62.5"), Decimal("37.5"))
    with pytest.raises(Refused, match="the conditions say them"):
        shares(TAS, 9)
    for own in ([], [Decimal(50)], [Decimal(110), Decimal(-10)]):
        with pytest.raises(Refused, match="add up to 100"):
            shares(TAS, 9, own)
    with pytest.raises(Refused, match="2 places paid for 1"):
        shares(TAS, 1, [Decimal(50), Decimal(50)])


def test_the_cents_that_are_left_go_to_the_first() -> None:
    assert divided(100, [Decimal(1)] * 3) == (34, 33, 33)
    assert divided(101, [Decimal(0), Decimal(1), Decimal(1)]) == (0, 51, 50)
    assert divided(0, []) == ()
    with pytest.raises(ValueError, match="nobody"):
        divided(1, [Decimal(0)])


def test_who_shares_gets_an_equal_part_of_the_places_together() -> None:
    """The Star 7.18(a); Onyx, Hand for Hand 4; TAS C 20.16."""
    won, left = prizes([500, 301, 0], {1: Finish(2, 3), 2: Finish(2, 3), 3: Finish(4, 4)})
    assert (won, left) == ({1: 151, 2: 150, 3: 0}, 500)


def test_a_forfeited_prize_goes_to_the_places_above() -> None:
    """Onyx, Penalties 4: no prize for who is disqualified."""
    won, left = prizes([600, 300, 90], {1: Finish(3, 3)}, [1])
    assert (won, left) == ({1: 0}, 990)
    won, left = prizes([600, 300, 90], {1: Finish(3, 3), 2: Finish(2, 2)}, [1])
    assert (won, left) == ({1: 0, 2: 330}, 660)
    won, left = prizes([600, 300, 90], {1: Finish(2, 3), 2: Finish(2, 3), 3: Finish(1, 1)}, [1])
    assert (won, left) == ({1: 0, 2: 195, 3: 795}, 0)
    won, left = prizes([600, 300], {1: Finish(1, 1), 2: Finish(2, 2)}, [1])
    assert (won, left) == ({1: 0, 2: 900}, 0)


def test_a_chop_is_taken_down_where_all_agree_on_all_of_it() -> None:
    """The Star 1 and 5, Chop."""
    done = chop(1000, [1, 2], {1: 700, 2: 300}, "director", CHOP, percent=False)
    assert done.cents == {1: 700, 2: 300}
    half = chop(1001, [1, 2], {1: Decimal(50), 2: Decimal(50)}, "director", CHOP, percent=True)
    assert half.cents == {1: 501, 2: 500}


@pytest.mark.parametrize(
    ("agreed", "reason"),
    [
        ({1: 1000}, Reason.NOT_ALL_AGREE),
        ({1: 500, 2: 300, 3: 200}, Reason.UNKNOWN_ENTRY),
        ({1: 500, 2: 501}, Reason.DOES_NOT_ADD_UP),
        ({1: 1100, 2: -100}, Reason.DOES_NOT_ADD_UP),
    ],
)
def test_a_chop_that_is_none_is_refused(agreed: dict[int, int | Decimal], reason: Reason) -> None:
    with pytest.raises(Refused) as refused:
        chop(1000, [1, 2], agreed, "director", CHOP, percent=False)
    assert (refused.value.reason, refused.value.clause) == (reason, CHOP)


def test_nobody_chops_alone() -> None:
    with pytest.raises(Refused, match="nobody to agree with"):
        chop(1000, [1], {1: 1000}, "director", CHOP, percent=False)


@given(st.integers(0, 10**12), st.lists(st.decimals(0, 100, places=3), min_size=1).filter(any))
def test_what_is_divided_is_all_of_it(total: int, parts: list[Decimal]) -> None:
    cents = divided(total, parts)
    assert sum(cents) == total
    assert all(cent == 0 for cent, part in zip(cents, parts, strict=True) if not part)


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=12),
    st.lists(st.integers(1, 4), max_size=6),
    st.integers(0, 5),
    st.sets(st.integers(0, 20)),
)
def test_prizes_are_the_pool(amounts: list[int], sizes: list[int], left: int, lost: set[int]) -> None:
    places: dict[int, Finish] = {}
    last = left + sum(sizes)
    for size in sizes:
        for _ in range(size):
            places[len(places)] = Finish(last - size + 1, last)
        last -= size
    won, rest = prizes(amounts, places, lost)
    assert sum(won.values()) + rest == sum(amounts)
    assert set(won) == set(places)
    assert all(cents >= 0 for cents in won.values())
    if not left and len(amounts) <= len(places) and set(won) - lost:
        assert rest == 0
