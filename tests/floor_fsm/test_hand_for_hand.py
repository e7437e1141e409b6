"""Hand for hand over several tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import HandForHandRules
from floor_fsm.play.hand_for_hand import (
    At,
    Finished,
    HandForHand,
    Release,
    Told,
    Turn,
    Why,
    begin,
)
from tests.floor_fsm import books
from tests.floor_fsm.refusing import refused

STAR, ONYX = books.row(books.STAR.hand_for_hand), books.row(books.ONYX.hand_for_hand)


def started(rules: HandForHandRules, *tables: str) -> HandForHand:
    return begin(rules, Why.BUBBLE, tables).release()[0]


def test_a_book_without_it_and_one_table_have_none() -> None:
    assert refused(lambda: begin(None, Why.BUBBLE, ["1", "2"])) == (Reason.NOT_IN_THE_BOOK, None)
    assert refused(lambda: begin(STAR, Why.BUBBLE, ["1"])) == (Reason.WRONG_STATE, "7.19")


def test_a_hand_is_released_to_all_and_the_next_when_all_have_finished() -> None:
    """Onyx, Hand for Hand 1; The Star 5."""
    play, told = begin(STAR, Why.FINAL_TABLE, ["2", "1"]).release()
    assert told == (Release(1, ("1", "2"), 180),)
    play, told = play.over("1", 1)
    assert told == ()
    assert refused(play.release) == (Reason.TABLES_PLAY, "7.19")
    play, told = play.over("2", 1)
    assert told == (Finished(1, ()),)
    assert play.release()[1] == (Release(2, ("1", "2"), 180),)


def test_a_hand_costs_three_minutes_or_nothing_as_the_book_says() -> None:
    """The Star 7.19; Onyx, Hand for Hand 6."""
    assert begin(STAR, Why.BUBBLE, ["1", "2"]).release()[1] == (Release(1, ("1", "2"), 180),)
    assert begin(ONYX, Why.BUBBLE, ["1", "2"]).release()[1] == (Release(1, ("1", "2"), 0),)


def test_an_all_in_stays_down_until_the_action_is_over_elsewhere() -> None:
    """The Star 7.30."""
    play, told = started(STAR, "1", "2", "3").froze("1", 1)
    assert told == ()
    assert refused(lambda: play.over("1", 1)) == (Reason.TABLES_PLAY, "7.30")
    play, told = play.froze("3", 1)
    play, told = play.over("2", 1)
    assert told == (Turn(1, ("1", "3")),)
    play, told = play.over("1", 1)
    assert told == ()
    assert play.over("3", 1)[1] == (Finished(1, ()),)


def test_at_onyx_the_director_lets_them_be_turned() -> None:
    """Onyx, Hand for Hand 3."""
    play, _ = started(ONYX, "1", "2").froze("1", 1)
    assert refused(play.turn) == (Reason.TABLES_PLAY, "Hand for Hand 3")
    play, told = play.over("2", 1)
    assert told == ()
    play, told = play.turn()
    assert told == (Turn(1, ("1",)),)
    assert refused(play.turn) == (Reason.WRONG_STATE, "Hand for Hand 3")
    assert play.over("1", 1)[1] == (Finished(1, ()),)


def test_a_table_that_tells_another_hand_is_refused() -> None:
    play = started(STAR, "1", "2")
    assert refused(lambda: play.over("1", 2)) == (Reason.WRONG_HAND, "7.19")
    assert refused(lambda: play.froze("1", 0)) == (Reason.WRONG_HAND, "7.19")
    play, _ = play.over("1", 1)
    assert refused(lambda: play.over("1", 1)) == (Reason.WRONG_HAND, "7.19")
    assert refused(lambda: play.over("9", 1)) == (Reason.UNKNOWN_TABLE, None)
    frozen, _ = play.froze("2", 1)
    assert frozen.tables["2"].at is At.TURNS  # the last one: nobody else plays
    assert refused(lambda: frozen.froze("2", 1)) == (Reason.NAMED_TWICE, "7.30")


def test_a_table_that_is_away_holds_the_release_until_the_director_rules() -> None:
    play = started(STAR, "1", "2")
    play, _ = play.over("1", 1)
    assert refused(lambda: play.excuse("2")) == (Reason.WRONG_STATE, "7.19")
    play = play.away("2")
    with pytest.raises(Refused, match=r"table 2 \(away\)"):
        play.release()
    play, told = play.excuse("2")
    assert told == (Finished(1, ("2",)),)
    assert refused(lambda: play.excuse("2")) == (Reason.WRONG_STATE, None)
    play, told = play.release()
    assert told == (Release(2, ("1",), 180),)
    assert refused(lambda: play.closed("2")) == (Reason.TABLES_PLAY, "7.19")
    play, told = play.over("2", 1)  # its report comes after all
    assert told == ()
    play = play.back("2")
    play, told = play.over("1", 2)
    assert told == (Finished(2, ()),)
    assert play.release()[1] == (Release(3, ("1", "2"), 180),)


def test_an_away_table_with_its_all_in_down_lets_the_others_turn_theirs() -> None:
    play, _ = started(STAR, "1", "2").froze("1", 1)
    play, told = play.away("2").excuse("2")
    assert told == (Turn(1, ("1",)),)


def test_a_table_that_has_played_alone_waits_for_the_others() -> None:
    play = started(STAR, "1", "2").away("2")
    play, _ = play.over("2", 1)
    play, _ = play.over("2", 2)
    assert refused(lambda: play.over("2", 2)) == (Reason.WRONG_HAND, "7.19")
    play = play.back("2")
    play, told = play.over("1", 1)
    assert told == (Finished(1, ()),)
    play, told = play.release()
    assert told == (Release(2, ("1",), 180),)
    play, _ = play.over("1", 2)
    assert play.release()[1] == (Release(3, ("1", "2"), 180),)


def test_who_was_not_away_does_not_come_back() -> None:
    assert refused(lambda: started(STAR, "1", "2").back("1")) == (Reason.WRONG_STATE, None)


def test_a_broken_table_leaves_and_with_no_table_there_is_nobody_to_hear() -> None:
    play = begin(STAR, Why.NEXT_PRIZE, ["1", "2", "3"])
    play, _ = play.closed("3")
    assert set(play.tables) == {"1", "2"}
    assert refused(play.away("1").away("2").release) == (Reason.WRONG_STATE, "7.19")


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["over", "alone", "froze", "turn", "release", "away", "back", "excuse"]), st.integers(0, 3)
    ),
    max_size=60,
)


@given(STEPS, st.sampled_from([STAR, ONYX]))
def test_no_table_is_two_hands_behind_and_no_all_in_is_turned_early(
    steps: list[tuple[str, int]], rules: HandForHandRules
) -> None:
    """Whatever tables and director do: a hand is released once, and after the one before it."""
    play = begin(rules, Why.BUBBLE, ["0", "1", "2", "3"])
    released: list[int] = []
    for step, number in steps:
        table = str(number)
        stand = play.tables[table]
        told: Told = ()
        try:
            match step:
                case "over" | "froze":
                    play, told = getattr(play, step)(table, stand.hand)
                case "alone":
                    play, told = play.over(table, stand.hand + 1)
                case "turn" | "release":
                    play, told = getattr(play, step)()
                case "excuse":
                    play, told = play.excuse(table)
                case _:
                    play = getattr(play, step)(table)
        except Refused:
            continue
        for one in told:
            if isinstance(one, Release):
                released.append(one.hand)
                reached = [other for other in play.tables.values() if not other.away]
                assert all(other.hand >= play.hand for other in reached)
            if isinstance(one, Turn):
                assert not any(other.at is At.PLAYS for other in play.tables.values())
    assert released == list(range(1, play.hand + 1))
