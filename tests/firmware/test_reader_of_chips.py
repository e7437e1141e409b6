"""The card reader in C with modelled chips as antennas, from bits in the air to events; and the plan of scans."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from devices.adapters.chip_numbers import sticker_mark
from tests.firmware import reader_scenes, scenes
from tests.firmware.hostile_scenes import events
from tests.firmware.raw_host import QUIET, RawHost
from tests.firmware.support import FIRMWARE, FirmwareProcess
from tests.firmware.test_c import can_build, make, make_device
from tests.firmware_bridge.support import KEY

PILE = {"04a1b2c3d4e5f6": "As", "04a1b2c3d4e5f7": "Ks", "05a1b2c3d4e5f4": "Qs", "11223344": "Js", "11223345": "Ts"}
OF_15693 = {f"e00401501234567{n}": card for n, card in enumerate(("As", "Ks", "Qs", "Js", "Ts"))}
REFERENCE = "04feedfeedfeed"

pytestmark = pytest.mark.skipif(not can_build() or shutil.which("make") is None, reason="no C compiler with libsodium")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_device("reader_of_chips", tmp_path_factory.mktemp("reader_of_chips"))


@contextmanager
def reader(
    program: Path, folder: Path, wiring: str = "mfrc522", **files: str
) -> Iterator[tuple[FirmwareProcess, RawHost]]:
    """A reader at work, and its host, welcomed. `files`: more of what the reader finds in its folder."""
    (folder / "key").write_bytes(KEY)
    lists = {"zones": scenes.ZONES, "cards": {**PILE, **OF_15693}}
    texts = {name: "".join(f"{one} {other}\n" for one, other in of.items()) for name, of in lists.items()}
    for name, text in {"serial": "reader-1\n", "wiring": f"{wiring} -\n", **texts, **files}.items():
        (folder / name).write_text(text, encoding="ascii")
    device = FirmwareProcess([str(program)], folder)
    with scenes.powered(device), RawHost(device, "reader") as host:
        host.up()
        yield device, host


def note(host: RawHost, words: str) -> dict[str, Any]:
    """The first status whose note has these words; "": none. Nothing but statuses may come before it."""
    while True:
        message = host.hear()
        assert message is not None
        body = dict(getattr(message, "body", {}))
        assert "up_ms" in body, body
        said = body.get("note", "")
        if words in said and bool(words) == bool(said):
            return body


@pytest.mark.parametrize(
    "wiring", ["mfrc522", "pn5180-15693", "pn532-spi", "mfrc522-tca", "pn532-tca", "mfrc522-each", "pn532-each"]
)
def test_a_pile_is_told_card_by_card_and_goes_again(program: Path, tmp_path: Path, wiring: str) -> None:
    """Through the driver, the modelled chip and its multiplexer; a card that is in no list is told as not read."""
    cards = OF_15693 if "15693" in wiring else PILE
    stranger = "e0040150ffffffff" if "15693" in wiring else "77777777"
    with reader(program, tmp_path, wiring) as (device, host):
        device.say(*(f"lay seat:3 {uid}" for uid in (*cards, stranger)))
        came = [event.body for event in events(host, 6)]
        assert {(body["ev"], body["zone"], body["face"]) for body in came} == {("placed", "seat:3", "down")}
        assert sorted(str(body["card"]) for body in came) == sorted([*cards.values(), "None"])
        device.say(f"take seat:3 {next(iter(cards))}", f"lay board:1 {next(iter(cards))}")
        moved = [event.body for event in events(host, 2)]
        assert {"ev": "removed", "zone": "seat:3", "card": "As"} in moved
        assert {"ev": "placed", "zone": "board:1", "card": "As", "face": "up"} in moved
        assert len(host.state()["zones"]["seat:3"]) == 5


def test_a_chip_that_is_gone_removes_no_card(program: Path, tmp_path: Path) -> None:
    """The status names zone and remedy; what was laid meanwhile is told when the chip is back, and nothing else."""
    with reader(program, tmp_path) as (device, host):
        device.say("lay seat:3 11223344")
        assert events(host, 1)[0].body["card"] == "Js"
        device.say("gone seat:3")
        told = note(host, "seat:3: its reader chip is silent or answers nonsense: look at its supply and bus")
        assert told["zones"]["seat:3"][0] < 100
        assert told["zones"]["seat:3"][3] == "chip"
        device.say("lay seat:3 11223345")
        assert host.heard(QUIET) is None
        assert host.state()["zones"]["seat:3"] == [["Js", "down"]]
        device.say("back seat:3")
        assert [event.body["card"] for event in events(host, 1)] == ["Ts"]
        note(host, "")


def test_a_multiplexer_that_is_silent_removes_no_card(program: Path, tmp_path: Path) -> None:
    with reader(program, tmp_path, "mfrc522-tca") as (device, host):
        device.say("lay seat:3 11223344")
        assert events(host, 1)[0].body["card"] == "Js"
        device.say("shut seat:3")
        note(host, "seat:3: its multiplexer does not answer: look at its supply and address")
        device.say("open seat:3", "lay seat:3 11223345")
        assert [event.body["card"] for event in events(host, 1)] == ["Ts"]
        assert host.state()["zones"]["seat:3"] == [["Js", "down"], ["Ts", "down"]]


def test_a_dead_antenna_is_named_by_the_card_that_is_fixed_to_it(program: Path, tmp_path: Path) -> None:
    with reader(program, tmp_path, references=f"board:1 {REFERENCE}\n") as (device, host):
        device.say("lay board:1 11223344")
        assert [event.body["card"] for event in events(host, 1)] == ["Js"]
        zones = note(host, "")["zones"]
        assert (zones["board:1"][4:], zones["seat:3"][4:]) == ([sticker_mark(bytes.fromhex(REFERENCE))], [])
        device.say("dead board:1")
        note(host, "board:1: its reference card is not seen: look at the antenna and its wire")
        assert host.state()["zones"] == {"seat:3": [], "board:1": [["Js", "up"]]}
        device.say("alive board:1", "lay seat:3 11223345")
        assert [event.body["card"] for event in events(host, 1)] == ["Ts"]


def test_a_telephone_is_named_and_is_no_card(program: Path, tmp_path: Path) -> None:
    with reader(program, tmp_path) as (device, host):
        device.say("lay seat:3 08aabbcc")
        note(host, "seat:3: a telephone or a bank card lies there: take it away")
        assert host.state()["zones"] == {"seat:3": [], "board:1": []}


def test_noise_in_the_air_is_told_as_a_margin_and_moves_no_card(program: Path, tmp_path: Path) -> None:
    with reader(program, tmp_path) as (device, host):
        device.say(*(f"lay seat:3 {uid}" for uid in PILE))
        assert {event.body["ev"] for event in events(host, 5)} == {"placed"}
        device.say("torn seat:3 12")
        while (message := host.hear()) is not None:
            body = dict(getattr(message, "body", {}))
            assert "ev" not in body
            if "zones" in body and body["zones"]["seat:3"][1] >= 100:
                break
        assert message is not None
        assert len(host.state()["zones"]["seat:3"]) == 5


def test_a_zone_that_cannot_be_read_keeps_no_other_waiting(program: Path, tmp_path: Path) -> None:
    with reader(program, tmp_path) as (device, host):
        device.say(*(f"lay seat:3 {uid}" for uid in PILE), "torn seat:3 1", "lay board:1 77777777")
        assert [event.body["zone"] for event in events(host, 1)] == ["board:1"]
        note(host, "seat:3: cards answer that it cannot tell apart: take them off one by one")


@pytest.mark.parametrize("wiring", ["mfrc522", "pn5180-15693", "pn532-spi"])
def test_a_card_under_another_one_has_not_gone(program: Path, tmp_path: Path, wiring: str) -> None:
    """The modelled card gets no power from the moment on in which the other one lies on it, and later some again."""
    under, upper = list(OF_15693 if "15693" in wiring else PILE)[:2]
    with reader(program, tmp_path, wiring) as (device, host):
        device.say(f"lay seat:3 {under}")
        assert [event.body["card"] for event in events(host, 1)] == ["As"]
        assert [
            *reader_scenes.troubles(host, reader_scenes.WELL),
            *reader_scenes.troubles(host, reader_scenes.WELL),
        ] == []
        device.say(f"dull seat:3 {under} 0", f"lay seat:3 {upper}")
        assert [(event.body["ev"], event.body["card"]) for event in events(host, 1)] == [("placed", "Ks")]
        assert reader_scenes.troubles(host, reader_scenes.WEAK) == []
        assert host.state()["zones"]["seat:3"] == [["As", "down"], ["Ks", "down"]]
        device.say(f"dull seat:3 {under} 3")  # it answers now and then
        assert reader_scenes.troubles(host, reader_scenes.WEAK) == []
        device.say(f"bright seat:3 {under}")
        assert reader_scenes.troubles(host, reader_scenes.WELL) == []


def test_what_lay_there_at_power_up_is_state_and_no_event(program: Path, tmp_path: Path) -> None:
    with reader(program, tmp_path, laid="board:1 11223344\nseat:3 04a1b2c3d4e5f6\n") as (_, host):
        assert host.state()["zones"] == {"seat:3": [["As", "down"]], "board:1": [["Js", "up"]]}
        assert host.heard(QUIET) is None


def test_the_plan_of_scans_is_what_the_page_says(tmp_path: Path) -> None:
    """Reckoned and measured on the models' clock: a row where the measure is above the reckoning fails the program."""
    folder = make(f"{tmp_path}/scan_plan", tmp_path)
    done = subprocess.run([str(folder / "scan_plan")], capture_output=True, text=True, check=True)
    rows = done.stdout.splitlines()
    assert len(rows) > 20
    page = (FIRMWARE / "README.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row not in page] == []
