"""Whether `[table.options] built` fits the devices of the file: what a table cannot see must be said."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from table_fsm.felt import BOARD_ZONES, RACES, SEAT_OF, ZONES, Built
from toml_text.lines import KeyPath

_KEY: Final[KeyPath] = ("table", "options", "built")
WITHOUT_SHOE: Final = frozenset({Built.NO_SHOE.value, Built.BOARD_ONLY.value})
"""A table that is built so has no shoe, and needs none."""
_ALLOWED: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {Built.NO_SEAT_READERS: ZONES - {*SEAT_OF, *RACES}, Built.BOARD_ONLY: BOARD_ZONES}
)
"""The zones that a reader may watch, where the table is built so."""


def lacking(needs: Iterable[str], there: Collection[Any], built: Any) -> list[str]:
    """The roles of devices that a book needs and that a table, which is `built` so, has not among those `there`."""
    spared = "shoe" if built in WITHOUT_SHOE else None
    return [role for role in needs if role not in there and role != spared]


def dealer_says_open(options: Mapping[str, Any]) -> bool:
    """Whether the table sees hands, and knows that one lies open by the dealer's key alone."""
    return options.get("faces") is False and options.get("built") not in _ALLOWED


def built_faults(options: Any, devices: list[tuple[KeyPath, dict[str, Any]]]) -> Iterator[tuple[KeyPath, str]]:
    """Faults between what the table is said to be built with and the devices that it has.

    A shoe that names cards where no reader watches the seats would leave in the record the name of each card that is
    thrown away, which nobody ever saw. So it may not.
    """
    built = options.get("built") if isinstance(options, dict) else None
    if built is None:
        return
    read = {zone for _, device in devices for zone in _zones_of(device)}
    shoes = [(path, device) for path, device in devices if device.get("role") == "shoe"]
    allowed = _ALLOWED.get(built, ZONES)
    if seen := sorted(read - allowed):
        yield _KEY, f'"{built}", and a reader watches {seen[0]}: say what the table has, or take that zone out'
    if built in WITHOUT_SHOE and shoes:
        yield _KEY, f'"{built}", and "{shoes[0][1].get("name")}" is a shoe: say what the table has, or take it out'
    if built != Built.NO_SEAT_READERS:
        return
    if not shoes:
        yield _KEY, '"no_seat_readers" needs a shoe, which tells that a card was dealt: without one it is "board_only"'
    for path, shoe in shoes:
        settings = shoe.get("settings", {})
        if isinstance(settings, dict) and settings.get("names") is not False:
            yield (*path, "settings", "names"), "no reader watches the seats: must be false"


def faces_faults(options: Any, devices: Iterable[dict[str, Any]]) -> Iterator[tuple[KeyPath, str]]:
    """Fault of a table that waits to see hands lie open where a reader at the seats knows no side of a card.

    A hand that two players fight for would count as shown by nobody.
    """
    if isinstance(options, dict) and options.get("faces") is False:
        return
    for device in devices:
        settings = device.get("settings")
        seats = [zone for zone in _zones_of(device) if zone in SEAT_OF]
        if seats and isinstance(settings, dict) and settings.get("faces") is False:
            words = f'"{device.get("name")}" knows no side of the cards in {seats[0]} (faces = false): must be false'
            yield ("table", "options", "faces"), words
            return


def _zones_of(device: dict[str, Any]) -> list[str]:
    settings = device.get("settings")
    zones = settings.get("zones") if device.get("role") == "reader" and isinstance(settings, dict) else None
    return [zone for zone in zones if isinstance(zone, str)] if isinstance(zones, list) else []
