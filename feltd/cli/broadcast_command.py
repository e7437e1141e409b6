"""`feltd broadcast`: the hands that a table has let go, as files for a broadcast's program."""

import time
from pathlib import Path
from typing import Final

import click

EVERY: Final = 2.0
"""Seconds between two looks into the record."""


@click.command(
    short_help="Hands of rounds that are over, with equities, as files for a broadcast.",
    epilog="Exit codes: 0 fine; 1 a round cannot be told; 2 record, key or folder cannot be read or written.",
)
@click.argument("journal", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--key", "key_file", required=True, type=click.Path(dir_okay=False, path_type=Path),
    help="The file of the broadcast's private key.",
)  # fmt: skip
@click.option(
    "--into", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder that hands.html and hands.json are written to.",
)  # fmt: skip
@click.option("--book-dir", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Books of your own.")
@click.option("--language", type=click.Choice(["en", "de"]), default="en", show_default=True, help="Of the page.")
@click.option("--once", is_flag=True, help="Write the files once, and end.")
@click.pass_context
def broadcast(
    ctx: click.Context,
    journal: Path,
    key_file: Path,
    into: Path,
    book_dir: Path | None,
    language: str,
    once: bool,
) -> None:
    """Write the hands that the table of JOURNAL has let go for its broadcast, as often as there is a new one.

    The table lets a round go once it is over and its delay has passed, while two persons have the broadcast on. Before
    that no file has anything that this command could open. The key of surveillance opens nothing here: a reading
    with it leaves a note (see feltd record unseal).

    Where JOURNAL cannot be read just now, as while a newer copy takes its place, the command says so once and looks
    again.

    \b
    Examples:
      feltd broadcast table.journal --key broadcast.key --into /srv/obs
      feltd broadcast table.journal --key broadcast.key --into . --once
    """
    from feltd.books.own import library_as_asked
    from feltd.broadcast.files import write_files
    from feltd.broadcast.hands import LetGo
    from feltd.cli.exits import FINE, PROBLEMS
    from feltd.record.rows import JournalRows
    from feltd.record.unseal_keys import read_private_key
    from feltd.text.as_owner import as_owner_of
    from feltd.text.errors import JournalError
    from feltd.text.language import Language, speaking

    key = read_private_key(key_file)
    hands = LetGo(library_as_asked(book_dir))
    told: set[int] = set()
    begun, unread = False, ""
    while True:
        try:
            with as_owner_of(journal), JournalRows(journal, key, broadcast_alone=True) as record:
                news = hands.catch_up(record)
            unread = ""
        except (JournalError, FileNotFoundError) as fault:
            if once:
                raise
            if unread != str(fault):
                unread = str(fault)
                click.echo(f"{unread}\nThe command looks again every {EVERY:g} seconds.", err=True)
            time.sleep(EVERY)
            continue
        if news or not begun:
            with as_owner_of(into), speaking(Language(language)):
                write_files(into, hands.hands.values())
            begun = True
        for number in sorted(hands.problems.keys() - told):
            click.echo(f"round {number}: {hands.problems[number]}", err=True)
            told.add(number)
        if once:
            ctx.exit(PROBLEMS if told else FINE)
        time.sleep(EVERY)
