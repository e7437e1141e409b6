"""`python -m tests.identity.record`: the digests of what the recorded journals give, written anew.

    python -m tests.identity.record             the outputs' digests: after a rule was meant to change
    python -m tests.identity.record --journals  the journals too: after the simulated table or the events changed

A journal holds the events of some rounds at the simulated table, of which most have a mistake.
"""

import argparse
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from devices.simulated.direct import play_rounds
from feltd.simulated.games import game_for, options_for
from table_fsm.events import Event, event_to_dict
from table_fsm.table import Table
from tests.identity.player import Player, books_of
from tests.identity.recorded import DIGESTS, FOLDER, book_of, journals, outputs_digest
from tests.identity.trees import REPOSITORY

ROUNDS: Final = 25
MISTAKE_RATE: Final = 0.6
SEATS: Final = (1, 2, 3, 4, 5, 6)
SEED: Final = 7


def record_journal(books: Mapping[str, Any], book: str) -> list[Event]:
    """The events of the rounds of one book. The same each time, while the simulated table stays as it is."""
    options = options_for(books[book])
    game = game_for(books[book], SEATS, options, seed=SEED, rounds=ROUNDS, mistake_rate=MISTAKE_RATE)
    table = Table(books)

    def apply(event: Event) -> list[dict[str, Any]]:
        return [output.to_dict() for output in table.apply(event)]

    return play_rounds(game, apply, options=options, button=game.button)


def write_journals(books: Mapping[str, Any], folder: Path) -> None:
    """A journal for each book, and none for a book that there is no more."""
    folder.mkdir(exist_ok=True)
    for journal in journals(folder):
        journal.unlink()
    for book in books:
        lines = [json.dumps(event_to_dict(event)) for event in record_journal(books, book)]
        packed = gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)
        (folder / f"{book}.jsonl.gz").write_bytes(packed)


def write_digests(books: Mapping[str, Any], folder: Path) -> None:
    """What each journal gives now."""
    player = Player(books)
    digests = {book_of(journal): outputs_digest(player, journal) for journal in journals(folder)}
    (folder / DIGESTS).write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Record as the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.identity.record", description=__doc__)
    parser.add_argument("--journals", action="store_true", help="play the journals anew too")
    books = books_of(REPOSITORY)
    if parser.parse_args().journals:
        write_journals(books, FOLDER)
    write_digests(books, FOLDER)


if __name__ == "__main__":
    main()
