"""A simulated table whose readers know no side of a card: contested hands end, and nothing opens before its time."""

from collections.abc import Callable
from typing import Any

import pytest

from devices.drivers.base import Driver
from devices.drivers.registry import driver_for
from devices.errors import DeviceMessageError
from devices.simulated.direct import DirectTable
from devices.simulated.people.mistakes import OF_FACES, possible
from devices.simulated.things.device import DeviceOptions, read_options
from devices.simulated.things.equipment import lay_out
from devices.simulated.things.models import ReaderModel
from table_fsm.events import CardExposed, CardPlaced, CardTurned, HandShown
from table_fsm.table import Table
from tests.devices.direct_play import BOOKS, HOLDEM, STUD5, STUD7, UTH, books, game, play

FACELESS = {"faces": False, "look_sensor": False}
TAKEN = [book for book in BOOKS if book not in {STUD5, STUD7, UTH}]


@pytest.mark.parametrize("keypad", [True, False])
@pytest.mark.parametrize("book", TAKEN)
def test_clean_rounds_raise_nothing_and_contested_hands_are_decided(book: str, keypad: bool) -> None:
    played = play(game(book, FACELESS, rounds=6, keypad=keypad), **FACELESS)
    if book == "star-2025-holdem" and keypad:  # the level goes up between the blinds and the deal (7.20)
        played.rulings.pop("forced_bet warn", None)
    assert (played.rulings, played.refused, played.rounds) == ({}, [], 6)
    if keypad:  # else nobody keys who has folded
        assert any("showdown" in output and output["showdown"]["hand"] for output in played.outputs)
    assert not any(isinstance(event, CardTurned | CardExposed) for event in played.events)


def test_mistakes_that_such_a_table_sees_are_ruled_on_and_others_are_not_made() -> None:
    the_game = game(HOLDEM, FACELESS, rounds=12, mistake_rate=1.0, seed=3)
    played = play(the_game, **FACELESS)
    assert played.rulings
    assert not OF_FACES & set(played.made)
    seen = possible(the_game.kind, keypad=True, decks=1, faces=False)
    assert set(possible(the_game.kind, keypad=True, decks=1)) - set(seen) == OF_FACES & set(
        possible(the_game.kind, keypad=True, decks=1)
    )


def test_a_hand_opens_by_the_key_and_not_before() -> None:
    table = Table(books())
    the_game = game(HOLDEM, FACELESS, rounds=4)
    opened: set[int] = set()

    def apply(event: Any) -> list[dict[str, Any]]:
        if isinstance(event, HandShown):
            opened.add(event.seat)
        elif event.ev == "hand.end":
            opened.clear()
        outputs = table.apply(event)
        assert {seat["seat"] for seat in table.view()["seats"] if seat["tabled"]} <= opened
        return [output.to_dict() for output in outputs]

    for _ in DirectTable(the_game, apply, options={"blinds": [100, 200], "table_min": 200, **FACELESS}).play():
        pass


def test_a_reader_without_faces_tells_each_zone_s_one_side() -> None:
    reader = ReaderModel(("seat:1", "board:1", "burn"), faces=False)
    place: Callable[[str, str], Any] = lambda zone, face: reader.order(  # noqa: E731
        {"do": "place", "zone": zone, "card": "As", "face": face}
    ).bodies[0]["face"]
    assert [place("seat:1", "up"), place("board:1", "down"), place("burn", "up")] == ["down", "up", "down"]
    assert reader.order({"do": "turn", "zone": "seat:1", "face": "down", "all": True}).bodies == ()
    assert reader.order({"do": "expose", "zone": "seat:1", "by": "player"}).bodies == ()
    assert reader.state()["zones"]["board:1"] == [["As", "up"]]
    assert reader.seen()["zones"]["board:1"] == [["As", "down"]]


HIDDEN = ("seat:1", "burn", "muck", "shoe")


def driver(*, faces: bool = False) -> Driver[Any]:
    return driver_for("reader")("reader:1", {"zones": [*HIDDEN, "board:1", "dealer"], "faces": faces})


@pytest.mark.parametrize("zone", HIDDEN)
def test_a_reader_that_knows_no_side_opens_no_card_by_its_word(zone: str) -> None:
    """A zone that was set to `up` at the reader is a fault that names the remedy; its cards count as face down."""
    reader, placed = driver(), CardPlaced(t=1.0, zone=zone, card="As", face="down")
    body = {"ev": "placed", "zone": zone, "card": "As", "face": "up"}
    assert reader.events(body, 1.0) == reader.events(body, 1.0) == [placed]
    [told] = reader.doubts()
    assert (told.field, reader.doubts()) == ("face", [])
    assert str(told).startswith("device reader:1: message placed, field face: the reader knows no side of a card")
    assert f"says up in {zone}: taken for face down; set this zone's side to down at the reader" in str(told)
    assert reader.events({**body, "face": "down"}, 1.0) == [placed]
    assert reader.doubts() == []
    seeing = driver(faces=True)
    assert seeing.events(body, 1.0) == [CardPlaced(t=1.0, zone=zone, card="As", face="up")]
    assert seeing.doubts() == []


