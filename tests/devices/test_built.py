"""A simulated table that is built with less: its rounds go on, clean ones raise nothing, and no name gets out."""

import pytest

from devices.drivers.shoe import ShoeDriver
from devices.simulated.people.mistakes import OCCASIONS, Kind, possible
from devices.simulated.things.bare import BareThings, seen_zones
from table_fsm.events import CardPlaced, ShoeCard
from table_fsm.felt import Built
from tests.devices.direct_play import BOOKS, HOLDEM, books, game, play

LESS = tuple(how for how in Built if how is not Built.FULL)


def takes(book: str, built: Built) -> bool:
    """Whether a table that is built so can judge the book's game."""
    rules = books()[book].book
    shoe = built in {Built.NO_SHOE, Built.BOARD_ONLY} and rules.deck.from_shoe
    return not shoe and (built is Built.NO_SHOE or (rules.banked == "player" and bool(rules.board_cards[-1])))


@pytest.mark.parametrize(("book", "built"), [(book, how) for book in BOOKS for how in LESS if takes(book, how)])
def test_clean_rounds_raise_nothing(book: str, built: Built) -> None:
    played = play(game(book, {"built": built.value}, rounds=4), built=built.value)
    if book == "star-2025-holdem":  # the level goes up between the blinds and the deal, which has the new one (7.20)
        played.rulings.pop("forced_bet warn", None)
    assert (played.rounds, played.rulings, played.refused) == (4, {}, [])


@pytest.mark.parametrize("built", LESS)
def test_what_such_a_table_can_see_is_still_ruled_on(built: Built) -> None:
    played = play(game(HOLDEM, {"built": built.value}, rounds=14, mistake_rate=1.0, seed=3), built=built.value)
    assert played.rounds == 14
    assert len(played.made) > 8
    assert sum(played.rulings.values()) >= len(played.made)


@pytest.mark.parametrize("built", LESS)
def test_no_device_tells_of_a_place_that_has_none(built: Built) -> None:
    events = play(game(HOLDEM, {"built": built.value}, rounds=3), built=built.value).events
    assert {event.zone for event in events if isinstance(event, CardPlaced)} <= seen_zones(built)
    given = [event for event in events if isinstance(event, ShoeCard)]
    assert bool(given) is (built is Built.NO_SEAT_READERS)
    assert {event.card for event in given} <= {None}  # no reader would see such a card thrown away


def test_a_shoe_that_may_name_no_card_names_one_that_lies_face_up() -> None:
    shoe = ShoeDriver("shoe", {"names": False})
    down = {"ev": "card_out", "card": "As", "face": "down", "deck": "blue"}
    assert shoe.events(down, 1.0) == [ShoeCard(t=1.0, card=None, face="down", deck="blue")]
    assert shoe.events({**down, "face": "up"}, 1.0) == [ShoeCard(t=1.0, card="As", face="up", deck="blue")]


def test_hands_move_the_cards_that_no_device_sees() -> None:
    bare = BareThings(Built.BOARD_ONLY, ("blue",), 7)
    pack, cloth = bare.thing("shoe", None), bare.thing("reader", "seat:3")
    assert pack is not None
    assert cloth is not None
    assert [body["ev"] for body in bare.carry_out(pack, {"do": "shuffle", "deck": "blue"}).bodies] == ["shuffled"]
    dealt = bare.carry_out(pack, {"do": "deal"})
    assert dealt.bodies == ()
    bare.carry_out(cloth, {"do": "place", "zone": "seat:3", "card": dealt.reply["card"], "face": "down"})
    assert bare.zones["seat:3"] == [[dealt.reply["card"], "down"]]
    assert bare.thing("reader", "board:1") is None
    assert bare.thing("keys", None) is None


def test_mistakes_that_nobody_would_see_are_not_made() -> None:
    whole = set(possible(Kind.FLOP, keypad=True, decks=1))
    for built in LESS:
        seen = set(possible(Kind.FLOP, keypad=True, decks=1, built=built))
        assert seen < whole
        assert any(OCCASIONS[mistake].prompt == "act" for mistake in seen)
