"""A chip's number in a device's message becomes its card's name, or a fault with zone and remedy and no number."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from devices.adapters.chip_names import ChipNames
from devices.adapters.chip_numbers import PackFault, chip_number, sticker_mark
from devices.drivers.reader import ReaderDriver
from devices.errors import DeviceMessageError
from table_fsm.events import (
    CardExposed,
    CardPlaced,
    CardRemoved,
    CardTurned,
    Event,
    HandEnd,
    ShoeCard,
    event_to_dict,
    parse_event,
)
from table_fsm.felt import full_deck

AS, KD, FOUR = bytes.fromhex("04a1a2a3a4a5a6"), bytes.fromhex("e004010203040506"), bytes.fromhex("9a0b0c0d")
PHONE, STRANGE, RESTING = bytes.fromhex("08112233"), bytes.fromhex("04ffeeddccbbaa"), bytes.fromhex("04010203040506")


class Packs:
    """A list of packs."""

    def card_of(self, uid: bytes) -> str | PackFault:
        known: dict[bytes, str | PackFault] = {AS: "As", KD: "Kd", FOUR: "4c", RESTING: PackFault.OTHER_PACK}
        return known.get(uid, PackFault.UNKNOWN)

    def pack_of(self, uid: bytes) -> str | None:
        return {AS: "red-1", KD: "blue-1"}.get(uid)

    def has_near(self, number: bytes, bits: int) -> bool:
        return False

    def has_mark(self, mark: bytes) -> bool:
        return mark in {sticker_mark(uid) for uid in (AS, KD, FOUR, RESTING)}


def names() -> ChipNames:
    """In a round: a card has come to rest."""
    chips = ChipNames(Packs)
    chips.observe(CardPlaced(t=0.0, zone="burn", card=None, face="down"))
    return chips


def placed(card: object, zone: str = "seat:3") -> dict[str, Any]:
    return {"ev": "placed", "zone": zone, "card": card, "face": "down"}


def fault(chips: ChipNames, body: Mapping[str, Any], device: str = "reader") -> str:
    """What is said of a message. No digit of a number is in it."""
    with pytest.raises(DeviceMessageError) as raised:
        chips.named(device, body)
    words = str(raised.value)
    for number in (AS, KD, FOUR, PHONE, STRANGE, RESTING):
        assert number.hex() not in words.lower()
        assert repr(number) not in words
    return words


def test_a_card_that_is_named_as_a_sticker_is_a_fault_with_its_zone_for_as_long_as_it_is() -> None:
    lists: list[Packs | None] = [None, Packs()]
    chips = ChipNames(lambda: lists[0])
    marks = {"seat:4": sticker_mark(STRANGE), "seat:3": sticker_mark(FOUR)}
    chips.check_stickers("reader", marks)  # no pack is enrolled: nobody knows
    lists.pop(0)
    chips.read_anew()
    for _ in range(2):
        with pytest.raises(DeviceMessageError, match="seat:3: a card of a pack is named as the sticker"):
            chips.check_stickers("reader", marks)
    chips.check_stickers("another", {"seat:4": sticker_mark(STRANGE)})
    chips.check_stickers("reader", {})
    chips.check_stickers("reader", {"seat:3": sticker_mark(STRANGE)})


@pytest.mark.parametrize(("number", "card"), [(AS, "As"), (KD, "Kd"), (FOUR, "4c")])
def test_a_number_becomes_the_cards_name(number: bytes, card: str) -> None:
    told = names().named("reader", placed(number))
    assert told == placed(card)
    reader = ReaderDriver("reader", {"zones": ["seat:3"]})
    assert reader.events(told, 1.0) == [CardPlaced(t=1.0, zone="seat:3", card=card, face="down")]


def test_names_and_unread_cards_go_on_as_they_are() -> None:
    for body in (placed("As"), placed(None), {"ev": "looked", "zone": "seat:3"}):
        assert names().named("reader", body) is body


def test_where_no_pack_is_enrolled_a_card_is_not_read_and_no_number_is_kept() -> None:
    chips = ChipNames(lambda: None)
    assert chips.named("reader", placed(AS)) == placed(None)
    assert chips.named_state("reader", {"zones": {"seat:3": [[KD, "up"]]}}) == {"zones": {"seat:3": [[None, "up"]]}}
    assert not chips._lies


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (STRANGE, "a chip that is in no pack of this table; take it away, or enrol its card"),
        (RESTING, "a card of another pack; take it away, and look whether two packs are mixed"),
        (PHONE, "a chip whose number changes, as a phone or a bank card has it; take it away"),
        (
            b"\x04\x05",
            "a chip's number was not read whole: it has 2 bytes, not 4, 7, 8, 10; update the device's firmware",
        ),
    ],
)
def test_what_is_no_card_in_play_is_a_fault_with_its_zone_and_remedy(number: bytes, words: str) -> None:
    said = fault(names(), placed(number))
    assert "device reader: message placed, field card: seat:3: " in said
    assert words in said
    with pytest.raises(DeviceMessageError, match="message state, field card: muck: "):
        names().named_state("reader", {"zones": {"muck": [[number, "down"]]}, "collecting": False})


def test_a_chip_that_was_no_card_leaves_without_a_word() -> None:
    chips = names()
    fault(chips, placed(PHONE))
    assert chips.named("reader", {"ev": "removed", "zone": "seat:3", "card": PHONE}) is None


def test_a_chip_in_two_zones_is_a_copy_also_between_two_readers() -> None:
    chips = names()
    chips.named("reader:seats", placed(AS))
    words = "seat:5: a chip comes to seat:5, and lies at seat:3 too; one of them is a copy, or lies where two antennas"
    assert words in fault(chips, placed(AS, "seat:5"), "reader:seats")
    assert "board:1: a chip comes to board:1, and lies at seat:3 too" in fault(chips, placed(AS, "board:1"), "reader:b")
    assert chips.named("reader:b", removed(AS, "board:1")) is None, "the copy is lifted, and the card lies"
    turned = {"ev": "turned", "zone": "board:1", "card": AS, "face": "up"}
    assert "board:1: a chip lies at board:1, and lies at seat:3 too" in fault(chips, turned, "reader:b")
    state = {"zones": {"seat:3": [[AS, "down"]], "seat:5": [[AS, "down"]]}, "collecting": False}
    with pytest.raises(DeviceMessageError, match="is told at seat:5, and lies at seat:3 too"):
        chips.named_state("reader:seats", state)


def test_a_card_that_is_carried_is_no_copy() -> None:
    chips = names()
    chips.named("reader", placed(AS))
    chips.named("reader", {"ev": "removed", "zone": "seat:3", "card": AS})
    assert chips.named("reader:b", placed(AS, "board:1")) == placed("As", "board:1")
    assert chips.named("reader:m", {"ev": "mucked", "card": AS, "face": "down"}) is not None  # told before it is gone
    assert chips.named("reader:b", removed(AS, "board:1")) == removed("As", "board:1")
    chips.observe(HandEnd(t=9.0))
    for zone in ("seat:1", "seat:2", "board:3"):  # swept over the antennas
        assert chips.named("reader", placed(KD, zone)) == placed("Kd", zone)


def test_a_card_that_leaves_a_reader_without_a_word_is_no_copy_elsewhere() -> None:
    chips = names()
    chips.renew("wired", tells_leaving=False)
    chips.named("wired", placed(AS))
    assert chips.named("reader", placed(AS, "seat:4")) == placed("As", "seat:4")
    assert "lies at seat:4 too" in fault(chips, placed(AS, "seat:3"), "wired")
    chips.named("shoe", out(KD), 1.0)
    chips.named("wired", placed(KD), 2.0)
    chips.named("shoe", out(KD), 3.0)
    assert chips.doubts() == []


def test_a_reader_that_comes_back_says_anew_what_lies_there() -> None:
    chips = names()
    chips.named("reader", placed(AS))
    chips.renew("reader")
    told = chips.named_state("reader", {"zones": {"seat:5": [[AS, "up"], [None, "down"]]}, "collecting": False})
    assert told["zones"] == {"seat:5": [["As", "up"], [None, "down"]]}


def test_the_list_is_asked_for_once_until_a_device_comes_back() -> None:
    asked: list[int] = []

    def now() -> Packs | None:
        asked.append(1)
        return Packs() if len(asked) > 1 else None

    chips = ChipNames(now)
    assert chips.named("shoe", {"ev": "card_out", "card": AS, "face": "down"}) == {
        "ev": "card_out", "card": None, "face": "down",
    }  # fmt: skip
    chips.named("shoe", {"ev": "card_out", "card": KD, "face": "down"})
    assert len(asked) == 1
    chips.renew("shoe")
    told = chips.named("shoe", {"ev": "card_out", "card": AS, "face": "down"})
    assert told is not None
    assert told["card"] == "As"
    assert "the shoe's mouth: there is" in fault(chips, {"ev": "card_out", "card": STRANGE, "face": "down"}, "shoe")


@pytest.mark.parametrize("broken", [{"zones": 3}, {"zones": {"seat:3": "x"}}, {"zones": {"seat:3": [3, [AS]]}}, {}])
def test_a_state_that_is_none_goes_on_to_the_driver_that_says_so(broken: Mapping[str, Any]) -> None:
    assert names().named_state("reader", broken) == broken


def test_a_number_of_eight_bytes_is_read_whole_where_it_begins_as_such_do() -> None:
    assert chip_number("E0 04 01 02 03 04 05 06") == KD
    assert chip_number("04 04 01 02 03 04 05 06") is None


def out(card: object) -> dict[str, Any]:
    return {"ev": "card_out", "card": card, "face": "down"}


def removed(card: object, zone: str) -> dict[str, Any]:
    return {"ev": "removed", "zone": zone, "card": card}


def test_a_chip_that_moves_faster_than_a_hand_is_a_copy_and_its_card_is_told_all_the_same() -> None:
    chips = names()
    chips.named("reader", placed(AS), 10.0)
    chips.named("reader", removed(AS, "seat:3"), 10.1)
    assert chips.named("reader:b", placed(AS, "board:1"), 10.19) == placed("As", "board:1")
    [doubt] = chips.doubts()
    assert doubt.startswith("board:1: a chip came to seat:3 and to board:1 within 0.2 s, as no hand moves a card: ")
    assert "one is a copy: call the floor" in doubt
    assert AS.hex() not in doubt
    assert chips.doubts() == []


def test_a_card_that_a_hand_moves_or_that_lies_in_one_place_is_none() -> None:
    chips = names()
    for t, zone in ((10.0, "seat:3"), (10.25, "board:1"), (10.3, "board:1"), (10.55, "muck")):
        chips.named("reader", placed(AS, zone), t)
        chips.named("reader", removed(AS, zone), t + 0.01)
    assert chips.doubts() == []


def test_what_a_device_kept_has_no_time_and_what_is_collected_passes_over_antennas() -> None:
    chips = names()
    for t, zone in ((10.0, "seat:3"), (None, "seat:5"), (10.1, "board:1")):
        chips.named("reader", placed(AS, zone), t)
        chips.named("reader", removed(AS, zone), t)
    chips.observe(HandEnd(t=11.0))
    for zone in ("seat:1", "seat:2", "board:3"):
        chips.named("reader", placed(KD, zone), 11.0)
    assert chips.doubts() == []


def test_a_chip_that_lies_on_the_table_comes_out_of_no_shoe() -> None:
    chips = names()
    assert chips.named("shoe", out(AS), 1.0) == out("As")
    chips.named("reader", placed(AS), 2.0)
    assert chips.doubts() == []
    assert chips.named("shoe", out(AS), 3.0) == out("As")
    assert "the shoe's mouth: a chip is told there, and lies at seat:3: there are two of it" in chips.doubts()[0]
    chips.named("reader", removed(AS, "seat:3"), 4.0)
    chips.named("reader:m", placed(AS, "muck"), 5.0)
    chips.named("shoe", out(AS), 6.0)  # the discards were shuffled into the stub
    chips.observe(HandEnd(t=7.0))
    chips.named("shoe", out(KD), 8.0)
    assert chips.doubts() == []


def test_no_clean_round_has_a_chip_that_is_doubted() -> None:
    told = 0
    for file in sorted(Path("tests/drills").glob("*/clean-*.jsonl")):
        chips = ChipNames(All)
        for event in clean_round(file):
            body, zone = event_to_dict(event), getattr(event, "zone", None)
            card = body.get("card")
            if isinstance(card, str) and type(event) in TOLD:
                number = All.numbers[card]
                chips.named(f"reader of {zone}", {**body, "ev": TOLD[type(event)], "card": number}, event.t)
                told += 1
            chips.observe(event)
            assert chips.doubts() == [], f"{file.name}: {event}"
    assert told > 1000


TOLD: Mapping[type[Event], str] = {
    ShoeCard: "card_out", CardPlaced: "placed", CardRemoved: "removed", CardTurned: "turned", CardExposed: "exposed",
}  # fmt: skip


class All:
    """Every card is a chip."""

    numbers: Mapping[str, bytes] = {
        card: bytes([4, place, 1, 2, 3, 4, 5]) for place, card in enumerate(sorted(full_deck(52, joker=True)), 10)
    }

    def card_of(self, uid: bytes) -> str | PackFault:
        return next((card for card, number in self.numbers.items() if number == uid), PackFault.UNKNOWN)

    def pack_of(self, uid: bytes) -> str | None:
        return None

    def has_near(self, number: bytes, bits: int) -> bool:
        return False

    def has_mark(self, mark: bytes) -> bool:
        return False


def clean_round(file: Path) -> Iterator[Event]:
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    step = json.loads(header).get("step", 1.0)
    t = 0.0
    for line in lines:
        said = json.loads(line)
        if "ev" in said:
            t = said.get("t", t + step)
            yield parse_event(json.dumps({**said, "t": t}))
