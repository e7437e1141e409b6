"""`feltd drill PATH…`."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from feltd.cli.books import book_dir_option, load_books
from feltd.cli.exits import FINE, PROBLEMS, USAGE


@click.command(
    short_help="Prove that the rules answer as they should.",
    epilog="Exit codes: 0 every drill passed; 1 some failed; 2 a file is no drill (file, line and reason on stderr), "
    "or there is none.",
)
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, type=click.Path(path_type=Path))
@book_dir_option
@click.option("-v", "--verbose", is_flag=True, help="Name the drills that passed, too.")
@click.pass_context
def drill(ctx: click.Context, paths: tuple[Path, ...], book_dir: Path | None, verbose: bool) -> None:
    """Play drills, and show where the table answers otherwise than they expect.

    PATH is a file, or a folder: then every *.jsonl in it and below.

    \b
    A drill is JSON Lines: a header, events, and what is expected of the events since the expect before:
      {"title": "A hole card flashed", "rows": ["tas-2018-holdem 19.4"], "step": 0.5}
      {"ev": "table.open", "rulebook": "tas-2018-holdem", "options": {"burn": 1}, "seats": [1, 2, 3]}
      …
      {"ev": "card.exposed", "zone": "seat:3", "card": "Td", "by": "dealer"}
      {"expect": [{"ruling": {"irregularity": "hole_exposed", "rule": "19.4"}}]}

    \b
    Each pattern matches one output, in order; keys it does not name are free. A ruling or an error that no pattern
    matches fails the drill; {"expect": []} says that nothing was ruled, and is understood at the end. With "step",
    events may leave out "t". Empty lines and lines that begin with # are skipped.

    \b
    Examples:
      feltd drill tests/drills
      feltd drill -v my-drill.jsonl
    """
    from feltd.books.drill import DrillSyntaxError, find_drills, run_drill

    books = load_books(book_dir)
    passed = failed = malformed = 0
    for path in _progress(find_drills(paths)):
        try:
            result = run_drill(path, books)
        except DrillSyntaxError as fault:
            click.echo(str(fault), err=True)
            malformed += 1
            continue
        if verbose or not result.passed:
            click.echo(str(result))
        passed, failed = passed + result.passed, failed + (not result.passed)
    click.echo(f"{passed} passed, {failed + malformed} failed")
    ctx.exit(USAGE if malformed else PROBLEMS if failed else FINE)


def _progress(drills: Sequence[Path]) -> Iterator[Path]:
    """The drills, with a line on a terminal that says how far they are."""
    shown = sys.stderr.isatty()
    for number, path in enumerate(drills, 1):
        if shown:
            click.echo(f"\r\x1b[K{number}/{len(drills)} {path.name}", nl=False, err=True)
        yield path
        if shown:
            click.echo("\r\x1b[K", nl=False, err=True)
