"""A matrix as text: for a regulator, as JSON, and one line a cell for the tests."""

from collections.abc import Iterable, Iterator
from typing import Any

from feltd.books.moments.cell import Cell
from feltd.books.moments.fault import Fault
from feltd.books.moments.matrix import Matrix
from feltd.books.moments.moment import Absent
from table_fsm.rulebook.irregularities import irregularity_in_words


def print_matrix(matrix: Matrix) -> str:
    """The whole matrix: its moments, then for each fault a table of moments, with ruling, clause and outcome."""
    lines = [f"# Every fault at every moment: {matrix.book}", "", counts_line(matrix), "", "## The moments", ""]
    lines += [f"- `{moment.name}`: {moment.words}{_absent(moment)}" for moment in matrix.moments]
    before = None
    for fault in matrix.faults:
        if fault.irregularity != before:
            before = fault.irregularity
            lines += ["", f"## {irregularity_in_words(before)} (`{before.value}`)"]
        lines += ["", f"### {fault.words}", "", "| at these moments | the table rules |", "| --- | --- |"]
        lines += [f"| {', '.join(names)} | {shown} |" for shown, names in _grouped(matrix.of(fault))]
    return "\n".join(lines)


def _absent(moment: object) -> str:
    return f" (there is none: {moment.reason})" if isinstance(moment, Absent) else ""


def _grouped(cells: Iterable[Cell]) -> list[tuple[str, list[str]]]:
    """The answers of a fault with the moments of each; those that cannot happen come last."""
    groups: dict[str, list[str]] = {}
    ordered = sorted(cells, key=lambda cell: cell.cannot is not None)
    for cell in ordered:
        groups.setdefault(cell.shown, []).append(cell.moment)
    return list(groups.items())


def counts_line(matrix: Matrix) -> str:
    """How many cells there are, in how many a fault can happen, and how many classes those make."""
    cells, ruled, classes = (f"{len(counted):,}" for counted in (matrix.cells, matrix.ruled, matrix.classes))
    return f"{cells} cells; in {ruled} the fault can happen, in {classes} classes."


def matrix_data(matrix: Matrix) -> dict[str, Any]:
    """The matrix as plain data: counts, moments, cells, and classes with the cells of each."""
    return {
        "book": matrix.book,
        "counts": {"cells": len(matrix.cells), "ruled": len(matrix.ruled), "classes": len(matrix.classes)},
        "moments": [
            {
                "moment": moment.name,
                "words": moment.words,
                "class": moment.when.value,
                "absent": moment.reason if isinstance(moment, Absent) else None,
            }
            for moment in matrix.moments
        ],
        "faults": [
            {"fault": fault.key, "irregularity": fault.irregularity.value, "words": fault.words}
            for fault in matrix.faults
        ],
        "cells": [_cell_data(cell) for cell in matrix.cells],
        "classes": [
            {
                "irregularity": irregularity,
                "moments": when,
                "answer": answer,
                "cells": [f"{cell.fault} @ {cell.moment}" for cell in cells],
            }
            for (irregularity, when, answer), cells in matrix.classes.items()
        ],
    }


def _cell_data(cell: Cell) -> dict[str, Any]:
    if cell.cannot is not None:
        return {"fault": cell.fault, "moment": cell.moment, "cannot": cell.cannot}
    rulings = {
        name: [
            {
                "irregularity": a.irregularity,
                "rule": a.rule,
                "outcomes": list(a.outcomes),
                "pending": a.pending,
                "text": a.text,
            }
            for a in answers
        ]
        for name, answers in (("now", cell.now), ("later", cell.later))
    }
    return {"fault": cell.fault, "moment": cell.moment, **rulings, "refused": list(cell.refused), "odd": list(cell.odd)}


def cell_lines(matrix: Matrix) -> Iterator[str]:
    """The matrix for the tests: each fault, a line for each cell, and a line for each reason why it cannot happen."""
    yield f"# {matrix.book}: {counts_line(matrix)}"
    for fault in matrix.faults:
        yield from _lines_of(fault, list(matrix.of(fault)))


def _lines_of(fault: Fault, cells: list[Cell]) -> Iterator[str]:
    yield ""
    yield f"[{fault.key}] {fault.words}"
    for cell in cells:
        if cell.cannot is None:
            yield f"{cell.moment} -> {cell.shown}"
    reasons: dict[str, list[str]] = {}
    for cell in cells:
        if cell.cannot is not None:
            reasons.setdefault(cell.cannot, []).append(cell.moment)
    for reason, moments in reasons.items():
        yield f"cannot happen, because {reason}: {' '.join(moments)}"
