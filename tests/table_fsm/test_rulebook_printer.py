"""The printed book: everything in it, in the order of the clauses, each row true without those around it."""

from pathlib import Path
from typing import Any

import pytest

from feltd.books.print.phrases import count_in_words
from feltd.books.print.printer import clause_order, conditions_in_words, print_book
from table_fsm.rulebook import Rulebook, load_rulebooks, load_with_bases
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Book
from table_fsm.rulebook.outcomes import Outcome
from tests.table_fsm.some_gravity import GRAVITY

SHIPPED = {
    path.name: path.read_text("utf-8")
    for path in sorted((Path(__file__).parents[2] / "config" / "rulebooks").glob("*.toml"))
}
BOOKS = load_with_bases(SHIPPED)


def cells(printed: str, part: str) -> list[list[str]]:
    """The cells of the table lines that hold `part`."""
    lines = [line for line in printed.splitlines() if part in line and line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_no_two_members_of_the_vocabulary_have_the_same_words() -> None:
    for members in (Irregularity, Outcome):
        words = [member.words for member in members]
        assert all(words)
        assert len(set(words)) == len(words)


@pytest.mark.parametrize("irregularity", [one for one in Irregularity if one.facts], ids=str)
def test_every_value_of_a_fact_has_words_of_its_own(irregularity: Irregularity) -> None:
    for values in irregularity.facts.values():
        assert len(values) > 1
        assert all(values.values())
        assert len(set(values.values())) == len(values)


@pytest.mark.parametrize("name", sorted(BOOKS))
def test_a_printed_book_holds_every_row_note_behaviour_and_option(name: str) -> None:
    book = BOOKS[name]
    printed = print_book(book)
    for row in book.rulings:
        assert row.text in printed
        assert row.note is None or row.note in printed
    for item in book.behaviours:
        assert item.text in printed
    for option in book.options:
        assert f"`{option}`" in printed
    assert book.digest in printed
    assert book.title in printed
    assert "never: the rows above" not in printed


def test_a_row_is_printed_with_its_clause_case_outcome_person_and_base() -> None:
    printed = print_book(load_rulebooks(SHIPPED)["tas-2018-holdem"])
    (row,) = cells(printed, "Ninety seconds are over and there was no bet")
    assert row[:2] == ["5.7", "A player's clock ran out"]
    assert row[2:7] == ["there is no bet to meet", "the player has checked", "", "dealer", ""]
    (base,) = cells(printed, "The drop box is missing or unlocked. ")
    assert base[5:7] == ["supervisor", "tas-2018-base"]
    (rest,) = cells(printed, "Anything else")
    assert rest[2] == "no other row answers it"


def test_the_rows_stand_in_the_order_of_their_clauses() -> None:
    printed = print_book(BOOKS["tas-2018-holdem"])
    table = printed.split("## Rulings")[1].split("Notes")[0]
    clauses = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")][2:]
    assert clauses == sorted(clauses, key=clause_order)
    assert len(clauses) == len(BOOKS["tas-2018-holdem"].rulings)


def test_clauses_are_ordered_as_people_count() -> None:
    ordered = [
        "2.3",
        "9.4",
        "13.4(a)",
        "13.4(b)",
        "19.1(c)",
        "19.4",
        "19.11",
        "C 4.3",
        "F betting",
        "Misdeals 2",
        "Misdeals B1",
    ]
    mixed = [*ordered[5:], *ordered[:5]]
    assert sorted(mixed, key=clause_order) == ordered


def row(irregularity: str, **when: Any) -> dict[str, Any]:
    return {"irregularity": irregularity, "when": when, "outcome": "warn", "rule": "1", "text": "Go on."}


def conditions(*rows: dict[str, Any]) -> list[str]:
    return conditions_in_words(Book.model_validate({"id": "b", "title": "B", "rulings": rows}).rulings)


def test_a_row_says_the_cases_that_reach_it_not_those_it_asks_for() -> None:
    assert conditions(row("clock_expired", facing_bet="yes"), row("clock_expired"), row("clock_expired"), row("*")) == [
        "there is a bet to meet",
        "there is no bet to meet or the table cannot tell a bet",
        "never: the rows above take every case",
        "no other row answers it",
    ]


def test_cases_that_are_no_plain_combination_are_said_one_by_one() -> None:
    acted = "a player before checked, called or bet"
    first = row("action_out_of_turn", earlier="same", action="bet")
    narrowed = row("action_out_of_turn", action=["bet", "check"], passed_over="acted", sufficient="no", chips="call")
    soon = "before sufficient action, no more than the call lies there"
    assert conditions(first, narrowed)[1] == (
        f"the players before changed nothing, {acted}, a check, {soon}; or a player before bet or raised, {acted}, "
        f"a bet or raise, {soon}; or a player before bet or raised, {acted}, a check, {soon}"
    )


def test_most_of_a_long_list_is_said_by_what_is_missing() -> None:
    assert conditions(row("shoe_malfunction", fault="comms"), row("shoe_malfunction")) == [
        "no answer from the shoe",
        "not: no answer from the shoe",
    ]


def test_a_bar_in_a_text_does_not_break_the_table() -> None:
    rows = [row("boxed_card") | {"text": "This | that."}]
    book = Book.model_validate({"id": "b", "title": "B", "rulings": rows, "precedence": GRAVITY})
    assert "This \\| that. |" in print_book(Rulebook(book))


def test_the_sections_say_what_the_book_says() -> None:
    holdem, uth = print_book(BOOKS["tas-2018-holdem"]), print_book(BOOKS["act-2019-uth"])
    assert "two cards to each seat in the deal, one at a time, face down" in holdem
    assert "burn as many cards as the option `burn` says; three cards to the board, one at a time, face up" in holdem
    assert "- A clock on a player runs 90 seconds, shown again at 10 seconds" in holdem
    assert "52 cards, two packs of different backs, in turns" in uth
    assert "a play wager is 3× or 4× the ante" in uth
    assert "turn board:4, board:5 face up" in uth
    assert cells(uth, "`seats_max`")[0][1:3] == ["1 to 10", "not set"]


def test_what_a_book_does_not_have_is_said() -> None:
    streets = [
        {"name": "pre_flop", "burn": True, "deal": [{"to": "seats", "cards": 1}], "opener": "nobody"},
        {"name": "flop"},
    ]
    options = {"blinds": {"kind": "cents_list", "default": [100, 200]}, "six_max": {"kind": "flag", "default": True}}
    book = Book.model_validate({"id": "b", "title": "B", "abstract": True, "streets": streets, "options": options})
    printed = print_book(Rulebook(book))
    assert "A base for other books" in printed
    assert "burn one card; one card to each seat in the deal, face down. No betting." in printed
    assert "**flop**: no cards." in printed
    assert "## Rulings\n\nNone." in printed
    assert cells(printed, "`blinds`")[0][2] == "100, 200"
    assert cells(printed, "`six_max`")[0][2] == "true"


def test_small_counts_are_words() -> None:
    assert [count_in_words(number) for number in (0, 1, 5, 6)] == ["no", "one", "five", "6"]
