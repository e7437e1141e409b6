"""What a device in MicroPython is told of itself: refused with file, key and remedy, under both interpreters."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from table_fsm.felt import ZONES, full_deck
from tests.firmware.support import BUTTONS, FIRMWARE, micropython

SOURCES = FIRMWARE / "micropython"
INTERPRETER = micropython()
with_micropython = pytest.mark.skipif(
    INTERPRETER is None, reason="no micropython here: .ci/run says where it comes from"
)

BOX: dict[str, Any] = {"role": "keys", "serial": "keys-1", "buttons": BUTTONS}
MODULE: dict[str, Any] = {"role": "reader", "serial": "reader-3", "zones": dict.fromkeys(sorted(ZONES), "down")}
ONE: dict[str, Any] = {"role": "reader", "serial": "reader-3", "zones": {"seat:3": "down"}, "chip": "pn532"}
TWO: dict[str, Any] = ONE | {
    "zones": {"seat:3": "down", "board:1": "up"},
    "channels": {"seat:3": 0, "board:1": 7},
    "stickers": {"seat:3": "04:A1:B2:C3:D4:E5:F6", "board:1": "11223344"},
}
GOOD: list[dict[str, Any]] = [
    BOX | {"capacity": 64, "persistent": False},
    MODULE | {"capacity": 1024, "persistent": True},
    MODULE | {"cards": {f"04a1b2{n:02x}": card for n, card in enumerate(sorted(full_deck(52, joker=True)))}},
    MODULE | {"cards": {f"04A1B2{n:02X}": c for n, c in enumerate(2 * sorted(full_deck(52)))}},
    MODULE | {"cards": {"E0:04:01:50:12:34:56:78": "As", "04a1b2c3d4e5f6a7b8c9": "Kd"}},
    ONE,
    ONE | {"stickers": {"seat:3": "04a1b2c3d4e5f6"}, "cards": {"04a1b2c3d4e5f7": "As"}},
    TWO,
]


def stickers(**numbers: object) -> dict[str, Any]:
    return TWO | {"stickers": {zone.replace("_", ":"): number for zone, number in numbers.items()}}


NO_NUMBERS = ["", "hello", "04a1b2", "04a1b2c", "04 A1 B2 C3", "04:A1:B2C3", "+4a1b2c3"]
BAD: list[tuple[object, str]] = [
    ([], "it must be one map of keys"),
    ({}, "role: give keys or reader"),
    (BOX | {"role": "shoe"}, "role: give keys or reader"),
    (ONE | {"role": ["reader"]}, "role: give keys or reader"),
    (ONE | {"sticker": {}}, "sticker: a device of role reader has no such key: it knows role, serial"),
    (BOX | {"zones": {}}, "zones: a device of role keys has no such key"),
    (ONE | {"serial": ""}, "serial: give one to 32 printable"),
    (ONE | {"serial": "x" * 33}, "serial: give one to 32 printable"),
    (ONE | {"serial": "é"}, "serial: give one to 32 printable"),
    (ONE | {"serial": 3}, "serial: give one to 32 printable"),
    (ONE | {"capacity": 63}, "capacity: give how many events it keeps, 64 to 1024"),
    (ONE | {"capacity": True}, "capacity: give how many"),
    (ONE | {"capacity": "256"}, "capacity: give how many"),
    (ONE | {"persistent": 1}, "persistent: give true, or false"),
    (BOX | {"buttons": {}}, "buttons: give each button the event"),
    (BOX | {"buttons": {"2": "deal_start"}}, 'buttons: 2: give a map with "ev"'),
    (BOX | {"buttons": {"2": {"seat": 3}}}, 'buttons: 2: give a map with "ev"'),
    (ONE | {"zones": ["seat:3"]}, "zones: give each zone the face of its cards"),
    (ONE | {"zones": {}}, "zones: give each zone the face of its cards"),
    (ONE | {"zones": {"seat:11": "down"}}, 'zones: there is no zone "seat:11"'),
    (ONE | {"zones": {"seat": "down"}}, 'zones: there is no zone "seat"'),
    (ONE | {"zones": {"muck:1": "down"}}, 'zones: there is no zone "muck:1"'),
    (ONE | {"zones": {"seat:3": "open"}}, "zones: seat:3: give the face of its cards, down or up"),
    (ONE | {"cards": ["As"]}, "cards: give each chip's number its card"),
    (ONE | {"cards": None}, "cards: give each chip's number its card"),
    (ONE | {"cards": {"04a1b2c3": "10s"}}, 'cards: "10s" is no card'),
    (ONE | {"cards": {"04a1b2c3": None}}, "is no card"),
    *((ONE | {"cards": {number: "As"}}, "cards: As: give its chip's number, 4 or 7 bytes") for number in NO_NUMBERS),
    (ONE | {"cards": {"E004015012345678": "As"}}, "cards: As: give its chip's number, 4 or 7 bytes"),
    (MODULE | {"cards": {"04a1b2c3d4": "As"}}, "cards: As: give its chip's number, 4, 7, 8 or 10 bytes"),
    (MODULE | {"cards": {"08a1b2c3": "As"}}, "cards: As: its number is none that a card keeps"),
    (MODULE | {"cards": {"88:A1:B2:C3": "As"}}, "cards: As: its number is none that a card keeps"),
    (MODULE | {"cards": {"ffffffff": "As"}}, "cards: As: its number is none that a card keeps"),
    (MODULE | {"cards": {"04a1b2c3": "As", "04:A1:B2:C3": "Kd"}}, "cards: As and Kd: they have one number"),
    (
        MODULE | {"cards": {"04a1b2c3": "As", "04a1b2c4": "As", "04a1b2c5": "Kd", "04a1b2c6": "Jo"}},
        "cards: As has 2 chips and Kd has 1: give every card one of each pack",
    ),
    (ONE | {"chip": "mfrc522"}, "chip: give pn532"),
    (MODULE | {"channels": {}}, 'channels: only a reader with "chip" has them'),
    (MODULE | {"stickers": {"burn": "04a1b2c3d4e5f6"}}, 'stickers: a reader with "chip" knows them'),
    (TWO | {"channels": None}, "channels: give each zone its way of the TCA9548A; without it there is one zone"),
    (TWO | {"channels": [0, 1]}, "channels: give each zone its way"),
    (TWO | {"channels": {"seat:3": 0}}, "channels: board:1: it has none: give its way of the TCA9548A"),
    (TWO | {"channels": {"seat:3": 1, "board:1": 1}}, "channels: board:1 and seat:3: they have one way"),
    (TWO | {"channels": {"seat:3": 0, "board:1": 8}}, "channels: board:1: give its way of the TCA9548A, 0 to 7"),
    (TWO | {"channels": {"seat:3": 0, "board:1": False}}, "channels: board:1: give its way"),
    (TWO | {"channels": {"seat:3": 0, "seat:4": 1}}, "channels: seat:4: zones has no such zone"),
    (TWO | {"stickers": ["04a1b2c3d4e5f6"]}, "stickers: give a zone the number of the sticker"),
    (stickers(seat_4="04a1b2c3d4e5f6"), "stickers: seat:4: zones has no such zone: name one of this reader's"),
    (
        stickers(seat_3="04a1b2c3d4e5"),
        'stickers: seat:3: "04a1b2c3d4e5" is no sticker\'s number: give its 4 or 7 bytes',
    ),
    (stickers(seat_3="04a1b2c3d4e5f"), "stickers: seat:3: "),
    (stickers(seat_3="04a1b2c3d4e5f6a7"), "give its 4 or 7 bytes"),
    (stickers(seat_3="E004015012345678"), "give its 4 or 7 bytes"),
    (stickers(seat_3="04:A1:B:2C3D4:E5:F6"), "give its 4 or 7 bytes"),
    (stickers(seat_3="04 A1 B2 C3"), "give its 4 or 7 bytes"),
    (stickers(seat_3="04-A1-B2-C3"), "give its 4 or 7 bytes"),
    (stickers(seat_3=""), "give its 4 or 7 bytes"),
    (stickers(seat_3=11223344), "give its 4 or 7 bytes"),
    (stickers(seat_3=None), "give its 4 or 7 bytes"),
    (
        stickers(seat_3="08:A1:B2:C3"),
        "stickers: seat:3: 08:A1:B2:C3 is no number of its own: take a sticker whose number",
    ),
    (stickers(seat_3="88a1b2c3"), "is no number of its own"),
    (
        stickers(seat_3="1122334a", board_1="11:22:33:4A"),
        "stickers: board:1 and seat:3: they have one sticker's number",
    ),
    (
        stickers(seat_3="04a1b2c3", board_1="04:a1:b2:c3:d4:e5:f6"),
        "stickers: seat:3: its number is the beginning of that of board:1: give the whole number of each",
    ),
    (
        TWO | {"cards": {"04a1b2c3d4e5f6": "As"}},
        "stickers: seat:3: its number is that of a card in cards: read the sticker alone",
    ),
]


def with_cards(text: str) -> str:
    """The file with this between the braces of `cards`."""
    return json.dumps(MODULE | {"serial": 'a\\":b', "cards": {}}).replace('"cards": {}', f'"cards": {{{text}}}')


TEXTS = [
    ("", "it is no JSON"),
    ("{" * 2 + "}", "it ends in the midst"),
    (json.dumps(ONE)[:-1], "it ends in the midst"),
    (json.dumps(ONE).replace('"chip"', "chip"), "it is no JSON"),
    (with_cards('"04a1b2c3": "As", "04a1b2c3": "Kd"'), "a chip's number is there twice in one map: leave one of them"),
    (with_cards('}, "c\\u0061rds": {'), '"cards" is there twice in one map'),
    (with_cards('"04a1b2c3" :"As",\n"04a1b2c3" :"Kd"'), "a chip's number is there twice in one map"),
    (with_cards('"04a1b2c3" "As" "04a1b2c3" "Kd"'), "it is no JSON"),
    (with_cards('"04a1b2c3": "As" "04a1b2c3": "Kd"'), "it is no JSON"),
    (None, "it cannot be read: copy it to the device"),
]
CARDS = """
import sys
sys.path.insert(0, {sources!r})
import device_file

