"""Prompts, phases and alarms in the words of the trade."""

import re
from typing import Any

import pytest
from hypothesis import given

from feltd.text.amounts import amount_in_words
from feltd.text.prompt_words import prompt_in_words
from feltd.text.words import alarm_in_words, begin_sentence, in_sentence, phase_in_words, words_of
from table_fsm.felt import AmountUnit
from table_fsm.prompts import types as ask
from table_fsm.prompts.reading import prompt_from_dict
from table_fsm.prompts.types import Prompt
from table_fsm.rulebook.denomination import Denomination
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome
from tests.table_fsm.some_prompts import prompts

AUD = Denomination(AmountUnit.CENTS, "AUD")
POINTS = Denomination(AmountUnit.POINTS)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (None, ""),
        ({"check": None}, "Check the cards, card by card"),
        ({"check": "blue"}, "Check the blue deck, card by card"),
        ({"shuffle": None}, "Shuffle the cards"),
        ({"shuffle": "red"}, "Shuffle the red deck"),
        ({"cut": True}, "Cut the cards"),
        ({"post": {"2": 100, "3": 250, "4": None}}, "Post: seat 2 $1, seat 3 $2.50, seat 4 –"),
        ({"wagers": True}, "Place your wagers"),
        ({"move": "button", "to": 4}, "Move the button to seat 4"),
        ({"deal": "seat:3", "face": "down"}, "Deal to seat 3, face down"),
        ({"deal": "board:4", "face": "up"}, "Deal to the board, fourth card, face up"),
        ({"burn": 1}, "Burn one card"),
        ({"burn": 2}, "Burn 2 cards"),
        ({"act": 3, "owes": 20000}, "Seat 3 to act: $200 to call"),
        ({"act": 3, "owes": 0}, "Seat 3 to act: nothing to call"),
        ({"act": 3, "owes": None}, "Seat 3 to act"),
        (
            {"act": 3, "owes": 0, "check_beats": [1, 2]},
            "Seat 3 to act: nothing to call; to check too they must beat the open cards of seats 1, 2",
        ),
        ({"cut": True, "by": "seat:4"}, "Cut the cards: seat 4"),
        ({"ante": {"1": 500, "2": 500}}, "Antes: seat 1 $5, seat 2 $5"),
        ({"open": "low_card"}, "The lowest card showing opens"),
        ({"open": "high_hand"}, "The highest hand showing opens"),
        ({"open": "low_hand"}, "The lowest hand showing opens"),
        ({"close": "betting"}, "Close the betting"),
        ({"decide": [1, 5]}, "Seats 1, 5 to decide"),
        ({"decide": [5]}, "Seat 5 to decide"),
        ({"turn": ["board:1", "board:2", "board:3"]}, "Turn up the board, cards 1, 2, 3"),
        ({"turn": ["dealer"]}, "Turn up the dealer's hand"),
        ({"turn": ["seat:7"]}, "Turn up seat 7's hand"),
        ({"show": [2, 1]}, "Seats 2, 1 to show, in this order"),
        ({"collect": True}, "Settle, and collect the cards"),
        ({"remove": "seat:2"}, "Take back the card at seat 2"),
        ({"shuffle_stub": True}, "Shuffle the undealt cards"),
        ({"wait": "floor"}, "Wait: a person must decide"),
        ({"wait": "players"}, "Wait for players"),
        ({"wait": "go"}, "Wait: hand for hand, the director lets it go on"),
        ({"draw": "button"}, "Draw for the button: deal each player one card, face up"),
        ({"draw": 3}, "Ask seat 3 how many cards to replace"),
        ({"give_up": [2, 3], "count": 1}, "Seats 2, 3 to give up one card, face down"),
        ({"mix": ["board:1", "board:2", "board:3", "board:4"]}, "Floor: mix the four cards of the flop face down"),
        (
            {"deal": "board", "face": "up"},
            "Lay three of the mixed cards face up as the flop: the fourth is the next burn card",
        ),
        ({"move": "board:1", "to": "burn"}, "Move the board's first card to the burn pile"),
        ({"remove": "board:4"}, "Take back the board's fourth card"),
        ({"deal": "race:3", "face": "up"}, "Deal to the chip race, seat 3, face up"),
        ({"deal": "board2:5", "face": "up"}, "Deal to the second board, fifth card, face up"),
        ({"act": 3, "owes": 0, "check": False}, "Seat 3 to act: nothing to call, no check"),
        ({"act": 3, "owes": 200, "return_bet": {"2": 500}}, "Return $5 to seat 2. Seat 3 to act: $2 to call"),
        ({"close": "betting", "return_bet": {"2": None}}, "Return the bet to seat 2. Close the betting"),
        ({"turn": ["seat:7", "seat:2"]}, "Turn up seat 7's hand, seat 2's hand"),
        ({"show": [4]}, "Seat 4 to show"),
        ({"show": [4], "by_key": True}, "Seat 4 to show: press the key for each hand that lies open"),
    ],
)
def test_a_prompt_is_said_as_at_a_table(prompt: dict[str, Any] | None, said: str) -> None:
    assert prompt_in_words(None if prompt is None else prompt_from_dict(prompt), AUD) == said


