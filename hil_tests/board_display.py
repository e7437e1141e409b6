"""A dealer's display in a board's USB port: there a person reads the code that the floor is told."""

import json
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from devices.simulated.things.device import DeviceOptions
from firmware_bridge.limits import KEY_SIZE
from hil_tests.wires import BY_ID

PLUG: Final = "display"
"""The serial number of its cable."""
TABLE: Final = f"""
[door]
uplink = "feltd-uplink"

[[device]]
name = "indicators"
role = "indicators"
port = "{BY_ID.format(PLUG)}"
key_file = "/var/lib/feltd/keys/indicators.key"
"""
"""What a table's file says of it, and of the uplink that gives it a code."""
_UPLINK: Final = """\
[uplink]
table = "/run/feltd-door/table"
floors = ["wss://10.0.2.2:7443"]
certificate = "/var/lib/feltd-uplink/table.pem"
key = "/var/lib/feltd-uplink/table.key"
authority = "authority.pem"
show_code = true
"""
_RULES: Final = f"""\
allow with-interface one-of {{ 09:00:* }}
allow id 0403:6001 serial "{PLUG}"
block
"""
"""USBGuard's: hubs, this cable, and nothing else."""
_CODE: Final = re.compile(r"CODE ([0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}): tell it to the floor\.")


@dataclass(frozen=True, slots=True)
class Display:
    """A display that runs, and does so through a cut of the board's power."""

    options: DeviceOptions

    def files(self) -> Mapping[str, str]:
        """What the owner of a board with it lays into the folder, with a floor that the board cannot reach."""
        authority = self.options.port_link.parent / "authority.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-days", "7300", "-keyout", "/dev/null", "-out", authority, "-subj", "/CN=a casino"],
            check=True, capture_output=True,
        )  # fmt: skip
        return {
            "keys/indicators.key": self.options.key_file.read_text("ascii"),
            "uplink/uplink.toml": _UPLINK,
            "uplink/authority.pem": authority.read_text("ascii"),
            "usbguard.rules": _RULES,
        }

    def cable(self) -> list[str]:
        """QEMU's arguments: a USB-to-serial cable to it."""
        words = ["-chardev", f"serial,id=line-{PLUG},path={self.options.port_link}"]
        return [*words, "-device", f"usb-serial,chardev=line-{PLUG},serial={PLUG}"]

    def text(self) -> str:
        """What is on it now, its lines one behind the other."""
        return " ".join(" ".join(self._order("read")["shown"]["display"]).split())

    def code(self, seconds: float) -> str:
        """The code that it shows, once it does. Raises TimeoutError after so many seconds."""
        until = time.monotonic() + seconds
        while (found := _CODE.search(shown := self.text())) is None:
            if time.monotonic() > until:
                raise TimeoutError(f"the display shows no code, but {shown!r}")
            time.sleep(0.5)
        return found[1]

    def dark(self) -> None:
        """Clear it, as its own loss of power does: what it shows from now on the board says anew."""
        self._order("power_loss")
        until = time.monotonic() + 120.0
        while self.text():  # it starts anew in its own time
            assert time.monotonic() < until, "the display does not start anew"
            time.sleep(0.05)

    def _order(self, do: str) -> Any:
        order = {"id": secrets.token_hex(8), "do": do}  # an order whose number is known has the answer of before
        with socket.socket(socket.AF_UNIX) as asked:
            asked.connect(str(self.options.control))
            asked.sendall(json.dumps(order).encode() + b"\n")
            with asked.makefile(encoding="utf-8") as answers:
                told = json.loads(answers.readline())
        assert told["ok"], told
        return told["reply"]


@contextmanager
def display(folder: Path) -> Iterator[Display]:
    """A display in a process of its own, with a new key. `folder`: for what is its own; made."""
    folder.mkdir()
    key = folder / "indicators.key"
    key.write_text(secrets.token_bytes(KEY_SIZE).hex() + "\n", encoding="ascii")
    options = DeviceOptions(
        role="indicators", name="indicators", port_link=folder / "port", key_file=key, control=folder / "control",
        memory=folder / "memory", leash=True,
    )  # fmt: skip
    words = [sys.executable, *options.arguments()]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        until = time.monotonic() + 120.0
        while not (options.control.exists() and options.port_link.exists()):
            assert process.poll() is None, "the display has ended"
            assert time.monotonic() < until, "the display does not start"
            time.sleep(0.05)
        try:
            yield Display(options)
        finally:
            process.terminate()
