"""Tells the outside what the journal holds: each entry as a line, as soon as it is synced.

    python -m hil_tests.guest.feed JOURNAL OUT [MARK]

MARK is a file that is waited for before the journal is opened: a reader that comes while it is made is in its way.
A line is `[seq, kind, name, device, boot, number, {…}]`, without what is sealed; boot and number are the device's own.
SQLite shows a commit to readers only after it has synced it, so nothing is told that a power cut could take back.
"""

import json
import sys
import time
from pathlib import Path

from feltd.record.reader import JournalReader
from feltd.record.stored_rows import Span
from feltd.text.errors import JournalError

POLL_SECONDS = 0.03


def main() -> None:
    journal, seq = Path(sys.argv[1]), 0
    with Path(sys.argv[2]).open("w", encoding="utf-8") as out:
        out.write("\n")  # a line that a reset broke off ends here
        while not all(Path(mark).exists() for mark in sys.argv[3:]):
            time.sleep(POLL_SECONDS)
        reader = _opened(journal)
        while True:
            for entry in reader.entries(Span(after=seq)):
                seq = entry.seq
                said = entry.source
                source = [None] * 3 if said is None else [said.device, said.boot_id.hex(), said.seq]
                out.write(json.dumps([seq, entry.kind, entry.name, *source, entry.body]) + "\n")
            out.flush()
            time.sleep(POLL_SECONDS)


def _opened(journal: Path) -> JournalReader:
    """The journal, once it is there and has its tables."""
    while True:
        try:
            return JournalReader.open(journal)
        except JournalError:
            time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    main()
