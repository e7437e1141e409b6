"""The drawing of a reader's antennas on their switch, made from the table of ways that the firmware is compiled with.

`python -m tests.parts_drawings` writes it, with the drawings of the boards.
"""

import re
from dataclasses import dataclass
from typing import Final

from tests.parts_drawings import TABLE, PinTableError, header_pin, lines_of

TITLE: Final = "A reader's antennas: ways of its switch"
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
_SWITCH, _COIL = (290, 480), 570
_PICO, _MODULE = (40, 210), (40, 210)


@dataclass(frozen=True, slots=True)
class Way:
    """Where the antenna of one zone hangs. `place`: of the zone, from 0; `pin`: of a bare CD74HC4067."""

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
    """The drawing as SVG: the Pico and the reader chip on the left, the switch, and each zone's antenna."""
    rows = ways()
    height = _TOP + len(rows) * _PITCH + 70
    bottom = height - 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" font-family="sans-serif" font-size="12">',
        f"<title>{TITLE}</title>",
        f'<rect width="900" height="{height}" fill="#fff"/>',
        f'<text x="450" y="24" text-anchor="middle" font-size="15">{TITLE}</text>',
        f'<text x="{_COIL + 84}" y="{_TOP - 24}" font-weight="bold">{" · ".join(ZONES)}</text>',
        *_box(_SWITCH, _TOP - 36, bottom, "CD74HC4067", "#e8f2e8"),
        *_pico(),
        *_module(bottom),
        f'<line x1="{_COIL + 60}" y1="{_TOP - 10}" x2="{_COIL + 60}" y2="{bottom}" stroke="#444"/>',
        f'<text x="{_COIL + 60}" y="{bottom + 16}" text-anchor="middle">other ends: GND</text>',
    ]
    for row in rows:
        parts += _antenna(row)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _box(sides: tuple[int, int], top: int, bottom: int, words: str, fill: str) -> list[str]:
    left, right = sides
    size = f'width="{right - left}" height="{bottom - top}"'
    return [
        f'<rect x="{left}" y="{top}" {size} rx="6" fill="{fill}" stroke="#444"/>',
        f'<text x="{(left + right) // 2}" y="{top + 16}" text-anchor="middle" font-weight="bold">{words}</text>',
    ]


def _wire(x: int, other: int, y: int) -> str:
    return f'<line x1="{x}" y1="{y}" x2="{other}" y2="{y}" stroke="#444"/>'


def _pico() -> list[str]:
    lines = [line for line in lines_of("reader") if line.name.startswith("READER_WAY_")]
    parts = _box(_PICO, _TOP - 20, _TOP + 176, "Raspberry Pi Pico", "#eef")
    for select, line in enumerate(lines):
        y = _TOP + 22 + 28 * select
        parts += [
            f'<text x="{_PICO[1] - 8}" y="{y + 4}" text-anchor="end">GP{line.gpio}, pin {header_pin(line.gpio)}</text>',
            _wire(_PICO[1], _SWITCH[0], y),
            f'<text x="{_SWITCH[0] + 8}" y="{y + 4}">S{select} ({_SELECT[select]})</text>',
        ]
    for words, end, y in (
        ("3V3 out, pin 36", f"VCC ({_SUPPLY})", _TOP + 134),
        ("GND, pin 38", f"GND ({_GROUND}), EN ({_ENABLE})", _TOP + 162),
    ):
        parts += [
            f'<text x="{_PICO[1] - 8}" y="{y + 4}" text-anchor="end">{words}</text>',
            _wire(_PICO[1], _SWITCH[0], y),
            f'<text x="{_SWITCH[0] + 8}" y="{y + 4}">{end}</text>',
        ]
    return parts


def _module(bottom: int) -> list[str]:
    y = bottom - 60
    return [
        *_box(_MODULE, bottom - 130, bottom, "MFRC522 module", "#fee"),
        f'<text x="{_MODULE[0] + 8}" y="{y - 24}">its own coil cut off,</text>',
        f'<text x="{_MODULE[0] + 8}" y="{y - 8}">behind its matching parts</text>',
        f'<text x="{_MODULE[1] - 8}" y="{y + 20}" text-anchor="end">one end of the coil</text>',
        _wire(_MODULE[1], _SWITCH[0], y + 16),
        f'<text x="{_SWITCH[0] + 8}" y="{y + 20}">SIG ({_COMMON})</text>',
        f'<text x="{_MODULE[1] - 8}" y="{y + 44}" text-anchor="end">the other end: GND</text>',
    ]


def _antenna(row: Way) -> list[str]:
    y = _TOP + row.place * _PITCH + 4
    zones = [names[row.place] if row.place < len(names) else "free" for names in ZONES.values()]
    bits = f"{row.way:04b}"
    return [
        f'<text x="{_SWITCH[1] - 8}" y="{y + 4}" text-anchor="end">C{row.way} ({row.pin})</text>',
        _wire(_SWITCH[1], _COIL, y),
        f'<text x="{_SWITCH[1] + 8}" y="{y - 4}" font-size="10">S3…S0 = {bits}</text>',
        f'<rect x="{_COIL}" y="{y - 12}" width="40" height="24" rx="4" fill="none" stroke="#b60" stroke-width="2"/>',
        f'<rect x="{_COIL + 6}" y="{y - 7}" width="28" height="14" rx="3" fill="none" stroke="#b60"/>',
        _wire(_COIL + 40, _COIL + 60, y),
        f'<text x="{_COIL + 84}" y="{y + 4}">zone {row.place + 1}: {" · ".join(zones)}</text>',
    ]
