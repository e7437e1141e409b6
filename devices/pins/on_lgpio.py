"""The factory `lgpio`: gpiozero over lgpio, which speaks to the kernel's GPIO character device."""

import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from devices.pins.chips import Chip, busy, check_free, find_chip, line_info
from devices.pins.errors import NoPinLibraryError, PinError
from devices.pins.gpiozero_lines import ZeroChip, pin_info
from devices.pins.lines import LineChip

THREAD_STARTS: Final = 0.1
"""Seconds until the library's thread waits for the first line.

If it is woken before that, it sleeps on and misses the edge.
"""

_T = TypeVar("_T")
_log = logging.getLogger("feltd.devices")


def load_lgpio() -> ModuleType:
    """Load the library from a temporary folder: it makes a pipe in the current one.

    Raises NoPinLibraryError. That changes the working directory of the whole process for a moment: call it before
    others use relative paths.
    """
    if "lgpio" in sys.modules:
        return sys.modules["lgpio"]
    before, earlier = Path.cwd(), os.environ.get("LG_WD")
    with tempfile.TemporaryDirectory(prefix="feltd-lgpio-") as folder:
        os.environ["LG_WD"] = folder
        try:
            import lgpio
        except ImportError as fault:
            raise NoPinLibraryError(
                f"the library lgpio cannot be loaded ({fault}); install it (pip install lgpio, or Debian's "
                "python3-lgpio), or choose another [pins] factory"
            ) from None
        finally:
            os.chdir(before)
            if earlier is None:
                del os.environ["LG_WD"]
            else:
                os.environ["LG_WD"] = earlier
    return lgpio  # type: ignore[no-any-return]  # it ships no types


def open_lgpio(label: str | None) -> LineChip:
    """Open the chip with this label. Raises PinError."""
    chip = find_chip(label)
    lgpio = load_lgpio()
    from gpiozero.pins.lgpio import LGPIOFactory

    try:
        factory = LGPIOFactory(chip=chip.number)
    except lgpio.error as fault:
        raise PinError(f"{chip.path}: lgpio cannot open it: {fault}") from None
    time.sleep(THREAD_STARTS)
    return _LgpioChip(chip, lgpio, factory)


class _LgpioChip(ZeroChip):
    def __init__(self, chip: Chip, lgpio: ModuleType, factory: Any) -> None:
        self.label = chip.label
        self.errors: tuple[type[Exception], ...] = (lgpio.error, OSError)
        self.library = "lgpio {}.{}.{}".format(*(lgpio.LGPIO_PY_VERSION >> shift & 0xFF for shift in (24, 16, 8)))
        self._chip = chip
        self._lgpio = lgpio
        self._factory = factory
        self._pin_class = _pin_class(lgpio)

    def check(self, line: int) -> None:
        check_free(self._chip, line)

    def hears(self) -> bool:
        return bool(self._lgpio._notify_thread.is_alive())

    def close(self) -> None:
        self._factory.close()

    def _take(self, line: int, take: Callable[[Any], _T]) -> _T:
        self.check(line)
        try:
            return take(self._pin_class(self._factory, pin_info(line)))
        except self._lgpio.error as fault:
            if self._lgpio.error_text(self._lgpio.GPIO_BUSY) in str(fault):
                raise busy(self.label, line, line_info(self._chip, line)) from None
            raise PinError(f"line {line} of {self.label} cannot be taken: {fault}") from None


def _pin_class(lgpio: ModuleType) -> type[Any]:
    from gpiozero.pins.lgpio import LGPIOPin
    from gpiozero.pins.local import LocalPiPin

    pulls = {"up": lgpio.SET_PULL_UP, "down": lgpio.SET_PULL_DOWN, "floating": lgpio.SET_PULL_NONE}

    class Pin(LGPIOPin):  # type: ignore[misc]  # gpiozero ships no types
        """Takes its line in one request.

        gpiozero's own pin takes it as an input first, which puts a lamp out.
        """

        def __init__(self, factory: Any, info: Any) -> None:
            LocalPiPin.__init__(self, factory, info)
            self._pwm = None
            self._bounce: float | None = None
            self._callback = None
            self._edges = lgpio.BOTH_EDGES

        def input_with_pull(self, pull: str) -> None:
            lgpio.gpio_claim_input(self.factory._handle, self._number, pulls[pull])

        def output_with_state(self, state: int) -> None:
            lgpio.gpio_claim_output(self.factory._handle, self._number, state)

        def _call_when_changed(self, chip: int, gpio: int, level: int, ticks: int) -> None:
            """Never raises: an exception would end the library's one thread, and with it all edges."""
            reference = self._when_changed  # None, or already collected, if the line was just released
            method = None if reference is None else reference()
            if method is None:
                return
            try:
                method(ticks / 1e9, level)
            except Exception:  # noqa: BLE001 - whatever it is: what is lost here is sampled again
                _log.exception("an edge of line %d was not taken", gpio)

        def _set_bounce(self, value: float | None) -> None:
            self._bounce = value  # debouncing is done elsewhere

        def close(self) -> None:
            handle = self.factory._handle
            if handle is not None:
                lgpio.gpio_free(handle, self._number)

    return Pin
