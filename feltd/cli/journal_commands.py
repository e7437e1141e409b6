"""`feltd journal show|verify|export|keep|replay|phh|set-aside|from-floor`."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from feltd.cli.exits import PROBLEMS
from feltd.cli.export_verify import print_boxes, say_what_is_left_out, verify_export_file
from feltd.cli.hand_command import phh
from feltd.cli.journal_aside import from_floor_command, set_aside_command
from feltd.cli.journal_replay import replay
from feltd.cli.unseal_option import require_right_key, unseal_option

if TYPE_CHECKING:
    from feltd.record import Entry
    from feltd.record.findings import Elsewhere, Verification
    from feltd.record.signed_heads import Heads
    from feltd.record.unseal_keys import PrivateKey

_MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"])
_journal_argument = click.argument("journal", type=click.Path(exists=True, dir_okay=False, path_type=Path))


@click.group(name="journal", short_help="Read a table's record.")
def journal() -> None:
    """Read a table's record: every event and every answer, chained so that no change goes unseen.

    All of these may be used beside a table that plays: nothing is written to the record. Face-down cards are sealed in
    it until their round is over, and stay null until then. Cards that the round did not show stay sealed after it, to
    a key that the table does not have: see feltd record.
    """


@journal.command(short_help="Show the entries.", epilog="Exit codes: 0 fine; 2 the journal cannot be read.")
@_journal_argument
@click.option("--last", type=click.IntRange(1), metavar="N", help="The newest N entries only.")
@click.option("--round", "round_number", type=click.IntRange(0), metavar="N", help="One round's entries only.")
@click.option(
    "--kind",
    type=click.Choice(["event", "output", "host"]),
    help="What came in, what was answered, or the host's own notes.",
)
@click.option(
    "--name", metavar="NAME", help="Entries of one name only: an event's ev, or an output's key (ruling, alarm, …)."
)
@click.option("--device", metavar="DEVICE", help="Events from one device only.")
@click.option("--after", type=int, metavar="SEQ", help="Entries after this one only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for programs.")
def show(
    journal: Path,
    last: int | None,
    round_number: int | None,
    kind: str | None,
    name: str | None,
    device: str | None,
    after: int | None,
    as_json: bool,
) -> None:
    """Show the entries of JOURNAL.

    \b
    Examples:
      feltd journal show table.journal --last 20
      feltd journal show table.journal --name ruling
      feltd journal show table.journal --round 17 --json | jq .body
    """
    from itertools import islice

    from feltd.record import EntryKind, JournalReader, Span
    from feltd.text.as_owner import as_owner_of
    from feltd.text.printable import printable

    span = Span(after=after, round=round_number, kind=EntryKind(kind) if kind else None, name=name, device=device)
    with as_owner_of(journal), JournalReader.open(journal) as reader:
        entries: Iterator[Entry] = reader.entries(span, newest_first=last is not None)
        if last is not None:
            entries = reversed(list(islice(entries, last)))
        for entry in entries:
            click.echo(printable(_as_json(entry.to_dict()) if as_json else _as_line(entry)))


def _as_line(entry: "Entry") -> str:
    wall = datetime.fromtimestamp(entry.wall, UTC).strftime("%Y-%m-%d %H:%M:%S")
    where = f"round {entry.round}" if entry.round is not None else "-"
    device = f" [{entry.source.device}]" if entry.source else ""
    return f"{entry.seq:>8}  {wall}Z  {where:<10}  {entry.kind:<6}  {entry.name}{device}  {_as_json(entry.body)}"


def _as_json(value: Any) -> str:
    from pydantic_core import to_json

    return to_json(value).decode()


@journal.command(
    short_help="Prove that nothing was changed.",
    epilog="Exit codes: 0 the chain holds; 1 it does not: each finding is printed; 2 the file is no journal, or a key "
    "or an anchor cannot be read.",
)
@_journal_argument
@click.option(
    "--anchors",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="Anchors that were kept elsewhere, one a line: up to them nothing can have been put back.",
)
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The journal's key: it proves that the end of the chain was written by its owner. Not needed for the rest.",
)
@click.option(
    "--first-key",
    metavar="KEY",
    help="The key that signed the record's first head, as `feltd check` printed it then: 64 hexadecimal digits. "
    "Another one is a finding; that an export names the same one proves nothing by itself.",
)
@click.option(
    "--witness",
    metavar="FILE|ADDRESS",
    help="A copy of JOURNAL.heads that was kept where this machine cannot write, or a witness and what it calls this "
    "table (tls://HOST:PORT/TABLE): what it knows cannot be put back.",
)
@click.option(
    "--witness-authority",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Who signed the witness's certificate, PEM; the machine's own authorities, if not said.",
)
@click.option(
    "--floor-key",
    "floor_keys",
    metavar="KEY",
    multiple=True,
    help="The floor's key for receipts, as `feltd floor receipt-key` printed it; may be given twice. A receipt by "
    "another is a finding.",
)
@unseal_option
def verify(
    journal: Path,
    anchors: TextIO | None,
    key: Path | None,
    first_key: str | None,
    witness: str | None,
    witness_authority: Path | None,
    floor_keys: tuple[str, ...],
    unseal: Path | None,
) -> None:
    """Check every entry of JOURNAL against the chain of hashes: what was changed, is missing, or was put elsewhere.

    The signed heads in JOURNAL.heads are read with it. JOURNAL may be an export, too. Cards that no round showed stay
    sealed; with --unseal each of them is opened, and one that does not open is a finding. An export has no signed heads
    beside it: it is held against those of --witness, and the keys that it names against --first-key. Last an anchor is
    printed: keep it where this machine cannot reach, and give it with --anchors one day.

    \b
    Examples:
      feltd journal verify table.journal
      feltd journal verify table.journal | grep ^feltd-anchor >> /mnt/elsewhere/anchors
      feltd journal verify table.journal --anchors /mnt/elsewhere/anchors
      feltd journal verify table.journal --witness tls://witness.example:7453/table-7
    """
    from feltd.record.findings import Anchor, Elsewhere
    from feltd.record.receipts import parse_floor_key
    from feltd.record.signed_heads import parse_key
    from feltd.record.unseal_keys import read_private_key
    from feltd.table.config.key_files import read_key
    from feltd.text.as_owner import as_owner_of

    kept = tuple(Anchor.parse(line) for line in anchors or () if line.strip())
    signed_first = None if first_key is None else parse_key(first_key)
    witnessed = None if witness is None else _kept_by(witness, witness_authority)
    elsewhere = Elsewhere(kept, signed_first, witnessed, tuple(map(parse_floor_key, floor_keys)))
    private = None if unseal is None else read_private_key(unseal)
    owners_key = None if key is None else read_key(key)
    with as_owner_of(journal):
        if _is_export(journal):
            verify_export_file(journal, elsewhere, private)
        else:
            _verify_journal(journal, elsewhere, owners_key, private)


def _kept_by(witness: str, authority: Path | None) -> "Heads":
    """The heads of a file, or of a witness that is asked."""
    from feltd.record.signed_heads import read_heads
    from feltd.witness.asking import client_context, heads_of
    from feltd.witness.wire import is_address, parse_address

    if is_address(witness):
        address = parse_address(witness, of_table=True)
        return heads_of(address, client_context(address, authority))
    heads = read_heads(Path(witness))
    if heads is None:
        raise click.BadParameter(f"file '{witness}' does not exist.", param_hint="'--witness'")
    return heads


def _verify_journal(
    journal: Path, elsewhere: "Elsewhere", owners_key: bytes | None, private: "PrivateKey | None"
) -> None:
    """Check a journal; the command ends with 1 where it does not hold."""
    from feltd.record import JournalReader, Span
    from feltd.record.unsealing import check_boxes
    from feltd.record.verify import anchor_of
    from feltd.record.verify import verify as check
    from feltd.text.errors import JournalCorrupt

    ctx = click.get_current_context()
    try:
        opened = JournalReader.open(journal, owners_key)
    except JournalCorrupt as damage:
        if not _is_database(journal):
            raise
        click.echo(f"{journal}: not as it was written, and so damaged that no entry can be named: keep it as evidence")
        click.echo(f"note: {damage.__cause__ or damage}", err=True)
        ctx.exit(PROBLEMS)
    with opened as reader:
        verification = check(reader, elsewhere, progress=_show_progress if sys.stderr.isatty() else None)
        _print_faults(journal, verification)
        if not verification.sound:
            ctx.exit(PROBLEMS)
        if private is not None:
            require_right_key(reader, private)
            print_boxes(journal, check_boxes(reader.rows(Span()), reader.journal_id, private))
        click.echo(f"{journal}: {verification.entries} entries, sound")
        _say_who_signed(verification, elsewhere)
        _say_what_the_floor_has(verification, elsewhere)
        if not verification.made_named:
            click.echo(
                "note: no start of this record tells when and in which edition it was made: the file alone does",
                err=True,
            )
        if verification.authenticated is None:
            click.echo("note: without the journal's key nobody vouches for the end of the chain (--key)", err=True)
        click.echo(str(anchor_of(reader)))


def _say_who_signed(verification: "Verification", elsewhere: "Elsewhere") -> None:
    signed = verification.signed
    if signed is None:
        click.echo("note: no head of this record was signed: an earlier version wrote it", err=True)
        return
    last = signed.heads[-1].seq if signed.heads else 0
    click.echo(f"signed heads: {len(signed.heads)}, up to entry {last}, first key {signed.first.key.hex()}")
    if elsewhere.first_key is None and elsewhere.witness is None:
        click.echo("note: proof only if the first key is the one that was printed then (--first-key)", err=True)


def _say_what_the_floor_has(verification: "Verification", elsewhere: "Elsewhere") -> None:
    last = verification.receipts.last
    if last is None:
        if elsewhere.floor_keys:
            click.echo("note: there is no receipt of the floor in this record", err=True)
        return
    click.echo(f"the floor's receipts: {verification.receipts.count}, up to entry {last.entry}, key {last.key.hex()}")
    if not elsewhere.floor_keys:
        click.echo("note: proof only if this is the floor's key (--floor-key)", err=True)


def _print_faults(journal: Path, verification: "Verification") -> None:
    from feltd.text.printable import printable

    for fault in verification.faults:
        click.echo(printable(f"{journal}: entry {fault.seq}: {fault.kind}: {fault.text}"))
    if verification.unlisted:
        click.echo(f"{journal}: and {verification.unlisted} more")
    for jump in verification.jumps:
        click.echo(printable(f"{journal}: entry {jump.seq}: jump: {jump.text}"))
    for clock in verification.clocks:
        click.echo(f"{journal}: entry {clock.seq}: clock: {clock.text}")


def _is_database(file: Path) -> bool:
    """Whether it was a journal once, and not some other file given by mistake."""
    with file.open("rb") as content:
        return content.read(16) == b"SQLite format 3\0"


def _is_export(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(1) == b"{"


def _show_progress(done: int, of: int) -> None:
    click.echo(f"\r\x1b[K{done}/{of} entries" if done < of else "\r\x1b[K", nl=False, err=True)


@journal.command(
    short_help="Write out a part with its proof.",
    epilog="Exit codes: 0 fine; 2 the journal cannot be read, or does not have these entries.",
)
@_journal_argument
@click.option("--round", "round_number", type=click.IntRange(0), metavar="N", help="The entries of one round.")
@click.option(
    "--from", "first", type=click.IntRange(1), metavar="SEQ", help="The first entry; the journal's, if not said."
)
@click.option("--to", "last", type=click.IntRange(1), metavar="SEQ", help="The last entry; the journal's, if not said.")
@click.option("--since", type=_MOMENT, metavar="TIME", help="What was written from then on; local time.")
@click.option("--until", type=_MOMENT, metavar="TIME", help="What was written up to then; local time.")
@click.option("--through", type=click.IntRange(1), metavar="SEQ", help="Prove it by the anchor of this later entry.")
@click.option(
    "--on-record",
    type=(click.Path(path_type=Path), str),
    metavar="CONFIG NAME",
    help="The table's file, and who is handed the part: the record says so first. The table must be stopped.",
)
def export(
    journal: Path,
    round_number: int | None,
    first: int | None,
    last: int | None,
    since: datetime | None,
    until: datetime | None,
    through: int | None,
    on_record: tuple[Path, str] | None,
) -> None:
    """Write a part of JOURNAL as JSON Lines, with all it takes to prove it: for an auditor, or a bug report.

    Cards that a round showed are opened once it is over; cards that no round showed stay sealed (feltd record). A round
    in progress is left out: the part ends before it, and says so. What lies between the part and its anchor is proved
    by hashes, and not shown. feltd journal verify checks an export, too.

    Without --on-record the export is not on record: who may read JOURNAL may copy it. While the table plays, the page
    hands out exports and puts them on record.

    \b
    Examples:
      feltd journal export table.journal --round 17 > round-17.jsonl
      feltd journal export table.journal --from 900 --to 950 --through 1200 > part.jsonl
      feltd journal export table.journal --since "2026-11-21 18:00:00" --until "2026-11-22 02:00:00" > shift.jsonl
      feltd journal export table.journal --round 17 --on-record table.toml "A. Berg" > round-17.jsonl
      feltd journal verify round-17.jsonl --anchors anchors
    """
    import json

    from feltd.cli.stopped_table import put_export_on_record
    from feltd.record import JournalReader
    from feltd.record.export import closed_part, export_round, span_between
    from feltd.record.export import export as lines_of
    from feltd.text.as_owner import as_owner_of

    if sum((round_number is not None, bool(first or last), bool(since or until))) > 1:
        raise click.UsageError("name the entries once: by --round, by --from and --to, or by --since and --until")

    def begun(reader: JournalReader) -> Iterator[str]:
        if round_number is not None:
            return export_round(reader, round_number, through=through)
        return lines_of(reader, first or 1, last or through or reader.head().seq, through=through)

    with as_owner_of(journal), JournalReader.open(journal) as reader:
        if since or until:
            span = span_between(reader, _seconds(since), _seconds(until))
            if span is None:
                raise click.UsageError("nothing was written in this time")
            first, last = span
        last = last or through or reader.head().seq
        first_line = next(begun(reader))
        span_of_it = (first or 1, last if round_number is not None else closed_part(reader, first or 1, last)[0])
        journal_id = reader.journal_id
    if on_record is None:
        click.echo("note: no record says that this part was handed out (--on-record)", err=True)
    else:
        put_export_on_record(*on_record, journal, journal_id, round_number, span_of_it)
    say_what_is_left_out(json.loads(first_line).get("ends_before_round"))
    with as_owner_of(journal), JournalReader.open(journal) as reader:
        for line in begun(reader):
            click.echo(line)


def _seconds(local: datetime | None) -> float | None:
    return None if local is None else local.timestamp()


@journal.command(
    short_help="Verify, and write out what is new.",
    epilog="Exit codes: 0 the record is sound; 1 it is not: each finding is printed, and nothing is written; 2 the "
    "configuration, the journal, its key or an anchor cannot be read, or the folder cannot be written.",
)
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where exports and anchors are kept; the folder exports beside the journal, if not said.",
)
@click.pass_context
def keep(ctx: click.Context, config: Path, into: Path | None) -> None:
    """Verify the record of CONFIG's table, and write out the rounds that have ended since the last time.

    The record is held against the journal's key and every anchor in DIR. Each file there is an export that proves
    itself and begins where the one before ended; copy DIR to another machine. The timer feltd-record does this daily.

    \b
    Examples:
      feltd journal keep /etc/feltd/table.toml
      feltd journal keep /etc/feltd/table.toml --into /mnt/elsewhere/table-7
    """
    from feltd.record import JournalReader
    from feltd.table.config.config import load_config
    from feltd.table.host.memory import keep_to_itself
    from feltd.table.journal.keeping import keep as keep_what_is_new
    from feltd.text.as_owner import as_owner_of

    keep_to_itself()  # before the key that seals the record is read
    place = load_config(config).journal
    folder, key = into or place.path.with_name("exports"), place.sealing_key_file.read()
    with as_owner_of(place.path), JournalReader.open(place.path, key) as reader:
        kept = keep_what_is_new(reader, folder)
    _print_faults(place.path, kept.verification)
    if not kept.verification.sound:
        ctx.exit(PROBLEMS)
    click.echo(f"{place.path}: {kept.verification.entries} entries, sound")
    if kept.file is None:
        click.echo("no round has ended since the last time")
    else:
        click.echo(f"{kept.file}: entries {kept.first} to {kept.last}")


journal.add_command(phh)
journal.add_command(replay)
journal.add_command(set_aside_command)
journal.add_command(from_floor_command)
