"""`feltd journal replay`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from feltd.cli.books import book_dir_option, load_books
from feltd.cli.exits import FINE, PROBLEMS
from feltd.cli.unseal_option import require_right_key, unseal_option

if TYPE_CHECKING:
    from feltd.record import JournalReader
    from feltd.table.keeper.differences import Differences


@click.command(
    short_help="Play a journal's events again.",
    epilog="Exit codes: 0 fine; 1 an entry's seal is broken (feltd journal verify says more); 2 the journal, its key "
    "or a rulebook cannot be read. With --differences: 0 there is none; 1 there are some; 2 the journal, one of its "
    "seals, its key or a rulebook cannot be read.",
)
@click.argument("journal", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--rulings", is_flag=True, help="Print rulings only.")
@click.option("--events", is_flag=True, help="Print the events themselves, as feltd replay reads them; play nothing.")
@click.option(
    "--differences", is_flag=True, help="Print the events that are answered otherwise than the record says; a summary."
)
@click.option("--until", type=int, metavar="SEQ", help="Stop after this entry.")
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The journal's key: with it the round in progress is played, too. Its cards are not shown.",
)
@unseal_option
@book_dir_option
@click.pass_context
def replay(  # noqa: PLR0913 - one an option
    ctx: click.Context,
    journal: Path,
    rulings: bool,
    events: bool,
    differences: bool,
    until: int | None,
    key: Path | None,
    unseal: Path | None,
    book_dir: Path | None,
) -> None:
    """Play the events of JOURNAL again, from its beginning, and print what the rules answer to them today.

    The face-down cards of a round in progress are sealed: the replay ends before the first of them. Cards that a round
    did not show stay sealed after it: without --unseal the replay passes over the events from there to the next state
    that the record keeps between two rounds, goes on from it, and says which entries it left out. --events prints such
    events without their cards.

    With --differences each line is an event that this version answers otherwise than the record says: the number of
    its entry, its round, name and t, the version of feltd that wrote it, and the outputs as recorded and as they are
    now. The summary on stderr counts them by rulings. A difference does not follow into the next round: the table goes
    on from the state that the record keeps between the two. A ruling that both give may have another number in each;
    a decision on one that is no more given is left out.

    \b
    Examples:
      feltd journal replay table.journal --rulings
      feltd journal replay table.journal --events > events.jsonl
      feltd journal replay table.journal --differences > differences.jsonl
    """
    if events and (rulings or key):
        raise click.UsageError(
            "--events prints what came in, but no card of a round in progress: no --rulings, no --key"
        )
    if differences and (rulings or events):
        raise click.UsageError("--differences prints lines of its own: no --rulings, no --events")

    from feltd.books.replay import replay as play
    from feltd.record import JournalReader
    from feltd.record.unseal_keys import read_private_key
    from feltd.table.config.key_files import read_key
    from feltd.text.as_owner import as_owner_of
    from table_fsm.outputs import Kind

    out, ending = sys.stdout.buffer, _Ending()
    private = None if unseal is None else read_private_key(unseal)
    owners_key = None if key is None else read_key(key)
    with as_owner_of(journal), JournalReader.open(journal, owners_key, private) as reader:
        if private is not None:
            require_right_key(reader, private)
        if differences:
            ctx.exit(_print_differences(reader, book_dir, until, out))
        player = None if events else _Player(book_dir)
        lines = _event_lines(reader, until, ending, player)
        try:
            if player is None:
                out.writelines(line + b"\n" for line in lines)
            else:
                play(
                    ([line] for line in lines),  # one by one: the state in which the next is taken comes with it
                    player,
                    out.write,
                    file=str(journal),
                    warn=lambda text: click.echo(f"warning: {text}", err=True),
                    only=Kind.RULING if rulings else None,
                )
        finally:
            out.flush()
    for note in ending.notes:
        click.echo(f"note: {journal}: {note}", err=True)
    ctx.exit(PROBLEMS if ending.broken else FINE)


class _Ending:
    """Why a replay ended before its journal did, and what it passed over."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.broken = False


