"""What the floor tells a table of a player who carries something: a penalty, time banks, absence; each order once."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feltd.table.links.display_words import notice_in_words
from feltd.text.language import Language
from table_fsm.outputs import Kind
from tests.table_fsm.streams import Answer, Play


def table(book: str = "star-2025-holdem", **options: Any) -> Play:
    play = Play(book)
    play.open((1, 2, 3, 4), button=1, blinds=[100, 200], tournament=True, **options)
    play.send("seat.entry", seat=2, entry=17)
    return play


def conduct(play: Play, order: int, **told: Any) -> Answer:
    return play.send("seat.conduct", seat=2, entry=17, order=order, **told)


def penalty(play: Play) -> int | None:
    found: int | None = next(one["penalty"] for one in play.view["seats"] if one["seat"] == 2)
    return found


def away_behind_it(play: Play) -> bool:
    """Whether the player is away when the penalty is over."""
    record = play.core.standing.seats[2].penalty
    assert record is not None
    return record.away_before


def test_a_penalty_that_came_along_is_sat_out_here_and_the_display_says_so() -> None:
    play = table()
    answer = conduct(play, 1, left=3)
    assert answer.of(Kind.PENALTY) == [{"seat": 2, "left": 3}]
    [said] = answer.of(Kind.DISPLAY)
    assert said["text"] == "Seat 2 sits out 3 hands."
    assert notice_in_words(said["text"], Language.GERMAN) == "Platz 2 setzt aus; Hände: 3."
    assert conduct(play, 1, left=3).outputs == (), "the same order counts once"
    assert penalty(play) == 3


def test_what_the_floor_adds_is_added_to_what_is_left_here() -> None:
    """A hand that ended on the way is counted: the sum of all that was imposed is told, not what was left then."""
    play = table()
    conduct(play, 1, left=3, imposed=3)
    record = play.core.standing.seats[2]
    assert record.penalty is not None
    record.penalty.left = 2  # as a hand that is over leaves it
    conduct(play, 2, left=5, imposed=5)
    assert penalty(play) == 4
    conduct(play, 3, left=0, imposed=0)
    assert penalty(play) is None, "the director took it back"
    assert not play.core.standing.seats[2].away_since


def test_a_penalty_of_the_tables_own_stays_when_the_floor_adds_one() -> None:
    play = table()
    play.send("penalty", seat=2, hands=2)
    conduct(play, 1, left=3, imposed=1)
    assert penalty(play) == 3


def test_time_banks_and_absence_come_along_and_those_that_are_not_told_stay() -> None:
    play = table(shot_clock=30, time_banks=4, time_bank_seconds=30)
    conduct(play, 1, banks=1, absent=True)
    assert play.core.standing.time_banks == {2: 1}
    record = play.core.standing.seats[2]
    assert record.away_since is not None
    assert play.core.standing.tournament.notice == "Seat 2 is away."
    conduct(play, 2, imposed=1)
    assert play.core.standing.time_banks == {2: 1}
    assert away_behind_it(play)
    conduct(play, 3, imposed=1, absent=False)
    assert not away_behind_it(play)
    conduct(play, 4, imposed=0)
    assert play.core.standing.tournament.notice == "", "the penalty was taken back, and the player is there"


def test_who_comes_back_to_the_seat_is_off_the_display() -> None:
    play = table()
    conduct(play, 1, absent=True)
    [said] = play.send("seat.back", seat=2).of(Kind.DISPLAY)
    assert said["text"] == ""
    [said] = play.send("seat.away", seat=2).of(Kind.DISPLAY)
    assert said["text"] == "Seat 2 is away."


def test_another_purchase_forgets_nothing_of_what_was_told() -> None:
    play = table()
    conduct(play, 3, left=2, imposed=5)
    play.send("seat.entry", seat=2, entry=17, cents=90_000, rebuys=1)
    assert conduct(play, 3, left=2, imposed=5).outputs == ()
    assert penalty(play) == 2


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"seat": 3}, "is not entry 17's"),
        ({"seat": 7}, "is not entry 17's"),
        ({"entry": 18}, "is not entry 18's"),
        ({"order": 0}, "order 0"),
        ({"left": -1}, "a penalty of -1"),
        ({"left": 1001}, "a penalty of 1001"),
        ({"imposed": -(10**7)}, "order 1"),
        ({"banks": -1}, "-1 time banks"),
    ],
)
def test_an_order_that_cannot_be_is_refused_and_changes_nothing(fields: dict[str, Any], words: str) -> None:
    play = table()
    before = play.view
    [said] = play.send("seat.conduct", **{"seat": 2, "entry": 17, "order": 1, **fields}).of(Kind.ERROR)
    assert words in json.dumps(said)
    assert play.view["seats"] == before["seats"]


def test_a_book_without_penalties_takes_none_and_takes_the_rest() -> None:
    play = Play("act-2001-holdem-no-limit")
    play.open((1, 2, 3, 4), button=1, blinds=[100, 200])
    play.send("seat.entry", seat=2, entry=17)
    if play.core.book.tournament.penalties == "none":
        [said] = conduct(play, 1, left=1).of(Kind.ERROR)
        assert "knows no penalty" in json.dumps(said)
    assert conduct(play, 1, absent=True).of(Kind.ERROR) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=6), st.data())
def test_whichever_orders_come_twice_or_late_the_penalty_is_the_sum_of_all(
    steps: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Each step imposes some, then some hands end here; orders are told again, and in any order behind their own."""
    play = table()
    imposed = left = 0
    orders: list[dict[str, int]] = []
    for number, (more, hands) in enumerate(steps, 1):
        imposed += more
        orders.append({"order": number, "imposed": imposed, "left": left + more})
        left += more
        for _ in range(data.draw(st.integers(1, 2))):
            conduct(play, **orders[-1])
        conduct(play, **data.draw(st.sampled_from(orders)))
        assert penalty(play) == left
        record = play.core.standing.seats[2]
        assert record.penalty is not None
        ended = min(hands, left - 1)
        record.penalty.left -= ended
        left -= ended
