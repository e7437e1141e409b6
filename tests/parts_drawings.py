"""Drawings of the boards of docs/build.md, made from the pin tables that the firmware is compiled with.

`python -m tests.parts_drawings` writes them anew after `firmware/c/boards/parts/pins.h` has changed.
"""

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TABLE: Final = ROOT / "firmware/c/boards/parts/pins.h"
PICTURES: Final = ROOT / "docs/pictures"
BOARDS: Final = {
    "reader": "A reader from parts: lines of a Raspberry Pi Pico",
    "tca9548a": "A reader from parts with a TCA9548A: lines of a Raspberry Pi Pico",
    "shoe": "A shoe from parts: lines of a Raspberry Pi Pico",
}

_ROW: Final = re.compile(r'PIN\((?P<name>\w+), (?P<gpio>\d+), (?P<direction>IN|OUT), "(?P<words>[^"]+)"\)')
_HEADER: Final = {
    **dict(zip(range(16), (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20), strict=True)),
    **dict(zip((*range(16, 23), 26, 27, 28), (21, 22, 24, 25, 26, 27, 29, 31, 32, 34), strict=True)),
}
"""The pin of a Pico's header of each GPIO that comes out there (Raspberry Pi Pico Datasheet, "Pinout")."""
_OTHERS: Final = {
    3: "GND",
    8: "GND",
    13: "GND",
    18: "GND",
    23: "GND",
    28: "GND",
    33: "GND",
    36: "3V3 out",
    38: "GND",
    40: "VBUS, 5 V",
}
_ROWS: Final = 20
_PITCH, _TOP = 22, 60
_LEFT, _RIGHT = 360, 540


class PinTableError(Exception):
    """The pin table names a line that a Pico has not, or a board without lines."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a board."""

    name: str
    gpio: int
    direction: str
    words: str


def lines_of(board: str) -> list[Line]:
    """The lines of a board, as the firmware's table has them. Raises PinTableError."""
    text = TABLE.read_text(encoding="utf-8")
    found = re.search(rf"#define {board.upper()}_PINS\(PIN\) \\\n((?:.*\\\n)*.*)", text)
    rows = _ROW.finditer(found[1]) if found is not None else ()
    lines = [Line(row["name"], int(row["gpio"]), row["direction"], row["words"]) for row in rows]
    if not lines:
        raise PinTableError(f"{TABLE}: no rows for the board {board!r}: write its {board.upper()}_PINS")
    return lines


def header_pin(gpio: int) -> int:
    """The pin of the Pico's header. Raises PinTableError where that line does not come out."""
    if gpio not in _HEADER:
        raise PinTableError(f"{TABLE}: GPIO {gpio} is on no pin of a Pico's header: choose 0 to 22, or 26 to 28")
    return _HEADER[gpio]


def drawn(board: str) -> str:
    """The drawing as SVG: the header from above, the USB socket at the top, and what hangs on each pin."""
    texts = {header_pin(line.gpio): line for line in lines_of(board)}
    height = _TOP + _ROWS * _PITCH + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" font-family="sans-serif" font-size="12">',
        f"<title>{BOARDS[board]}</title>",
        f'<rect width="900" height="{height}" fill="#fff"/>',
        f'<text x="450" y="24" text-anchor="middle" font-size="15">{BOARDS[board]}, from above</text>',
        f'<rect x="{_LEFT}" y="{_TOP - 18}" width="{_RIGHT - _LEFT}" height="{_ROWS * _PITCH + 20}" rx="6"'
        ' fill="#e8f2e8" stroke="#444"/>',
        f'<rect x="430" y="{_TOP - 24}" width="40" height="16" fill="#bbb" stroke="#444"/>',
        f'<text x="450" y="{_TOP - 12}" text-anchor="middle" font-size="10">USB</text>',
    ]  # fmt: skip
    for pin in range(1, 2 * _ROWS + 1):
        parts += _pin(pin, texts.get(pin))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _pin(pin: int, line: Line | None) -> list[str]:
    left = pin <= _ROWS
    y = _TOP + _PITCH * ((pin if left else 2 * _ROWS + 1 - pin) - 1) + 8
    x, inside, outside = (_LEFT, _LEFT + 12, _LEFT - 34) if left else (_RIGHT, _RIGHT - 12, _RIGHT + 34)
    anchor_in, anchor_out = ("start", "end") if left else ("end", "start")
    name = f"{pin}  GP{line.gpio}" if line is not None else f"{pin}  {_OTHERS.get(pin, '–')}"
    fill = "#fff" if line is None else "#cfe3ff" if line.direction == "IN" else "#ffe0b8"
    drawn_pin = [
        f'<circle cx="{x}" cy="{y - 4}" r="5" fill="{fill}" stroke="#444"/>',
        f'<text x="{inside}" y="{y}" text-anchor="{anchor_in}" fill="{"#000" if line else "#777"}">{name}</text>',
    ]
    if line is None:
        return drawn_pin
    words = f"{escape(line.words)} ({line.direction.lower()})"
    ends = (x - 6, x - 28) if left else (x + 6, x + 28)
    return [
        *drawn_pin,
        f'<line x1="{ends[0]}" y1="{y - 4}" x2="{ends[1]}" y2="{y - 4}" stroke="#444"/>',
        f'<text x="{outside}" y="{y}" text-anchor="{anchor_out}">{words}</text>',
    ]


def main() -> None:
    """Write every drawing."""
    from tests import antennas_drawing, channels_drawing, shoe_drawing

    drawings = {board: drawn(board) for board in BOARDS} | {
        "antennas": antennas_drawing.drawn(),
        "channels": channels_drawing.drawn(),
        "mouth": shoe_drawing.drawn(),
    }
    for name, drawing in drawings.items():
        (PICTURES / f"parts-{name}.svg").write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
