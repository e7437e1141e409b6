"""The coil of an antenna from parts: inductance, tuning capacitor, voltage across it, and its field.

`python -m tests.parts_coil WIDTH HEIGHT TURNS` prints it: outer sides in millimetres, of a flat rectangular coil. The
inductance is by the formula for rectangular antennas of NXP's AN1445 and AN11276. Nothing here knows metal, ferrite or
a card that lies there.
"""

import math
import sys
from dataclasses import dataclass
from typing import Final

CARRIER: Final = 13.56e6
"""Hertz."""
MU_0: Final = 4e-7 * math.pi
TURNS_TO: Final = 1.8
"""The power of the number of turns for an etched coil (AN1445); wound ones lie between 1.7 and 1.85."""


@dataclass(frozen=True, slots=True)
class Coil:
    """A flat rectangular coil. Sides are the outer ones; all lengths in metres."""

    width: float
    height: float
    turns: int
    track: float = 0.5e-3
    gap: float = 0.5e-3
    thick: float = 35e-6

    def __post_init__(self) -> None:
        """Raise ValueError for a coil that nobody can make."""
        lost = 2 * self.turns * (self.track + self.gap)
        if self.turns < 1 or min(self.track, self.gap, self.thick) <= 0 or min(self.width, self.height) <= lost:
            raise ValueError(f"{self}: its turns leave no window: give fewer turns, a narrower track or longer sides")

    @property
    def inductance(self) -> float:
        """Henry."""
        lost = self.turns * (self.gap + self.track)
        a, b = self.width - lost, self.height - lost
        d = 2 * (self.thick + self.track) / math.pi
        diagonal = math.hypot(a, b)
        x1 = a * math.log(2 * a * b / (d * (a + diagonal)))
        x2 = b * math.log(2 * a * b / (d * (b + diagonal)))
        x3 = 2 * (a + b - diagonal)
        x4 = (a + b) / 4
        return MU_0 / math.pi * (x1 + x2 - x3 + x4) * math.pow(self.turns, TURNS_TO)

    @property
    def reactance(self) -> float:
        """Ohm at the carrier."""
        return 2 * math.pi * CARRIER * self.inductance

    @property
    def tuning(self) -> float:
        """Farad across the coil for resonance at the carrier, its own and the matching circuit's with it."""
        return 1 / ((2 * math.pi * CARRIER) ** 2 * self.inductance)

    def voltage(self, watts: float, quality: float) -> float:
        """From peak to peak across it, with so much power in a resonance of that quality."""
        return math.sqrt(8 * watts * quality * self.reactance)

    def field(self, x: float, y: float, z: float) -> float:
        """The part of its field that is square to its plane, in 1/m: amperes a metre for one ampere in one turn.

        From the coil's middle: `x` along its width, `y` along its height, `z` above it. By Biot and Savart for four
        straight wires.
        """
        total = 0.0
        for from_x, from_y, half, other in (
            (x, y, self.width / 2, self.height / 2),
            (y, x, self.height / 2, self.width / 2),
        ):
            for side in (1.0, -1.0):
                across = side * other - from_y
                squared = across**2 + z**2
                ends = sum(to / math.sqrt(to**2 + squared) for to in (half - from_x, half + from_x))
                total += side * across * ends / (4 * math.pi * squared)
        return total


def quality_with(coil: Coil, quality: float, ohm: float) -> float:
    """The quality once so much resistance lies in its way."""
    return coil.reactance / (coil.reactance / quality + ohm)


def said(coil: Coil) -> str:
    """The coil in words."""
    return (
        f"{coil.width * 1e3:.0f} x {coil.height * 1e3:.0f} mm, {coil.turns} turns: {coil.inductance * 1e6:.2f} uH, "
        f"{coil.reactance:.0f} ohm, tuned by {coil.tuning * 1e12:.0f} pF; "
        f"0.1 W at a quality of 30: {coil.voltage(0.1, 30):.0f} V from peak to peak; "
        f"70 ohm in its way: a quality of {quality_with(coil, 30, 70):.1f}"
    )


def main(arguments: list[str]) -> int:
    """Print the coil; the status for the shell."""
    try:
        width, height, turns = arguments
        sys.stdout.write(said(Coil(float(width) / 1e3, float(height) / 1e3, int(turns))) + "\n")
    except ValueError as fault:
        sys.stderr.write(f"{fault}\n{__doc__}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
