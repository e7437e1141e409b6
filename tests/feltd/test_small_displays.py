"""What a small display shows of a ruling: the end of its words may be cut off, its clause never."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from devices.drivers.indicators import IndicatorsDriver
from feltd.books.own import library_with
from feltd.table.links.display_words import shown
from feltd.text.alarms import Condition, row_of, row_text
from feltd.text.catalogue import word
from feltd.text.language import Language, speaking
from feltd.text.stops import STOPS_TOLD
from feltd.text.words import alarm_in_words
from table_fsm.felt import AlarmKind, FaultKind
from table_fsm.outputs import Display, Output, Ruling
from table_fsm.rulebook.model import Row
from tests.feltd.test_stopped_orders import JAM

SIZES: Final = {"4 × 40": (4, 40), "4 × 20": (4, 20), "2 × 16": (2, 16)}
INSTALL: Final = (Path(__file__).parents[2] / "docs" / "install.md").read_text()


class Ruled(NamedTuple):
    """What a display says of a ruling."""

    rule: str
    irregularity: str
    outcome: str
    text: str


def rulings() -> frozenset[Ruled]:
    """Each that a shipped rulebook has."""
    found: set[Ruled] = set()

    def walk(rows: Any) -> None:
        if isinstance(rows, Row):
            found.add(Ruled(rows.rule, rows.irregularity, rows.outcome, rows.text))
            return
        for one in rows.values() if hasattr(rows, "values") else rows:
            walk(one)

    for book in library_with(None).values():
        walk(book.rulings)
    return frozenset(found)


RULINGS: Final = rulings()


def lines(size: str, ruled: Ruled, language: Language, order: str = "") -> str:
    """The display's lines, as one text."""
    rows, columns = SIZES[size]
    driver = IndicatorsDriver("indicators", {"rows": rows, "columns": columns})
    ruling = Ruling(
        id=1, supersedes=None, rulebook="book", rule=ruled.rule, irregularity=ruled.irregularity,
        outcome=ruled.outcome, also=(), seat=3, authority="dealer", pending=True, text=ruled.text,
    )  # fmt: skip
    outputs = [Output(1.0, ruling), Output(1.0, Display(ruled.text, ruled.rule))]
    [(_, args)] = driver.commands(shown(outputs[1], outputs, language, order=order))
    assert len(args["lines"]) <= rows
    assert max(map(len, args["lines"])) <= columns
    return " ".join(args["lines"])


def number_of(rule: str) -> str:
    """What a clause is found by: its number, or the first words of a house rule, which has none."""
    last = rule.rpartition(" ")[2]
    return last if re.search(r"\d", last) else rule[:12]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("order", ["", JAM, "Stop."])
def test_a_clause_is_never_cut_off(size: str, language: Language, order: str) -> None:
    assert len(RULINGS) > 500
    for ruled in RULINGS:
        told = lines(size, ruled, language, order)
        [clause] = re.findall(r"\[(.*?)\]", told)
        assert number_of(ruled.rule) in clause, told
        assert told.startswith(order[:5])
        assert clause == ruled.rule or "…" in clause


def test_an_order_gives_its_words_to_the_clause() -> None:
    ruled = Ruled("12.3", "card_exposed", "misdeal", "A card was exposed.")
    assert lines("2 × 16", ruled, Language.ENGLISH, JAM) == "Jam: shoe. Stop dealing.… [12.3]"
    assert lines("2 × 16", ruled, Language.ENGLISH, "Stop dealing.") == "Stop dealing. [12.3] A card…"
    long = "Stop dealing at once."
    assert lines("2 × 16", ruled, Language.ENGLISH, long) == "Stop dealing at once. [12.3] A…"
    assert lines("4 × 40", ruled, Language.ENGLISH, JAM).endswith("[12.3] A card was exposed.")


def orders(language: Language) -> Iterator[str]:
    """The cause and the remedy of each stop that a table tells its dealer."""
    with speaking(language):
        for stop in (*STOPS_TOLD, Condition.TEST_MODE):
            yield f"{word(stop)}. {row_text(row_of(stop).action)}"
        for kind in (*FaultKind, AlarmKind.DEVICE_OFFLINE):
            for deck in ("blue", None):
                words = alarm_in_words({"kind": kind.value, "device": "shoe", "deck": deck})
                yield f"{words}. {row_text(row_of(kind.value).action)}"


@pytest.mark.slow
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("size", SIZES)
def test_no_clause_takes_the_first_line_from_an_order(size: str, language: Language) -> None:
    """The dealer reads why play is stopped beside each ruling, as far as one line has room for it."""
    clauses = {ruled.rule: ruled for ruled in RULINGS}
    columns, told = SIZES[size][1], set(orders(language))
    assert len(told) > 15
    for order in told:
        first = textwrap.wrap(order, columns - 1, break_on_hyphens=False)[0]
        for ruled in clauses.values():
            assert lines(size, ruled, language, order).startswith(first), (order, ruled.rule)


def test_a_clause_of_several_words_stays_in_one_line() -> None:
    ruled = Ruled("Acting Out of Turn 1", "card_exposed", "misdeal", "A card was exposed.")
    assert lines("2 × 16", ruled, Language.ENGLISH, JAM) == "Jam: shoe. Stop… [Acting Out… 1]"
    assert lines("2 × 16", ruled, Language.GERMAN, "Kartenstau: Schlitten.") == "Kartenstau:… [Acting Out… 1]"


def whole(size: str, language: Language) -> Iterator[Ruled]:
    for ruled in RULINGS:
        if "…" not in lines(size, ruled, language):
            yield ruled


@pytest.mark.parametrize("language", Language)
def test_the_guide_says_how_many_rulings_a_display_shows_whole(language: Language) -> None:
    counts = [sum(1 for _ in whole(size, language)) for size in SIZES]
    name = {Language.ENGLISH: "English", Language.GERMAN: "German"}[language]
    told = f"in {name} {counts[0]} of {len(RULINGS)}, on 4 × 20 {counts[1]}, on 2 × 16 {counts[2] or 'none'}"
    assert told in INSTALL
