"""The factory `rpigpio`: gpiozero over the module RPi.GPIO.

The library of that name and rpi-lgpio both bring the module, so only one can be installed. RPi.GPIO writes the
processor's registers and does not support the Raspberry Pi 5; rpi-lgpio uses the kernel through lgpio and supports
every model.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from devices.pins.chips import Chip, check_free, find_chip
from devices.pins.errors import NoChipError, NoPinLibraryError, PinError
from devices.pins.facts import HEADER_MAX, not_on_header
from devices.pins.gpiozero_lines import ZeroChip, pin_info
from devices.pins.lines import LineChip
from devices.pins.on_lgpio import load_lgpio

_T = TypeVar("_T")


def open_rpigpio(label: str | None) -> LineChip:
    """Open the board's header. Raises PinError."""
    chip = find_chip(label)
    os.environ.setdefault("RPI_LGPIO_CHIP", str(chip.number))  # read by rpi-lgpio only
    with suppress(NoPinLibraryError):  # RPi.GPIO does not need it
        load_lgpio()
    try:
        from RPi import GPIO
    except (ImportError, NotImplementedError, RuntimeError) as fault:
        raise NoPinLibraryError(
            f"the module RPi.GPIO cannot be loaded ({fault}); install rpi-lgpio or RPi.GPIO, not both, or choose "
            "another [pins] factory"
        ) from None
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    return _RpiChip(chip, GPIO, RPiGPIOFactory())


class _RpiChip(ZeroChip):
    def __init__(self, chip: Chip, gpio: Any, factory: Any) -> None:
        self.label = chip.label
        self.errors: tuple[type[Exception], ...] = (RuntimeError, ValueError, OSError)
        self.library = f"RPi.GPIO {gpio.VERSION}"
        self._chip = chip
        self._gpio = gpio
        self._factory = factory
        self._pin_class = _pin_class(gpio)

    def check(self, line: int) -> None:
        check_free(self._chip, line)
        if line > HEADER_MAX:
            raise NoChipError(not_on_header(line))

    def hears(self) -> bool:
        return True

    def close(self) -> None:
        """Nothing to do: each line is released by itself, and an output keeps its last level."""

    def _take(self, line: int, take: Callable[[Any], _T]) -> _T:
        self.check(line)
        try:
            return take(self._pin_class(self._factory, pin_info(line)))
        except (RuntimeError, ValueError, OSError) as fault:
            raise PinError(f"line {line} of {self.label} cannot be taken: {fault}") from None


def _pin_class(gpio: Any) -> type[Any]:
    from gpiozero.pins.local import LocalPiPin
    from gpiozero.pins.rpigpio import RPiGPIOPin

    class Pin(RPiGPIOPin):  # type: ignore[misc]  # gpiozero ships no types
        """Takes its line in one request.

        gpiozero's own pin takes it as an input first, which puts a lamp out.
        """

        def __init__(self, factory: Any, info: Any) -> None:
            LocalPiPin.__init__(self, factory, info)
            self._pull = "floating"
            self._pwm = None
            self._frequency = None
            self._duty_cycle = None
            self._bounce = -666  # the library's value for none
            self._edges = gpio.BOTH

        def _set_bounce(self, value: float | None) -> None:
            self._bounce = -666  # debouncing is done elsewhere

        def close(self) -> None:
            if gpio.gpio_function(self._number) == gpio.IN:
                gpio.cleanup(self._number)  # an output keeps its level

    return Pin
