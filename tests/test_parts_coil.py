"""The coils of docs/build.md: the sums against what others reckon, and the figures of the page against the program."""

import math
import re
from pathlib import Path

import pytest

from tests.parts_coil import CARRIER, MU_0, Coil, main, quality_with, said

PAGE = (Path(__file__).parents[1] / "docs/build.md").read_text(encoding="utf-8")
ZONE = Coil(0.060, 0.085, 4)


@pytest.mark.parametrize("side", [0.03, 0.06, 0.1, 0.3])
def test_a_square_of_one_turn_is_that_of_the_book(side: float) -> None:
    """Grover, Inductance Calculations: a square of a round wire, in the formula's own radius for a flat one."""
    coil = Coil(side, side, 1, track=1e-3, gap=1e-6)
    middle = side - 1e-3
    radius = (coil.track + coil.thick) / math.pi
    book = 2 * MU_0 * middle / math.pi * (math.log(middle / radius) - 0.774)
    assert coil.inductance == pytest.approx(book, rel=0.12)


def test_the_capacitor_makes_it_ring_at_the_carrier() -> None:
    assert 1 / (2 * math.pi * math.sqrt(ZONE.inductance * ZONE.tuning)) == pytest.approx(CARRIER)
    assert quality_with(ZONE, 30, 0) == pytest.approx(30)


def test_the_field_in_the_middle_of_a_square_and_far_away() -> None:
    """In the middle 2√2 / (π side); far off in its plane that of a dipole, the other way round."""
    square = Coil(0.1, 0.1, 1)
    assert square.field(0, 0, 1e-9) == pytest.approx(2 * math.sqrt(2) / (math.pi * 0.1))
    assert square.field(2, 0, 0) == pytest.approx(-0.01 / (4 * math.pi * 8), rel=0.01)
    assert square.field(0, 2, 0) == pytest.approx(square.field(2, 0, 0))
    assert square.field(0, 0, 2) == pytest.approx(0.01 / (2 * math.pi * 8), rel=0.01)


@pytest.mark.parametrize("wrong", [(0.06, 0.085, 0), (0.06, 0.085, 30), (0.003, 0.085, 2)])
def test_a_coil_without_a_window_is_refused(wrong: tuple[float, float, int]) -> None:
    with pytest.raises(ValueError, match="its turns leave no window"):
        Coil(*wrong)


def test_the_program_prints_a_coil_or_says_what_it_wants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["60", "85", "4"]) == 0
    assert capsys.readouterr().out == said(ZONE) + "\n"
    for wrong in (["60", "85"], ["60", "85", "four"], ["60", "85", "40"]):
        assert main(wrong) == 2
        assert "WIDTH HEIGHT TURNS" in capsys.readouterr().err


def test_the_page_has_the_program_s_figures() -> None:
    assert f"{ZONE.inductance * 1e6:.2f} µH, {ZONE.reactance:.0f} ohm at 13.56 MHz" in PAGE
    assert f"{ZONE.voltage(0.1, 30):.0f} V from peak to peak" in PAGE
    assert f"falls from 30 to {quality_with(ZONE, 30, 70):.1f}" in PAGE
    [at_50_ohm] = re.findall(r"([\d.]+) V from peak to peak, ±3\.2 V", PAGE)
    assert float(at_50_ohm) == pytest.approx(math.sqrt(8 * 0.1 * 50), abs=0.05)
