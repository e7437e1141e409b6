"""Messages of devices that break MESSAGES.md, on their way into the record.

A few are recorded one by one; many are gathered, so that a device that floods does not fill the disk. Every message is
counted, and its device is not acknowledged before the record names it. So a device can have sent one window of messages
at most, and waits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from feltd.record import Source

SPAN: Final = 0.1
"""Table seconds in which the record gets at most one entry of a device."""


@dataclass(frozen=True, slots=True)
class BadMessages:
    """Bad messages of one device in succession.

    `fault`: the fault of the first; `last`: the source of the last.
    """

    fault: str
    last: Source
    times: int = 1


class BadMessageBatch:
    """Gathers bad messages by device, and says when to record them.

    Times are table seconds.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, BadMessages] = {}
        self._recorded: dict[str, float] = {}

    @property
    def waiting(self) -> Mapping[str, BadMessages]:
        """The messages gathered so far, by device."""
        return self._waiting

    def take(self, fault: str, source: Source, now: float) -> bool:
        """Add a message; return whether to record the gathered ones of its device now."""
        before = self._waiting.get(source.device)
        bad = BadMessages(fault, source) if before is None else replace(before, last=source, times=before.times + 1)
        self._waiting[source.device] = bad
        last = self._recorded.get(source.device)
        return last is None or now - last >= SPAN

    def release(self, device: str, now: float) -> BadMessages | None:
        """Return the gathered messages of a device, to be recorded before its next event; else None."""
        bad = self._waiting.pop(device, None)
        if bad is not None:
            self._recorded[device] = now
        return bad
