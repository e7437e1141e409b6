"""The simulated devices as things: cards are conserved, faults stop the shoe, memory outlives power."""

import json
from collections import Counter
from typing import Any

import pytest

from devices.drivers.registry import driver_for
from devices.simulated.errors import OrderRefused
from devices.simulated.things.models import (
    BadgeModel,
    DeviceModel,
    DropboxModel,
    IndicatorsModel,
    KeysModel,
    MarkersModel,
    ReaderModel,
)
from devices.simulated.things.pack import FULL_PACK
from devices.simulated.things.shoe_model import ShoeModel


def shoe(**settings: Any) -> ShoeModel:
    model = ShoeModel(("blue", "red"), **settings)
    model.post("gate", {"locked": False})
    return model


def deal(model: ShoeModel, count: int) -> list[str]:
    return [model.order({"do": "deal"}).reply["card"] for _ in range(count)]


def test_a_shuffled_deck_is_the_whole_deck_and_the_seed_decides_its_order() -> None:
    orders = []
    for seed in (1, 1, 2):
        model = shoe(seed=seed)
        [body] = model.order({"do": "shuffle", "deck": "blue"}).bodies
        assert body == {"ev": "shuffled", "deck": "blue", "count": 52}
        orders.append(deal(model, 52))
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(FULL_PACK)


def test_an_empty_or_locked_shoe_gives_nothing() -> None:
    model = shoe()
    with pytest.raises(OrderRefused, match="empty"):
        model.order({"do": "deal"})
    model.order({"do": "shuffle"})
    model.post("gate", {"locked": True})
    with pytest.raises(OrderRefused, match="locked"):
        model.order({"do": "deal"})


def test_a_jam_stops_the_shoe_until_it_is_cleared() -> None:
    model = shoe()
    model.order({"do": "shuffle"})
    assert model.order({"do": "fault", "kind": "jam"}).bodies == ({"ev": "fault", "kind": "jam"},)
    assert model.order({"do": "fault", "kind": "jam"}).bodies == ()
    with pytest.raises(OrderRefused, match="jam"):
        model.order({"do": "deal"})
    assert model.state()["faults"] == [{"kind": "jam"}]
    assert model.order({"do": "clear"}).bodies == ({"ev": "cleared", "kind": "jam"},)
    assert deal(model, 1)


@pytest.mark.parametrize(
    ("tampering", "count", "missing", "foreign", "duplicate"),
    [("lose_card", 51, 1, 0, 0), ("swap_card", 52, 1, 0, 1), ("add_foreign", 53, 0, 1, 0)],
)
def test_a_check_finds_what_was_done(tampering: str, count: int, missing: int, foreign: int, duplicate: int) -> None:
    model = shoe()
    assert model.order({"do": tampering, "deck": "red"}).bodies == ()
    [body] = model.order({"do": "check", "deck": "red"}).bodies
    assert (body["count"], len(body["missing"]), len(body["foreign"]), len(body["duplicate"])) == (
        count, missing, foreign, duplicate,
    )  # fmt: skip
    model.order({"do": "change_deck", "deck": "red"})
    assert model.order({"do": "check", "deck": "red"}).reply == {"whole": True}


def test_a_boxed_card_comes_face_up_once() -> None:
    model = shoe()
    model.order({"do": "shuffle"})
    model.order({"do": "box_card"})
    faces = [model.order({"do": "deal"}).bodies[0]["face"] for _ in range(2)]
    assert faces == ["up", "down"]


def test_cards_go_back_into_the_stub() -> None:
    model = shoe()
    model.order({"do": "shuffle"})
    out = deal(model, 10)
    [body] = model.order({"do": "reshuffle", "cards": out[:3]}).bodies
    assert body == {"ev": "stub_shuffled", "count": 45}
    assert Counter(deal(model, 45)) == Counter(FULL_PACK) - Counter(out[3:])
    with pytest.raises(OrderRefused, match="no card"):
        model.order({"do": "reshuffle", "cards": ["hat"]})


def reader(**settings: Any) -> ReaderModel:
    model = ReaderModel(("seat:3", "burn"), **settings)
    model.order({"do": "place", "zone": "seat:3", "card": "As", "face": "down"})
    model.order({"do": "place", "zone": "seat:3", "card": "Kd", "face": "down"})
    return model


