"""Badge readers as the kernel sees them, and a table that has them: run as root in the machine.

    python -m hil_tests.guest.badge_readers FOLDER

A HID reader and a typing one on two simulated USB controllers; `feltd run` on a configuration that names them. Cards
are held to them, plugs are pulled; what the page says and what stands in the record must be right. Ends with 0 then.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from devices.udev import Udev
from feltd.record import JournalReader, Span
from firmware_bridge.usb_id import UsbId

GADGETS: Final = Path("/sys/kernel/config/usb_gadget")
HID_READER, TYPING_READER, STRANGER = (
    UsbId(0x1209, 0xBEEF, "G1"),
    UsbId(0x16C0, 0x27DB, "K7"),
    UsbId(0x1209, 0xDEAD, "X9"),
)
CARD: Final = bytes.fromhex("04a1b2c300000000")
_EIGHT_BYTES: Final = bytes.fromhex("0600ff0901a1010902150026ff00750895088102c0")
_KEYBOARD: Final = bytes.fromhex(
    "05010906a101050719e029e71500250175019508810295017508810395057501050819012905910295017503910395067508150025650507"
    "190029658100c0"
)
_KEYS: Final = {"1": 0x1E, "0": 0x27, "4": 0x21, "2": 0x1F, "\n": 0x28}
PORT: Final = 8321
PATIENCE: Final = 1200.0  # seconds; the machine is slow, and its host may have much else to do
CONFIG: Final = """\
[table]
name = "Badges"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
button = 3
[table.options]
blinds = [100, 200]
[[device]]
name = "badge:hid"
role = "badge"
adapter = "hid-badge"
usb = {{ vendor = 0x1209, product = 0xbeef, serial = "G1" }}
adapter_settings = {{ length = 4 }}
settings.staff = {{ 04A1B2C3 = "supervisor" }}
[[device]]
name = "badge:typing"
role = "badge"
adapter = "keyboard-badge"
usb = {{ vendor = 0x16c0, product = 0x27db, serial = "K7" }}
settings.staff = {{ 1042 = "director" }}
[usb]
allow = []
[page]
port = {port}
open_on_loopback = true
[journal]
path = "{folder}/table.journal"
sealing_key_file = "{folder}/key"
"""


class Gadget:
    """A HID device on a simulated controller."""

    def __init__(self, name: str, who: UsbId, report: bytes, controller: str, *, keyboard: bool = False) -> None:
        self._folder = GADGETS / name
        self._controller = controller
        function = self._folder / "functions/hid.0"
        for folder in ("strings/0x409", "configs/c.1/strings/0x409", "functions/hid.0"):
            (self._folder / folder).mkdir(parents=True, exist_ok=True)
        facts = {
            "idVendor": hex(who.vendor),
            "idProduct": hex(who.product),
            "strings/0x409/serialnumber": str(who.serial),
        }
        for file, text in {**facts, "strings/0x409/product": name}.items():
            (self._folder / file).write_text(text)
        for file, number in {"protocol": int(keyboard), "subclass": int(keyboard), "report_length": 8}.items():
            (function / file).write_text(str(number))
        (function / "report_desc").write_bytes(report)
        (self._folder / "configs/c.1/hid.0").symlink_to(function)

    def plug(self) -> None:
        (self._folder / "UDC").write_text(self._controller)

    def unplug(self) -> None:
        (self._folder / "UDC").write_text("\n")

    def report(self, *reports: bytes) -> None:
        """What the device says to the host."""
        wanted = (self._folder / "functions/hid.0/dev").read_text().strip()
        for file in Path("/dev").glob("hidg*"):
            number = file.stat().st_rdev
            if f"{os.major(number)}:{os.minor(number)}" == wanted:
                with file.open("r+b", buffering=0) as device:
                    for report in reports:
                        device.write(report)
                        time.sleep(0.02)
                return
        raise RuntimeError("no such gadget")

    def type(self, text: str) -> None:
        """As somebody types, each key pressed and let go."""
        self.report(*(report for char in text for report in (bytes((0, 0, _KEYS[char], 0, 0, 0, 0, 0)), bytes(8))))


def eventually(what: str, condition: Callable[[], Any]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            raise SystemExit(f"not within {PATIENCE:g} s: {what}")
        time.sleep(0.1)
    print(f"well: {what}", flush=True)


def is_served() -> bool:
    try:
        with socket.create_connection(("127.0.0.1", PORT), timeout=30):
            return True
    except OSError:
        return False


def state() -> dict[str, Any]:
    """The table's state. On a slow machine the page waits for the table after its own start, and is asked again."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api/v1/state", timeout=30) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as refusal:
            if refusal.code != HTTPStatus.SERVICE_UNAVAILABLE or time.monotonic() > until:
                raise
        time.sleep(0.1)


