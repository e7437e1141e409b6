"""A rulebook in play: which row answers, what its digest pins, which options a table may have."""

import subprocess
import sys
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_fsm.errors import RulebookError, TableError
from table_fsm.rulebook import OptionError, Rulebook, check_options
from table_fsm.rulebook.cases import cases_of, takes
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Book, OptionRule, Row, SeatRules
from table_fsm.rulebook.outcomes import Authority


def row(irregularity: str, rule: str, **when: Any) -> Row:
    said = {"irregularity": irregularity, "rule": rule, "outcome": "warn", "when": when, "text": "Say so."}
    return Row.model_validate(said)


def book_of(*rows: Row, **rest: Any) -> Rulebook:
    return Rulebook(Book(id="test", title="A test", rulings=rows, **rest))


BOOK = book_of(
    row("hole_exposed", "1", exposed="more"),
    row("hole_exposed", "2", exposed="one", burn=["on"]),
    row("boxed_card", "3"),
    row("boxed_card", "4"),
    row("*", "5"),
    row("cut_exposed", "6"),
)


def test_the_first_row_that_holds_answers() -> None:
    assert BOOK.row(Irregularity.BOXED_CARD, {}).rule == "3"
    more = {"burn": "off", "exposed": "more", "during": "deal"}
    assert BOOK.row(Irregularity.HOLE_EXPOSED, more).rule == "1"
    assert BOOK.row(Irregularity.HOLE_EXPOSED, more | {"exposed": "one", "burn": "on"}).rule == "2"


def test_what_no_row_names_goes_to_the_row_for_the_rest() -> None:
    assert BOOK.row(Irregularity.BURN_EXTRA, {}).rule == "5"
    assert BOOK.row(Irregularity.HOLE_EXPOSED, {"burn": "off", "exposed": "one", "during": "deal"}).rule == "5"


def test_a_row_that_names_the_irregularity_answers_wherever_it_stands() -> None:
    assert BOOK.row(Irregularity.CUT_EXPOSED, {}).rule == "6"


def test_facts_that_an_irregularity_has_not_are_not_looked_at() -> None:
    assert BOOK.row(Irregularity.BOXED_CARD, {"looked": "yes", "more": "x"}).rule == "3"


def test_a_missing_fact_meets_no_condition() -> None:
    assert BOOK.row(Irregularity.HOLE_EXPOSED, {}).rule == "5"
    assert BOOK.row(Irregularity.HOLE_EXPOSED, {"exposed": "more"}).rule == "1"
    assert BOOK.row(Irregularity.HOLE_EXPOSED, {"exposed": "unheard of"}).rule == "5"


def test_a_book_without_an_answer_says_which() -> None:
    with pytest.raises(RulebookError, match=r"test: no row answers burn_extra with \{\}; add one, or a row"):
        book_of().row(Irregularity.BURN_EXTRA, {})


def test_own_rows_are_told_from_the_row_for_the_rest() -> None:
    assert BOOK.has_own_row(Irregularity.HOLE_EXPOSED)
    assert not BOOK.has_own_row(Irregularity.BURN_EXTRA)


@st.composite
def any_rows(draw: st.DrawFn) -> list[Row]:
    rows = []
    for number in range(draw(st.integers(0, 8))):
        irregularity = draw(st.sampled_from([Irregularity.HOLE_EXPOSED, Irregularity.CLOCK_EXPIRED, "*"]))
        facts = irregularity.facts if isinstance(irregularity, Irregularity) else {}
        asked = draw(st.lists(st.sampled_from(sorted(facts)), unique=True)) if facts else []
        when = {fact: draw(st.lists(st.sampled_from(list(facts[fact])), min_size=1, unique=True)) for fact in asked}
        rows.append(row(irregularity, str(number), **when))
    return rows


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine too
@given(any_rows())
def test_the_compiled_book_answers_as_reading_down_the_rows_does(rows: list[Row]) -> None:
    book = book_of(*rows, row("*", "last"))
    read = [row for row in book.rulings if row.irregularity != "*"] + [
        row for row in book.rulings if row.irregularity == "*"
    ]
    for irregularity in (Irregularity.HOLE_EXPOSED, Irregularity.CLOCK_EXPIRED, Irregularity.BURN_EXTRA):
        for case in cases_of(irregularity):
            facts = dict(zip(irregularity.facts, case, strict=True))
            assert book.row(irregularity, facts) is next(row for row in read if takes(row, irregularity, facts))


def test_the_cases_are_all_combinations_of_the_facts() -> None:
    assert cases_of(Irregularity.CUT_MISSING) == (("first_card",), ("first_bet",), ("stub",))
    assert cases_of(Irregularity.DEAL_REVEALED) == ((),)
    domains = Irregularity.HOLE_EXPOSED.facts.values()
    assert cases_of(Irregularity.HOLE_EXPOSED) == tuple(product(*domains))


