"""What a book says of its amounts: points or cents of which currency, and what a table under it counts in."""

from pathlib import Path

import pytest

from feltd.books.own import book_sources, structure_sources_of
from feltd.books.print.printer import print_book
from feltd.books.shipped import rulebook_sources, structure_sources
from table_fsm.errors import RulebookError
from table_fsm.events import TableClose, TableOpen
from table_fsm.felt import AmountUnit
from table_fsm.library import load_library
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.denomination import Denomination
from table_fsm.table import Table
from tests.table_fsm.some_gravity import GRAVITY_TOML

DOCS = Path(__file__).parents[2] / "docs"
BOOKS = load_library(rulebook_sources(), structure_sources())
AUD = Denomination(AmountUnit.CENTS, "AUD")
POINTS = Denomination(AmountUnit.POINTS, "AUD")
BLINDS = {"blinds": [100, 200]}

BASE = """\
id = "base"
title = "A base"
abstract = true

[[streets]]
name = "pre_flop"
deal = [{ to = "seats", cards = 2 }]

[[rulings]]
irregularity = "*"
outcome = "warn"
rule = "1"
text = "Play on."
"""
BASE += GRAVITY_TOML
GAME = 'id = "game"\ntitle = "A game"\nextends = ["base"]\n'
STRUCTURE = """\
id = "evening"
title = "Evening"
source = "The club"
clause = "1"
breaks = "director"
re_entry = "none"
levels = [{ number = 1, minutes = 20, blinds = [100, 200] }]

[seats]
least_players = 2
most_players = 10
clause = "1"
"""
IN_THE_EVENING = '[options.structure]\nkind = "choice"\nvalues = ["evening"]\n'


def load(game: str = "", base: str = "", structure: str = STRUCTURE) -> Rulebook:
    texts = {"base.toml": BASE + base, "game.toml": GAME + game}
    return load_library(texts, {"evening.toml": structure})["game"]


def problems(game: str = "", base: str = "", structure: str = STRUCTURE) -> list[str]:
    with pytest.raises(RulebookError) as caught:
        load(game, base, structure)
    return caught.value.problems


def test_a_book_without_a_unit_is_refused() -> None:
    assert problems() == [
        "game.toml:1: amounts.unit: missing: say what the book counts its amounts in; allowed: points, cents"
    ]


