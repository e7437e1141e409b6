"""The tournament books: what comes with feltd is read, and a fault names its file, line and key."""

import pytest

from feltd.books.shipped import clause_sources
from floor_fsm.errors import LawError, Reason, Refused
from floor_fsm.law.law import load_laws, ruled, sections
from tests.floor_fsm.support import laws

GOOD = """id = "mine"
title = "My house"
source = "My house's rules"
clauses = "mine"

[draw]
clause = "1"
text = "Seats are drawn."
"""

LEAVING = """
[[leaving]]
why = "harm"
refund = "no"
prize = "yes"
clause = "2"
text = "Who is removed goes."
"""


def test_every_shipped_book_says_where_each_rule_stands() -> None:
    assert set(laws()) >= {"onyx", "star-2025", "act-2001"}
    for law in laws().values():
        assert f"{law.book.clauses}.toml" in clause_sources()
        found = dict(sections(law.book))
        assert {"places", "leaving.broke_rules"} <= set(found) or {"places", "leaving.disqualified"} <= set(found)
        assert {"draw", "balancing", "breaking"} <= set(found)
        assert all(section.clause and section.text for section in found.values())


def test_a_section_that_is_missing_is_a_person_s() -> None:
    [law] = load_laws({"mine.toml": GOOD}).values()
    assert ruled(law.book.draw, "the draw").clause == "1"
    with pytest.raises(Refused, match="nothing of balancing") as refused:
        ruled(law.book.balancing, "balancing")
    assert refused.value.reason is Reason.NOT_IN_THE_BOOK


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD + "lest = 4\n", "mine.toml:9: draw.lest: unknown key; allowed: "),
        (GOOD + "least_to_begin = 1\n", "mine.toml:9: draw.least_to_begin: "),
        (GOOD.replace("[draw]", "[draw"), "mine.toml:6: not TOML"),
        (GOOD + LEAVING + LEAVING, "mine.toml:1: "),
        (GOOD.replace('clause = "1"\n', ""), "mine.toml:6: draw.clause: is missing"),
    ],
)
def test_a_fault_is_told_with_file_line_and_key(text: str, problem: str) -> None:
    with pytest.raises(LawError) as error:
        load_laws({"mine.toml": text})
    [told] = error.value.problems
    assert told.startswith(problem)


def test_all_faults_of_all_files_are_told_at_once_and_an_id_is_one_book_s() -> None:
    with pytest.raises(LawError) as error:
        load_laws({"a.toml": GOOD + "x = 1\ny = 2\n", "b.toml": GOOD, "c.toml": GOOD})
    assert [problem.split(": ")[0] for problem in error.value.problems] == ["a.toml:9", "a.toml:10", "c.toml:1"]


def test_another_word_is_another_digest() -> None:
    one, other = load_laws({"a.toml": GOOD}), load_laws({"a.toml": GOOD + "# a word\n"})
    assert one["mine"].digest != other["mine"].digest