# --- what the book is


def test_the_digest_pins_the_content_and_nothing_else() -> None:
    again = Rulebook(Book.model_validate_json(BOOK.book.model_dump_json()), ["elsewhere"] * 6)
    assert again.digest == BOOK.digest
    assert again == BOOK
    assert hash(again) == hash(BOOK)
    assert len(BOOK.digest) == 64
    other = book_of(*BOOK.rulings[:-1])
    assert other.digest != BOOK.digest
    assert other != BOOK
    assert BOOK.digest[:12] in repr(BOOK)


def test_a_book_rules_as_the_text_before_its_last_notes_did() -> None:
    """Each text by its own digest: notes are in it, and what they were before is not."""
    noted = row("boxed_card", "3").model_copy(update={"note": "The other reading."})
    first, silent = book_of(noted), book_of(row("boxed_card", "3"))
    said_less, was_silent = (
        book_of(noted.model_copy(update={"note": "Longer.", "note_before": "The other reading."})),
        book_of(noted.model_copy(update={"note_before": ""})),
    )
    assert was_silent.digest == first.digest
    assert len({first.digest, silent.digest, said_less.digest}) == 3
    assert [book.rules_as(first.digest) for book in (first, silent, said_less, was_silent)] == [True, False, True, True]
    assert [book.rules_as(silent.digest) for book in (first, said_less, was_silent)] == [False, False, True]


def test_another_row_beside_other_notes_is_another_text() -> None:
    silent = book_of(row("boxed_card", "3"), row("cut_exposed", "6"))
    noted = row("boxed_card", "3").model_copy(update={"note": "The other reading.", "note_before": ""})
    assert book_of(noted, row("cut_exposed", "6")).rules_as(silent.digest)
    assert not book_of(noted, row("cut_exposed", "7")).rules_as(silent.digest)
    assert not book_of(noted).rules_as(silent.digest)


def test_the_digest_is_the_same_in_every_process() -> None:
    program = (
        "from table_fsm.rulebook import Rulebook; from table_fsm.rulebook.model import Book;"
        "options = {'b': {'kind': 'flag'}, 'a': {'kind': 'cents'}};"
        "print(Rulebook(Book(id='test', title='A test', options=options)).digest)"
    )
    here = book_of(options={"a": OptionRule(kind="cents"), "b": OptionRule(kind="flag")}).digest
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.strip() == here


def test_every_section_is_within_reach() -> None:
    book = BOOK.book
    assert (BOOK.id, BOOK.title, BOOK.source, BOOK.banked, BOOK.needs) == (book.id, book.title, "", "player", ())
    for section in (
        "deck",
        "seats",
        "cut",
        "streets",
        "button",
        "betting",
        "clock",
        "box",
        "showdown",
        "rulings",
        "behaviours",
    ):
        assert getattr(BOOK, section) is getattr(book, section)
    assert BOOK.row_sources == ("test",) * 6


def test_nothing_of_a_book_can_be_changed() -> None:
    with pytest.raises(AttributeError):
        BOOK.id = "other"  # type: ignore[misc]  # what the test is about
    with pytest.raises(TypeError):
        BOOK.options["new"] = OptionRule(kind="flag")  # type: ignore[index]  # what the test is about


# --- options

OPTIONS: dict[str, OptionRule] = {
    "burn": OptionRule(kind="number", values=(0, 1, 2), default=1),
    "seats_max": OptionRule(kind="number"),
    "tournament": OptionRule(kind="flag", default=False),
    "final_table": OptionRule(kind="flag", values=(False,), default=False),
    "rake_percent": OptionRule(kind="percent"),
    "blinds": OptionRule(kind="cents_list"),
    "ante": OptionRule(kind="cents"),
    "shot_clock": OptionRule(kind="seconds", default=30),
    "betting": OptionRule(kind="choice", values=("limit", "no_limit"), default="limit"),
}
TABLE = book_of(options=OPTIONS, seats=SeatRules(most=8, least_players=3))


def test_options_left_out_have_the_books_defaults() -> None:
    assert check_options(TABLE, {}) == {
        "burn": 1,
        "seats_max": None,
        "tournament": False,
        "final_table": False,
        "rake_percent": None,
        "blinds": None,
        "ante": None,
        "shot_clock": 30,
        "betting": "limit",
    }


