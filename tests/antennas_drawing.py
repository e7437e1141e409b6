"""The drawing of a reader's chips on their select switch, made from the firmware's own table of ways.

`python -m tests.parts_drawings` writes it, with the drawings of the boards.
"""

import re
from dataclasses import dataclass
from typing import Final

from tests.parts_drawings import TABLE, PinTableError, header_pin, lines_of

TITLE: Final = "A reader's chips: ways of its select switch"
ZONES: Final = {
    "seats-1-5": tuple(f"seat:{seat}" for seat in range(1, 6)),
    "seats-6-10": tuple(f"seat:{seat}" for seat in range(6, 11)),
    "board": (*(f"board:{place}" for place in range(1, 6)), "burn", "muck", "dealer"),
}
"""The zones of the three readers of docs/build.md, in the order in which they are given to `settings.py`."""
_ROW: Final = re.compile(r"ANTENNA\((?P<place>\d+), (?P<way>\d+), (?P<pin>\d+)\)")
_SELECT: Final = {0: 10, 1: 11, 2: 14, 3: 13}
"""The pin of a bare CD74HC4067 of each of its select lines (TI SCHS209C, "Pinout")."""
_COMMON, _ENABLE, _GROUND, _SUPPLY = 1, 15, 12, 24
_PITCH, _TOP = 34, 92
_SWITCH, _CHIP = (290, 480), 570
PICO: Final = (40, 210)
"""The sides of the Pico in a drawing."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where the chip of one zone hangs. `place`: of the zone, from 0; `pin`: of a bare CD74HC4067."""

    place: int
    way: int
    pin: int


def ways() -> list[Way]:
    """The ways of the reader's switch, as the firmware's table has them. Raises PinTableError."""
    text = TABLE.read_text(encoding="utf-8")
    found = re.search(r"#define READER_ANTENNAS\(ANTENNA\) \\\n((?:.*\\\n)*.*)", text)
    rows = [
        Way(int(row["place"]), int(row["way"]), int(row["pin"])) for row in _ROW.finditer(found[1] if found else "")
    ]
    if [row.place for row in rows] != list(range(len(rows))) or not rows:
        raise PinTableError(f"{TABLE}: READER_ANTENNAS must have a row for each place from 0, in order")
    return rows


def drawn() -> str:
    """The drawing as SVG: the Pico on the left, the switch, and each zone's chip with its own coil."""
    rows = ways()
    height = _TOP + len(rows) * _PITCH + 70
    bottom = height - 40
    words = "each chip: SCK, MOSI, MISO, RST, 3.3 V and GND in common; its SDA by 10 kilohm to 3.3 V"
    parts = [
        *begun(TITLE, height),
        f'<text x="{_CHIP + 112}" y="{_TOP - 24}" font-weight="bold">{" · ".join(ZONES)}</text>',
        *box(_SWITCH, _TOP - 36, bottom, "CD74HC4067", "#e8f2e8"),
        *_pico(),
        f'<text x="{_SWITCH[0]}" y="{bottom + 20}">{words}</text>',
    ]
    for row in rows:
        parts += _chip(row)
    return "\n".join([*parts, "</svg>"]) + "\n"


def begun(title: str, height: int) -> list[str]:
    """The head of a drawing, its title and its ground."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" font-family="sans-serif" font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="900" height="{height}" fill="#fff"/>',
        f'<text x="450" y="24" text-anchor="middle" font-size="15">{title}</text>',
    ]


def box(sides: tuple[int, int], top: int, bottom: int, words: str, fill: str) -> list[str]:
    left, right = sides
    size = f'width="{right - left}" height="{bottom - top}"'
    return [
        f'<rect x="{left}" y="{top}" {size} rx="6" fill="{fill}" stroke="#444"/>',
        f'<text x="{(left + right) // 2}" y="{top + 16}" text-anchor="middle" font-weight="bold">{words}</text>',
    ]


def wire(x: int, other: int, y: int) -> str:
    return f'<line x1="{x}" y1="{y}" x2="{other}" y2="{y}" stroke="#444"/>'


def zones_at(place: int) -> str:
    """The zone at this place at each of the readers of docs/build.md."""
    return " · ".join(names[place] if place < len(names) else "free" for names in ZONES.values())


def joined(words: str, end: str, y: int) -> list[str]:
    """A wire from the Pico's right side to what stands beside it."""
    return [
        f'<text x="{PICO[1] - 8}" y="{y + 4}" text-anchor="end">{words}</text>',
        wire(PICO[1], _SWITCH[0], y),
        f'<text x="{_SWITCH[0] + 8}" y="{y + 4}">{end}</text>',
    ]


def _pico() -> list[str]:
    lines = {line.name: line for line in lines_of("reader")}
    to = {f"READER_WAY_{select}": f"S{select} ({pin})" for select, pin in _SELECT.items()}
    to["READER_SPI_SELECT"] = f"SIG ({_COMMON})"
    parts = box(PICO, _TOP - 20, _TOP + 204, "Raspberry Pi Pico", "#eef")
    for place, (name, end) in enumerate(to.items()):
        gpio = lines[name].gpio
        parts += joined(f"GP{gpio}, pin {header_pin(gpio)}", end, _TOP + 22 + 28 * place)
    parts += joined("3V3 out, pin 36", f"VCC ({_SUPPLY})", _TOP + 162)
    return parts + joined("GND, pin 38", f"GND ({_GROUND}), EN ({_ENABLE})", _TOP + 190)


def _chip(row: Way) -> list[str]:
    y = _TOP + row.place * _PITCH + 4
    return [
        f'<text x="{_SWITCH[1] - 8}" y="{y + 4}" text-anchor="end">C{row.way} ({row.pin})</text>',
        wire(_SWITCH[1], _CHIP, y),
        f'<text x="{_SWITCH[1] + 8}" y="{y - 4}" font-size="10">S3…S0 = {row.way:04b}</text>',
        *chip_with_coil(_CHIP, y, "SDA"),
        f'<text x="{_CHIP + 112}" y="{y + 4}">zone {row.place + 1}: {zones_at(row.place)}</text>',
    ]


def chip_with_coil(x: int, y: int, words: str) -> list[str]:
    """A module: what its select line or its bus is called, and its coil."""
    return [
        f'<rect x="{x}" y="{y - 12}" width="104" height="24" rx="4" fill="#fee" stroke="#444"/>',
        f'<text x="{x + 6}" y="{y + 4}">{words}</text>',
        f'<rect x="{x + 66}" y="{y - 9}" width="32" height="18" rx="3" fill="none" stroke="#b60" stroke-width="2"/>',
        f'<rect x="{x + 70}" y="{y - 5}" width="24" height="10" rx="2" fill="none" stroke="#b60"/>',
    ]
