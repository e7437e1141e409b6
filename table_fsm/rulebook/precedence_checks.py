"""Checks of a book's precedence: any two faults of one event have an order, and no rule of it is idle."""

from collections import Counter
from collections.abc import Iterator, Sequence

from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import Book, StandsRow
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.rulebook.precedence import Precedence
from toml_text.faults import Fault


def stands_faults(row: StandsRow) -> Iterator[Fault]:
    """The faults of one rule of precedence by itself."""
    named = [*row.over, *row.beside]
    if not named:
        yield Fault((), f"names nothing that {row.irregularity} stands over or beside; add `over` or `beside`")
    if row.irregularity in row.over:
        yield Fault((), f"sets {row.irregularity} over itself; name another irregularity")
    for other, count in Counter(named).items():
        if count > 1:
            yield Fault((), f'"{other}" stands here {count} times; name it once, under `over` or under `beside`')


def precedence_faults(book: Book) -> Iterator[Fault]:
    """The faults of a merged book's precedence."""
    gravity = list(_gravity_faults(book))
    yield from gravity
    if not gravity:
        yield from _faults_of_rows_alike(book)
    pairs = [(row.irregularity, other) for row in book.stands for other in row.over]
    beside = {frozenset((row.irregularity, other)) for row in book.stands for other in row.beside}
    for first, other in pairs:
        if frozenset((first, other)) in beside:
            yield Fault(("stands",), f"{first} stands over {other} by one rule and beside it by another; keep one")
    yield from _circle_faults(pairs)
    yield from _idle_faults(book)


def _gravity_faults(book: Book) -> Iterator[Fault]:
    path = "precedence", "gravity"
    counted = Counter(book.precedence.gravity)
    missing = [str(outcome) for outcome in Outcome if outcome not in counted]
    if missing:
        yield Fault(path, f"leaves out {', '.join(missing)}; name every outcome once, or extend every-table")
    for outcome, count in counted.items():
        if count > 1:
            yield Fault(path, f'"{outcome}" stands here {count} times; name it once')


def _faults_of_rows_alike(book: Book) -> Iterator[Fault]:
    """A fault for two rows of an irregularity of which neither comes first: which is ruled on would be chance."""
    law = Precedence.of(book)
    for irregularity in Irregularity:
        rows = [row for row in book.rulings if row.irregularity == irregularity]
        for first, other in law.first_alike(irregularity, rows):
            what = (
                f"two rows of {irregularity} have clause {first.rule}, one text and outcomes equally grave, and are not"
            )
            yield Fault(("rulings", book.rulings.index(other)), f"{what} the same; give each its own text")


def _circle_faults(pairs: Sequence[tuple[Irregularity, Irregularity]]) -> Iterator[Fault]:
    """A fault for each rule that, with others, sets an irregularity over itself."""
    over: dict[Irregularity, set[Irregularity]] = {}
    for first, other in pairs:
        over.setdefault(first, set()).add(other)
    for first, other in pairs:
        reached, waiting = {other}, [other]
        while waiting:
            new = over.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        if first in reached:
            yield Fault(("stands",), f"{first} stands over {other}, and by other rules {other} over it; keep one")


def _idle_faults(book: Book) -> Iterator[Fault]:
    named = {row.irregularity for row in book.rulings}
    for row in book.stands:
        for irregularity in dict.fromkeys((row.irregularity, *row.over, *row.beside)):
            if irregularity not in named:
                what = f"the book has no row for {irregularity} but '{ANY_IRREGULARITY}'; leave it out"
                yield Fault(("stands",), what)
        outcomes = {ruling.outcome for ruling in book.rulings if ruling.irregularity == row.irregularity}
        if row.outcome is not None and outcomes and row.outcome not in outcomes:
            yield Fault(("stands",), f"{row.irregularity} is never ruled {row.outcome} in this book; leave it out")
