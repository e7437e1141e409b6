"""The option `--unseal FILE` of commands that read a record."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from feltd.record import JournalReader
    from feltd.record.unseal_keys import PrivateKey

unseal_option = click.option(
    "--unseal",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The private key (feltd record key) that opens cards which no round showed.",
)


def require_right_key(reader: "JournalReader", key: "PrivateKey") -> None:
    """Raise UnsealKeyError where nothing of a record is sealed to this key, and something is to another."""
    from feltd.record import HostEntry, Span
    from feltd.record.unsealing import require_one_of, sealed_to

    require_one_of(sealed_to(reader.rows(Span(name=HostEntry.ROUND_END))), key.fingerprint, reader.path)
