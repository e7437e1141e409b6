"""The images for a Pico on an RP2040 that rp2040js emulates: from the first bytes of the flash to events and acks."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.messages import Ack, Event, Status
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


def test_a_reader_boots_and_says_in_its_session_that_its_chip_is_silent(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    device = pico(images("pico", tmp_path_factory)["reader"], tmp_path, "seat:1", "board:1=up")
    with powered(device), RawHost(device, "reader") as host:
        status = host.up()
        assert host.hello is not None
        assert (host.hello.serial, host.hello.persistent) == ("reader-1", True)
        assert status.body["note"].startswith("seat:1: its reader chip is silent")
        assert host.state() == {"zones": {"seat:1": [], "board:1": []}, "collecting": False}


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
