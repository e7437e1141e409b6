"""rfid-poker's wired client as its description has it: its end of a pseudo-terminal, and its messages."""

import json
import os
import tty
from pathlib import Path
from typing import Any

BOARD = "F0:24:F9:BA:E2:54"
CHIPS = [f"04 0e 3b {number:02x} {number:02x} {number:02x} {number:02x}" for number in range(0x10, 0x60)]
"""No three wrong bits in a line make one of another."""


def boot(seq: int = 1, device: str = BOARD, **other: Any) -> str:
    return said("boot", seq, device, **{"fw_version": "2811b6f", "reason": "power_on", **other})


def card(chip: str, seq: int, device: str = BOARD, **other: Any) -> str:
    return said("card", seq, device, **{"card_uid": chip, "tech": "MIFARE", "rssi": 0, **other})


def error(words: str, seq: int = 2, code: str = "rfid_init_failed") -> str:
    return said("error", seq, BOARD, code=code, message=words)


def said(kind: str, seq: Any, device: Any, **other: Any) -> str:
    return json.dumps({"type": kind, "ts": "T+1234", "device_id": device, "seq": seq, **other}, separators=(",", ":"))


class WiredClient:
    """A board that says what a test lets it say. `port` is a link to it."""

    def __init__(self, port: Path) -> None:
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        port.symlink_to(os.ttyname(self._theirs))
        self.port = port

    def say(self, *lines: str) -> None:
        self.noise("".join(f"{line}\r\n" for line in lines).encode())

    def noise(self, data: bytes) -> None:
        os.write(self._ours, data)

    def close(self) -> None:
        self.port.unlink()
        os.close(self._ours)
        os.close(self._theirs)