@given(prompt=prompts())
def test_no_prompt_is_said_in_the_words_of_a_program(prompt: Prompt) -> None:
    said = prompt_in_words(prompt, AUD)
    assert said[0].isupper()
    assert not re.search(r'[][{}_"]|None|True|False|\b(board2?|seat|race):', said), said


@pytest.mark.parametrize(
    ("phase", "street", "words"),
    [
        ("betting", "pre_flop", "Betting, pre-flop"),
        ("board", "turn", "Dealing the board, turn"),
        ("dealing", "third", "Dealing, third street"),
        ("draw", "2", "Draw, round 2"),
        ("halted", None, "Halted"),
        ("new_phase", None, "New phase"),
    ],
)
def test_a_phase_has_a_name(phase: str, street: str | None, words: str) -> None:
    assert phase_in_words(phase, street) == words


@pytest.mark.parametrize(
    ("counted", "amount", "words"),
    [
        (AUD, 0, "$0"),
        (AUD, 100, "$1"),
        (AUD, 250, "$2.50"),
        (AUD, 123456700, "$1,234,567"),
        (AUD, None, "–"),
        (Denomination(AmountUnit.CENTS, "EUR"), 1205, "€12.05"),
        (Denomination(AmountUnit.CENTS, "CHF"), 500, "CHF 5"),
        (POINTS, 250, "250"),
        (POINTS, 1234567, "1,234,567"),
        (POINTS, None, "–"),
        (Denomination(AmountUnit.POINTS, "AUD"), 25000, "25,000"),
        (None, 250, "250"),
    ],
)
def test_an_amount_is_written_in_its_denomination(counted: Denomination | None, amount: int | None, words: str) -> None:
    assert amount_in_words(amount, counted) == words


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (ask.Post({1: 100, 2: 250}), "Post: seat 1 100, seat 2 250"),
        (ask.Ante({3: 5000}), "Antes: seat 3 5,000"),
        (ask.Act(4, 1200), "Seat 4 to act: 1,200 to call"),
        (ask.Close(ask.ReturnBet(2, 300)), "Return 300 to seat 2. Close the betting"),
    ],
)
def test_points_are_prompted_without_a_currency(prompt: Prompt, words: str) -> None:
    assert prompt_in_words(prompt, POINTS) == words


def test_an_alarm_says_what_it_is_about() -> None:
    assert (
        alarm_in_words({"kind": "device_offline", "device": "shoe", "deck": None, "seat": None})
        == "Device offline: shoe"
    )
    assert alarm_in_words({"kind": "seat_left", "device": None, "deck": None, "seat": 4}) == "Seat left: seat 4"
    assert alarm_in_words({"kind": "floor_called"}) == "Floor called"
    assert (
        alarm_in_words({"kind": "boxed_card", "deck": "red", "seat": 2})
        == "A card lay face up in the pack: seat 2, red deck"
    )
    assert alarm_in_words({"kind": "short_deck", "deck": "blue"}) == "The deck is short: blue deck"
    assert alarm_in_words({"kind": "comms", "device": "shoe"}) == "No answer from the shoe: shoe"
    assert alarm_in_words({"kind": "of_another_version"}) == "Of another version"


def test_the_page_says_of_a_member_what_the_printed_book_says() -> None:
    assert words_of(Irregularity, "bet_between") == Irregularity.BET_BETWEEN.words
    assert words_of(Outcome, "of_another_version") == "Of another version"


def test_words_begin_a_sentence_or_stand_in_one() -> None:
    assert begin_sentence("play on") == "Play on"
    assert in_sentence("Declare a misdeal") == "declare a misdeal"
