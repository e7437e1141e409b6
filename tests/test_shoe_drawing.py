"""The mouth of a shoe from parts: what its measures must hold, and that page and drawing have them."""

import re
from pathlib import Path

import pytest

from tests.shoe_drawing import Mouth, drawn, table

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/build.md").read_text(encoding="utf-8")
MOUTH = Mouth()


def test_the_page_and_the_drawing_have_the_measures() -> None:
    """`python -m tests.parts_drawings` draws it anew."""
    assert (ROOT / "docs/pictures/parts-mouth.svg").read_text(encoding="utf-8") == drawn()
    assert "\n".join(table(MOUTH)) in PAGE


def test_a_card_is_over_the_coil_as_it_breaks_the_beam() -> None:
    """The firmware takes the number that was read before the beam is whole again."""
    assert abs(MOUTH.sticker_at_beam - MOUTH.coil_x) < MOUTH.coil_length / 2
    assert f"the middle of its sticker is at {MOUTH.sticker_at_beam:g} mm" in PAGE
    assert MOUTH.field_at(MOUTH.sticker_at_beam - MOUTH.coil_x) > MOUTH.field_at(0) / 2


def test_a_card_at_the_speed_of_the_page_is_read_while_it_lies_over_the_coil() -> None:
    """An empty scan that has just begun, a pause without field, the scan that reads it, one more pause."""
    times = (ROOT / "firmware/c/README.md").read_text(encoding="utf-8")
    [row] = re.findall(r"\| MFRC522, SPI \| (\d+) \| (\d+) \|", times)
    takes = int(row[0]) + int(row[1]) + 2 * 5.1
    [metres] = re.findall(r"read up to ([\d.]+) m/s", PAGE)
    assert takes == pytest.approx(28, abs=0.5)
    assert MOUTH.read_way / (float(metres) * 1000) * 1000 >= takes


def test_the_next_card_is_far_below_what_a_card_needs() -> None:
    """1.5 A/m: the least field of ISO/IEC 14443-2 for cards of the largest class."""
    said = re.findall(r"is (\d+) times weaker .* 5 A/m gives that one ([\d.]+);", PAGE)
    assert said == [(f"{MOUTH.next_card_weaker:.0f}", f"{5 / MOUTH.next_card_weaker:.2f}")]
    assert 5 / MOUTH.next_card_weaker < 1.5 / 10


def test_a_bar_that_is_down_keeps_a_card_in_the_shoe_and_meets_none_that_the_beam_has_not_seen() -> None:
    assert MOUTH.inside_at_bar > 5
    assert MOUTH.beam_x <= MOUTH.bar_x < MOUTH.channel_end - MOUTH.bar_thick


def test_one_card_passes_the_slot_and_two_do_not() -> None:
    assert MOUTH.card_thick + MOUTH.sticker_thick < MOUTH.slot_height < 2 * MOUTH.card_thick + MOUTH.sticker_thick
    assert MOUTH.card_width < MOUTH.slot_width


def test_the_coil_of_the_page_is_that_of_the_program() -> None:
    coil = MOUTH.coil
    assert f"{coil.inductance * 1e6:.2f} µH, {coil.reactance:.0f} ohm at 13.56 MHz" in PAGE
    assert f"rings with {coil.tuning * 1e12:.0f} pF" in PAGE
