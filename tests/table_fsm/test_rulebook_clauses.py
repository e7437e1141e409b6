"""Lists of a source's clauses: read, checked, and held against a book."""

import pytest

from table_fsm.errors import RulebookError
from table_fsm.rulebook import load_rulebooks
from table_fsm.rulebook.clauses import By, clauses_in, clauses_of_its_own, load_clauses
from tests.table_fsm.some_gravity import GRAVITY_TOML

LIST = """\
id = "acts"
title = "Acts"
source = "The acts"

[[parts]]
clauses = [
    { clause = "1", by = "people", words = "Behave", why = "No sensor tells." },
    { clause = "2", by = "rulings", words = "No short decks" },
]

[[parts]]
appendices = ["A", "B"]
clauses = [{ clause = "{appendix} 1", by = "behaviour", words = "Two cards each" }]

[[parts]]
appendices = ["C"]
clauses = [{ clause = "{appendix} 1", by = "behaviour", words = "Four cards each" }]
"""

BASE = """\
id = "base"
title = "Base"
clauses = "acts"
abstract = true
amounts = { unit = "points" }

[options.burn]
kind = "number"
clause = "{appendix} 2"

[[streets]]
name = "pre_flop"
deal = [{ to = "seats", cards = 2 }]

[[rulings]]
irregularity = "short_deck"
outcome = "stop_table"
authority = "supervisor"
rule = "2"
text = "The deck is short."

[[rulings]]
irregularity = "*"
outcome = "call_floor"
authority = "supervisor"
rule = "F nothing fits"
text = "Call the supervisor."

[[behaviours]]
rule = "{appendix} 1"
text = "Two cards each."
"""
BASE += GRAVITY_TOML
GAME = 'id = "game"\ntitle = "Game"\nextends = ["base"]\nappendix = "B"\n'


def test_a_list_has_the_clauses_of_a_games_own_appendix() -> None:
    acts = load_clauses({"acts.toml": LIST})["acts"]
    assert [clause.clause for clause in acts.of("B")] == ["1", "2", "B 1"]
    assert [clause.words for clause in acts.of("C")][2:] == ["Four cards each"]
    assert [clause.clause for clause in acts.of(None)] == ["1", "2"]


def test_a_book_is_held_against_the_list_that_it_or_its_base_names() -> None:
    game = load_rulebooks({"base.toml": BASE, "game.toml": GAME})["game"]
    acts = load_clauses({"acts.toml": LIST})[str(game.book.clauses)]
    people, rulings, behaviour = clauses_in(game, acts)
    assert (people.clause.by, people.carried) == (By.PEOPLE, False)
    assert [row.irregularity.value for row in rulings.rows if row.irregularity != "*"] == ["short_deck"]
    assert (behaviour.clause.clause, behaviour.behaviours) == ("B 1", ("Two cards each.",))
    assert clauses_of_its_own(game, acts) == ["F nothing fits", "B 2"]
    assert clauses_of_its_own(game, None) == ["2", "F nothing fits", "B 1", "B 2"]


def test_the_appendix_stands_in_an_options_clause_too() -> None:
    game = load_rulebooks({"base.toml": BASE, "game.toml": GAME})["game"]
    assert game.options["burn"].clause == "B 2"


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        (', why = "No sensor tells."', "", "acts.toml:7: parts.clauses: 1: people see to it; say why"),
        ('clause = "2"', 'clause = "1"', "acts.toml:8: parts.clauses: 1 stands here twice; list each once"),
        ('clause = "2"', 'clause = "{appendix} 2"', "{appendix} 2: of which appendices? give the part `appendices`"),
        ('by = "rulings"', 'by = "ruling"', "acts.toml:8: "),
        ("[[parts]]\nappendices", "[[parts\nappendices", "acts.toml:11: not TOML: "),
    ],
)
def test_a_list_with_a_fault_says_where(wrong: str, right: str, told: str) -> None:
    with pytest.raises(RulebookError) as caught:
        load_clauses({"acts.toml": LIST.replace(wrong, right, 1)})
    assert any(told in problem for problem in caught.value.problems), caught.value.problems


def test_two_lists_with_one_id_are_refused() -> None:
    with pytest.raises(RulebookError, match=r'b\.toml:1: id: "acts" is the id of another list too'):
        load_clauses({"a.toml": LIST, "b.toml": LIST})
