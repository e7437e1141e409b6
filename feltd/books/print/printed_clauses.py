"""The regulator's view: each clause of the source, its carrier, and how it is carried."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from feltd.books.print.document import Items, Section, Text, grid
from table_fsm.rulebook.book import Rulebook
from table_fsm.rulebook.clauses import By, ClauseInBook, ClauseList, clauses_in, clauses_of_its_own
from table_fsm.rulebook.irregularities import irregularity_in_words

BY_WORDS: Final = {
    By.RULINGS: "rulings",
    By.BEHAVIOUR: "the table itself",
    By.HARDWARE: "devices and page",
    By.PEOPLE: "people",
    By.DEFINITION: "–",
}
_COUNTED: Final = {
    By.RULINGS: "ruled on when they are broken",
    By.BEHAVIOUR: "followed by the table itself",
    By.HARDWARE: "kept by devices and page",
    By.PEOPLE: "left to people",
    By.DEFINITION: "definitions, with nothing to see to",
}
_OTHER_GAMES: Final = "in other games of this source"


def clauses_section(rulebook: Rulebook, source: ClauseList | None) -> Section:
    """Every clause of the source, in the source's order, and then the book's own clauses."""
    if source is None:
        return Section(
            "clauses", "Clauses of the source", (Text("No list of the source's clauses comes with this book."),)
        )
    clauses = clauses_in(rulebook, source)
    rows = [(entry.clause.clause, entry.clause.words, BY_WORDS[entry.clause.by], how(entry)) for entry in clauses]
    own = clauses_of_its_own(rulebook, source)
    beside = (Text(f"Clauses that are not of this source, but of the house or the operator: {', '.join(own)}."),)
    return Section(
        "clauses",
        "Clauses of the source",
        (
            Text(source.source + "."),
            Items(tuple(_counts(clauses))),
            grid(("Clause", "About", "Seen to by", "How, or why not by the table"), rows),
            *(beside if own else ()),
        ),
    )


def clauses_data(rulebook: Rulebook, source: ClauseList) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "book": rulebook.id,
        "digest": rulebook.digest,
        "source": source.source,
        "clauses": [
            {
                "clause": entry.clause.clause,
                "words": entry.clause.words,
                "by": entry.clause.by.value,
                "why": entry.clause.why,
                "rulings": [{"irregularity": str(row.irregularity), "outcome": str(row.outcome)} for row in entry.rows],
                "behaviours": list(entry.behaviours),
                "options": list(entry.options),
            }
            for entry in clauses_in(rulebook, source)
        ],
        "own": clauses_of_its_own(rulebook, source),
    }


def how(entry: ClauseInBook) -> str:
    """The parts of the book that carry a clause, or why people do."""
    rulings = dict.fromkeys(f"{irregularity_in_words(row.irregularity)}: {row.outcome.words}" for row in entry.rows)
    options = [f"option `{name}`" for name in entry.options]
    carriers = [*rulings, *entry.behaviours, *options]
    if not carriers and entry.clause.by in (By.RULINGS, By.BEHAVIOUR):
        carriers.append(_OTHER_GAMES)
    carried = "; ".join(part.rstrip(".") for part in carriers)
    if not entry.clause.why:
        return carried
    return f"{carried}. Left to people: {entry.clause.why}" if carried else entry.clause.why


def _counts(clauses: Sequence[ClauseInBook]) -> list[str]:
    counts = Counter(entry.clause.by for entry in clauses)
    return [f"{counts[by]} of {len(clauses)} {words}" for by, words in _COUNTED.items() if counts[by]]
