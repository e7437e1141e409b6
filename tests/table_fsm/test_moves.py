"""Who comes and goes, as the floor tells it, on the dealer's display."""

import json
from typing import Any

import pytest

from feltd.table.links.display_words import notice_in_words, shown, shown_again
from feltd.text.language import Language
from table_fsm.outputs import Display, Kind, Output
from table_fsm.view.indicators import all_now
from tests.table_fsm.streams import Play

TOLD = "Seat 2 leaves after this round. A player comes to seat 5. Begin no hand before seat 5 has a player."
GERMAN = (
    "Platz 2 geht nach dieser Runde. Auf Platz 5 kommt ein Spieler. "
    "Keine Hand beginnen, bevor auf Platz 5 ein Spieler sitzt."
)


def table() -> Play:
    play = Play("act-2001-holdem-no-limit")
    play.open((1, 2, 3, 4), button=1, blinds=[100, 200])
    return play


def on_display(play: Play) -> str:
    """What a display says that is set anew."""
    [text] = [output.value.text for output in all_now(play.core) if isinstance(output.value, Display)]
    return text


def test_the_display_says_who_comes_and_goes_until_nobody_does() -> None:
    play = table()
    [said] = play.send("tournament.moves", comes=[5, 5], goes=[2], waits=5).of(Kind.DISPLAY)
    assert said == {"text": TOLD, "rule": None}
    assert play.send("tournament.moves", comes=[5], goes=[2], waits=5).of(Kind.DISPLAY) == []
    assert on_display(play) == TOLD
    [said] = play.send("tournament.moves").of(Kind.DISPLAY)
    assert said == {"text": "", "rule": None}


def test_a_ruling_that_waits_stays_on_the_display() -> None:
    play = table()
    play.shuffle()
    play.send("shoe.card", card="2s", face="down", deck="red")
    pending = tuple(play.core.standing.pending)
    assert on_display(play) == pending[-1].text
    assert play.send("tournament.moves", comes=[5], goes=[2], waits=5).of(Kind.DISPLAY) == []
    assert on_display(play) == pending[-1].text


def test_what_the_floor_told_is_shown_again_when_nothing_waits_any_more() -> None:
    play = table()
    play.send("floor.called")
    play.send("tournament.moves", comes=[5], goes=[2], waits=5)
    seen = play.send("supervisor", decision="acknowledge", staff="Ada")
    assert seen.of(Kind.DISPLAY) == [{"text": TOLD, "rule": None}]


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"comes": [0]}, "no seat 0"), ({"waits": 99}, "no seat 99"), ({"goes": [7]}, "seat 7 has no player")],
)
def test_seats_that_cannot_be_are_refused(fields: dict[str, Any], words: str) -> None:
    [said] = table().send("tournament.moves", **fields).of(Kind.ERROR)
    assert words in json.dumps(said)


def test_in_german_it_is_said_in_german() -> None:
    assert notice_in_words(TOLD, Language.GERMAN) == GERMAN
    output = Output(1.0, Display(TOLD))
    assert shown(output, [], Language.GERMAN)["display"]["text"] == GERMAN
    assert shown_again(output, [], Language.GERMAN)["display"]["text"] == GERMAN
    assert shown(output, [], Language.ENGLISH)["display"]["text"] == TOLD
    assert shown_again(Output(1.0, Display("other")), [], Language.GERMAN)["display"]["text"] == "other"
