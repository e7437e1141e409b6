"""From an event to the state at ten readers over real HTTP, and what readers who never read cost the table.

A state that is sent gathers what has happened in the last moments; an event has arrived with the first state that
tells of as many entries in the record. Readers are a process of their own, on the same machine and clock.
"""

import asyncio
import json
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from table_fsm.events import Event
from tests.bench.readers import ASK
from tests.bench.report import Row, Spread, micro
from tests.bench.serving import PACE, Serving, TakenEvent, serving

READERS: Final = 10
DEAD: Final = 10
GOAL: Final = 200e3  # microseconds, p99
HARM: Final = 1.5  # times the table's own p99: more is a difference, less is the machine's unrest
MEMORY: Final = 16.0  # MiB


def measure(directory: Path, events: Sequence[Event]) -> list[Row]:
    """The lines. A third of the events with the readers alone, the rest with as many beside them that never read."""
    return asyncio.run(_measure(directory / "watching", events))


async def _measure(folder: Path, events: Sequence[Event]) -> list[Row]:
    alone, beside = events[: len(events) // 3], events[len(events) // 3 :]
    async with serving(folder) as table:
        readers = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.bench.readers", str(table.port), str(READERS),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**26,
        )  # fmt: skip
        assert readers.stdout is not None
        await readers.stdout.readline()
        calm = await table.take(alone)
        before = _resident()
        dead = [_never_reading(table) for _ in range(DEAD)]
        harried = await table.take(beside)
        grown = _resident() - before
        await asyncio.sleep(0.5)  # the last state is on its way
        said, _ = await readers.communicate(b"")
        for one in dead:
            one.close()
    heard: list[list[tuple[int, float]]] = json.loads(said)
    return [_arrival(calm + harried, heard), *_harm(calm, harried, grown)]


def _never_reading(table: Serving) -> socket.socket:
    dead = socket.socket()
    dead.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    dead.connect(("127.0.0.1", table.port))
    dead.sendall(ASK)
    return dead


def arrivals(taken: Sequence[TakenEvent], heard: Sequence[Sequence[tuple[int, float]]]) -> list[float]:
    """Seconds from each event to each who heard of it. Both in the order of time."""
    found: list[float] = []
    for states in heard:
        at = 0
        for event in taken:
            while at < len(states) and states[at][0] < event.entries:
                at += 1
            if at < len(states):
                found.append(states[at][1] - event.wall)
    return found


def _arrival(taken: Sequence[TakenEvent], heard: Sequence[Sequence[tuple[int, float]]]) -> Row:
    spread = Spread.of([seconds * 1e6 for seconds in arrivals(taken, heard)])
    return Row(
        f"Event to the state at {len(heard)} readers over HTTP, {len(taken)} events",
        str(spread),
        goal=f"p99 under {micro(GOAL)}",
        reached=spread.p99 < GOAL,
    )


def _harm(calm: Sequence[TakenEvent], harried: Sequence[TakenEvent], grown: float) -> list[Row]:
    without, having = (Spread.of([event.took * 1e6 for event in taken]) for taken in (calm, harried))
    ratio = having.p99 / without.p99
    return [
        Row(
            f"Event through table and keeper, {DEAD} readers beside that never read",
            str(having),
            str(without),
            ratio,
            f"p99 under {HARM:g} × that without them",
            ratio < HARM,
        ),
        Row(
            f"– memory for them in {len(harried) * PACE:.0f} s",
            f"{grown:.1f} MiB",
            goal=f"under {MEMORY:g} MiB",
            reached=grown < MEMORY,
        ),
    ]


def _resident() -> float:
    """MiB of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20