class _Player:
    """A table that can be put into a state which the record keeps."""

    def __init__(self, book_dir: Path | None) -> None:
        from table_fsm.table import Table

        self._books = load_books(book_dir)
        self._table = Table(self._books)

    def apply(self, event: Any) -> Any:
        return self._table.apply(event)

    def go_on_from(self, snapshot: str) -> bool:
        """Go on from a kept state; False where this version cannot take it."""
        from table_fsm.errors import TableError
        from table_fsm.table import Table

        try:
            self._table = Table.restore(self._books, snapshot)
        except (TableError, ValueError, TypeError, KeyError):
            return False
        return True


def _event_lines(
    reader: "JournalReader", until: int | None, ending: _Ending, player: _Player | None
) -> Iterator[bytes]:
    """The events of a journal as lines, up to the first whose cards stay sealed because its round is not over.

    Where cards stay sealed for good the events from there to the next kept state are passed over, and `player` goes on
    from that state. Without a player every event is given, without such cards.
    """
    from pydantic_core import to_json

    from feltd.record import EntryKind, HostEntry, Reveal, Seal, Span
    from feltd.record.gaps import Gaps

    gaps, without = Gaps(), 0
    for entry in reader.entries(Span(until=until), reveal=Reveal.ALL if reader.master else Reveal.FINISHED):
        kept = entry.kind == EntryKind.HOST and entry.name == HostEntry.SNAPSHOT and entry.body
        if kept and gaps.open and player is not None and player.go_on_from(to_json(entry.body).decode()):
            gaps.close(entry.seq)
        if entry.kind != EntryKind.EVENT:
            continue
        if entry.seal is Seal.BROKEN:
            ending.broken = True
            ending.notes = [f"ended at entry {entry.seq}: its seal is broken, or the key is another's"]
            return
        if entry.seal is Seal.CLOSED:
            ending.notes.append(
                f"ended before entry {entry.seq}: its cards are sealed until round {entry.round} is over"
            )
            break
        sealed = entry.seal is Seal.NEVER_SHOWN
        without += sealed
        if player is not None and (sealed or gaps.open):
            gaps.pass_over(entry)
        else:
            shown = {name: value for name, value in entry.body.items() if value is not None} if sealed else entry.body
            yield to_json(shown)
    gaps.close(None)
    ending.notes += gaps.in_words()
    if player is None and without:
        ending.notes.append(f"{without} events stand without cards that no round showed (--unseal FILE opens them)")


def _print_differences(reader: "JournalReader", book_dir: Path | None, until: int | None, out: BinaryIO) -> int:
    """Write a record's differences to `out`, one JSON object a line, and a summary to stderr; return the exit code.

    Raises FeltdError if the record or a rulebook cannot be read.
    """
    from pydantic_core import to_json

    from feltd.table.keeper.differences import Differences

    found = Differences(reader, load_books(book_dir), until)
    try:
        out.writelines(to_json(difference.to_dict()) + b"\n" for difference in found)
    finally:
        out.flush()
    for line in _summary(found):
        click.echo(line, err=True)
    return PROBLEMS if found.differing else FINE


def _summary(found: "Differences") -> list[str]:
    """The lines of the summary, the most frequent kind of difference first."""
    lines = [f"{found.events} events, {found.differing} answered otherwise"]
    lines += [f"{times:>6} × {kind}" for kind, times in sorted(found.kinds.items(), key=lambda row: (-row[1], row[0]))]
    if found.out_of_step:
        entries = ", ".join(map(str, found.out_of_step))
        lines.append(
            f"note: this version does not take the table's state of entry {entries}: differences after it may come of "
            "earlier ones"
        )
    lines += [f"note: {text}" for text in found.gaps.in_words()]
    if found.ended is not None:
        lines.append(f"note: {found.ended}")
    return lines
