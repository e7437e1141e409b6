"""What the table answered, in words: each kind that tells something, with amounts of its table, in each language."""

from typing import Any

import pytest

from feltd.page.history.answers import answer_in_words, hand_in_words
from feltd.text.language import Language, speaking
from table_fsm.felt import AmountUnit
from table_fsm.outputs import (
    Alarm,
    AlarmState,
    Button,
    Lamp,
    LampName,
    Level,
    LowHalf,
    Penalty,
    Placing,
    Race,
    Refusal,
    Settlement,
    Showdown,
)
from table_fsm.poker.hands.values import HandName
from table_fsm.rulebook.denomination import Denomination
from tests.some_outputs import ruling

AUD = Denomination(AmountUnit.CENTS, "AUD")
POINTS = Denomination(AmountUnit.POINTS, "AUD")


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("showdown", Showdown(1, (4,), "two pair", None), "Seat 4 wins pot 1 with two pair."),
        ("showdown", Showdown(2, (4,), None, None), "Seat 4 wins pot 2: all others folded."),
        ("showdown", Showdown(1, (4, 6), "flush", 6, 2),
         "Seats 4, 6 share pot 1, board 2 with flush. The odd chip goes to seat 6."),
        ("showdown", Showdown(1, (4,), "one pair", None, None, LowHalf((2,), "high card", None)),
         "Seat 4 wins the high half of pot 1 with one pair. Seat 2 wins the low half of pot 1 with high card."),
        ("settlement", Settlement(3, "straight", 500, 0, None, -1000),
         "Settled with seat 3, straight: ante +$5, blind $0, play −$10"),
        ("settlement", Settlement(3, None, -500, -500, -250, None),
         "Settled with seat 3: ante −$5, blind −$5, trips −$2.50"),
        ("placing", Placing(5, 7, 7), "Seat 5 is out: place 7"),
        ("placing", Placing(5, 7, 8, True), "Seat 5 is out: place 7–8 at this table"),
        ("race", Race({2: 1, 5: 0}, 75), "Chip race over: seat 2 wins 1; $0.75 leaves the game"),
        ("penalty", Penalty(2, 3), "Seat 2 has 3 left of its penalty"),
        ("button", Button(4), "The next button is at seat 4"),
        ("button", Button(4, dead=True), "The next button is at the empty seat 4"),
        ("alarm", Alarm("jam", "blue", "shoe", AlarmState.SHELVED), "Alarm shelved: Jam: shoe, blue deck"),
        ("error", Refusal("action", "seat 3 is not to act"), "Refused: seat 3 is not to act"),
        ("ruling", ruling(1.0).value, "Clause 19.4: A person decides."),
        ("lamp", Lamp(LampName.STOP, True), None),
    ],
)  # fmt: skip
def test_an_answer_is_a_sentence(kind: str, value: Any, words: str | None) -> None:
    assert answer_in_words({"t": 1.0, kind: value.to_json()}, AUD) == words


def test_points_of_a_tournament_are_no_money() -> None:
    level = Level(3, (200, 300), None, 600.0, None).to_json()
    assert answer_in_words({"level": level}, POINTS) == "Level 3 from the next deal: blinds 200 / 300"
    level = Level(3, (), 25, 600.0, None).to_json()
    assert answer_in_words({"level": level}, AUD) == "Level 3 from the next deal: blinds none, ante $0.25"


def test_each_state_of_an_alarm_has_words_of_its_own() -> None:
    said = {answer_in_words({"alarm": Alarm("jam", None, None, one).to_json()}, None) for one in AlarmState}
    assert len(said) == len(AlarmState)
    assert None not in said


@pytest.mark.parametrize("hand", HandName)
def test_every_hand_is_named_in_english_and_german(hand: HandName) -> None:
    assert hand_in_words(hand.value) == hand.value
    with speaking(Language.GERMAN):
        assert hand_in_words(hand.value)[0].isupper(), "a noun"


def test_a_name_of_a_later_version_stands_for_itself() -> None:
    assert hand_in_words("six of a kind") == "six of a kind"
