"""Recorded journals: the events of rounds at the simulated table, and the digests of what they gave."""

import gzip
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.identity.player import Player
from tests.identity.streams import Fresh, Item, Outputs

FOLDER: Final = Path(__file__).parent / "recorded"
DIGESTS: Final = "outputs.json"


def journals(folder: Path) -> list[Path]:
    """The recorded journals, one a book, by name."""
    return sorted(folder.glob("*.jsonl.gz"))


def lines(journal: Path) -> list[str]:
    """The lines of a journal, one event each."""
    return gzip.decompress(journal.read_bytes()).decode().splitlines()


def book_of(journal: Path) -> str:
    """The rulebook that a journal was recorded with."""
    return journal.name.removesuffix(".jsonl.gz")


class Recorded:
    """Every journal of a folder, each on a table of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def items(self) -> Iterator[Item]:
        """All of them, one after the other."""
        for journal in journals(self._folder):
            yield Fresh(f"recorded {journal.name}")
            yield from lines(journal)

    def heard(self, outputs: Outputs, view: dict[str, object] | None) -> None:
        """A journal does not listen."""


def outputs_digest(player: Player, journal: Path) -> str:
    """SHA-256, as hex, of the output lines that a journal gives, key order and all."""
    digest = sha256()
    player.set_up(Fresh(journal.name))
    for line in lines(journal):
        for output in player.take(line):
            digest.update(json.dumps(output).encode() + b"\n")
    return digest.hexdigest()
