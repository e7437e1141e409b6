"""The mouth of a shoe from parts: its measures, what follows from them, and the drawing that is made of them.

`python -m tests.parts_drawings` draws docs/pictures/parts-mouth.svg; docs/build.md has the same measures as a table.
"""

from dataclasses import dataclass, fields
from typing import Final

from tests.antennas_drawing import begun
from tests.parts_coil import Coil

TITLE: Final = "The mouth of a shoe from parts, in millimetres"
_SCALE, _LEFT = 7, 330
_TOP_VIEW, _SIDE_VIEW = 80, 560


@dataclass(frozen=True, slots=True)
class Mouth:
    """Measures in millimetres. `x` is the way of a card, from the outer face of the front wall; 0 is the slot."""

    card_length: float = 63.5
    card_width: float = 88.9
    card_thick: float = 0.30
    sticker: float = 25.0
    sticker_thick: float = 0.20
    slot_width: float = 91.0
    slot_height: float = 0.7
    coil_x: float = 25.0
    coil_length: float = 24.0
    coil_width: float = 50.0
    coil_turns: int = 5
    floor: float = 1.5
    beam_x: float = 52.0
    bar_x: float = 53.0
    bar_thick: float = 3.0
    channel_end: float = 60.0
    notch_width: float = 30.0

    @property
    def coil(self) -> Coil:
        """The antenna under the floor."""
        return Coil(self.coil_length / 1e3, self.coil_width / 1e3, self.coil_turns)

    @property
    def sticker_at_beam(self) -> float:
        """Where the middle of the sticker is as the card breaks the beam."""
        return self.beam_x - self.card_length / 2

    @property
    def inside_at_bar(self) -> float:
        """What of a card is still in the shoe when a bar that is down stops it."""
        return self.card_length - self.bar_x

    @property
    def read_way(self) -> float:
        """How far a card goes while its sticker lies over the coil by half at least."""
        return self.coil_length

    @property
    def resting(self) -> float:
        """From the middle of the coil to the sticker of the next card, whose edge is at the slot."""
        return self.coil_x + self.card_length / 2

    def field_at(self, away: float) -> float:
        """The mean field over a sticker, its middle so far from the coil's along the card's way, in 1/m."""
        radius, height = self.sticker / 2, (self.floor + self.card_thick) / 1e3
        steps = [radius * part / 4 for part in range(-4, 5)]
        over = [(x, y) for x in steps for y in steps if x * x + y * y <= radius * radius]
        return sum(self.coil.field((away + x) / 1e3, y / 1e3, height) for x, y in over) / len(over)

    @property
    def next_card_weaker(self) -> float:
        """How many times weaker the field is at the next card's sticker than over the coil."""
        return self.field_at(0) / abs(self.field_at(self.resting))


WORDS: Final = {
    "card_length": "card, along its way",
    "card_width": "card, across",
    "card_thick": "card, thickness",
    "sticker": "sticker, across; in the middle of the card",
    "sticker_thick": "sticker, thickness",
    "slot_width": "slot, width",
    "slot_height": "slot, height",
    "coil_x": "slot to the middle of the coil",
    "coil_length": "coil, along the way",
    "coil_width": "coil, across",
    "coil_turns": "coil, turns (track and gap 0.5 mm)",
    "floor": "floor over the coil",
    "beam_x": "slot to the beam, across the middle",
    "bar_x": "slot to the bar of the gate",
    "bar_thick": "bar, thickness",
    "channel_end": "slot to the end of the channel",
    "notch_width": "notch in its cover, for the finger",
}


def table(mouth: Mouth) -> list[str]:
    """The rows of docs/build.md."""
    return [f"| {WORDS[field.name]} | {getattr(mouth, field.name):g} |" for field in fields(mouth)]


