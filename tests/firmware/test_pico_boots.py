"""The images for a Pico on an RP2040 that rp2040js emulates: from the first bytes of the flash to events and acks."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from firmware_bridge.messages import Ack, Event, Post, Status
from tests.firmware.pico_images import PORT, built_with_the_sdk, images
from tests.firmware.raw_host import RawHost
from tests.firmware.scenes import powered
from tests.firmware.support import FirmwareProcess, fetched
from tests.firmware_bridge.support import KEY

EMULATOR = fetched("rp2040js", "RP2040JS")
SHUFFLED_KEY, GATE = 9, 7

pytestmark = [
    built_with_the_sdk,
    pytest.mark.skipif(
        EMULATOR is None or shutil.which("node") is None, reason="no rp2040js, or no Node to run it: .ci/pico gets it"
    ),
]


def pico(image: Path, folder: Path, *zones: str) -> FirmwareProcess:
    """A Pico with this image, and settings as the maker puts them; no reader chip is soldered to it."""
    key = folder / "key"
    key.write_bytes(KEY)
    settings = [str(PORT / "settings.py"), str(key), f"{image.stem}-1", str(folder / "settings.bin"), *zones]
    subprocess.run([sys.executable, *settings], check=True)
    board = str(Path(__file__).with_name("pico_board.mjs"))
    return FirmwareProcess(["node", board, str(EMULATOR), str(image)], folder)


@dataclass(frozen=True)
class Pulses:
    """What the line of a servo has carried."""

    file: Path

    def all(self) -> list[tuple[int, int]]:
        """Each pulse: when it ended, and how long it was, in microseconds."""
        lines = self.file.read_text(encoding="ascii").splitlines()
        return [(int(at), int(length)) for at, length in (line.split() for line in lines)]

    def of(self, length: int) -> list[int]:
        """When those of one length ended."""
        return [at for at, one in self.all() if one == length]


@pytest.mark.parametrize("chip", ["mfrc522", "pn532", "pn5180"])
def test_a_reader_boots_and_says_in_its_session_that_its_chip_is_silent(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, chip: str
) -> None:
    device = pico(images("pico", tmp_path_factory, chip)["reader"], tmp_path, "seat:1=04a1b2c3d4e5f6", "board:1=up")
    with powered(device), RawHost(device, "reader") as host:
        status = host.up()
        assert host.hello is not None
        assert (host.hello.serial, host.hello.persistent) == ("reader-1", True)
        assert status.body["note"].startswith("seat:1: its reader chip is silent")
        assert host.state() == {"zones": {"seat:1": [], "board:1": []}, "collecting": False, "faces": False}


@pytest.mark.parametrize(
    ("there", "words"), [(True, "its reader chip is silent"), (False, "its multiplexer does not answer")]
)
def test_a_reader_with_a_chip_for_each_zone_tells_a_silent_multiplexer_from_silent_chips(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, there: bool, words: str
) -> None:
    """The port's own transfers on the bus, its lines moved by hand where nothing answers; no watchdog bites."""
    if there:
        (tmp_path / "tca9548a").touch()
    device = pico(images("pico", tmp_path_factory, "mfrc522", "tca9548a")["reader"], tmp_path, "seat:1", "board:1=up")
    with powered(device), RawHost(device, "reader") as host:
        assert host.up().body["note"].startswith(f"seat:1: {words}")
        assert host.state() == {"zones": {"seat:1": [], "board:1": []}, "collecting": False, "faces": False}


def test_a_shoe_with_a_servo_drives_it_to_its_places_and_lets_it_go(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each pulse is as long as the settings say, one in 20 ms, for half a second after each order and no longer."""
    device = pico(images("pico", tmp_path_factory)["shoe"], tmp_path, "servo=1000,1900")
    with powered(device), RawHost(device, "shoe") as host:
        host.up()
        pulses = Pulses(tmp_path / "pulses")
        while not pulses.of(1000):
            assert isinstance(host.hear(), Status)
        host.say(Post("gate", {"locked": False}).to_bytes())
        while not pulses.of(1900):
            assert isinstance(host.hear(), Status)
        for _ in range(2):  # one a second
            assert isinstance(host.hear(), Status)
    locked, opened = pulses.of(1000), pulses.of(1900)
    assert len(pulses.all()) == len(locked) + len(opened)
    for times in (locked, opened):
        assert 20 <= len(times) <= 26
        assert {round((later - at) / 1000) for at, later in pairwise(times)} == {20}


def test_a_shoe_boots_locked_and_an_event_outlives_a_loss_of_power(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    device = pico(images("pico", tmp_path_factory)["shoe"], tmp_path)
    with powered(device):
        with RawHost(device, "shoe") as host:
            assert host.up().body["waiting"] == 0
            device.say(f"look {GATE} gate", f"low {SHUFFLED_KEY}")
            kept = host.heard()
            assert isinstance(kept, Event)
            assert kept.body == {"ev": "shuffled"}
            assert (tmp_path / "gate").read_text(encoding="ascii") == "0"
        device.kill()
        device.start()
        with RawHost(device, "shoe") as host:
            assert host.up().body["waiting"] == 1
            assert host.heard() == kept
            host.say(Ack(kept.boot_id, kept.seq).to_bytes())
            waiting = 1
            while waiting:
                status = host.hear()
                assert isinstance(status, Status)
                waiting = status.body["waiting"]
