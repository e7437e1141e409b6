"""The clauses of the source documents, held against the books: nothing named that is not there, nothing promised that
no book keeps."""

from collections import defaultdict
from functools import cache

import pytest

from feltd.books.shipped import clause_sources
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.clauses import HOUSE, By, ClauseInBook, ClauseList, clauses_in, clauses_of_its_own, load_clauses
from tests.feltd.floor_clauses import OURS, is_named, named_by_floor, written_out
from tests.table_fsm.streams import books

ENFORCED = {By.RULINGS, By.BEHAVIOUR}


@cache
def lists() -> dict[str, ClauseList]:
    return load_clauses(clause_sources())


def books_of(source: str) -> list[Rulebook]:
    return [book for book in books().values() if book.book.clauses == source]


def carried_by(found: ClauseInBook) -> By | None:
    """What the books say of a clause."""
    if found.rows:
        return By.RULINGS
    return By.BEHAVIOUR if found.carried else None


@pytest.mark.parametrize("book", sorted(books()))
def test_every_shipped_book_names_a_list(book: str) -> None:
    assert books()[book].book.clauses in lists()


@pytest.mark.parametrize("book", sorted(books()))
def test_each_clause_that_a_book_names_is_one_of_its_source(book: str) -> None:
    rulebook = books()[book]
    strange = clauses_of_its_own(rulebook, lists()[str(rulebook.book.clauses)])
    assert [clause for clause in strange if not clause.startswith(HOUSE) and clause != "F"] == []


@pytest.mark.parametrize("source", sorted(lists()))
def test_what_a_list_says_of_each_clause_is_what_the_books_do(source: str) -> None:
    said: dict[str, By] = {}
    done: dict[str, set[By]] = defaultdict(set)
    for book in books_of(source):
        for found in clauses_in(book, lists()[source]):
            name = found.clause.clause
            said[name] = found.clause.by
            carried = carried_by(found)
            done[name] |= {carried} if carried else set()
    assert said
    wrong = {}
    for name, by in said.items():
        does = By.RULINGS if By.RULINGS in done[name] else By.BEHAVIOUR if done[name] else None
        if does is not (by if by in ENFORCED else None):
            wrong[name] = f"listed as {by}, the books have {does}"
    assert wrong == {}


@pytest.mark.parametrize("source", sorted(lists()))
def test_a_clause_left_to_people_has_its_reason(source: str) -> None:
    clauses = [clause for part in lists()[source].parts for clause in part.clauses]
    assert [clause.clause for clause in clauses if clause.by is By.PEOPLE and not clause.why] == []


@pytest.mark.parametrize("source", sorted(lists()))
def test_what_the_books_of_the_floor_rule_on_is_no_longer_left_to_people(source: str) -> None:
    named = named_by_floor().get(source, set())
    clauses = [clause for part in lists()[source].parts for clause in part.clauses]
    left = [one.clause for one in clauses if one.by is By.PEOPLE and is_named(one.clause, named)]
    promised = [one.clause for one in clauses if one.by is By.FLOOR and not is_named(one.clause, named)]
    assert (left, promised) == ([], [])


def test_each_clause_that_a_book_of_the_floor_names_is_one_of_its_source() -> None:
    for source, named in named_by_floor().items():
        clauses = {clause.clause for part in lists()[source].parts for clause in part.clauses}
        for one in named - {OURS}:
            assert any(is_named(clause, {one}) for clause in clauses), f"{one} is in no list of {source}"


def test_several_clauses_are_written_out() -> None:
    assert [*written_out("A to I 3.4 to 3.6; Formats; Seating 2, 7; 16.3(a)(iii)(G), (H)")] == [
        "A to I 3.4", "A to I 3.5", "A to I 3.6", "Formats", "Seating 2", "Seating 7", "16.3(a)(iii)(G)",
    ]  # fmt: skip
    assert is_named("{appendix} 3.5", {"A to I 3.5"})
    assert not is_named("3.5", {"13.5"})