def drawn() -> str:
    """The drawing as SVG: from above, and from the side."""
    mouth = Mouth()
    parts = [*begun(TITLE, 670), *_from_above(mouth), *_from_the_side(mouth)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(millimetres: float) -> float:
    return round(_LEFT + _SCALE * millimetres, 1)


def _rect(x: float, y: float, width: float, height: float, look: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {look}/>'


def _words(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{words}</text>'


def _from_above(mouth: Mouth) -> list[str]:
    scale = 4.0  # across, so that both views fit
    middle = _TOP_VIEW + scale * mouth.slot_width / 2
    top, high = middle - scale * mouth.slot_width / 2, scale * mouth.slot_width
    card, across = _SCALE * mouth.card_length, scale * mouth.card_width
    edge = _x(mouth.beam_x)
    radius = _SCALE * mouth.sticker / 2
    return [
        _words(20, _TOP_VIEW - 14, "from above (across at another scale)"),
        _rect(_x(-40), top - 8, _SCALE * 40, high + 16, 'fill="#eee" stroke="#444"'),
        _words(_x(-38), top + 14, "shoe"),
        _rect(_x(0), top, _SCALE * mouth.channel_end, high, 'fill="#f8f4e8" stroke="#444"'),
        _rect(edge - card, middle - across / 2, card, across, 'fill="#fff" fill-opacity="0.6" stroke="#06c"'),
        f'<ellipse cx="{edge - card / 2:g}" cy="{middle:g}" rx="{radius:g}" ry="{scale * mouth.sticker / 2:g}"'
        ' fill="none" stroke="#06c" stroke-dasharray="4 3"/>',
        _words(edge - card + 6, middle - across / 2 + 30, "a card as it breaks the beam, its sticker"),
        _rect(
            _x(mouth.coil_x - mouth.coil_length / 2), middle - scale * mouth.coil_width / 2,
            _SCALE * mouth.coil_length, scale * mouth.coil_width, 'fill="none" stroke="#b60" stroke-width="3"',
        ),
        _words(_x(mouth.coil_x), middle + scale * mouth.coil_width / 2 + 16, "coil, under the floor", "middle"),
        _rect(
            _x(0), middle - scale * mouth.notch_width / 2, _SCALE * mouth.channel_end, scale * mouth.notch_width,
            'fill="none" stroke="#777" stroke-dasharray="2 4"',
        ),
        _words(_x(mouth.bar_x) - 6, middle - scale * mouth.notch_width / 2 - 6, "notch in the cover", "end"),
        _rect(_x(mouth.bar_x), top, _SCALE * mouth.bar_thick, high, 'fill="#888" fill-opacity="0.5" stroke="#444"'),
        _words(_x(mouth.channel_end) + 8, top + 30, "bar of the gate"),
        f'<circle cx="{edge:g}" cy="{middle:g}" r="5" fill="#c00"/>',
        _words(_x(mouth.channel_end) + 8, middle + 4, "beam"),
        *_ruler(mouth, top + high + 30),
    ]  # fmt: skip


def _ruler(mouth: Mouth, y: float) -> list[str]:
    parts = []
    for row, (to, words) in enumerate(
        ((mouth.coil_x, "coil"), (mouth.beam_x, "beam"), (mouth.bar_x, "bar"), (mouth.channel_end, "channel"))
    ):
        at = y + 14 * row
        parts += [
            f'<line x1="{_x(0):g}" y1="{at:g}" x2="{_x(to):g}" y2="{at:g}" stroke="#444"/>',
            f'<circle cx="{_x(to):g}" cy="{at:g}" r="2.5" fill="#444"/>',
            _words(_x(0) - 8, at + 4, f"{words} {to:g}", "end"),
        ]
    return parts


def _from_the_side(mouth: Mouth) -> list[str]:
    y = _SIDE_VIEW + 60
    edge, card = _x(mouth.beam_x), _SCALE * mouth.card_length
    return [
        _words(20, _SIDE_VIEW - 14, "from the side (heights not to scale)"),
        _rect(_x(-2), _SIDE_VIEW, _SCALE * 2, 50, 'fill="#ccc" stroke="#444"'),
        _words(_x(-2) - 8, _SIDE_VIEW + 20, f"front wall; slot {mouth.slot_height:g} high", "end"),
        _rect(edge - card, y - 7, card, 4, 'fill="#06c"'),
        _rect(edge - card / 2 - _SCALE * mouth.sticker / 2, y - 3, _SCALE * mouth.sticker, 2, 'fill="#036"'),
        _rect(_x(0), y, _SCALE * mouth.channel_end, 8, 'fill="#f8f4e8" stroke="#444"'),
        _words(_x(0) - 8, y + 8, f"floor {mouth.floor:g}", "end"),
        _rect(_x(mouth.coil_x - mouth.coil_length / 2), y + 9, _SCALE * mouth.coil_length, 4, 'fill="#b60"'),
        _words(_x(mouth.coil_x), y + 30, f"coil {mouth.coil_length:g} × {mouth.coil_width:g}", "middle"),
        f'<line x1="{edge:g}" y1="{_SIDE_VIEW}" x2="{edge:g}" y2="{y + 24:g}" stroke="#c00" stroke-dasharray="5 3"/>',
        _rect(_x(mouth.bar_x), _SIDE_VIEW - 4, _SCALE * mouth.bar_thick, 36, 'fill="#888" stroke="#444"'),
        _words(_x(mouth.channel_end) + 8, _SIDE_VIEW + 14, "bar, up"),
        _words(_x(mouth.channel_end) + 8, y + 24, "beam, through the floor"),
    ]