def test_a_reader_tells_what_happens_in_its_zones() -> None:
    model = reader()
    assert model.order({"do": "turn", "zone": "seat:3", "face": "up", "all": True}).bodies == (
        {"ev": "turned", "zone": "seat:3", "card": "As", "face": "up"},
        {"ev": "turned", "zone": "seat:3", "card": "Kd", "face": "up"},
    )
    assert model.order({"do": "remove", "zone": "seat:3", "card": "As"}).reply == {"card": "As", "face": "up"}
    assert model.state()["zones"] == {"seat:3": [["Kd", "up"]], "burn": []}
    [left] = model.order({"do": "leave", "zone": "seat:3", "by": "player"}).bodies
    assert left == {"ev": "left_table", "zone": "seat:3", "card": "Kd", "by": "player"}
    with pytest.raises(OrderRefused, match="no such card"):
        model.order({"do": "remove", "zone": "seat:3"})


def test_a_blind_reader_names_no_card_that_lies_face_down() -> None:
    model = reader(reads_down=False)
    assert model.state()["zones"]["seat:3"] == [[None, "down"], [None, "down"]]
    [body] = model.order({"do": "turn", "zone": "seat:3", "card": "As", "face": "up"}).bodies
    assert body["card"] == "As"


def test_collecting_is_silent_when_the_host_says_so() -> None:
    assert len(reader().order({"do": "collect"}).bodies) == 2
    model = reader()
    model.post("collect", {"on": True})
    assert model.order({"do": "collect"}).bodies == ()
    assert model.state()["zones"] == {"seat:3": [], "burn": []}


def test_indicators_show_what_they_were_told() -> None:
    model = IndicatorsModel()
    model.post("lamps", {"stop": True})
    model.post("display", {"lines": ["[19.4]", "Replace the card."]})
    for number in (1, 1, 2):
        model.post("buzzer", {"pattern": "long", "n": number})
    model.post("clock", {"on": True, "seat": 4, "left": 5000})
    model.post("disco", {"on": True})
    shown = model.order({"do": "read"}).reply["shown"]
    assert shown["lamps"] == {"stop": True}
    assert shown["display"] == ["[19.4]", "Replace the card."]
    assert [sound["n"] for sound in shown["sounds"]] == [1, 2]
    assert shown["clock"] == {"on": True, "seat": 4, "left": 5000}


MODELS: list[tuple[DeviceModel, list[dict[str, Any]]]] = [
    (ShoeModel(("blue",), 3), [{"do": "shuffle"}, {"do": "fault", "kind": "power"}, {"do": "box_card"}]),
    (ReaderModel(("seat:3",)), [{"do": "place", "zone": "seat:3", "card": "As", "face": "down"}]),
    (MarkersModel(), [{"do": "place", "marker": "button", "seat": 4}, {"do": "place", "marker": "buck", "seat": 2}]),
    (DropboxModel(), [{"do": "box", "locked": False}, {"do": "chip", "cents": 500}]),
    (KeysModel(), [{"do": "press", "body": {"ev": "test_mode", "on": True}}]),
    (BadgeModel(), [{"do": "badge", "staff": "S-1", "role": "supervisor"}]),
    (IndicatorsModel(), []),
]


@pytest.mark.parametrize(("model", "orders"), MODELS, ids=lambda value: getattr(value, "role", ""))
def test_models_speak_as_their_drivers_read_and_remember(model: DeviceModel, orders: list[dict[str, Any]]) -> None:
    settings = {"zones": ["seat:3"]} if model.role == "reader" else {}
    driver = driver_for(model.role)(model.role, settings)
    for order in orders:
        for body in model.order(order).bodies:
            for event in driver.events(body, 1.0):
                driver.observe(event)
    assert driver.state_events(model.state(), 2.0) == []
    memory = json.loads(json.dumps(model.memory()))
    before = model.state()
    model.recall(memory)
    assert model.state() == before


@pytest.mark.parametrize(("model", "orders"), MODELS, ids=lambda value: getattr(value, "role", ""))
@pytest.mark.parametrize("order", [{}, {"do": 3}, {"do": "dance"}, {"do": "press"}, {"do": "place"}, {"do": "chip"}])
def test_what_is_no_order_is_refused(model: DeviceModel, orders: list[dict[str, Any]], order: dict[str, Any]) -> None:
    with pytest.raises(OrderRefused):
        model.order(order)
