"""`feltd journal phh`."""

import tempfile
from pathlib import Path

import click

from feltd.cli.books import book_dir_option, load_books
from feltd.cli.exits import PROBLEMS


@click.command(
    short_help="Write a finished hand as a hand history (PHH).",
    epilog="Exit codes: 0 fine; 1 the format cannot tell this hand: the reason is printed; 2 the journal or a rulebook "
    "cannot be read, or there is no such round.",
)
@click.argument("journal", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--round", "number", type=click.IntRange(1), metavar="N", required=True, help="The round.")
@click.option("--public", is_flag=True, help="Leave out cards that were never shown (????).")
@click.option("--table", metavar="NAME", help="The table's name in it; the file's, if not said.")
@book_dir_option
@click.pass_context
def phh(ctx: click.Context, journal: Path, number: int, public: bool, table: str | None, book_dir: Path | None) -> None:
    """Write a finished hand of JOURNAL in the poker hand history format, which is TOML: for programs that study hands.

    The hand is played again under the recorded text of its rulebook, and what is written has been read back. Hold'em
    without limit and with fixed limits and pot limit Omaha can be told, where the bets were keyed.

    \b
    Examples:
      feltd journal phh table.journal --round 17 > round-17.phh
      feltd journal phh table.journal --round 17 --public
    """
    from feltd.page.history.index import HistoryIndex
    from feltd.page.history.phh import NotToldError, hand_history
    from feltd.page.history.search import find_round
    from feltd.record.rows import JournalRows
    from feltd.text.as_owner import as_owner_of

    with (
        as_owner_of(journal),
        tempfile.TemporaryDirectory(prefix="feltd-") as folder,
        JournalRows(journal) as record,
    ):
        index = HistoryIndex(lambda: JournalRows(journal), Path(folder) / "index")
        try:
            index.catch_up()
            round_ = find_round(index, number)
        finally:
            index.close()
        try:
            hand = hand_history(record, round_, load_books(book_dir), table=table or journal.stem, see_cards=not public)
        except NotToldError as why:
            click.echo(str(why), err=True)
            ctx.exit(PROBLEMS)
    click.echo(hand, nl=False)
