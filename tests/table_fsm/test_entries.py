"""What the floor tells a table of entries: whose sits where, the places that count, a chip race at all tables."""

import json
from typing import Any

import pytest

from feltd.table.links.display_words import notice_in_words
from feltd.text.language import Language
from table_fsm.outputs import Kind
from tests.table_fsm.streams import Play
from tests.table_fsm.test_places import after_all_in

THREE = ("3 all_in 1000", "4 call 1000", "1 all_in 1900", "2 fold", "4 call 1000")


def table(book: str = "act-2001-holdem-no-limit") -> Play:
    play = Play(book)
    play.open((1, 2, 3, 4), button=1, blinds=[100, 200])
    return play


def entries(play: Play) -> dict[int, int]:
    return {one["seat"]: one["entry"] for one in play.view["tournament"]["entries"]}


def test_an_entry_belongs_to_a_seat_until_its_player_leaves_it() -> None:
    play = table()
    assert play.send("seat.entry", seat=2, entry=17, nth=2, cents=90000, rebuys=1, add_ons=1).of(Kind.ERROR) == []
    assert play.view["tournament"]["entries"] == [
        {"seat": 2, "entry": 17, "nth": 2, "cents": 90000, "rebuys": 1, "add_ons": 1}
    ]
    play.send("seat.out", seat=2)
    assert entries(play) == {}
    play.send("seat.in", seat=2)
    assert entries(play) == {}, "who sits down there is not the entry that left"
    play.send("seat.entry", seat=2, entry=18)
    assert entries(play) == {2: 18}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"seat": 7, "entry": 1}, "seat 7 has no player"),
        ({"seat": 2, "entry": 17}, "entry 17 sits at seat 1"),
        ({"seat": 1, "entry": 18}, "seat 1 is entry 17's"),
        ({"seat": 2, "entry": 0}, "count from 1"),
        ({"seat": 2, "entry": 3, "nth": 0}, "count from 1"),
        ({"seat": 2, "entry": 3, "cents": -1}, "0 or more"),
        ({"seat": 2, "entry": 3, "rebuys": -1}, "0 or more"),
    ],
)
def test_an_entry_that_cannot_be_is_refused_and_changes_nothing(fields: dict[str, Any], words: str) -> None:
    play = table()
    play.send("seat.entry", seat=1, entry=17)
    [said] = play.send("seat.entry", **fields).of(Kind.ERROR)
    assert words in json.dumps(said)
    assert entries(play) == {1: 17}


def test_a_stack_that_was_counted_before_chips_were_bought_does_not_rank() -> None:
    play = table()
    play.send("seat.entry", seat=2, entry=17, cents=1000)
    play.send("stack", seat=2, cents=400)
    assert play.core.standing.seats[2].stack == 400
    play.send("seat.entry", seat=2, entry=17, cents=1000)
    assert play.core.standing.seats[2].stack == 400, "told again, nothing was bought"
    play.send("seat.entry", seat=2, entry=17, cents=2000, rebuys=1)
    assert play.core.standing.seats[2].stack is None


def busted() -> Play:
    """Entries 11 and 13 of seats 1 and 3 went out."""
    play = table()
    for seat in (1, 2, 3, 4):
        play.send("seat.entry", seat=seat, entry=10 + seat)
    play.send("tournament.field", entrants=80, remaining=23)
    after_all_in(*THREE, play=play)
    return play


def places(play: Play) -> list[tuple[int | None, int, int, bool]]:
    return [(one["entry"], one["first"], one["last"], one["final"]) for one in play.view["tournament"]["places"]]


def test_the_floors_place_is_the_one_that_counts_and_is_said_once() -> None:
    play = busted()
    assert places(play) == [(11, 22, 22, False), (13, 23, 23, False)]
    [said] = play.send("tournament.placed", entry=13, first=23, last=25).of(Kind.PLACING)
    assert said == {"seat": 3, "place": [23, 25]}
    assert play.send("tournament.placed", entry=13, first=23, last=25).of(Kind.PLACING) == []
    assert places(play) == [(11, 22, 22, False), (13, 23, 25, True)]
    [said] = play.send("tournament.placed", entry=14, first=1, last=1).of(Kind.PLACING)
    assert said == {"seat": 4, "place": 1}, "who is left has won"


