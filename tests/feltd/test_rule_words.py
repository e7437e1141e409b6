"""Words of the page that are defined elsewhere: the house's own rules, and the time after which an alarm escalates."""

from importlib.resources import files

from feltd.books.shipped import clause_sources
from feltd.text.words import HOUSE_RULES, rule_in_words
from table_fsm.play.rounds.clocks import ESCALATE_SECONDS
from table_fsm.rulebook.clauses import HOUSE, clauses_of_its_own, load_clauses
from tests.table_fsm.streams import books


def test_every_rule_of_the_house_has_words_and_no_other_clause_has() -> None:
    lists = load_clauses(clause_sources())
    own: set[str] = set()
    sources: set[str] = set()
    for book in books().values():
        strange = set(clauses_of_its_own(book, lists[str(book.book.clauses)]))
        ruled = {row.rule for row in book.rulings}
        own |= {rule for rule in ruled & strange if rule.startswith(HOUSE)}
        sources |= ruled - strange
    assert own == set(HOUSE_RULES)
    assert all(rule_in_words(rule) == f"clause {rule}" for rule in sources)


def test_the_page_names_the_time_after_which_the_table_escalates() -> None:
    script = (files("feltd.page") / "static" / "alarm-lines.js").read_text(encoding="utf-8")
    assert f"const ESCALATED_AFTER = {ESCALATE_SECONDS:.0f};" in script
