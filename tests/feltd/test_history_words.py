"""Every event has words of its own, and no words name a card that the event does not."""

import pytest

from feltd.page.history.words import _WORDS, card_in_words, event_in_words
from table_fsm.events import BY_NAME
from table_fsm.felt import AmountUnit
from table_fsm.rulebook.denomination import Denomination

AUD = Denomination(AmountUnit.CENTS, "AUD")


def test_every_event_has_words() -> None:
    assert _WORDS.keys() == BY_NAME.keys()


@pytest.mark.parametrize("name", sorted(map(str, BY_NAME)))
def test_words_bear_an_event_of_which_little_is_known(name: str) -> None:
    said = event_in_words({"ev": name, "t": 1.0}, AUD)
    assert said[0].isupper()
    assert "_" not in said


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"ev": "card.placed", "zone": "seat:3", "face": "down"}, "A card comes to seat 3, face down"),
        ({"ev": "card.placed", "zone": "board:4", "card": "Td", "face": "up"},
         "10♦ comes to the board, fourth card, face up"),
        ({"ev": "action", "seat": 3, "action": "raise", "cents": 650}, "Seat 3 raises $6.50"),
        ({"ev": "action", "seat": 3, "action": "all_in"}, "Seat 3 goes all in"),
        ({"ev": "supervisor", "decision": "overrule", "staff": "S1", "ruling": 7, "outcome": "play_on",
          "reason": "the camera shows it"}, "S1 decides: overrule ruling 7 with play on: the camera shows it"),
        ({"ev": "shoe.deck_checked", "deck": "red", "count": 51, "missing": ["As"]},
         "The red deck checked: 51 cards, missing A♠"),
        ({"ev": "something.new"}, "Something new"),
    ],
)  # fmt: skip
def test_words_are_those_of_the_table(event: dict[str, object], words: str) -> None:
    assert event_in_words(event, AUD) == words


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"ev": "action", "seat": 3, "action": "raise", "cents": 650}, "Seat 3 raises 650"),
        ({"ev": "pot", "cents": 12500}, "Pot 1 is counted: 12,500"),
        ({"ev": "race.start", "chip": 25, "new_chip": 100}, "A race of chips of 25 for 100"),
        ({"ev": "stack", "seat": 2}, "Seat 2's stack is counted: –"),
    ],
)
def test_points_are_told_without_a_currency(event: dict[str, object], words: str) -> None:
    assert event_in_words(event, Denomination(AmountUnit.POINTS, "AUD")) == words


def test_a_joker_is_a_joker() -> None:
    assert card_in_words("Jo") == "the joker"
