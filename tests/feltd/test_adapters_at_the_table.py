"""Adapters with the whole daemon: checked, shown for what they are, and never able to take it down."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feltd.table.check.check import check_file
from feltd.table.config.key_files import read_key
from feltd.table.packs.pack_file import packs_file_of, write_packs
from feltd.table.packs.pack_list import PackList, laying_order, pack_of
from tests.devices.ascii_shoe_device import AsciiShoeDevice
from tests.devices.entry_points import install, install_own_adapter
from tests.devices.wired_client import BOARD, CHIPS, WiredClient, boot, card
from tests.feltd import test_daemon_run as whole
from tests.ports import free_port

pytestmark = pytest.mark.slow

RUDE = """
import os, sys, time
from devices.adapters import Adapter
class Rude(Adapter):
    role = "shoe"
    def run(self, table):
        table.up({"locked": True, "faults": []}, serial="R1")
        HOW
"""
HOWS = {
    "raises": 'raise RuntimeError("As")',
    "exits": "sys.exit(9)",
    "hangs": "time.sleep(3600)",
    "spins": "\n        while True: pass",
    "lies": 'table.event({"ev": "card_out", "card": "Zz", "face": "down"})\n        while True: table.orders(1)',
}


def wait_for(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + 120  # seconds of patience with a busy machine
    while not condition():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.05)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table's folder, with the shoe of docs/own-adapter for its shoe."""
    site = install_own_adapter(tmp_path / "site")
    for name, how in HOWS.items():
        install(site, f"rude-{name}", {f"rude-{name}": f"rude_{name}:Rude"}, {f"rude_{name}": RUDE.replace("HOW", how)})
    install(site, "rude-import", {"rude-import": "rude_import:Rude"}, {"rude_import": "raise SystemExit(4)\n"})
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(
        whole, "CONFIG", whole.CONFIG.replace('key_file = "{folder}/key"\n[page]', 'adapter = "ascii-shoe"\n[page]')
    )
    return tmp_path


def use(monkeypatch: pytest.MonkeyPatch, adapter: str, more: str = "") -> None:
    monkeypatch.setattr(whole, "CONFIG", whole.CONFIG.replace('"ascii-shoe"\n', f'"{adapter}"\n{more}'))


def shoe_of(address: str) -> dict[str, Any]:
    [device] = whole.state(address)["devices"]
    return dict(device)


