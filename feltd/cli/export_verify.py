"""`feltd journal verify` of an export, and what an export's commands say alike."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from feltd.cli.exits import PROBLEMS

if TYPE_CHECKING:
    from feltd.record.export import ExportProof
    from feltd.record.findings import Elsewhere
    from feltd.record.unseal_keys import PrivateKey
    from feltd.record.unsealing import BoxCheck


def print_boxes(place: Path, found: "BoxCheck") -> None:
    """Print what the private key opened; the command ends with 1 where something does not open."""
    from feltd.text.printable import printable

    for seq, text in found.faults:
        click.echo(printable(f"{place}: entry {seq}: sealed: {text}"))
    if found.faults:
        click.get_current_context().exit(PROBLEMS)
    click.echo(f"sealed parts opened with the private key: {found.opened}")
    if found.others:
        rounds = ", ".join(map(str, sorted(found.others)))
        click.echo(f"note: sealed to another key or to nobody's, and not opened: rounds {rounds}", err=True)


def verify_export_file(file: Path, elsewhere: "Elsewhere", private: "PrivateKey | None" = None) -> None:
    """Check an export by itself, against anchors and heads; the command ends with 1 where it does not hold."""
    from feltd.record.export import rows_of_export, verify_export
    from feltd.record.unsealing import check_boxes
    from feltd.text.errors import JournalExportInvalid
    from feltd.text.printable import printable

    try:
        with file.open(encoding="utf-8") as lines:
            proof = verify_export(
                lines, anchors=elsewhere.anchors, heads=elsewhere.witness, first_key=elsewhere.first_key
            )
    except (JournalExportInvalid, UnicodeDecodeError) as fault:
        click.echo(printable(f"{file}: {fault}"))
        click.get_current_context().exit(PROBLEMS)
    click.echo(f"{file}: entries {proof.first} to {proof.last}, sound up to its anchor")
    click.echo(f"sealed parts opened: {proof.proved} proved, {proof.unproved} only asserted")
    if proof.devices is not None:
        click.echo(f"what {proof.devices} devices said of themselves: proved")
    if proof.book is not None:
        click.echo(
            f"entry {proof.book.entry}, before its first one, names the rulebook {proof.book.digest.hex()}: proved"
        )
        click.echo("that no entry between the two names another is the word of who made the export")
    say_what_is_left_out(proof.ends_before_round)
    if private is not None:
        with file.open(encoding="utf-8") as lines:
            journal_id, rows = rows_of_export(lines)
        print_boxes(file, check_boxes(rows, journal_id, private))
    _say_who_signed(proof, elsewhere)
    click.echo(str(proof.anchor))


def _say_who_signed(proof: "ExportProof", elsewhere: "Elsewhere") -> None:
    """Say what was proved by what was kept elsewhere, and what was not."""
    witness = elsewhere.witness
    first_key = elsewhere.first_key if witness is None else witness.first.key
    if proof.signed is not None and first_key is not None:
        click.echo(f"signed up to entry {proof.signed}, first key {first_key.hex()}")
        return
    if not any(anchor.seq == proof.anchor.seq for anchor in elsewhere.anchors):
        click.echo("note: proof only if this anchor equals one that was kept elsewhere (--anchors)", err=True)
    if proof.first_key is not None:
        click.echo(
            "note: the first key in its first line proves nothing by itself: it stands outside the chain, and who "
            "forges an export can write there what they like (--witness)",
            err=True,
        )


def say_what_is_left_out(round_number: int | None) -> None:
    if round_number is not None:
        click.echo(f"note: it ends before round {round_number}, which was not over", err=True)
