"""The chips' factories by their names in the configuration.

Each factory's module is imported when a chip is opened, not before: gpiozero and the libraries under it take a tenth
of a second to load, and a table without pins needs none of them.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final, TypeAlias

from devices.pins.errors import NoPinLibraryError
from devices.pins.facts import Factory
from devices.pins.lines import LineChip

OpenChip: TypeAlias = Callable[[str | None], LineChip]
"""Opens the chip of a label; without one, the board's own. Raises PinError."""


def _lgpio(label: str | None) -> LineChip:
    from devices.pins.on_lgpio import open_lgpio

    return open_lgpio(label)


def _rpigpio(label: str | None) -> LineChip:
    from devices.pins.on_rpigpio import open_rpigpio

    return open_rpigpio(label)


def _mock(label: str | None) -> LineChip:
    from devices.pins.on_mock import open_mock

    return open_mock(label)


FACTORIES: Final[Mapping[Factory, OpenChip]] = MappingProxyType({"lgpio": _lgpio, "rpigpio": _rpigpio, "mock": _mock})


def prepare(factory: Factory) -> None:
    """Load lgpio, unless the factory is the mock.

    If the library is missing, does nothing: `open_chip` reports it. Call it before anything else runs: loading lgpio
    changes the process's working directory for a moment.
    """
    if factory == "mock":
        return
    from devices.pins.on_lgpio import load_lgpio

    with suppress(NoPinLibraryError):
        load_lgpio()


def open_chip(factory: Factory, label: str | None) -> LineChip:
    """Open a chip. May take a tenth of a second and more. Raises PinError."""
    return FACTORIES[factory](label)
