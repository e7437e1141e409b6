"""`feltd floor export`: parts of tables' records with their proof, and hands, from the floor's copies."""

import json
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from feltd.cli.books import book_dir_option, load_books
from feltd.cli.exits import FINE, PROBLEMS
from feltd.cli.floor_tables import DEFAULT_FILE, with_engine
from feltd.cli.person import person_here

if TYPE_CHECKING:
    from feltd.floor.engine import JournalStatus
    from feltd.floor.exporting import Part
    from feltd.floor.postgres import PostgresEngine

_MOMENT: Final = click.DateTime(["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"])
_LETTERS: Final = 8
"""Of a journal's identity in the name of a file."""


@click.command(
    short_help="Parts of tables' records with their proof, and hands.",
    epilog="Exit codes: 0 fine; 1 of a table the floor has nothing of this, or a hand cannot be told: the reason is "
    "printed; 2 the database or the folder cannot be used.",
)
@click.argument("tables", nargs=-1)
@click.option(
    "--into", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder; made if new."
)
@click.option("--round", "number", type=click.IntRange(0), metavar="N", help="One round of each.")
@click.option("--since", type=_MOMENT, metavar="TIME", help="What was written from then on; local time.")
@click.option("--until", type=_MOMENT, metavar="TIME", help="What was written up to then; local time.")
@click.option(
    "--phh",
    type=click.Choice(["whole", "public"]),
    help="Finished hands as hand histories too, a file each; public: without cards that were never shown (????).",
)
@click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="floor.toml."
)
@book_dir_option
def export(
    tables: tuple[str, ...],
    folder: Path,
    number: int | None,
    since: datetime | None,
    until: datetime | None,
    phh: str | None,
    file: Path,
    book_dir: Path | None,
) -> None:
    """Write parts of the newest records of TABLES (all, if none is named) into a folder, from the floor's copies.

    For each table TABLE-JOURNAL.jsonl, and TABLE-JOURNAL.heads with the heads that the table has signed: on any machine
    feltd journal verify proves the one by the other. What is sealed stays sealed, a round in progress is left out, and
    nothing is written over. The floor's database has first who took what (floor.access).

    \b
    Examples:
      feltd floor export table-7 --round 17 --into handed-out
      feltd floor export --since "2026-11-21 18:00" --until "2026-11-22 02:00" --phh public --into shift
      feltd journal verify handed-out/table-7-2f8c01aa.jsonl --witness handed-out/table-7-2f8c01aa.heads
    """
    from feltd.floor.exporting import Part, write_export
    from feltd.floor.restoring import restore
    from feltd.text.errors import FeltdError

    part = Part(number, None if since is None else since.timestamp(), None if until is None else until.timestamp())
    if number is not None and (since or until):
        raise click.UsageError("name the entries once: by --round, or by --since and --until")
    folder.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []

    async def one(engine: "PostgresEngine", journal: "JournalStatus") -> None:
        stem = f"{journal.table}-{journal.journal.hex()[:_LETTERS]}"
        with tempfile.TemporaryDirectory(prefix=".copy-", dir=folder) as name:
            copy = Path(name) / "copy.journal"
            await restore(engine, journal, copy)
            facts = {"what": "exported", "by": "console", "user": person_here(), "table": journal.table,
                     "journal": journal.journal.hex(), "round": part.round, "since": part.since, "until": part.until,
                     "hands": phh}  # fmt: skip
            await engine.add_access("shell", json.dumps(facts))
            made = write_export(copy, part, folder / f"{stem}.jsonl")
            proved = "not signed yet" if made.signed is None else f"proved by the head of entry {made.signed}"
            click.echo(f"{made.file}: entries {made.first} to {made.last}, {proved}")
            if phh:
                failed.extend(_hands(copy, part, folder / stem, journal.table, book_dir, see_cards=phh == "whole"))

    async def all_of_them(engine: "PostgresEngine") -> None:
        for journal in _newest(await engine.status(), tables):
            try:
                await one(engine, journal)
            except FeltdError as fault:
                failed.append(f"{journal.table}: {fault}")

    with_engine(file, all_of_them)
    for words in failed:
        click.echo(words, err=True)
    click.get_current_context().exit(PROBLEMS if failed else FINE)


def _newest(journals: "list[JournalStatus]", tables: tuple[str, ...]) -> "list[JournalStatus]":
    """The newest record of each table that has entries. Raises CustodyError for a table that has none."""
    from feltd.floor.facts import OWN
    from feltd.floor.restoring import newest_of

    found = dict.fromkeys(tables or (one.table for one in journals if one.stand.seq and one.table != OWN))
    return [newest_of(journals, table, None) for table in found]


def _hands(
    copy: Path, part: "Part", folder: Path, table: str, book_dir: Path | None, *, see_cards: bool
) -> Iterator[str]:
    """Write the finished hands of a part; what cannot be told, in words."""
    from feltd.page.history.index import HistoryError, HistoryIndex
    from feltd.page.history.phh import NotToldError, hand_history
    from feltd.page.history.search import PAGE_MOST, Wanted, find_round, find_rounds
    from feltd.record.rows import JournalRows

    index = HistoryIndex(lambda: JournalRows(copy), copy.with_name("index"))
    books = load_books(book_dir)
    folder.mkdir()
    try:
        index.catch_up()
        before: int | None = None
        while True:
            if part.round is not None:
                found = [find_round(index, part.round)]
            else:
                found = find_rounds(index, Wanted(part.since, part.until, before=before, limit=PAGE_MOST))
            for round_ in found:
                try:
                    with JournalRows(copy) as record:
                        hand = hand_history(record, round_, books, table=table, see_cards=see_cards)
                except (NotToldError, HistoryError) as why:
                    yield f"{table}: {why}"
                    continue
                (folder / f"round-{round_.number}.phh").write_text(hand, encoding="utf-8")
            if part.round is not None or len(found) < PAGE_MOST:
                return
            before = found[-1].number
    finally:
        index.close()
