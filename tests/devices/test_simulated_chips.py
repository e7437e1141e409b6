"""Simulated readers and shoe that tell chips' numbers: as real ones do, and never with a card's name."""

import json
from pathlib import Path

import pytest

from devices.adapters.chip_numbers import SIZES, is_changing
from devices.simulated.errors import OrderRefused
from devices.simulated.people.visitor import LAID
from devices.simulated.things.chips import Thing, chip_of, number_of, spoken, told
from devices.simulated.things.models import THING, ReaderModel
from devices.simulated.things.pack import FULL_PACK
from devices.simulated.things.shoe_model import ShoeModel
from feltd.table.packs.pack_list import laying_order


def test_every_card_of_every_pack_has_a_number_of_its_own() -> None:
    numbers = {number_of(chip_of(card, deck)) for card in FULL_PACK for deck in ("blue", "red", "green")}
    assert len(numbers) == 3 * len(FULL_PACK)
    assert {len(number) for number in numbers} <= set(SIZES)
    assert not any(map(is_changing, numbers))


def test_over_the_wire_a_number_is_bytes_and_nothing_else_changes() -> None:
    body = {"ev": "placed", "card": told(b"\4\1\2\3"), "zones": {"seat:3": [[told(b"\4"), "up"], [None, "down"]]}}
    assert spoken(body) == {"ev": "placed", "card": b"\4\1\2\3", "zones": {"seat:3": [[b"\4", "up"], [None, "down"]]}}
    assert spoken("As") == "As"


def test_a_reader_tells_the_chip_of_the_pack_that_the_card_is_of_and_people_see_its_name() -> None:
    reader = ReaderModel(("seat:3", "seat:4"), chips=True)
    [placed] = reader.order({"do": "place", "zone": "seat:3", "card": "As", "face": "down", "deck": "red"}).bodies
    chip = chip_of("As", "red")
    assert (placed["card"], placed["deck"]) == (chip, "red")
    assert reader.state()["zones"]["seat:3"] == [[chip, "down"]]
    assert reader.order({"do": "read"}).reply["state"]["zones"]["seat:3"] == [["As", "down"]]
    again = ReaderModel(("seat:3", "seat:4"), chips=True)
    again.recall(json.loads(json.dumps(reader.memory())))
    for order in ({"do": "turn", "face": "up"}, {"do": "expose", "by": "dealer"}, {"do": "remove"}):
        done = again.order({**order, "zone": "seat:3"})
        assert [body["card"] for body in done.bodies] == [chip]
    assert done.reply["card"] == "As"


def test_a_thing_lies_as_a_card_does_until_it_is_taken_away() -> None:
    reader = ReaderModel(("seat:3",), chips=True)
    phone = told(b"\x08\1\2\3")
    [placed] = reader.order({"do": "lay", "zone": "seat:3", "chip": phone}).bodies
    assert placed == {"ev": "placed", "zone": "seat:3", "card": phone, "face": "down"}
    assert reader.seen()["zones"]["seat:3"] == [[THING, "down"]]
    taken = reader.order({"do": "remove", "zone": "seat:3"})
    assert [body["card"] for body in taken.bodies] == [phone]
    assert taken.reply["card"] == THING


def test_readers_that_tell_names_know_no_chips() -> None:
    with pytest.raises(OrderRefused, match="start the table with --chips"):
        ReaderModel(("seat:3",)).order({"do": "lay", "zone": "seat:3", "chip": told(b"\4")})


def test_a_shoe_of_chips_tells_numbers_and_of_a_check_the_count() -> None:
    shoe = ShoeModel(("blue", "red"), 7, chips=True)
    shoe.post("gate", {"locked": False})
    shoe.order({"do": "shuffle", "deck": "red"})
    out = shoe.order({"do": "deal"})
    assert out.bodies[0]["card"] == chip_of(out.reply["card"], "red")
    [seen] = shoe.order({"do": "expose_top"}).bodies
    assert str(seen["card"]).startswith("chip:")
    shoe.order({"do": "lose_card", "deck": "red"})
    assert shoe.order({"do": "check", "deck": "red"}).bodies == ({"ev": "deck_checked", "deck": "red", "count": 51},)


def test_the_cards_of_a_new_pack_come_in_the_order_in_which_the_page_asks_for_them() -> None:
    assert laying_order(52) == LAID


def test_the_page_has_a_choice_for_each_thing() -> None:
    page = Path("feltd/page/templates/simulated.html").read_text(encoding="utf-8")
    assert [thing.value for thing in Thing] == [part.partition('"')[0] for part in page.split('value="thing-')[1:]]
