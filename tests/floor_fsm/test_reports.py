"""What a table told that cannot be waits for a person, and takes nothing else with it."""

from typing import Any

import pytest

from floor_fsm.errors import Reason
from floor_fsm.lines import to_line
from floor_fsm.messages.hands import HandOver, ToDecide, WentOut
from floor_fsm.messages.reports import Doubtful, ReportSettled, SeatUnclaimed
from floor_fsm.state.entries import Standing
from floor_fsm.state.reports import OPEN_MOST, Report, Reports
from tests.floor_fsm.game import Game

STACK = 30_000
CLAUSE = "Hand for Hand 4, 5"


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ([{"stack": 5_000, "put_in": 5_025}, {"stack": 4_000, "put_in": 4_000}], 1),
        ([{"stack": 8 * STACK + 25, "put_in": 100}, {"stack": 4_000, "put_in": 4_000}], 1),
        ([{"stack": None, "put_in": 8 * STACK + 25}, {"stack": 4_000, "put_in": 4_000}], 1),
        ([{"stack": 5 * STACK}, {"stack": 4 * STACK}, {"stack": None}], 2),
        ([{"stack": 5_000, "put_in": 5_000}, {"stack": 4_000, "put_in": 4_000}], 0),
    ],
)
def test_a_table_that_tells_a_stack_that_cannot_be_loses_that_stack_alone(
    told: list[dict[str, Any]], wrong: int
) -> None:
    game = Game("onyx", players=8)
    there = game.at("T1")
    out = tuple(WentOut(entry=entry, **one) for entry, one in zip(there, told, strict=False))
    said = game.say(HandOver, by=None, table="T1", out=out)
    assert sorted(game.standing(Standing.OUT)) == sorted(there[: len(told)])
    doubts = [one for one in said if isinstance(one, Doubtful)]
    assert [(one.entry, one.reason, one.clause) for one in doubts] == [
        (entry, Reason.DOES_NOT_ADD_UP, CLAUSE) for entry in there[:wrong]
    ]
    assert [one.words for one in game.tournament.parts.of(Reports).open] == [one.words for one in doubts]
    assert any(isinstance(one, ToDecide) for one in said) is bool(wrong), "a person says who is placed higher"


def test_a_seat_that_no_entry_has_waits_until_it_is_settled() -> None:
    game = Game("onyx")
    [doubt] = game.say(SeatUnclaimed, by=None, table="T1", seat=4)
    assert isinstance(doubt, Doubtful)
    assert (doubt.number, doubt.table, doubt.entry, doubt.seat) == (1, "T1", None, 4)
    game.over("T1")
    words = "seat 4 is out, and no entry of the tournament has that seat"
    assert game.tournament.parts.of(Reports) == Reports((Report(1, "T1", None, 4, words, None),), 2)
    assert game.refuse(ReportSettled, number=2) == (Reason.WRONG_STATE, None)
    game.say(ReportSettled, number=1)
    assert game.tournament.parts.of(Reports) == Reports((), 2)
    assert game.refuse(ReportSettled, number=1)[0] is Reason.WRONG_STATE
    assert game.refuse(SeatUnclaimed, table="T9", seat=4)[0] is Reason.UNKNOWN_TABLE


def test_no_table_fills_the_list_without_end() -> None:
    game = Game("onyx")
    for _ in range(OPEN_MOST + 1):
        game.tournament.apply(SeatUnclaimed(t=game.t, table="T1", seat=4))
    reports = game.tournament.parts.of(Reports)
    assert [one.number for one in reports.open] == list(range(2, OPEN_MOST + 2))
    assert reports.left_out == {"T1": 1}


def test_what_one_table_tells_pushes_out_no_report_of_another() -> None:
    """The bound was one for all: a table that told without end hid what others had told."""
    game = Game("onyx")
    game.say(SeatUnclaimed, by=None, table="T2", seat=5)
    for _ in range(OPEN_MOST + 7):
        game.tournament.apply(SeatUnclaimed(t=game.t, table="T1", seat=4))
    reports = game.tournament.parts.of(Reports)
    assert [one.number for one in reports.of("T2")] == [1]
    assert (len(reports.of("T1")), reports.left_out) == (OPEN_MOST, {"T1": 7})
    game.say(ReportSettled, number=1)
    for one in reports.of("T1")[1:]:
        game.say(ReportSettled, number=one.number)
    assert game.tournament.parts.of(Reports).left_out == {"T1": 7}
    game.say(ReportSettled, number=reports.of("T1")[0].number)
    assert game.tournament.parts.of(Reports).left_out == {}, (
        "whoever settles the last one has seen that there were more"
    )


def test_a_report_is_settled_by_a_person() -> None:
    game = Game("onyx")
    game.say(SeatUnclaimed, by=None, table="T1", seat=4)
    assert game.refuse(ReportSettled, by=None, number=1)[0] is Reason.NOBODY_DECIDES
    assert '"number":1' in to_line(ReportSettled(t=1.0, number=1))
