"""kill -9 at random moments: what was acknowledged is there, everything verifies, nothing is half there."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from feltd.record import EntryKind, JournalReader, Span
from feltd.record.verify import verify
from feltd.table.journal import Journal

KEY = bytes(range(32))
KILLS = 36

WRITER = """
import asyncio, sys
from pathlib import Path
from feltd.record import Source
from feltd.table.journal import Journal
from table_fsm.events import CardPlaced, HandEnd
from table_fsm.outputs import Gate, Output

async def main(path, gather):
    journal = Journal.open(path, bytes(range(32)), gather_seconds=gather)
    t = journal.last_t() or 0.0
    sent = journal.resume_points().get("reader", (b"boot", 0))[1]
    number = journal.open_rounds[-1] if journal.open_rounds else 1
    journal.on_synced(lambda seq: print(seq, flush=True))
    journal.begin_round(number)
    while True:
        t, sent = t + 1.0, sent + 1
        with journal.together(may_wait=True):
            source = Source("reader", b"boot", sent)
            kind = HandEnd(t=t) if sent % 20 == 0 else CardPlaced(t=t, zone="seat:1", card="As")
            journal.append_event(kind, source=source, round_number=number, rulebook_digest="ab" * 32)
            for _ in range(2):
                journal.append_output(Output(t, Gate(locked=True)), round_number=number, rulebook_digest="ab" * 32)
            if sent % 20 == 0:
                journal.end_round(number)
                journal.append_snapshot("{}", round_number=number + 1, rulebook_digest="ab" * 32)
                number += 1
                journal.begin_round(number)
        await asyncio.sleep(0 if sent % 3 else 0.001)

asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2])))
"""


def write_until_killed(path: Path, acknowledgements: int, delay: float, gather: float) -> int:
    """Runs a writer, kills it `delay` seconds after so many acknowledgements; the highest that came out of it."""
    last = 0
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(gather)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        for count, line in enumerate(writer.stdout, 1):
            last = int(line)
            if count == acknowledgements:
                threading.Timer(delay, os.kill, (writer.pid, signal.SIGKILL)).start()
        assert writer.wait() == -signal.SIGKILL
    return last


@pytest.mark.slow
@pytest.mark.parametrize("gather", [0.0, 0.01])
def test_nothing_acknowledged_is_lost_and_nothing_is_half_there(tmp_path: Path, gather: float) -> None:
    path = tmp_path / "table.journal"
    seeded = random.Random(20)
    for _ in range(KILLS):
        acknowledged = write_until_killed(path, seeded.randint(1, 40), seeded.uniform(0.0, 0.01), gather)
        with JournalReader.open(path, KEY) as reader:
            found = verify(reader)
            assert found.sound, found.faults
            assert found.authenticated
            assert found.entries >= acknowledged
            last = next(reader.entries(Span(kind=EntryKind.EVENT), newest_first=True))
            assert last.source is not None
            ends = last.name == "hand.end"
            # a step is there whole: the event, its two answers, and at a round's end all that belongs to that
            after = [entry.name for entry in reader.entries(Span(after=last.seq))]
            assert after == ["shoe", "shoe", *(["round.end", "resume", "snapshot", "round.begin"] if ends else [])]
            sent = [row.device_seq for row in reader.rows(Span(kind=EntryKind.EVENT))]
            assert sent == list(range(1, len(sent) + 1))  # none lost, none twice, over all restarts
        journal = Journal.open(path, KEY)
        assert journal.resume_points() == {"reader": (b"boot", last.source.seq)}
        snapshot = journal.last_snapshot()
        replayed = journal.events_since(snapshot.seq if snapshot else 0)
        assert len(replayed) == last.source.seq % 20
        journal.close()
