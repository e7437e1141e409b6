"""Which of two faults of one event is ruled on, as a regulator reads it."""

from collections.abc import Iterator
from itertools import groupby

from feltd.books.print.document import Block, Document, Grid, Items, Section, Text, grid, markdown
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity, irregularity_in_words
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.precedence import ENDS_ROUND, ONLY_TELLS
from table_fsm.rulebook.subjects import SUBJECT_OF, Subject

_OUTLAST = ", ".join(subject.words for subject in Subject if subject.outlasts_round)
_LAW = (
    "A rule of precedence in this book decides, where one names both faults.",
    f"A ruling that ends the round ({' or '.join(sorted(outcome.words for outcome in ENDS_ROUND))}) stands alone. "
    "Beside it stand rulings that move nothing "
    f"({', '.join(outcome.words for outcome in sorted(ONLY_TELLS))}), and those about {_OUTLAST}.",
    "Two faults of one subject, at one seat or at none, are one matter: the graver is ruled on, by the order below. "
    "Of two that are equally grave, the irregularity that stands first among the subjects below is.",
    "All other faults are ruled on each by itself, the mildest first: the gravest stands on the display. "
    "A ruling that moves nothing hides no other irregularity.",
)


def print_precedence(rulebook: Rulebook) -> str:
    """The precedence of a book as Markdown."""
    return markdown(Document(f"{rulebook.title}: precedence", (), (precedence_section(rulebook),)))


def precedence_section(rulebook: Rulebook) -> Section:
    """The part of a printed book about two faults of one event."""
    return Section("precedence", "Two faults of one event", tuple(_blocks(rulebook)))


def _blocks(rulebook: Rulebook) -> Iterator[Block]:
    yield Text("All faults of an event are found before one is ruled on.")
    yield Items(_LAW, numbered=True)
    if rulebook.book.stands:
        yield Text("Rules of precedence of this book")
        yield _rules(rulebook)
    yield Text("The rulings of this book, the gravest first")
    yield _gravity(rulebook)
    yield Text("What a fault is about")
    yield _subjects()


def _rules(rulebook: Rulebook) -> Grid:
    rows = [
        (
            rule.rule,
            rule.irregularity.words + (f" ({rule.outcome.words})" if rule.outcome is not None else ""),
            "; ".join(other.words for other in rule.over),
            "; ".join(other.words for other in rule.beside),
            rule.text + (f" ({rule.note})" if rule.note else ""),
        )
        for rule in rulebook.book.stands
    ]
    return grid(("Clause", "This fault", "is ruled on in place of", "is ruled on beside", "Because"), rows)


def _gravity(rulebook: Rulebook) -> Grid:
    precedence = rulebook.precedence
    ordered = sorted(
        (row for row in rulebook.rulings if row.irregularity != ANY_IRREGULARITY),
        key=lambda row: precedence.order(Irregularity(row.irregularity), row),
    )
    rows = [
        (str(place), precedence.gravity[at].words, "; ".join(dict.fromkeys(map(_named, of_outcome))))
        for place, (at, of_outcome) in enumerate(
            groupby(ordered, key=lambda row: precedence.order(Irregularity(row.irregularity), row)[0]), start=1
        )
    ]
    return grid(("", "Outcome", "Faults with that ruling"), rows)


def _named(row: Row) -> str:
    return f"{irregularity_in_words(row.irregularity)} ({row.rule})"


def _subjects() -> Grid:
    rows = [
        (
            subject.words,
            "; ".join(irregularity.words for irregularity in Irregularity if SUBJECT_OF[irregularity] is subject),
        )
        for subject in Subject
    ]
    return grid(("Subject", "Irregularities"), rows)
