"""Messages of devices that MESSAGES.md does not have, on their way into the record: each alone while they are few,
gathered where they are many, so that a device that floods fills no disk.

None is passed over: what is gathered is counted, and its device is not acknowledged before the record names it. So it
can have sent one window of them at most, and waits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from feltd.record import Source

SPAN: Final = 0.1
"""Table seconds in which the record gets one entry of a device at most."""


@dataclass(frozen=True, slots=True)
class BadMessages:
    """Bad messages of one device in a row. `fault`: what is wrong with the first; `last`: the last one's source."""

    fault: str
    last: Source
    times: int = 1


class BadMessageBatch:
    """Gathers bad messages by device, and says when the gathered are to be recorded. Times are table seconds."""

    def __init__(self) -> None:
        self._waiting: dict[str, BadMessages] = {}
        self._recorded: dict[str, float] = {}

    @property
    def waiting(self) -> Mapping[str, BadMessages]:
        """The messages gathered so far, by device."""
        return self._waiting

    def take(self, fault: str, source: Source, now: float) -> bool:
        """Add a message; returns whether the gathered ones of its device are to be recorded now."""
        before = self._waiting.get(source.device)
        bad = BadMessages(fault, source) if before is None else replace(before, last=source, times=before.times + 1)
        self._waiting[source.device] = bad
        last = self._recorded.get(source.device)
        return last is None or now - last >= SPAN

    def release(self, device: str, now: float) -> BadMessages | None:
        """Hand out what is gathered of a device, to be recorded before its next event; None where nothing is."""
        bad = self._waiting.pop(device, None)
        if bad is not None:
            self._recorded[device] = now
        return bad
