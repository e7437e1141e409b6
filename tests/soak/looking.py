"""What a process of a long run holds, and whether that has grown."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.process_cost import processor_time, resident

WARM: Final = 0.2
"""Part of a process's events after which its memory and descriptors are compared with those at the end."""
FILLED: Final = 13_000
"""Events before which they are not: until then a page that keeps the latest 4,096 answers, and at times twice as many,
has not had so many."""
JUDGED: Final = 30_000
"""Events of a process from which on its memory and open files are judged."""
GROWTH: Final = 2.0
"""MiB that the process may be larger at the end: allocators keep some."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at a process. `events`: in the record so far; `resident`: MiB; `descriptors`: files, ports and sockets
    that it has open; `processor`: seconds of one that it has taken."""

    events: int
    resident: float
    descriptors: int
    processor: float = 0.0


def look(pid: int, events: int) -> Sample:
    """What this process holds after so many events."""
    return Sample(events, resident(pid), len(os.listdir(f"/proc/{pid}/fd")), processor_time(pid))


def warm(samples: Sequence[Sample]) -> Sample:
    """The sample that the last one is compared with."""
    first, last = samples[0].events, samples[-1].events
    filled = WARM * (last - first) if last - first < JUDGED else max(FILLED, WARM * (last - first))
    return next(one for one in samples if one.events - first >= filled)


def is_judged(samples: Sequence[Sample]) -> bool:
    """Whether there were events enough to say what grows."""
    return samples[-1].events - samples[0].events >= JUDGED


def grown(samples: Sequence[Sample]) -> list[str]:
    """What has grown, in words; nothing after few events."""
    last, before = samples[-1], warm(samples)
    if not is_judged(samples):
        return []
    found = []
    if last.resident > before.resident + GROWTH:
        found.append(f"memory grew from {before.resident:.1f} to {last.resident:.1f} MiB")
    if last.descriptors > before.descriptors:
        found.append(f"open files grew from {before.descriptors} to {last.descriptors}")
    return found


def compared(samples: Sequence[Sample]) -> str:
    """Memory and open files of a process then and at its end, and what an event has cost meanwhile, in words."""
    before, last = warm(samples), samples[-1]
    each = 1000 * (last.processor - before.processor) / max(1, last.events - before.events)
    judged = "" if is_judged(samples) else ", too few events to judge both"
    return (
        f"memory {before.resident:.1f} → {last.resident:.1f} MiB, open files {before.descriptors} → "
        f"{last.descriptors}{judged}, {each:.2f} ms of a processor an event"
    )


def child(pid: int, word: str) -> int | None:
    """The process that this one started and whose command line has that word; None where there is none now."""
    for one in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        with suppress(OSError):
            if word in Path(f"/proc/{one}/cmdline").read_text(encoding="utf-8").split("\0"):
                return int(one)
    return None
