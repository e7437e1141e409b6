"""Which sealed entries a round opens: those of cards that it showed in their own place, and no other."""

import pytest

from feltd.record.shown_cards import ShownCards
from table_fsm.events import (
    CardExposed,
    CardLeftTable,
    CardPlaced,
    CardRemoved,
    CardTurned,
    Event,
    HandShown,
    ShoeCard,
    ShoeDeckChecked,
    StubShuffled,
)


def shoe(card: str | None) -> Event:
    return ShoeCard(t=0.0, card=card)


def placed(zone: str, card: str | None, face: str = "down") -> Event:
    return CardPlaced(t=0.0, zone=zone, card=card, face=face)


def turned(zone: str, card: str, face: str = "up") -> Event:
    return CardTurned(t=0.0, zone=zone, card=card, face=face)


def removed(zone: str, card: str | None) -> Event:
    return CardRemoved(t=0.0, zone=zone, card=card)


HELD = [shoe("As"), placed("seat:1", "As"), shoe("Kd"), placed("seat:1", "Kd")]

AGAIN_AT_SEAT_1 = [shoe("As"), placed("seat:1", "As")]

ROUNDS: dict[str, tuple[list[Event], set[int]]] = {
    "nothing shown": (HELD, set()),
    "one of two tabled": ([*HELD, turned("seat:1", "Kd")], {3, 4, 5}),
    "both tabled": ([*HELD, turned("seat:1", "Kd"), turned("seat:1", "As")], {1, 2, 3, 4, 5, 6}),
    "on the board": ([shoe("7c"), placed("board:1", "7c", "up")], {1, 2}),
    "exposed": ([*HELD, CardExposed(t=0.0, zone="seat:1", card="As")], {1, 2, 5}),
    "tabled, turned down, collected": (
        [*HELD, turned("seat:1", "As"), turned("seat:1", "As", "down"), removed("seat:1", "As"), placed("muck", "As")],
        {1, 2, 5, 6, 7, 8},
    ),
    "folded and mucked": ([*HELD, removed("seat:1", "As"), placed("muck", "As")], set()),
    "folded, then turned up in the muck": (
        [*HELD, removed("seat:1", "As"), placed("muck", "As"), turned("muck", "As")],
        {1, 2, 5, 6, 7},
    ),
    "left the table unseen": ([*HELD, CardLeftTable(t=0.0, zone="seat:1", card="As")], set()),
    "another of its name is shown elsewhere": (
        [*HELD, shoe("As"), placed("board:1", "As", "up"), removed("seat:1", "As")],
        {5, 6},
    ),
    "the shoe read another name": ([shoe("Kd"), placed("seat:1", "As"), turned("seat:1", "As")], {2, 3}),
    "two out of the mouth": (
        [shoe("As"), shoe("Kd"), placed("seat:1", "As"), placed("seat:2", "Kd"), turned("seat:2", "Kd")],
        {2, 4, 5},
    ),
    "not read": ([shoe(None), placed("seat:1", None), turned("seat:1", "As")], {3}),
    "shuffled back": ([*HELD, removed("seat:1", "As"), StubShuffled(t=0.0), placed("board:1", "As", "up")], {7}),
    "comes again where it lay": (
        [*HELD, removed("seat:1", None), StubShuffled(t=0.0), *AGAIN_AT_SEAT_1, turned("seat:1", "As")],
        {7, 8, 9},
    ),
    "comes again and is turned before it is read": (
        [*HELD, removed("seat:1", None), StubShuffled(t=0.0), placed("seat:1", None), turned("seat:1", "As")],
        {8},
    ),
    "comes again where another of it was never lifted": (
        [*HELD, StubShuffled(t=0.0), *AGAIN_AT_SEAT_1, turned("seat:1", "As")],
        {6, 7, 8},
    ),
    "comes again and is seen in the muck": (
        [
            *HELD,
            removed("seat:1", "As"),
            placed("muck", "As"),
            StubShuffled(t=0.0),
            placed("seat:1", None),
            removed("seat:1", None),
            placed("muck", None),
            turned("muck", "As"),
        ],
        {11},
    ),
    "burnt unread, and comes again": (
        [shoe("As"), StubShuffled(t=0.0), placed("board:1", "As", "up")],
        {3},
    ),
    "lies through a shuffle of the stub": ([*HELD, StubShuffled(t=0.0), turned("seat:1", "As")], {1, 2, 6}),
    "lifted unread, and the other one tabled": (
        [*HELD, removed("seat:1", None), turned("seat:1", "Kd")],
        {6},
    ),
    "said to lie open by the dealer": (
        [*HELD, HandShown(t=0.0, seat=1), removed("seat:1", "As")],
        {1, 2, 3, 4, 6},
    ),
    "said to lie open, and put back face down": (
        [*HELD, HandShown(t=0.0, seat=1), removed("seat:1", "As"), placed("seat:1", "As")],
        {1, 2, 3, 4, 6, 7},
    ),
    "another hand is said to lie open": ([*HELD, HandShown(t=0.0, seat=2)], set()),
    "a deck check in mid-round": ([ShoeDeckChecked(t=0.0, count=51, missing=["As"]), placed("b", "As", "up")], {2}),
}


@pytest.mark.parametrize("name", ROUNDS)
def test_what_a_round_opens(name: str) -> None:
    events, opened = ROUNDS[name]
    cards = ShownCards()
    for seq, event in enumerate(events, 1):
        cards.take(seq, event)
    assert cards.opened == opened


def test_another_name_of_a_card_that_was_not_shown_opens_the_same_entries() -> None:
    """The seat's second card is another one, also one of a name that lies on the board: nothing else is opened."""
    opened = set()
    for name in ("Kd", "2c", "7c", None):
        cards = ShownCards()
        events = [shoe("As"), placed("seat:1", "As"), shoe(name), placed("seat:1", name), shoe("7c")]
        events += [placed("board:1", "7c", "up"), turned("seat:1", "As"), removed("seat:1", name)]
        for seq, event in enumerate(events, 1):
            cards.take(seq, event)
        opened.add(cards.opened)
    assert len(opened) == 1


def test_a_word_that_the_table_refused_opens_nothing() -> None:
    cards = ShownCards()
    for seq, event in enumerate([*HELD, HandShown(t=0.0, seat=1)], 1):
        cards.take(seq, event)
    cards.refused()
    cards.take(6, removed("seat:1", "As"))
    assert cards.opened == frozenset()
