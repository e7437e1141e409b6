"""Stickers of antennas in the words that a reader's settings take."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

NO_PACK: Final = (
    "no pack is enrolled: a card is not told from a sticker. Lay nothing of a pack, or enrol the packs first "
    "(feltd deck enrol): a card that is named as a sticker is told by nobody over that antenna"
)
_MICROPYTHON: Final = frozenset({4, 7})
"""Bytes of a sticker's number that the reader in MicroPython can have: its chip reads ISO/IEC 14443 A."""


@dataclass(frozen=True, slots=True)
class Sticker:
    """The sticker of a zone's antenna. `up`: cards lie face up there; None: whoever read it does not know."""

    zone: str
    number: bytes
    up: bool | None = None

    @property
    def digits(self) -> str:
        """The number as a phone shows it."""
        return self.number.hex(":").upper()


def told(stickers: Sequence[Sticker]) -> list[str]:
    """The lines for a person: what goes to `settings.py` of the firmware in C, and into `device.json`."""
    words = [f"{one.zone}={'up,' * bool(one.up)}{one.digits}" for one in stickers]
    lines = [f"settings.py (firmware in C): {' '.join(words)}"]
    if any(one.up is None for one in stickers):
        lines.append("    where cards lie face up write ZONE=up,NUMBER; name the zones in the order in which they hang")
    numbers = {one.zone: one.digits for one in stickers if len(one.number) in _MICROPYTHON}
    if numbers:
        lines.append(f'device.json (MicroPython):    "stickers": {json.dumps(numbers)}')
    return lines
