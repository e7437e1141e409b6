"""docs/build.md: its sums are the sums of its rows, and what it says of faults is what feltd says."""

import re
from pathlib import Path
from typing import Final

from devices.adapters.chip_numbers import PackFault
from table_fsm.felt import Built

PAGE: Final = (Path(__file__).parents[1] / "docs/build.md").read_text(encoding="utf-8")
AIM: Final = 400_00
"""Cents that a full table may cost without its felt."""


def rows(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without its head."""
    part = PAGE.split(f"\n## {heading}\n", 1)[1]
    lines = re.search(r"(?:^\|.*\|\n)+", part, re.M)
    assert lines is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[0].splitlines()][2:]


def cents(text: str) -> int:
    return round(float(text.strip("* ")) * 100)


def sums(parts: list[list[str]]) -> list[int]:
    """Cents of a table that is built in each way."""
    return [sum(cents(row[1]) * int(row[2 + way]) for row in parts) for way in range(len(Built))]


def test_the_sums_are_those_of_the_rows_and_a_full_table_meets_the_aim() -> None:
    *parts, total = rows("Parts")
    whole, *less = sums(parts)
    assert [cents(cell) for cell in total[2:6]] == [whole, *less]
    assert whole < AIM
    assert all(one < whole for one in less)
    said = {cents(number) for number in re.findall(r"\b\d+\.\d\d\b", PAGE.split("Twenty full tables", 1)[1])}
    without_packs = whole - sum(cents(row[1]) * int(row[2]) for row in parts if row[0].startswith("pack of"))
    assert said >= {20 * whole, whole, without_packs}


def test_each_price_has_its_source_or_is_marked_as_an_estimate() -> None:
    *parts, _ = rows("Parts")
    assert len(parts) > 20
    for row in parts:
        assert row[6] == "estimate" or re.search(r"\d{1,2} \w+ 20\d\d", row[6]), row[0]


def test_each_way_of_building_is_on_the_page() -> None:
    assert [row[0].strip("`") for row in rows("Four tables")] == [built.value for built in Built]
    head = next(line for line in PAGE.splitlines() if line.startswith("| part |"))
    assert [cell.strip() for cell in head.strip("|").split("|")][2:6] == [built.value for built in Built]


def test_the_page_names_faults_as_feltd_does() -> None:
    said = " ".join(row[1] for row in rows("What goes wrong, and what is said"))
    for fault in (PackFault.OTHER_PACK, PackFault.CHANGING):
        assert fault.value.split(":")[0].split(",")[0] in said
