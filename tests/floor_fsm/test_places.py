"""Places over all tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import PlaceRules
from floor_fsm.play.places import Finish, Ladder, Out, ranked
from tests.floor_fsm import books

STAR, TAS = books.row(books.STAR.places), books.row(books.TAS.places)


def out(entry: int, table: str, amount: int | None = None) -> Out:
    return Out(entry, table, amount)


def test_out_at_different_tables_they_share() -> None:
    """The Star 7.18(a); Onyx, Hand for Hand 4."""
    assert ranked(STAR, [out(1, "1", 500), out(2, "2", 9000)]) == ((1, 2),)


def test_at_one_table_the_larger_stack_is_placed_higher() -> None:
    """The Star 7.18(b)."""
    assert ranked(STAR, [out(1, "1", 500), out(2, "1", 9000)]) == ((2,), (1,))


def test_only_the_best_of_a_table_shares_with_another_table() -> None:
    """Onyx, Hand for Hand 5."""
    outs = [out(1, "1", 500), out(2, "1", 9000), out(3, "2")]
    assert ranked(STAR, outs) == ((2, 3), (1,))


def test_equals_at_one_table_share_and_draw_in_whom_they_share_with() -> None:
    outs = [out(1, "1", 500), out(2, "1", 500), out(3, "2")]
    assert ranked(STAR, outs) == ((1, 2, 3),)


def test_where_the_book_is_silent_the_director_says() -> None:
    """TAS C 20.14."""
    with pytest.raises(Refused) as refused:
        ranked(TAS, [out(1, "1", 5), out(2, "2", 5)])
    assert (refused.value.reason, refused.value.clause) == (Reason.NOT_DECIDED, "C 20.14")


def test_a_stack_that_is_not_known_leaves_it_to_the_director() -> None:
    with pytest.raises(Refused) as refused:
        ranked(STAR, [out(1, "1", 5), out(2, "1")])
    assert (refused.value.reason, refused.value.clause) == (Reason.NOT_DECIDED, "7.18(b)")


def test_nobody_is_out_twice() -> None:
    with pytest.raises(Refused, match="twice"):
        ranked(STAR, [out(1, "1", 5), out(1, "2", 5)])
    ladder = Ladder(STAR).add(1, [out(1, "1", 5)])
    with pytest.raises(Refused, match="out already"):
        ladder.add(2, [out(1, "1", 5)])


def test_places_count_from_the_end_and_a_late_report_joins_its_hand() -> None:
    ladder = Ladder(STAR).add(7, [out(1, "1", 5)], awaited={"2"}).add(8, [out(3, "1", 5)])
    assert ladder.places(10) == {1: Finish(10, 10), 3: Finish(9, 9)}
    assert ladder.awaited == ("2",)
    joined = ladder.add(7, [out(2, "2", 5)])
    assert joined.awaited == ()
    assert joined.places(10) == {1: Finish(9, 10), 2: Finish(9, 10), 3: Finish(8, 8)}


def test_what_is_open_is_shared_until_a_person_has_decided() -> None:
    ladder = Ladder(TAS).add(1, [out(1, "1", 5), out(2, "2", 5)])
    assert ladder.undecided == (1,)
    assert ladder.places(4) == {1: Finish(3, 4), 2: Finish(3, 4)}
    decided = ladder.decide(1, [[2], [1]], "director")
    assert decided.undecided == ()
    assert decided.places(4) == {1: Finish(4, 4), 2: Finish(3, 3)}


@pytest.mark.parametrize("groups", [[[1]], [[1], [2], [3]], [[1], [1, 2]]])
def test_a_decision_names_each_who_is_out_once(groups: list[list[int]]) -> None:
    ladder = Ladder(TAS).add(1, [out(1, "1", 5), out(2, "2", 5)])
    with pytest.raises(Refused) as refused:
        ladder.decide(1, groups, "director")
    assert refused.value.reason is Reason.UNKNOWN_ENTRY


def one_after_another() -> Ladder:
    """Entries 1 to 4, each under an order of its own."""
    ladder = Ladder(STAR)
    for order, entry in enumerate((1, 2, 3, 4), 1):
        ladder = ladder.add(order, [out(entry, "1")])
    return ladder


def test_who_went_out_one_after_the_other_are_decided_together() -> None:
    """Of several who lose their last chips in one race (ACT 2001, 4.8) no step placed one above the other."""
    ladder = one_after_another().decide(2, [[2], [3]], "director")
    assert ladder.places(6) == {1: Finish(6, 6), 3: Finish(5, 5), 2: Finish(4, 4), 4: Finish(3, 3)}
    again = ladder.decide(2, [[2, 3], [4]], "director")
    assert again.places(6) == {1: Finish(6, 6), 4: Finish(5, 5), 2: Finish(3, 4), 3: Finish(3, 4)}
    assert again.back(4).places(6) == {1: Finish(6, 6), 2: Finish(4, 5), 3: Finish(4, 5)}
    assert again.add(9, [out(5, "1")]).places(6)[5] == Finish(2, 2)


@pytest.mark.parametrize("rules", [STAR, TAS])
def test_what_was_decided_together_stands_where_one_of_them_is_in_again(rules: PlaceRules) -> None:
    ladder = Ladder(rules)
    for order, (entry, amount) in enumerate(((1, 500), (2, 900), (3, 100), (4, 300)), 1):
        ladder = ladder.add(order, [out(entry, "1", amount)])
    decided = ladder.decide(2, [[2], [3], [4]], "director").back(4)
    assert decided.places(6) == {1: Finish(6, 6), 3: Finish(5, 5), 2: Finish(4, 4)}
    assert decided.undecided == ()
    assert decided.back(3).back(2).places(6) == {1: Finish(6, 6)}


@pytest.mark.parametrize(("order", "groups"), [(1, [[1], [3]]), (2, [[2], [4]]), (3, [[4], [3], [2]]), (4, [[4, 9]])])
def test_nobody_else_went_out_between_those_who_are_decided_together(order: int, groups: list[list[int]]) -> None:
    with pytest.raises(Refused) as refused:
        one_after_another().decide(order, groups, "director")
    assert refused.value.reason is Reason.UNKNOWN_ENTRY


def test_a_hand_whose_report_is_missing_is_decided_alone() -> None:
    ladder = one_after_another().add(5, [out(5, "1")], awaited={"2"})
    with pytest.raises(Refused, match="table 2 has not told the end of a hand") as refused:
        ladder.decide(4, [[4, 5]], "director")
    assert refused.value.reason is Reason.TABLES_PLAY
    assert ladder.decide(5, [[5]], "director").decide(4, [[4, 5]], "director").places(5)[5] == Finish(1, 2)


def test_there_is_nothing_to_decide_where_nobody_went_out() -> None:
    with pytest.raises(Refused, match="no place to decide"):
        Ladder(TAS).decide(3, [[1]], "director")


def test_an_entry_comes_back_where_its_hand_did_not_count() -> None:
    ladder = Ladder(STAR).add(1, [out(1, "1", 5), out(2, "2", 5)]).add(2, [out(3, "1", 5)])
    assert ladder.back(1).places(5) == {2: Finish(5, 5), 3: Finish(4, 4)}
    assert ladder.back(3).places(5) == {1: Finish(4, 5), 2: Finish(4, 5)}
    with pytest.raises(Refused, match="not out"):
        ladder.back(4)


def test_a_field_smaller_than_those_who_are_out_is_an_error() -> None:
    with pytest.raises(ValueError, match="2 are out of 1"):
        Ladder(STAR).add(1, [out(1, "1", 5), out(2, "2", 5)]).places(1)


def test_a_report_of_nobody_settles_what_was_awaited() -> None:
    ladder = Ladder(STAR).add(1, [], awaited={"2"})
    assert ladder.awaited == ("2",)
    assert Ladder(STAR).add(1, []) == Ladder(STAR)
    assert ladder.add(1, [out(1, "2", 3)]).awaited == ()


@st.composite
def hands(draw: st.DrawFn) -> list[list[Out]]:
    """Hands in which some of up to six tables lose players."""
    sizes = draw(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=5))
    found: list[list[Out]] = []
    number = 0
    for tables in sizes:
        outs: list[Out] = []
        for table, size in enumerate(tables):
            for _ in range(size):
                outs.append(out(number, f"t{table}", draw(st.integers(1, 3))))
                number += 1
        found.append(outs)
    return found


@given(hands(), st.integers(0, 4), st.sampled_from([STAR, TAS]))
def test_places_are_a_partition(played: list[list[Out]], left: int, rules: PlaceRules) -> None:
    """Each place belongs to one group, and a group has as many places as entries."""
    ladder = Ladder(rules)
    for order, outs in enumerate(played):
        ladder = ladder.add(order, outs)
    entries = sum(map(len, played)) + left
    places = ladder.places(entries)
    assert len(places) == entries - left
    taken = [rank for place in set(places.values()) for rank in range(place.first, place.last + 1)]
    assert sorted(taken) == list(range(left + 1, entries + 1))
    for place in set(places.values()):
        assert sum(own == place for own in places.values()) == place.last - place.first + 1


@given(hands())
def test_the_order_of_reports_of_one_hand_changes_nothing(played: list[list[Out]]) -> None:
    together, apart = Ladder(STAR), Ladder(STAR)
    for order, outs in enumerate(played):
        together = together.add(order, outs)
        mixed = sorted(outs, key=lambda one: one.entry * 7 % 5)
        for one in mixed:
            apart = apart.add(order, [one])
    entries = sum(map(len, played))
    assert together.places(entries) == apart.places(entries)
