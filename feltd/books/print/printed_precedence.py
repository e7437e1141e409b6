"""Which of two faults of one event is ruled on, as a regulator reads it."""

from collections.abc import Iterator
from itertools import groupby

from feltd.books.print.document import Block, Document, Grid, Items, Section, Text, grid, markdown, of_the_source
from feltd.books.print.phrases import irregularity_words
from feltd.text.catalogue import say, word
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.precedence import ENDS_ROUND, ONLY_TELLS
from table_fsm.rulebook.subjects import SUBJECT_OF, Subject


def _law() -> tuple[str, ...]:
    ends = say(" or ").join(sorted(word(outcome) for outcome in ENDS_ROUND))
    tells = ", ".join(word(outcome) for outcome in sorted(ONLY_TELLS))
    outlast = ", ".join(word(subject) for subject in Subject if subject.outlasts_round)
    return (
        say("A rule of precedence in this book decides, where one names both faults."),
        say(
            "A ruling that ends the round ({ends}) excludes others. "
            "Beside it come only rulings that move nothing ({tells}), and those about {outlast}.",
            ends=ends,
            tells=tells,
            outlast=outlast,
        ),
        say(
            "Two faults of one subject, at one seat or at none, are one matter: the graver is ruled on, by the order "
            "below. Of two that are equally grave, the irregularity that comes first among the subjects below is."
        ),
        say(
            "All other faults are ruled on each by itself, the mildest first: the display shows the gravest. "
            "A ruling that moves nothing hides no other irregularity."
        ),
    )


def print_precedence(rulebook: Rulebook) -> str:
    """The precedence of a book as Markdown."""
    return markdown(Document(say("{title}: precedence", title=rulebook.title), (), (precedence_section(rulebook),)))


def precedence_section(rulebook: Rulebook) -> Section:
    """The part of a printed book about two faults of one event."""
    return Section("precedence", say("Two faults of one event"), tuple(_blocks(rulebook)))


def _blocks(rulebook: Rulebook) -> Iterator[Block]:
    yield Text(say("All faults of an event are found before one is ruled on."))
    yield Items(_law(), numbered=True)
    if rulebook.book.stands:
        yield Text(say("Rules of precedence of this book"))
        yield _rules(rulebook)
    yield Text(say("The rulings of this book, the gravest first"))
    yield _gravity(rulebook)
    yield Text(say("What a fault is about"))
    yield _subjects()


def _rules(rulebook: Rulebook) -> Grid:
    rows = [
        (
            rule.rule,
            word(rule.irregularity) + (f" ({word(rule.outcome)})" if rule.outcome is not None else ""),
            "; ".join(word(other) for other in rule.over),
            "; ".join(word(other) for other in rule.beside),
            of_the_source(rule.text) + (f" ({of_the_source(rule.note)})" if rule.note else ""),
        )
        for rule in rulebook.book.stands
    ]
    return grid(
        (say("Clause"), say("This fault"), say("is ruled on in place of"), say("is ruled on beside"), say("Because")),
        rows,
    )


def _gravity(rulebook: Rulebook) -> Grid:
    precedence = rulebook.precedence
    ordered = sorted(
        (row for row in rulebook.rulings if row.irregularity != ANY_IRREGULARITY),
        key=lambda row: precedence.order(Irregularity(row.irregularity), row),
    )
    rows = [
        (str(place), word(precedence.gravity[at]), "; ".join(dict.fromkeys(map(_named, of_outcome))))
        for place, (at, of_outcome) in enumerate(
            groupby(ordered, key=lambda row: precedence.order(Irregularity(row.irregularity), row)[0]), start=1
        )
    ]
    return grid(("", say("Outcome"), say("Faults with that ruling")), rows)


def _named(row: Row) -> str:
    return f"{irregularity_words(row.irregularity)} ({row.rule})"


def _subjects() -> Grid:
    rows = [
        (
            word(subject),
            "; ".join(word(irregularity) for irregularity in Irregularity if SUBJECT_OF[irregularity] is subject),
        )
        for subject in Subject
    ]
    return grid((say("Subject"), say("Irregularities")), rows)
