"""`feltd replay FILE|-`."""

import sys
from pathlib import Path
from typing import BinaryIO

import click

from feltd.cli.books import book_dir_option


@click.command(
    short_help="Ask the rules about events.",
    epilog="Exit codes: 0 every line was an event; 2 a line is malformed (file, line and reason on stderr; the outputs "
    "of all lines before it are out), or the input or a rulebook cannot be read.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--rulings", is_flag=True, help="Print rulings only.")
@book_dir_option
def replay(file: str, rulings: bool, book_dir: Path | None) -> None:
    """Feed the table events from FILE (- is standard input), and print what it answers, one JSON object a line.

    Each line is one event: {"t": seconds, "ev": name, …}. The first should be a table.open. Empty lines and lines that
    begin with # are skipped. An event that cannot be, or whose name no table knows, is answered with an "error" output
    and play goes on. A field that nothing reads is warned of on stderr, once for each event name and field.

    Fed by hand or by another program, each line is answered at once.

    \b
    Examples:
      feltd replay events.jsonl
      feltd replay events.jsonl --rulings | jq -r .ruling.text
      feltd journal replay table.journal --events | feltd replay -
      echo '{"t": 0, "ev": "table.open", "rulebook": "tas-2018-holdem", "seats": [1, 2, 3]}' | feltd replay -
    """
    from feltd.table.host.loading import loading_for_a_command

    with loading_for_a_command():  # of what a replay of a few thousand events takes, its start is most
        from feltd.books.own import library_as_asked
        from feltd.books.replay import blocks_of
        from feltd.books.replay import replay as play
        from table_fsm.outputs import Kind
        from table_fsm.table import Table

        table, out = Table(library_as_asked(book_dir)), sys.stdout.buffer
    with _source(file) as source:
        try:
            play(
                blocks_of(source, out.flush),
                table,
                out.write,
                file="standard input" if file == "-" else file,
                warn=lambda text: click.echo(f"warning: {text}", err=True),
                only=Kind.RULING if rulings else None,
            )
        finally:
            out.flush()


def _source(file: str) -> BinaryIO:
    """The input, unbuffered: what is there is read at once, and nothing is waited for that is not needed."""
    if file == "-":
        return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    return open(file, "rb", buffering=0)
