"""From an event to its synced acknowledgement through the journal, beside one bare `fdatasync` on the same disk."""

import asyncio
from pathlib import Path
from typing import Final

from feltd.bench.acknowledging import measure_acknowledgements
from tests.bench.report import Row, Spread, micro

GOAL: Final = 3.0  # times one bare fdatasync, p99


def measure(directory: Path, events: int) -> list[Row]:
    """The lines, of a journal in `directory`. Event, sync at a file's end and sync within a file take turns."""
    measured = asyncio.run(measure_acknowledgements(directory, events=events))
    acknowledged = _spread(measured.acknowledged)
    appending, overwriting = _spread(measured.bare_append), _spread(measured.bare_overwrite)
    ratio = acknowledged.p99 / appending.p99
    return [
        Row(
            f"Event to synced acknowledgement, {acknowledged.count} events",
            str(acknowledged),
            str(appending),
            ratio,
            f"p99 under {GOAL:g} × one bare fdatasync",
            ratio < GOAL,
        ),
        Row("– p50", micro(acknowledged.p50), micro(appending.p50), acknowledged.p50 / appending.p50),
        Row(
            "– p99 beside a sync within a file that does not grow",
            micro(acknowledged.p99),
            str(overwriting),
            acknowledged.p99 / overwriting.p99,
        ),
        Row("– what the event loop spends on it (two outputs)", str(_spread(measured.append))),
    ]


def _spread(seconds: list[float]) -> Spread:
    return Spread.of([value * 1e6 for value in seconds])