def device(name: str) -> dict[str, Any]:
    return next(dict(one) for one in state()["devices"] if one["name"] == name)


def told(words: str) -> bool:
    return any(words in fault["text"] for fault in state()["faults"])


def scenes(hid: Gadget, typing: Gadget, stranger: Gadget) -> None:
    eventually("the HID reader is up", lambda: device("badge:hid")["up"])
    eventually("the typing reader is up", lambda: device("badge:typing")["up"])
    assert {one["trust"] for one in state()["devices"]} == {"none"}
    [file] = [one for one in Udev().nodes("input", TYPING_READER) if one.name.startswith("event")]
    listener = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    hid.report(CARD)
    eventually("a card at the HID reader", lambda: device("badge:hid")["events"] == 1)
    typing.type("1042\n")
    eventually("a card at the typing reader", lambda: device("badge:typing")["events"] == 1)
    try:
        heard = os.read(listener, 100)
    except BlockingIOError:
        heard = b""
    os.close(listener)
    assert heard == b"", "somebody else hears what is typed"
    print("well: nobody else hears what is typed")
    taken_out_and_back("badge:hid", hid)
    taken_out_and_back("badge:typing", typing)
    stranger.plug()
    eventually("a stranger is told", lambda: told("belongs to nobody here"))


def taken_out_and_back(name: str, gadget: Gadget) -> None:
    gadget.unplug()
    eventually(f"{name} is gone", lambda: not device(name)["up"])
    eventually(f"{name} is told", lambda: told(f"{name}: ") and told("was taken out"))
    gadget.plug()
    eventually(f"{name} is back", lambda: device(name)["up"])


def recorded(folder: Path) -> None:
    """What must stand in the record."""
    with JournalReader.open(folder / "table.journal") as reader:
        notes = [entry.body for entry in reader.entries(Span(name="note")) if entry.body["note"] == "usb"]
        badges = [(entry.body["staff"], entry.body["role"]) for entry in reader.entries(Span(name="badge"))]
    changes = {(note["change"], note.get("device"), note["serial"]) for note in notes}
    own = {
        (change, name, serial)
        for change in ("gone", "came")
        for name, serial in (("badge:hid", "G1"), ("badge:typing", "K7"))
    }
    assert changes >= own | {("not allowed", None, "X9")}, changes
    assert badges == [("04A1B2C3", "supervisor"), ("1042", "director")], badges
    print("well: the record")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    (folder / "key").write_bytes(os.urandom(32))
    (folder / "table.toml").write_text(CONFIG.format(folder=folder, port=PORT))
    hid = Gadget("hid-reader", HID_READER, _EIGHT_BYTES, "dummy_udc.0")
    typing = Gadget("typing-reader", TYPING_READER, _KEYBOARD, "dummy_udc.1", keyboard=True)
    stranger = Gadget("stranger", STRANGER, _EIGHT_BYTES, "dummy_udc.2")
    hid.plug()
    typing.plug()
    table = subprocess.Popen([sys.executable, "-m", "feltd.cli", "run", str(folder / "table.toml")])
    try:
        eventually("the page is there", is_served)
        scenes(hid, typing, stranger)
        table.send_signal(signal.SIGTERM)
        assert table.wait(PATIENCE) == 0
    finally:
        table.kill()
    recorded(folder)


if __name__ == "__main__":
    main()
