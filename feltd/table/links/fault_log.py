"""Device faults reported to the staff, for the page and the log: newest first.

A fault that repeats itself is reported once, with a count, so that a device that floods hides nothing else.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, overload

from devices.drivers.cleaning import clean_text

FAULTS_SHOWN: Final = 20
TEXT_MAX: Final = 400
LOGGED_AGAIN_AFTER: Final = 60.0
"""Seconds after which the log names a lasting fault once more. Before that it does when the count is tenfold."""

_log = logging.getLogger("feltd.devices")


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """A device, or a driver, that broke the rules.

    `wall`: the last time, in seconds since 1970.
    """

    wall: float
    device: str
    text: str
    times: int = 1

    def __str__(self) -> str:
        return self.text if self.times == 1 else f"{self.text} ({self.times} times)"


class FaultLog(Sequence[DeviceFault]):
    """The latest faults, newest first."""

    def __init__(self, wall: Callable[[], float]) -> None:
        self._wall = wall
        self._shown: deque[DeviceFault] = deque(maxlen=FAULTS_SHOWN)
        self._logged: dict[tuple[str, str], float] = {}

    def tell(self, device: str, text: str) -> None:
        """Add a report of something that happened once."""
        self._shown.appendleft(DeviceFault(self._wall(), device, clean_text(text, TEXT_MAX)))
        _log.warning("%s", text)

    def count_up(self, device: str, text: str, times: int = 1) -> None:
        """Add a fault that may repeat itself: a known one is counted up and moved to the front."""
        now, text = self._wall(), clean_text(text, TEXT_MAX)
        before = next((fault for fault in self._shown if fault.device == device and fault.text == text), None)
        if before is not None:
            self._shown.remove(before)
        counted = 0 if before is None else before.times
        fault = DeviceFault(now, device, text, counted + times)
        self._shown.appendleft(fault)
        tenfold = len(str(fault.times)) > len(str(counted))
        if before is None or tenfold or now - self._logged.get((device, text), now) >= LOGGED_AGAIN_AFTER:
            _log.warning("%s", fault)
            shown = {(fault.device, fault.text) for fault in self._shown}
            self._logged = {name: wall for name, wall in self._logged.items() if name in shown} | {(device, text): now}

    @overload
    def __getitem__(self, index: int) -> DeviceFault: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[DeviceFault]: ...
    def __getitem__(self, index: int | slice) -> DeviceFault | Sequence[DeviceFault]:
        return list(self._shown)[index]

    def __iter__(self) -> Iterator[DeviceFault]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)
