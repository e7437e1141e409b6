"""The regulator's view: each clause of the source, its carrier, and how it is carried."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from feltd.books.print.document import Items, Section, Text, grid, of_the_source
from feltd.books.print.phrases import BY_WORDS, COUNTED, irregularity_words, named
from feltd.text.catalogue import say, word
from table_fsm.rulebook.book import Rulebook
from table_fsm.rulebook.clauses import By, ClauseInBook, ClauseList, clauses_in, clauses_of_its_own


def clauses_section(rulebook: Rulebook, source: ClauseList | None) -> Section:
    """Every clause of the source, in the source's order, and then the book's own clauses."""
    if source is None:
        return Section(
            "clauses",
            say("Clauses of the source"),
            (Text(say("No list of the source's clauses comes with this book.")),),
        )
    clauses = clauses_in(rulebook, source)
    rows = [
        (entry.clause.clause, of_the_source(entry.clause.words), named(BY_WORDS, entry.clause.by), how(entry))
        for entry in clauses
    ]
    own = clauses_of_its_own(rulebook, source)
    beside = say("Clauses that are not of this source, but of the house or the operator: {own}.", own=", ".join(own))
    return Section(
        "clauses",
        say("Clauses of the source"),
        (
            Text(of_the_source(source.source + ".")),
            Items(tuple(_counts(clauses))),
            grid((say("Clause"), say("About"), say("Seen to by"), say("How, or why not by the table")), rows),
            *((Text(beside),) if own else ()),
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
    rulings = dict.fromkeys(f"{irregularity_words(row.irregularity)}: {word(row.outcome)}" for row in entry.rows)
    options = [say("option `{name}`", name=name) for name in entry.options]
    carriers = [*rulings, *map(of_the_source, entry.behaviours), *options]
    if not carriers and entry.clause.by in (By.RULINGS, By.BEHAVIOUR):
        carriers.append(say("in other games of this source"))
    carried = "; ".join(part.rstrip(".") for part in carriers)
    if not entry.clause.why:
        return carried
    why = of_the_source(entry.clause.why)
    return say("{carried}. Left to people: {why}", carried=carried, why=why) if carried else why


def _counts(clauses: Sequence[ClauseInBook]) -> list[str]:
    counts = Counter(entry.clause.by for entry in clauses)
    return [
        say("{count} of {all} {kept}", count=counts[by], all=len(clauses), kept=named(COUNTED, by))
        for by in By
        if counts[by]
    ]