print(sorted(device_file.load("device.json")["cards"].items()))
"""
LOOK = """
import sys
sys.path.insert(0, {sources!r})
import device_file

for name in {names!r}:
    try:
        device_file.load(name)
        print("good")
    except device_file.DeviceFileError as fault:
        print(fault)
"""


def told(folder: Path, interpreter: str, texts: list[str | None]) -> list[str]:
    """What is said of each of these texts of a device.json; of None there is no file."""
    names = [f"device{place}.json" for place in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
    (folder / "look.py").write_text(LOOK.format(sources=str(SOURCES), names=names), encoding="utf-8")
    done = subprocess.run([interpreter, "look.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.fixture(params=["CPython", pytest.param("MicroPython", marks=with_micropython)])
def interpreter(request: pytest.FixtureRequest) -> str:
    if request.param == "CPython":
        return sys.executable
    assert INTERPRETER is not None
    return INTERPRETER


def test_what_a_device_can_be_made_of_is_taken(tmp_path: Path, interpreter: str) -> None:
    assert told(tmp_path, interpreter, [json.dumps(settings) for settings in GOOD]) == ["good"] * len(GOOD)


def test_what_it_cannot_be_made_of_is_named_with_file_key_and_remedy(tmp_path: Path, interpreter: str) -> None:
    wrong = [(json.dumps(settings), words) for settings, words in BAD] + TEXTS
    said = told(tmp_path, interpreter, [text for text, _ in wrong])
    assert len(said) == len(wrong)
    for place, ((_, words), line) in enumerate(zip(wrong, said, strict=True)):
        assert line.startswith(f"device{place}.json: "), line
        assert words in line


def test_a_reader_has_its_cards_by_their_numbers_in_one_spelling(tmp_path: Path, interpreter: str) -> None:
    cards = {"04:A1:B2:C3:D4:E5:F6": "As", "04A1B2C3": "Kd", "04a1b2c4": "Td"}
    (tmp_path / "device.json").write_text(json.dumps(MODULE | {"cards": cards}), encoding="utf-8")
    (tmp_path / "look.py").write_text(CARDS.format(sources=str(SOURCES)), encoding="utf-8")
    done = subprocess.run([interpreter, "look.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[('04a1b2c3', 'Kd'), ('04a1b2c3d4e5f6', 'As'), ('04a1b2c4', 'Td')]", done.stderr


def test_no_number_of_a_card_is_told(tmp_path: Path, interpreter: str) -> None:
    """It tells the card, and the console is read over USB."""
    texts = [json.dumps(settings) for settings, words in BAD if words.startswith("cards: ")]
    texts += [text for text, _ in TEXTS if text is not None and "04a1b2c3" in text]
    said = told(tmp_path, interpreter, list(texts))
    assert not [line for line in said if "a1b2c" in line.lower() or "ffffffff" in line]


@with_micropython
def test_a_reader_whose_sticker_is_none_does_not_start(tmp_path: Path) -> None:
    """It is refused before anything is made of it: no board is, and no wire."""
    assert INTERPRETER is not None
    (tmp_path / "device.json").write_text(json.dumps(stickers(seat_3="08a1b2c3")), encoding="utf-8")
    (tmp_path / "key").write_bytes(bytes(32))
    done = subprocess.run(
        [INTERPRETER, str(SOURCES / "main.py"), str(tmp_path), "/dev/null"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{tmp_path}/device.json: stickers: seat:3: 08a1b2c3 is no number of its own" in done.stderr


@with_micropython
@pytest.mark.parametrize(
    ("key", "words"), [(31, "it has 31 bytes, not 32: copy it"), (None, "it cannot be read: copy it")]
)
def test_a_key_that_is_none_is_named(tmp_path: Path, key: int | None, words: str) -> None:
    assert INTERPRETER is not None
    (tmp_path / "device.json").write_text(json.dumps(ONE), encoding="utf-8")
    if key is not None:
        (tmp_path / "key").write_bytes(bytes(key))
    done = subprocess.run(
        [INTERPRETER, str(SOURCES / "main.py"), str(tmp_path), "/dev/null"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"{tmp_path}/key: {words}" in done.stderr


def test_a_desk_asks_it_too(tmp_path: Path, interpreter: str) -> None:
    file = tmp_path / "device.json"
    for settings, status, said in [(TWO, 0, ""), (TWO | {"chip": "x"}, 2, f"{file}: chip: give pn532")]:
        file.write_text(json.dumps(settings), encoding="utf-8")
        done = subprocess.run(
            [interpreter, str(SOURCES / "device_file.py"), str(file)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout.startswith(said), done.stderr) == (status, True, "")
        assert bool(done.stdout) == bool(said)


PINS = """
class Pin:
    OUT, IN, PULL_UP, OPEN_DRAIN = 1, 0, 2, 3

    def __init__(self, line, mode, value):
        print("lamp", line, value)


UART = I2C = Pin
"""


@with_micropython
def test_a_board_of_metal_shows_it_by_its_lamp(tmp_path: Path) -> None:
    """Nobody reads its console where it hangs under a table."""
    assert INTERPRETER is not None
    for file in SOURCES.glob("*.py"):
        shutil.copy(file, tmp_path)
    (tmp_path / "machine.py").write_text(PINS, encoding="utf-8")
    main = (tmp_path / "main.py").read_text(encoding="utf-8")
    assert 'sys.platform == "linux"' in main
    (tmp_path / "main.py").write_text(main.replace('sys.platform == "linux"', "False"), encoding="utf-8")
    board = (tmp_path / "board.py").read_text(encoding="utf-8")
    (tmp_path / "board.py").write_text(board.replace("FAULT_MS = 2000", "FAULT_MS = 1"), encoding="utf-8")
    done = subprocess.run([INTERPRETER, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "lamp LED 1\n")
    assert "/device.json: it cannot be read" in done.stderr