def test_a_mucked_card_is_no_exception_and_the_board_is_one() -> None:
    reader = driver()
    assert reader.events({"ev": "mucked", "card": "As", "face": "up"}, 1.0)[0] == CardPlaced(
        t=1.0, zone="muck", card="As", face="down"
    )
    assert [doubt.message for doubt in reader.doubts()] == ["mucked"]
    for zone in ("board:1", "dealer"):
        body = {"ev": "placed", "zone": zone, "card": "Kd", "face": "up"}
        assert reader.events(body, 1.0) == [CardPlaced(t=1.0, zone=zone, card="Kd", face="up")]
    assert reader.doubts() == []


def test_a_side_that_was_set_otherwise_while_the_reader_was_away_turns_no_card() -> None:
    reader = driver()
    for zone, face in (("seat:1", "down"), ("board:1", "up")):
        reader.observe(CardPlaced(t=1.0, zone=zone, card="As" if face == "down" else "Kd", face=face))
    zones: dict[str, list[Any]] = {zone: [] for zone in (*HIDDEN, "dealer")}
    state = {
        "zones": {**zones, "seat:1": [["As", "up"], ["7c", "up"]], "board:1": [["Kd", "down"]]},
        "collecting": False,
    }
    assert reader.state_events(state, 2.0) == [CardPlaced(t=2.0, zone="seat:1", card="7c", face="down")]
    assert [(doubt.message, "seat:1" in doubt.problem) for doubt in reader.doubts()] == [("state", True)]


@pytest.mark.parametrize("zones", [["seat:1", "burn"], ["board:1", "burn"]])
def test_a_reader_that_says_so_itself_opens_no_card_though_its_settings_trust_it(zones: list[str]) -> None:
    """Settings that were forgotten would show a hand to everybody. At the board they are no fault: nothing is lost."""
    reader = driver_for("reader")("reader:1", {"zones": zones})
    state = {"zones": {zones[0]: [], "burn": [["As", "up"]]}, "collecting": False}
    reader.observe(CardPlaced(t=1.0, zone="burn", card="As", face="down"))
    assert reader.state_events(state | {"faces": False}, 2.0) == []
    told = {doubt.field: str(doubt) for doubt in reader.doubts()}
    assert "says up in burn: taken for face down" in told.pop("face")
    assert [
        words for words in told.values() if "say faces = false in its settings and in [table.options]" in words
    ] == [words for words in told.values() if zones[0] == "seat:1"]
    assert len(told) == (zones[0] == "seat:1")
    body = {"ev": "placed", "zone": "burn", "card": "Kd", "face": "up"}
    assert reader.events(body, 3.0) == [CardPlaced(t=3.0, zone="burn", card="Kd", face="down")]
    other = state | {"faces": True}  # another reader in its place: it sees the card that lies open
    assert reader.state_events(other, 4.0) == [CardTurned(t=4.0, zone="burn", card="As", face="up")]


def test_a_reader_cannot_talk_its_settings_out_of_it() -> None:
    reader = driver()
    state = {"zones": {zone: [] for zone in (*HIDDEN, "board:1", "dealer")}, "collecting": False, "faces": True}
    assert (reader.state_events(state, 1.0), reader.doubts()) == ([], [])
    body = {"ev": "placed", "zone": "seat:1", "card": "As", "face": "up"}
    assert reader.events(body, 2.0) == [CardPlaced(t=2.0, zone="seat:1", card="As", face="down")]
    with pytest.raises(DeviceMessageError, match="field faces"):
        reader.state_events(state | {"faces": 0}, 3.0)


def test_the_processes_of_such_a_table_are_told(tmp_path: Any) -> None:
    laid = lay_out(tmp_path, game(HOLDEM), faces=False)
    reader = laid.device("reader:board")
    assert laid.settings("reader:board") == {"zones": reader.zones, "look": False, "faces": False}
    assert laid.settings("keys") == {}
    told: DeviceOptions = read_options(reader.arguments()[2:])
    assert (told.faces, read_options(laid.device("shoe").arguments()[2:]).faces) == (False, True)
