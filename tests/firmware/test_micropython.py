"""The reference firmware in MicroPython, run by MicroPython's unix port."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.firmware import scenes
from tests.firmware.support import BUTTONS, FIRMWARE, VECTORS, FirmwareProcess, Session, micropython, settings
from tests.firmware_bridge.support import run

SOURCES = FIRMWARE / "micropython"
INTERPRETER = micropython()

pytestmark = pytest.mark.skipif(INTERPRETER is None, reason="no micropython here: .ci/run says where it comes from")


def device(folder: Path, role: str, **more: object) -> FirmwareProcess:
    assert INTERPRETER is not None
    settings(folder, role, **more)
    return FirmwareProcess([INTERPRETER, "-X", "heapsize=192k", str(SOURCES / "main.py")], folder)


def keys(folder: Path, **more: object) -> FirmwareProcess:
    return device(folder, "keys", buttons=BUTTONS, **more)


@pytest.mark.parametrize("emitter", ["with machine code", "without"])
def test_vectors(tmp_path: Path, emitter: str) -> None:
    assert INTERPRETER is not None
    shutil.copytree(SOURCES, tmp_path, dirs_exist_ok=True)
    if emitter == "without":
        (tmp_path / "chacha_viper.py").unlink()
    done = subprocess.run(
        [INTERPRETER, "-X", "heapsize=192k", str(tmp_path / "check_vectors.py"), str(VECTORS)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    held, own, answer = (int(word) for word in done.stdout.split() if word.isdigit())
    assert held > 400
    assert own < 1000  # milliseconds: a handshake is answered within a second
    assert answer < 1000


def test_events_come_once_and_in_order_though_the_link_is_cut_and_frames_are_garbled(tmp_path: Path) -> None:
    scenes.delivered_once_and_in_order(keys(tmp_path))


def test_events_are_kept_over_a_power_loss(tmp_path: Path) -> None:
    scenes.kept_over_a_power_loss(keys(tmp_path))


def test_commands_posts_and_status(tmp_path: Path) -> None:
    scenes.commands_posts_and_status(keys(tmp_path))


@pytest.mark.parametrize("persistent", [True, False])
def test_nothing_is_lost_when_the_store_is_full(tmp_path: Path, persistent: bool) -> None:
    scenes.nothing_is_lost_when_the_store_is_full(keys(tmp_path, capacity=64, persistent=persistent), 64)


def test_the_daemon_takes_a_key_press(tmp_path: Path) -> None:
    scenes.the_daemon_takes_a_key_press(keys(tmp_path), tmp_path)


def test_a_reader_says_what_lies_comes_turns_and_goes(tmp_path: Path) -> None:
    """A card that lay there at power-up is state, no event; one being collected goes silently."""

    async def scene() -> None:
        session = Session(reader, "reader")
        await session.until(lambda: bool(session.journal.ups))
        assert session.journal.ups[0][1] == {"zones": {"seat:3": [], "board:1": []}, "collecting": False}
        reader.say("lay seat:3 04a1")
        await session.until(lambda: len(session.events) == 1)
        reader.say("lay seat:3 04ff", "lay board:1 04b2")
        await session.until(lambda: len(session.events) == 3)
        assert session.events[0] == {"ev": "placed", "zone": "seat:3", "card": "As", "face": "down"}
        assert {"ev": "placed", "zone": "seat:3", "card": None, "face": "down"} in session.events[1:]
        assert {"ev": "placed", "zone": "board:1", "card": "Td", "face": "up"} in session.events[1:]
        reader.say("lay seat:3 04a1 up")
        await session.until(lambda: len(session.events) == 4)
        assert session.events[3] == {"ev": "turned", "zone": "seat:3", "card": "As", "face": "up"}
        reader.say("take board:1 04b2")
        await session.until(lambda: len(session.events) == 5)
        assert session.events[4] == {"ev": "removed", "zone": "board:1", "card": "Td"}
        lying = {"zones": {"seat:3": [["As", "up"], [None, "down"]], "board:1": []}, "collecting": False}
        assert await session.link.read_state() == lying
        session.link.post("collect", {"on": True})
        reader.say("take seat:3 04ff")
        await state_is(session, {"zones": {"seat:3": [["As", "up"]], "board:1": []}, "collecting": True})
        reader.say("lay seat:3 04ff")
        await session.until(lambda: len(session.events) == 6)
        session.link.post("collect", {"on": False})
        await state_is(session, lying)
        assert len(session.events) == 6
        await session.close()

    zones = {"seat:3": "down", "board:1": "up"}
    reader = device(tmp_path, "reader", zones=zones, cards={"04a1": "As", "04b2": "Td"})
    with scenes.powered(reader):
        run(scene(), jumping=False)


async def state_is(session: Session, expected: object) -> None:
    """Read the state until it is so."""
    async with asyncio.timeout(20):
        while await session.link.read_state() != expected:  # noqa: ASYNC110 - another process brings it about
            await asyncio.sleep(0.02)
