"""`feltd rules --coverage`: each row of a book and the drills that reach it."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from feltd.cli.exits import FINE, PROBLEMS

if TYPE_CHECKING:
    from feltd.books.coverage import Heard, RowCoverage
    from table_fsm.rulebook import Rulebook


def report_coverage(
    chosen: "Sequence[Rulebook]", books: "dict[str, Rulebook]", drills: Sequence[Path], as_json: bool
) -> int:
    """Play the drills, print what they show of the chosen books, and say the exit code.

    Raises FeltdError where there are no drills, DrillSyntaxError where a file is none.
    """
    from feltd.books.coverage import coverage, shipped_exceptions

    folders = drills or _of_the_checkout()
    heard = _played(folders, books)
    exceptions = shipped_exceptions()
    rows = [row for book in sorted(chosen, key=lambda book: book.id) for row in coverage(book, heard, exceptions)]
    if as_json:
        failed = [str(result.path) for result in heard.failed]
        click.echo(json.dumps({"rows": [row.as_json() for row in rows], "failed_drills": failed}, indent=1))
    else:
        for book in sorted({row.book for row in rows}):
            click.echo("\n".join(_table(book, [row for row in rows if row.book == book], folders)) + "\n")
    for result in heard.failed:
        click.echo(f"{result.path}: fails, so it shows nothing; feltd drill {result.path}", err=True)
    return PROBLEMS if heard.failed or any(row.missing for row in rows) else FINE


def _of_the_checkout() -> Sequence[Path]:
    from feltd.books.shipped import checkout_drills

    drills = checkout_drills()
    if drills is None:
        raise click.UsageError("an installed feltd brings no drills: name their folder with --drills DIR")
    return (drills,)


def _played(drills: Sequence[Path], books: "dict[str, Rulebook]") -> "Heard":
    from feltd.books.coverage import Heard
    from feltd.books.drill import find_drills

    heard, paths = Heard(), find_drills(drills)
    for number, path in enumerate(paths, 1):
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{number}/{len(paths)} {path.name}", nl=False, err=True)
        heard.play(path, books)
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    return heard


def _table(book: str, rows: "Sequence[RowCoverage]", folders: Sequence[Path]) -> Iterator[str]:
    shown = sum(bool(row.drills) for row in rows)
    excused = sum(not row.drills and not row.missing for row in rows)
    missing = sum(row.missing for row in rows)
    beside = f", {excused} cannot come" if excused else ""
    yield f"{book}: {shown} of {len(rows)} rows shown by drills{beside}" + (f", {missing} MISSING" if missing else "")
    cells = [
        (_mark(row), row.row.rule, str(row.row.irregularity), _conditions(row), _shown_by(row, folders)) for row in rows
    ]
    widths = [max(map(len, column)) for column in list(zip(*cells, strict=True))[:-1]]
    for line in cells:
        padded = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        yield "  " + "  ".join([*padded, line[-1]])


def _mark(row: "RowCoverage") -> str:
    return "MISSING" if row.missing else "ok" if row.drills else "-"


def _conditions(row: "RowCoverage") -> str:
    return ", ".join(f"{fact}={'|'.join(values)}" for fact, values in row.row.when.items())


def _shown_by(row: "RowCoverage", folders: Sequence[Path]) -> str:
    if not row.drills:
        return f"cannot come: {row.cannot_come}" if row.cannot_come else "no drill"
    more = len(row.drills) - 1
    first = row.drills[0]
    folder = next((folder for folder in folders if folder != first and first.is_relative_to(folder)), None)
    return str(first.relative_to(folder) if folder else first) + (f" and {more} more" if more else "")
