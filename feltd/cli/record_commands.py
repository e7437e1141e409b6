"""`feltd record key|half|agree|unseal|enter`: the key that opens cards which no round showed, and its use."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feltd.cli.exits import PROBLEMS

if TYPE_CHECKING:
    from feltd.record.entries import Row
    from feltd.record.unsealing import Unsealed


_rounds = click.option(
    "--round", "rounds", required=True, multiple=True, type=click.IntRange(0), metavar="N", help="May be given again."
)
_why = click.option("--why", required=True, metavar="TEXT", help="Why: a dispute, an order.")


@click.group(name="record", short_help="The key for cards that nobody saw, and its use.")
def record() -> None:
    """Who may read cards that no round showed, and how.

    \b
    At the end of a round everybody who may read the record may read the cards that the round showed. Those that it did
    not show (folded hands, burnt cards) stay sealed to a key pair: the table has the public half, which opens nothing.
    Make the pair on the machine of the person who may read such cards (surveillance, the regulator), never at the
    table. Where nobody is to read them alone, two people make a half each (feltd record half), and each reading takes
    both.
    """


@record.command(
    short_help="Make a key pair.",
    epilog="Exit codes: 0 fine; 2 the file is there already, cannot be written, or (with --show) holds no private key.",
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--show", is_flag=True, help="Make none: print the public half of the private key in FILE.")
def key(file: Path, show: bool) -> None:
    """Make a key pair; write the private half to FILE (mode 0600), and print what the table's configuration gets.

    An existing FILE is never overwritten. The private half is never printed. Keep a copy of FILE in a safe: without it
    nobody opens what is sealed to it.

    \b
    Examples:
      feltd record key surveillance.key
      feltd record key surveillance.key --show
    """
    from feltd.record.unseal_keys import make_private_key, read_private_key
    from feltd.text.as_owner import require_own

    if not show:
        require_own(file, "anybody who has that user would have the key; name a file in a folder of root's")
    public = (read_private_key(file) if show else make_private_key(file)).public
    if not show:
        click.echo(f"{file}: the private half, mode 0600: keep it away from the table, and a copy in a safe", err=True)
    click.echo(f"fingerprint: {public.fingerprint}", err=True)
    click.echo(f'[record]\nsealed_to = "{public}"')


@record.command(
    short_help="Make one person's half of a key that two people hold.",
    epilog="Exit codes: 0 fine; 2 the file is there already, cannot be read or written, or the line is none.",
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--with",
    "line",
    metavar="LINE",
    help="The other person's line: make the public key of both halves, for the table's configuration.",
)
def half(file: Path, line: str | None) -> None:
    """Make a half of a key in FILE (mode 0600), and print its line for the other person; with --with join the two.

    Two people do this, each on a machine of their own, and send each other the line. Both then join, and must get the
    same fingerprint. Neither file opens a card, and no file has the whole key: feltd record agree and feltd record
    unseal --agreed take one of them each. Each keeps a copy of their FILE in a safe: without one of the two nobody
    opens what is sealed to them.

    \b
    Examples:
      feltd record half berg.half
      feltd record half berg.half --with "feltd-unseal-half-public 1 8d1f… 77c0-1b2e-…"
    """
    from feltd.record.two_halves import join, make_half
    from feltd.text.as_owner import require_own

    require_own(file, "anybody who has that user would have the half; name a file in a folder of root's")
    if line is None:
        made = make_half(file)
        click.echo(f"{file}: one half, mode 0600: keep it away from the table, and a copy in a safe", err=True)
        click.echo(made.line)
        return
    public = join(file, line)
    click.echo(f"fingerprint: {public.fingerprint}; the other person must get the same", err=True)
    click.echo(f'[record]\nsealed_to = "{public}"')


@record.command(
    short_help="Agree that the other person reads cards that no round showed.",
    epilog="Exit codes: 0 fine; 2 the file, the half or the round cannot be read, or the half is of another key.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--half", "half_file", required=True, type=click.Path(dir_okay=False, path_type=Path), help="Your half's file."
)
@_rounds
@click.option("--who", required=True, metavar="NAME", help="Who agrees.")
@_why
@click.option(
    "--into",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="NEW_FILE",
    help="Where the agreement is written, for the other person.",
)
def agree(file: Path, half_file: Path, rounds: tuple[int, ...], who: str, why: str, into: Path) -> None:
    """Agree that the person with the other half reads the sealed cards of rounds in FILE, a journal or an export.

    Shows no card. What is written opens these rounds and no others, and only with the other half. Take FILE from the
    table or the floor yourself: in one that the other person made, a round may stand for another.

    \b
    Example:
      feltd record agree round-17.jsonl --half berg.half --round 17 --who "A. Berg" --why "dispute 4711" \\
          --into agreed-4711.json
    """
    from feltd.record.two_halves import agreement, joined_of, read_half, write_agreement
    from feltd.record.unsealing import boxes_of
    from feltd.text.as_owner import as_owner_of

    own = read_half(half_file)
    key = joined_of(own).fingerprint
    wanted = tuple(sorted(set(rounds)))
    with as_owner_of(file):
        journal_id, rows = _rows(file, key, wanted)
    made = agreement(own, journal_id, boxes_of(rows, journal_id, key, wanted), wanted, who, why)
    with as_owner_of(into):
        write_agreement(into, made)
    click.echo(f"{into}: for the other person's feltd record unseal --agreed", err=True)


@record.command(
    short_help="Show cards that no round showed.",
    epilog="Exit codes: 0 fine; 1 an entry does not open, it was changed; 2 the file, the key or the round cannot be "
    "read, or the key is another.",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--key",
    "key_file",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of the private key, or of your half of one.",
)
@click.option(
    "--agreed",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With a half: what the other person's feltd record agree wrote.",
)
@_rounds
@click.option("--who", required=True, metavar="NAME", help="Who reads them.")
@_why
@click.option(
    "--note",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="NEW_FILE",
    help="Where the note of this reading is written, before any card is shown; it names no card.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for programs.")
def unseal(
    file: Path,
    key_file: Path,
    agreed: Path | None,
    rounds: tuple[int, ...],
    who: str,
    why: str,
    note: Path,
    as_json: bool,
) -> None:
    """Show every sealed card of rounds in FILE, a journal or an export of one, to the holder of the private key.

    Where two people hold a half each, the other one agrees first, and what they wrote goes to --agreed.

    FILE may be a copy, on a machine away from the table, and nothing is written to it. The note of the reading is put
    on record at the table with feltd record enter.

    \b
    Examples:
      feltd record unseal round-17.jsonl --key surveillance.key --round 17 --who "A. Berg" --why "dispute 4711" \\
          --note reading-4711.json
      feltd record unseal table.journal --key surveillance.key --round 17 --round 18 --who "A. Berg" --why "order 12" \\
          --note reading-12.json --json
      feltd record unseal round-17.jsonl --key chan.half --agreed agreed-4711.json --round 17 --who "B. Chan" \\
          --why "dispute 4711" --note reading-4711.json
    """
    from feltd.record.reading_note import ReadingNote, write_note
    from feltd.record.two_halves import BothHalves, read_agreement, read_half
    from feltd.record.unseal_keys import read_private_key
    from feltd.record.unsealing import sealed_later, unsealed
    from feltd.text.as_owner import as_owner_of

    wanted = tuple(sorted(set(rounds)))
    by_two = None if agreed is None else read_agreement(agreed)
    private = read_private_key(key_file) if by_two is None else BothHalves(read_half(key_file), by_two)
    with as_owner_of(file):
        journal_id, rows = _rows(file, private.fingerprint, wanted)
    if isinstance(private, BothHalves):
        private.require_agreed(journal_id, wanted)
    found = list(unsealed(rows, journal_id, private, wanted))
    reading = ReadingNote.now(
        journal_id,
        wanted,
        who,
        why,
        private.fingerprint,
        agreed_by="" if by_two is None else by_two.who,
        agreement="" if by_two is None else by_two.fingerprint,
    )
    with as_owner_of(note):
        write_note(note, reading)
    for one in found:
        click.echo(json.dumps(_as_data(one)) if as_json else _as_line(one))
    click.echo(f"{note}: the note of this reading; put it on record with feltd record enter", err=True)
    for seq in sealed_later(rows, rounds):
        click.echo(f"note: entry {seq} was sealed after its round: it opens once the next round is over", err=True)
    shut = [one.seq for one in found if not one.opened]
    for seq in shut:
        click.echo(f"{file}: entry {seq} does not open: it was changed; see what feltd journal verify says", err=True)
    click.get_current_context().exit(PROBLEMS if shut else 0)


def _rows(file: Path, fingerprint: str, rounds: Sequence[int]) -> "tuple[bytes, list[Row]]":
    """The entries that have to do with these rounds: of a journal, or of an export, which is checked first."""
    from feltd.record import JournalReader, Span
    from feltd.record.export import rows_of_export, verify_export
    from feltd.record.unsealing import require_one_of, sealed_to
    from feltd.text.errors import FeltdError

    if not os.access(file, os.R_OK, effective_ids=True):
        raise FeltdError(f"{file}: cannot be read: Permission denied; run this as somebody who may read it")
    if _is_export(file):
        try:
            with file.open(encoding="utf-8") as lines:
                verify_export(lines)
            with file.open(encoding="utf-8") as lines:
                journal_id, rows = rows_of_export(lines)
        except UnicodeDecodeError:
            raise FeltdError(f"{file}: is no export: it is no text; export it again from the journal") from None
        except FeltdError as fault:
            raise FeltdError(f"{file}: {fault}") from None
    else:
        with JournalReader.open(file) as reader:
            journal_id = reader.journal_id
            rows = [row for number in sorted(set(rounds)) for row in reader.rows(Span(round=number))]
    require_one_of(sealed_to(rows), fingerprint, file)
    return journal_id, rows


def _is_export(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(1) == b"{"


def _as_data(one: "Unsealed") -> dict[str, Any]:
    return {
        "seq": one.seq,
        "round": one.round,
        "t": one.t,
        "wall": one.wall,
        "body": one.body if one.opened else None,
    }


def _as_line(one: "Unsealed") -> str:
    body = json.dumps({name: value for name, value in one.body.items() if name not in ("t", "ev")})
    return f"{one.seq:>8}  round {one.round}  {one.name:<16}  {body if one.opened else 'does not open'}"


@record.command(
    short_help="Put the note of a reading on record.",
    epilog="Exit codes: 0 fine; 2 the note was changed or is of another table's record, or the record takes no entry.",
)
@click.argument("note", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("config", type=click.Path(path_type=Path))
def enter(note: Path, config: Path) -> None:
    """Put the NOTE that feltd record unseal wrote on record, in the journal of CONFIG's table.

    The table must be stopped meanwhile: one process writes a journal. The entry has who read which rounds, when, why
    and with which key, and the fingerprint of the note.

    \b
    Example:
      feltd record enter reading-4711.json /etc/feltd/table.toml
    """
    from feltd.cli.stopped_table import put_on_record
    from feltd.record.notes import UNSEALED_NOTE
    from feltd.record.reading_note import read_note

    read = read_note(note)
    path, seq = put_on_record(
        config,
        bytes.fromhex(read.journal_id),
        note,
        lambda journal: journal.append_note(UNSEALED_NOTE, read.to_entry()),
    )
    click.echo(f"{path}: entry {seq}")
