"""Every row of every tournament book has a drill that its row alone brings about."""

import re
from pathlib import Path

import pytest

from feltd.books.shipped import tournament_sources
from floor_fsm.law.law import load_laws
from floor_fsm.lines import KINDS
from tests.floor_fsm.drills import KEPT, played, recorded, rows, steps_of, without
from tests.floor_fsm.support import laws

EVERY = [(law, matter) for law in laws() for matter in rows(laws()[law])]
AT_TABLES = {
    ("act-2001", "clock"): "a level holds from the next deal: that is the tables' to carry out",
    (
        "tas-2018-c",
        "alternates",
    ): "nobody enters again here, so no reserve waits behind somebody who does",
}
"""Rows that change nothing between the tables of their book, and why."""
BY_WHAT_IS_TAKEN = {
    ("act-2001", "chips"): "it says what chips are worth at a table",
    ("act-2001", "clock"): AT_TABLES["act-2001", "clock"],
    ("act-2019-uth", "no_shows"): "who does not come has forfeited the seat: the step is taken",
    ("tas-2018-c", "no_shows"): "who does not come has forfeited the seat: the step is taken",
    ("tas-2018-c", "alternates"): AT_TABLES["tas-2018-c", "alternates"],
    ("star-2025", "clock"): "its own clause stands where the action clock is refused: 7.46(k)",
}
"""Rows whose clause no answer of their drill names, and why."""


@pytest.mark.parametrize("law", sorted(laws()))
def test_the_drills_of_a_book_bring_about_what_is_recorded(law: str) -> None:
    assert (KEPT / f"{law}.txt").read_text(encoding="utf-8") == recorded(laws()[law])


@pytest.mark.parametrize(("law", "matter"), EVERY)
def test_the_row_alone_brings_its_drill_about(law: str, matter: str) -> None:
    found = played(laws()[law], matter)
    silent = played(without(laws()[law], matter), matter)
    assert (found == silent) is ((law, matter) in AT_TABLES), "a book without the row would say the same"
    clause = rows(laws()[law])[matter]
    named = any(clause in line for line in found)
    assert named is ((law, matter) not in BY_WHAT_IS_TAKEN)


@pytest.mark.parametrize(("law", "matter"), EVERY)
def test_a_drill_takes_some_steps(law: str, matter: str) -> None:
    """A drill whose every step is refused shows nothing of a tournament; of sizes of games alone the opening is it."""
    found = played(laws()[law], matter)
    taken = sum(line.endswith(": taken") for line in found)
    assert taken > 0 or matter.startswith("games."), f"{len(steps_of(matter))} steps, none was taken"


def test_the_documentation_names_each_matter_and_no_step_that_there_is_not() -> None:
    page = (Path(__file__).parents[2] / "docs/tournaments.md").read_text(encoding="utf-8")
    section = page.split("## Row by row", 1)[1].split("\n## ", 1)[0]
    told = [[cell.strip() for cell in line.split("|")[1:4]] for line in section.splitlines() if line.startswith("| ")]
    matters = {name.strip() for row in told[2:] for name in row[0].split(",")}
    assert matters == {matter.partition(".")[0] for _, matter in EVERY}
    assert {step for row in told[2:] for step in re.findall(r"`([a-z_.]+)`", row[1])} <= set(KINDS)


def test_a_book_of_before_is_another_book() -> None:
    """What is left out of a book is left out of its drills: the loader knows no row that nobody wrote."""
    shipped = load_laws(tournament_sources())
    assert {law: [*rows(shipped[law])] for law in shipped} == {law: [*rows(laws()[law])] for law in laws()}