def test_options_given_stand_and_none_counts_as_left_out() -> None:
    given_options: dict[str, Any] = {
        "burn": 0,
        "blinds": [100, 200],
        "shot_clock": 2.5,
        "betting": None,
        "tournament": True,
    }
    checked = check_options(TABLE, given_options)
    assert {name: checked[name] for name in given_options} == {
        "burn": 0,
        "blinds": (100, 200),
        "shot_clock": 2.5,
        "betting": "limit",
        "tournament": True,
    }


OPTION_NAMES = "ante, betting, blinds, burn, final_table, rake_percent, seats_max, shot_clock, tournament"
TAKEN = f"test does not take it; allowed: {OPTION_NAMES}"
LIST = "a list of 1 to 3 amounts in cents, 1 or more each, none below the one before"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("burn", 3, "3 is not allowed; allowed: 0, 1, 2"),
        ("burn", True, "true is not allowed; allowed: 0, 1, 2"),
        ("burn", "1", '"1" is not allowed; allowed: 0, 1, 2'),
        ("burn", 1.0, "1.0 is not allowed; allowed: 0, 1, 2"),
        ("seats_max", 9, "9 is not allowed; allowed: 3 to 8"),
        ("seats_max", 2, "2 is not allowed; allowed: 3 to 8"),
        ("seats_max", "8", '"8" is not allowed; allowed: 3 to 8'),
        ("seats_max", True, "true is not allowed; allowed: 3 to 8"),
        ("tournament", 1, "1 is not allowed; allowed: true, false"),
        ("final_table", True, "true is not allowed; allowed: false"),
        ("rake_percent", 101, "101 is not allowed; allowed: a whole number from 0 to 100"),
        ("rake_percent", -1, "-1 is not allowed; allowed: a whole number from 0 to 100"),
        ("rake_percent", 2.5, "2.5 is not allowed; allowed: a whole number from 0 to 100"),
        ("rake_percent", True, "true is not allowed; allowed: a whole number from 0 to 100"),
        ("ante", 0, "0 is not allowed; allowed: a whole number of cents, 1 or more"),
        ("ante", -5, "-5 is not allowed; allowed: a whole number of cents, 1 or more"),
        ("ante", 2.5, "2.5 is not allowed; allowed: a whole number of cents, 1 or more"),
        ("ante", True, "true is not allowed; allowed: a whole number of cents, 1 or more"),
        ("shot_clock", 0, "0 is not allowed; allowed: a number of seconds above 0"),
        ("shot_clock", float("inf"), "inf is not allowed; allowed: a number of seconds above 0"),
        ("shot_clock", float("nan"), "nan is not allowed; allowed: a number of seconds above 0"),
        ("shot_clock", True, "true is not allowed; allowed: a number of seconds above 0"),
        ("betting", "nolimit", '"nolimit" is not allowed; allowed: limit, no_limit; did you mean "no_limit"?'),
        ("betting", 5, "5 is not allowed; allowed: limit, no_limit"),
        ("blinds", [], f"[] is not allowed; allowed: {LIST}"),
        ("blinds", [1, 2, 3, 4], f"[1, 2, 3, 4] is not allowed; allowed: {LIST}"),
        ("blinds", [200, 100], f"[200, 100] is not allowed; allowed: {LIST}"),
        ("blinds", [0, 100], f"[0, 100] is not allowed; allowed: {LIST}"),
        ("blinds", ["100"], f'["100"] is not allowed; allowed: {LIST}'),
        ("blinds", 100, f"100 is not allowed; allowed: {LIST}"),
        ("antes", 100, f'{TAKEN}; did you mean "ante"?'),
        ("zzz", None, TAKEN),
    ],
)
def test_a_bad_option_is_refused_with_its_name_its_value_and_what_is_allowed(name: str, value: Any, says: str) -> None:
    with pytest.raises(OptionError) as caught:
        check_options(TABLE, {name: value})
    assert caught.value.problems == [f"option {name}: {says}"]
    assert isinstance(caught.value, TableError)


def test_all_bad_options_are_named_at_once() -> None:
    with pytest.raises(OptionError, match=r"option burn: 9 is not .*; option ante: 0 is not"):
        check_options(TABLE, {"burn": 9, "betting": "limit", "ante": 0})


option_values = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers() | st.text())
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine too
@given(st.dictionaries(st.sampled_from([*OPTIONS, "other"]), option_values))
def test_any_options_are_taken_or_refused(options: dict[str, Any]) -> None:
    try:
        checked = check_options(TABLE, options)
    except OptionError:
        return
    assert set(checked) == set(OPTIONS)
    assert check_options(TABLE, {k: list(v) if isinstance(v, tuple) else v for k, v in checked.items()}) == checked


def test_a_row_carries_its_authority() -> None:
    assert row("boxed_card", "1").authority is Authority.DEALER
