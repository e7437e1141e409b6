"""The drawing of a reader's chips behind a TCA9548A, made from the firmware's own table of channels.

`python -m tests.parts_drawings` writes it, with the drawings of the boards.
"""

import re
from dataclasses import dataclass
from typing import Final

from tests.antennas_drawing import PICO, begun, box, chip_with_coil, joined, wire, zones_at
from tests.parts_drawings import TABLE, PinTableError, header_pin, lines_of

TITLE: Final = "A reader's chips: channels of its TCA9548A"
_ROW: Final = re.compile(r"CHANNEL\((?P<place>\d+), (?P<channel>\d+), (?P<data>\d+), (?P<clock>\d+)\)")
_ENDS: Final = {"TCA_SDA": "SDA (23)", "TCA_SCL": "SCL (22)", "TCA_RESET": "RESET (3)"}
"""What each line goes to, with the pin of a bare TCA9548A in its housing PW (TI SCPS207, "Pin Configuration")."""
_SUPPLY, _GROUNDS = 24, "GND (12)"
_PITCH, _TOP = 34, 92
_MULTIPLEXER, _CHIP = (290, 480), 570


@dataclass(frozen=True, slots=True)
class Channel:
    """Where the chip of one zone hangs. `place`: of the zone, from 0; `data`, `clock`: pins of a bare TCA9548A."""

    place: int
    channel: int
    data: int
    clock: int


def channels() -> list[Channel]:
    """The channels as the firmware's table has them. Raises PinTableError."""
    found = re.search(r"#define TCA9548A_CHANNELS\(CHANNEL\) \\\n((?:.*\\\n)*.*)", TABLE.read_text(encoding="utf-8"))
    rows = [
        Channel(int(row["place"]), int(row["channel"]), int(row["data"]), int(row["clock"]))
        for row in _ROW.finditer(found[1] if found else "")
    ]
    if [row.place for row in rows] != list(range(len(rows))) or not rows:
        raise PinTableError(f"{TABLE}: TCA9548A_CHANNELS must have a row for each place from 0, in order")
    return rows


def drawn() -> str:
    """The drawing as SVG: the Pico on the left, the multiplexer, and each zone's chip with its own coil."""
    rows = channels()
    height = _TOP + len(rows) * _PITCH + 70
    bottom = height - 40
    parts = [
        *begun(TITLE, height),
        *box(_MULTIPLEXER, _TOP - 36, bottom, "TCA9548A", "#e8f2e8"),
        *box(PICO, _TOP - 20, _TOP + 176, "Raspberry Pi Pico", "#eef"),
    ]
    lines = {line.name: line for line in lines_of("tca9548a")}
    for place, (name, end) in enumerate(_ENDS.items()):
        gpio = lines[name].gpio
        parts += joined(f"GP{gpio}, pin {header_pin(gpio)}", end, _TOP + 22 + 28 * place)
    parts += joined("3V3 out, pin 36", f"VCC ({_SUPPLY})", _TOP + 134)
    parts += joined("GND, pin 38", _GROUNDS, _TOP + 162)
    for row in rows:
        parts += _chip(row)
    words = "each channel: SDA and SCL by 4.7 kilohm to 3.3 V; 3.3 V and GND in common; A0 (1), A1 (2), A2 (21) at GND"
    return "\n".join([*parts, f'<text x="{PICO[0]}" y="{bottom + 20}">{words}</text>', "</svg>"]) + "\n"


def _chip(row: Channel) -> list[str]:
    y = _TOP + row.place * _PITCH + 4
    name = f"SD{row.channel} ({row.data}), SC{row.channel} ({row.clock})"
    return [
        f'<text x="{_MULTIPLEXER[1] - 8}" y="{y + 4}" text-anchor="end">{name}</text>',
        wire(_MULTIPLEXER[1], _CHIP, y),
        *chip_with_coil(_CHIP, y, "SDA, SCL"),
        f'<text x="{_CHIP + 112}" y="{y + 4}">zone {row.place + 1}: {zones_at(row.place)}</text>',
    ]