def test_a_place_is_the_entrys_and_not_of_who_has_its_seat_now() -> None:
    play = busted()
    play.send("hand.end")
    for seat in (1, 3):
        play.send("seat.out", seat=seat)
    play.send("seat.in", seat=1)
    play.send("seat.entry", seat=1, entry=40)
    play.send("tournament.placed", entry=11, first=22, last=22)
    [said] = play.send("tournament.placed", entry=12, first=30, last=29).of(Kind.ERROR)
    assert "the better one first" in json.dumps(said)
    [said] = play.send("tournament.placed", entry=99, first=2, last=2).of(Kind.ERROR)
    assert "neither went out here nor sits here" in json.dumps(said)
    [said] = play.send("tournament.placed", entry=11, first=2).of(Kind.ERROR)
    assert "belong together" in json.dumps(said)
    assert places(play) == [(11, 22, 22, True), (13, 23, 23, False)]
    assert all(one["entry"] != 40 for one in play.view["tournament"]["places"])


def test_an_entry_that_plays_again_has_no_place_any_more() -> None:
    play = busted()
    play.send("hand.end")
    play.send("tournament.placed", entry=11, first=22, last=22)
    play.send("tournament.placed", entry=11)
    assert places(play) == [(13, 23, 23, False)]
    play.send("seat.out", seat=3)
    play.send("seat.in", seat=3)
    play.send("seat.entry", seat=3, entry=13)
    assert places(play) == [], "who is back in its seat is not out"


def test_a_race_that_the_floor_orders_stands_on_the_display_until_it_is_decided() -> None:
    play = table()
    play.send("tournament.moves", comes=[5])
    [said] = play.send("tournament.race", chip=2500, new_chip=10000).of(Kind.DISPLAY)
    text = "A player comes to seat 5. Race chips of 25 for chips of 100 before the next hand."
    assert said == {"text": text, "rule": None}
    assert notice_in_words(text, Language.GERMAN) == (
        "Auf Platz 5 kommt ein Spieler. Vor der nächsten Hand Chips zu 25 in Chips zu 100 eintauschen (Chip Race)."
    )
    assert play.view["tournament"]["race_ordered"] == {"chip": 2500, "new_chip": 10000}
    play.shuffle()
    play.send("race.start", chip=2500, new_chip=10000, odd={"1": 2, "2": 3}, last=[])
    play.card("race:1", "Kh", "up")
    raced = play.card("race:2", "As", "up")
    assert raced.of(Kind.RACE) == [{"winners": {"2": 1}, "removed": 10000}]
    assert raced.of(Kind.DISPLAY) == [{"text": "A player comes to seat 5.", "rule": None}]
    assert play.view["tournament"]["race_ordered"] is None
    play.send("tournament.race", chip=100, new_chip=500)
    [said] = play.send("tournament.race").of(Kind.DISPLAY)
    assert said["text"] == "A player comes to seat 5."


@pytest.mark.parametrize("fields", [{"chip": 25}, {"new_chip": 25}, {"chip": 100, "new_chip": 100}, {"chip": 0}])
def test_a_race_that_cannot_be_is_refused(fields: dict[str, int]) -> None:
    [said] = table().send("tournament.race", **fields).of(Kind.ERROR)
    assert "the new one is worth more" in json.dumps(said)


def test_without_a_tournament_the_floor_is_told_so() -> None:
    play = Play("tas-2018-holdem")
    play.open((1, 2, 3, 4), button=1, blinds=[100, 200])
    for event, fields in (
        ("seat.entry", {"seat": 1, "entry": 1}), ("tournament.placed", {"entry": 1}), ("tournament.race", {}),
    ):  # fmt: skip
        [said] = play.send(event, **fields).of(Kind.ERROR)
        assert "no tournament is played here" in json.dumps(said)