def test_a_makers_shoe_plays_and_is_shown_as_not_authenticated(own: Path) -> None:
    shoe = AsciiShoeDevice(own / "shoe")
    with whole.daemon(own, PYTHONPATH=str(own / "site")) as (_, address, _notices):
        wait_for(lambda: shoe_of(address)["up"])
        device = shoe_of(address)
        assert (device["trust"], device["serial"], device["firmware"]) == ("none", "SN1042", "2.4")
        shoe.shuffle("blue", 52)
        wait_for(lambda: shoe_of(address)["events"] == 1)
        shoe.fault("JAM")
        wait_for(lambda: [one["irregularity"] for one in whole.state(address)["rulings"]] == ["shoe_unavailable"])
    shoe.unplug()
    shown = subprocess.run(
        [sys.executable, "-m", "feltd.cli", "journal", "show", str(own / "table.journal")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "shuffled" in shown


def test_the_check_says_what_trust_is_lost(own: Path) -> None:
    shoe = AsciiShoeDevice(own / "shoe")
    found = check_file(whole.write(own, free_port()))
    shoe.unplug()
    assert [problem for problem in found.problems if problem.key.startswith("device")] == []
    [told] = [note for note in found.notes if "AUTHENTICATED" in note]
    assert told.startswith("shoe: NOT AUTHENTICATED: the adapter ascii-shoe cannot tell its device from anybody else")


WIRED = """
[[device]]
name = "reader:board"
role = "reader"
adapter = "rfid-poker"
port = "{folder}/reader"
adapter_settings.zones = ["board:1", "board:2", "board:3", "board:4", "board:5"]
adapter_settings.face = "up"
adapter_settings.settle = 0.0
settings.zones = ["board:1", "board:2", "board:3", "board:4", "board:5"]
settings.look = false
"""


def test_rfid_pokers_client_is_not_authenticated_in_the_check_on_the_page_and_in_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = install(tmp_path / "site", "feltd-here", {"rfid-poker": "devices.adapters.rfid_poker:RfidPoker"})
    monkeypatch.syspath_prepend(str(site))
    blind = whole.CONFIG.replace("blinds = [100, 200]\n", "blinds = [100, 200]\nlook_sensor = false\n")
    monkeypatch.setattr(whole, "CONFIG", blind + WIRED)
    board = WiredClient(tmp_path / "reader")
    found = check_file(whole.write(tmp_path, free_port()))
    assert not [problem for problem in found.problems if problem.key.startswith("device.adapter")]
    [told] = [note for note in found.notes if "AUTHENTICATED" in note]
    assert told.startswith("reader:board: NOT AUTHENTICATED: the adapter rfid-poker cannot tell its device")
    enrol(tmp_path)
    with whole.daemon(tmp_path, PYTHONPATH=f"{site}{os.pathsep}{os.getcwd()}") as (_, address, _notices):
        again = 0.0

        def comes_up() -> bool:
            nonlocal again
            if time.monotonic() >= again:  # what it says before its port is open is dropped
                board.say(boot())
                again = time.monotonic() + 2
            return bool(reader_of(address)["up"])

        wait_for(comes_up)
        reader = reader_of(address)
        assert (reader["trust"], reader["serial"], reader["firmware"]) == ("none", BOARD, "2811b6f")
        board.say(card(CHIPS[0], 2), card(CHIPS[0], 2)[:40], card(CHIPS[0], 3))
        wait_for(lambda: reader_of(address)["events"] == 1)
    board.close()
    shown = subprocess.run(
        [sys.executable, "-m", "feltd.cli", "journal", "show", str(tmp_path / "table.journal")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert '"adapters":{"reader:board":"rfid-poker"}' in shown
    assert f"{BOARD}, firmware 2811b6f, not authenticated" in shown
    assert CHIPS[0] not in shown
    assert '"zone":"board:1","card":"As","face":"up"' in shown


def enrol(folder: Path) -> None:
    """A pack whose ace of spades is the first chip, and whose other cards lie nowhere."""
    numbers = [bytes.fromhex(CHIPS[0].replace(":", " ")), *(bytes([4, place, 9, 9, 9, 9, 9]) for place in range(51))]
    packs = PackList().with_pack(pack_of("red-1", "red", numbers, laying_order(52)))
    write_packs(packs_file_of(folder / "table.journal"), read_key(folder / "key"), packs)


def reader_of(address: str) -> dict[str, Any]:
    [device] = [one for one in whole.state(address)["devices"] if one["name"] == "reader:board"]
    return dict(device)


@pytest.mark.parametrize(
    ("adapter", "more", "key", "words"),
    [
        ("nobodys", "", "device.adapter", "no adapter nobodys is installed"),
        ("rude-import", "", "device.adapter", "the adapter rude-import of rude-import cannot be loaded (SystemExit"),
        ("ascii-shoe", "adapter_settings.ask = 1\n", "device.adapter_settings", "ask: unknown key; allowed: "),
        ("ascii-shoe", 'key_file = "key"\n', "device.key_file", "nobody reads it: the adapter ascii-shoe has no key"),
    ],
)
def test_the_check_names_an_adapter_that_cannot_serve(
    own: Path, monkeypatch: pytest.MonkeyPatch, adapter: str, more: str, key: str, words: str
) -> None:
    use(monkeypatch, adapter, more)
    shoe = AsciiShoeDevice(own / "shoe")
    found = check_file(whole.write(own, free_port()))
    shoe.unplug()
    told = [(problem.key, problem.text) for problem in found.problems if problem.key.startswith("device")]
    assert [key for key, _ in told] == [key]
    assert told[0][1].startswith(words)


@pytest.mark.parametrize(
    ("adapter", "code"),
    [
        ("rude-raises", "adapter_failed"),
        ("rude-exits", "adapter_failed"),
        ("rude-hangs", "adapter_hangs"),
        ("rude-spins", "adapter_hangs"),
        ("rude-import", "adapter_failed"),
        ("nobodys", "adapter_failed"),
    ],
)
def test_a_faulty_adapter_is_named_and_the_daemon_goes_on(
    own: Path, monkeypatch: pytest.MonkeyPatch, adapter: str, code: str
) -> None:
    use(monkeypatch, adapter)
    with whole.daemon(own, PYTHONPATH=str(own / "site")) as (process, address, _notices):
        wait_for(lambda: (shoe_of(address)["fault"] or {}).get("code") == code)
        assert adapter in shoe_of(address)["fault"]["text"]
        wait_for(lambda: [alarm["text"] for alarm in whole.state(address)["alarms"]] == ["Device offline: shoe"])
        assert process.poll() is None
        process.terminate()
        assert process.wait(600) == 0  # a hanging thread keeps nobody


def test_what_it_says_against_the_rules_is_a_fault_of_the_device(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "rude-lies")
    with whole.daemon(own, PYTHONPATH=str(own / "site")) as (_, address, _notices):
        wait_for(lambda: whole.state(address)["faults"])
        [fault] = whole.state(address)["faults"]
        assert "device shoe: message card_out, field card" in fault["text"]
        assert "Zz" not in fault["text"]
        assert shoe_of(address)["up"] is True