@pytest.mark.parametrize(
    ("amounts", "says"),
    [
        ('unit = "dollars"', 'game.toml:5: amounts.unit: "dollars" is not allowed; allowed: points, cents'),
        ('unit = "cents"\ncurrency = "dollar"', 'game.toml:6: amounts.currency: "dollar" is not allowed'),
        ('unit = "points"\nunits = "cents"', "game.toml:6: amounts.units: unknown key; allowed: unit, tournament"),
        (
            'unit = "cents"',
            "game.toml:4: amounts.currency: missing: the amounts are cents; name the currency by its three letters, "
            'such as "AUD"',
        ),
        ('unit = "points"\ntournament = "cents"', "game.toml:4: amounts.currency: missing: the amounts are cents"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_line(amounts: str, says: str) -> None:
    (problem,) = problems(f"[amounts]\n{amounts}\n")
    assert problem.startswith(says)


def test_prizes_and_structures_in_money_need_a_currency() -> None:
    points = '[amounts]\nunit = "points"\n'
    (paid,) = problems(points + '[tournament]\npayouts = "star_2025"\n')
    assert "the places of a tournament are paid" in paid
    (structure,) = problems(points + IN_THE_EVENING)
    assert "the structure evening counts cents" in structure
    in_points = STRUCTURE.replace('clause = "1"\nbreaks', 'clause = "1"\npoints = true\nbreaks')
    assert load(points + IN_THE_EVENING, structure=in_points).amounts.currency is None


def test_a_book_takes_them_from_its_base_key_by_key() -> None:
    base = '[amounts]\nunit = "cents"\ncurrency = "EUR"\n'
    assert load(base=base).amounts.unit is AmountUnit.CENTS
    above = load('[amounts]\nunit = "points"\n', base).amounts
    assert (above.unit, above.tournament, above.currency) == (AmountUnit.POINTS, None, "EUR")


def test_the_digest_does_not_depend_on_them() -> None:
    cents, points = '[amounts]\nunit = "cents"\ncurrency = "AUD"\n', '[amounts]\nunit = "points"\n'
    assert load(cents).digest == load(points).digest
    assert load(cents).digest != load(cents + "[seats]\nmost = 9\n").digest


def test_every_shipped_and_example_book_says_it() -> None:
    units = {book.id: book.amounts.unit for book in BOOKS.values()}
    for folder in ("own-rulebook", "own-games"):
        own = DOCS / folder / "rulebooks"
        loaded = load_library(book_sources(own), structure_sources_of(own))
        units |= {book.id: book.amounts.unit for book in loaded.values()}
    assert {"operator-2026-holdem", "razz", "pineapple"} <= set(units)
    points = {"star-2025-holdem", "onyx-tournament", "operator-2026-holdem"}
    assert units == {name: AmountUnit.POINTS if name in points else AmountUnit.CENTS for name in units}


def test_every_shipped_structure_agrees_with_its_book() -> None:
    named = [(book, structure) for book in BOOKS.values() if book.options.get("structure") is not None
             and book.options["structure"].values is not None for structure in book.structures.values()]  # fmt: skip
    assert named
    for book, structure in named:
        assert structure.points is (book.amounts.unit is AmountUnit.POINTS), (book.id, structure.id)


@pytest.mark.parametrize(
    ("book", "options", "counted"),
    [
        ("tas-2018-holdem", BLINDS, AUD),
        ("tas-2018-holdem", {**BLINDS, "tournament": True}, POINTS),
        ("tas-2018-stud5", {}, AUD),
        ("act-2019-uth", {}, AUD),
        ("act-2001-holdem-limit", {}, AUD),
        ("star-2025-holdem", {"structure": "two-bullet"}, POINTS),
        ("star-2025-holdem", BLINDS, POINTS),
        ("onyx-cash", BLINDS, AUD),
        ("onyx-tournament", {"structure": "two-bullet"}, POINTS),
        ("onyx-tournament", {"structure": "act-2001-omaha"}, AUD),
        ("onyx-tournament", {**BLINDS, "structure": "act-2001-omaha"}, POINTS),
    ],
)
def test_what_an_open_table_counts_in(book: str, options: dict[str, object], counted: Denomination) -> None:
    table = Table(BOOKS)
    assert table.denomination() is None
    opened = TableOpen(t=0.0, rulebook=book, options=options, seats=[1, 2, 3, 4], button=4)  # type: ignore[arg-type]  # values of options
    refused = [output for output in table.apply(opened) if "error" in output.to_dict()]
    assert refused == []
    assert table.denomination() == counted
    table.apply(TableClose(t=1.0))
    assert table.denomination() is None


@pytest.mark.parametrize(
    ("book", "head", "blinds"),
    [
        ("tas-2018-holdem", "Amounts: cents (in a tournament points); the currency is AUD",
         "amounts in cents (in a tournament points), 1 or more each"),
        ("act-2001-omaha", "Amounts: cents; the currency is AUD", "amounts in cents, 1 or more each"),
        ("star-2025-holdem", "Amounts: points; prizes are in AUD", "amounts in points, 1 or more each"),
    ],
)  # fmt: skip
def test_the_printed_book_says_it(book: str, head: str, blinds: str) -> None:
    printed = print_book(BOOKS[book])
    assert head in printed
    assert blinds in printed


def test_printed_structures_are_in_the_books_currency() -> None:
    base = '[amounts]\nunit = "points"\ncurrency = "EUR"\n'
    assert "€1 / €2" in print_book(load(IN_THE_EVENING, base))
