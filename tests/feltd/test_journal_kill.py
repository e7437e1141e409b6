"""kill -9 at random moments: what was acknowledged is there, everything verifies, nothing is half there.

`FELTD_KILLS` sets how many kills there are at least (36); half of them hit a journal that gathers its entries.
"""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from feltd.record import EntryKind, JournalReader, Span
from feltd.record.verify import verify
from feltd.table.journal import Journal

KEY = bytes(range(32))
KILLS: Final = 9
"""In one journal: all of it is verified after each."""
JOURNALS: Final = -(-int(os.environ.get("FELTD_KILLS", "36")) // (2 * KILLS))
LEAD: Final = 60
"""Steps after its acknowledgements until a writer that is still not killed writes no more. A kill is due within some
ten; where other work holds it up, a writer wrote thousands of entries meanwhile."""
AHEAD: Final = 200
"""Steps that a writer is at most ahead of the last that was acknowledged: on a slow disk the journal refuses more."""

WRITERS = """
import asyncio, os, sys
from pathlib import Path
from feltd.record import Source
from feltd.table.journal import Journal
from table_fsm.events import CardPlaced, HandEnd
from table_fsm.outputs import Gate, Output

def say(word, number):
    os.write(1, f"{word} {number}\\n".encode())  # in one piece: a kill left half a line

async def write(path, gather, asked, lead, ahead):
    journal = Journal.open(path, bytes(range(32)), gather_seconds=gather)
    t = journal.reader.last_t() or 0.0
    sent = journal.resume_points().get("reader", (b"boot", 0))[1]
    number = journal.open_rounds[-1] if journal.open_rounds else 1
    synced = []
    behind = []
    journal.on_synced(lambda seq: (synced.append(seq), behind.clear(), say("synced", seq)))
    journal.begin_round(number)
    late = 0
    while late < lead:
        while len(behind) > ahead:
            await asyncio.sleep(0.001)
        behind.append(sent)
        late += len(synced) >= asked
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
    await asyncio.Event().wait()

for asked in sys.stdin:
    child = os.fork()
    if not child:
        asyncio.run(write(Path(sys.argv[1]), float(sys.argv[2]), int(asked), int(sys.argv[3]), int(sys.argv[4])))
    say("writer", child)
    _, status = os.waitpid(child, 0)
    say("ended", os.waitstatus_to_exitcode(status))
"""
"""It has loaded all modules, opens nothing, and gives a process of its own to each writer that it is asked for: to
load them anew for each took nine tenths of this test."""


@contextmanager
def writers(path: Path, gather: float) -> Iterator["subprocess.Popen[str]"]:
    """What starts writers of a journal."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITERS, str(path), str(gather), str(LEAD), str(AHEAD)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as mother:  # fmt: skip
        yield mother
        assert mother.stdin is not None
        mother.stdin.close()
        assert mother.wait() == 0


def write_until_killed(mother: "subprocess.Popen[str]", acknowledgements: int, delay: float) -> int:
    """Starts a writer, kills it `delay` seconds after so many acknowledgements; the highest that came out of it."""
    assert mother.stdin is not None
    assert mother.stdout is not None
    print(acknowledgements, file=mother.stdin, flush=True)
    last = pid = count = 0
    for line in mother.stdout:
        word, number = line.split()
        if word == "ended":
            assert int(number) == -signal.SIGKILL
            return last
        if word == "writer":
            pid = int(number)
        else:
            last, count = int(number), count + 1
        if pid and count >= acknowledgements:  # the writer may say much before its mother names it
            threading.Timer(delay, os.kill, (pid, signal.SIGKILL)).start()
            acknowledgements = sys.maxsize
    raise AssertionError("whoever starts the writers has ended")


@pytest.mark.slow
@pytest.mark.parametrize("gather", [0.0, 0.01])
def test_nothing_acknowledged_is_lost_and_nothing_is_half_there(tmp_path: Path, gather: float) -> None:
    seeded = random.Random(20)
    for number in range(JOURNALS):
        path = tmp_path / f"table-{number}.journal"
        with writers(path, gather) as mother:
            for _ in range(KILLS):
                _all_is_there(path, write_until_killed(mother, seeded.randint(1, 40), seeded.uniform(0.0, 0.01)))


def _all_is_there(path: Path, acknowledged: int) -> None:
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
    snapshot = journal.reader.last_snapshot()
    replayed = journal.events_since(snapshot.seq if snapshot else 0)
    assert len(replayed) == last.source.seq % 20
    journal.close()
