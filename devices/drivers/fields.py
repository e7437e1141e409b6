"""Read one message of a device by key and type; a key that is not read is a fault.

A body comes from the wire as CBOR left it, so any value may be of any type. Each reader method returns the type that it
promises or raises DeviceMessageError.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeVar

from devices.drivers.cleaning import clean_text, quoted
from devices.errors import DeviceMessageError
from devices.limits import (
    EXTENSION,
    LISTED_CARDS_MAX,
    NAME,
    NAME_MAX,
    PIN,
    PIN_LEAST,
    PIN_MAX,
    REASON_MAX,
)
from table_fsm.felt import CARDS, CARDS_SAID, FACES, SEAT_COUNT, ZONES

T = TypeVar("T")

FIRMWARE_REMEDY: Final = "correct the device's firmware to follow devices/MESSAGES.md"
PLACE_REMEDY: Final = "put the device in its place, or correct its settings in the table's configuration"

_NEVER_ASKED: Final = frozenset({"ev", "ms"})
"""Keys that any event may carry and that are not used further.

Its name, which is read first, and the device's own clock in milliseconds.
"""


class Fields:
    """One map from a device. Each key must be read, be an `x_` extension, or is a fault."""

    __slots__ = ("_asked", "_body", "_device", "_message")

    def __init__(self, device: str, message: str, body: object, read_elsewhere: Collection[str] = ()) -> None:
        """`read_elsewhere`: keys that need not be read here.

        Raises DeviceMessageError if `body` is not a map with text keys.
        """
        self._device = device
        self._message = message
        self._asked: set[str] = set(read_elsewhere)
        if not isinstance(body, Mapping):
            raise self.fault("", f"it is {quoted(body)}, not a map")
        for key in body:
            if not isinstance(key, str):
                raise self.fault("", "a key is not a text")
        self._body: Mapping[str, Any] = body

    def fault(self, field: str, problem: str, remedy: str = FIRMWARE_REMEDY) -> DeviceMessageError:
        """The error for this device, this message and `field`: what is wrong and what to do."""
        return DeviceMessageError(self._device, self._message, field, problem, remedy)

    def done(self) -> None:
        """Call after the last read. Raises DeviceMessageError for a key that was not read."""
        for key in self._body:
            if key not in self._asked and EXTENSION.fullmatch(key) is None:
                raise self.fault(
                    "",
                    f"it has a key that this message does not have: {quoted(key)}",
                    "update the table's software, or name the key with x_ in front if it is the maker's own",
                )

    def has(self, key: str) -> bool:
        """Whether the key is there and not null."""
        return self._body.get(key) is not None

    def integer(self, key: str, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, f"a whole number from {low} to {high}", value)
        if not low <= value <= high:
            raise self.fault(key, f"{quoted(value)} is not from {low} to {high}")
        return value

    def seconds(self, key: str, high: int) -> float:
        """A number of seconds from 0 to `high`, whole or not."""
        value = self._take(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= high:
            raise self._wrong(key, f"a number of seconds from 0 to {high}", value)
        return float(value)

    def yes_no(self, key: str) -> bool:
        """True or false."""
        value = self._take(key)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false", value)
        return value

    def choice(self, key: str, allowed: Collection[str]) -> str:
        """One of a closed set of words."""
        value = self._take(key)
        if not isinstance(value, str) or value not in allowed:
            raise self._wrong(key, f"one of {', '.join(allowed)}", value)
        return str(value)

    def name(self, key: str) -> str:
        """A name of letters, digits, `.`, `_` and `-`, at most 40 characters."""
        value = self._take(key)
        if not isinstance(value, str) or NAME.fullmatch(value) is None:
            raise self._wrong(key, f"a name of at most {NAME_MAX} letters, digits, '.', '_' and '-'", value)
        return str(value)

    def reason(self, key: str) -> str:
        """A free text, cleaned and cut to its limit; it must not be empty then."""
        value = self._take(key)
        text = clean_text(value, REASON_MAX) if isinstance(value, str) else ""
        if not text:
            raise self._wrong(key, f"a text of at most {REASON_MAX} printable characters", value)
        return text

    def pin(self, key: str) -> None:
        """The digits that were keyed with a badge: their form is looked at, and they go no further.

        What is there is never quoted.
        """
        value = self._take(key)
        if not isinstance(value, str) or PIN.fullmatch(value) is None:
            raise self.fault(key, f"it must be a text of {PIN_LEAST} to {PIN_MAX} digits")

    def octets(self, key: str, count: int) -> bytes:
        """A byte string of this length. What is there is never quoted: it may be made of a card's number."""
        value = self._take(key)
        if not isinstance(value, bytes) or len(value) != count:
            raise self.fault(key, f"it must be {count} bytes")
        return value

    def seat(self, key: str, seats: Collection[int]) -> int:
        """The number of a seat in `seats`."""
        seat = self.integer(key, 1, SEAT_COUNT)
        if seat not in seats:
            raise self.fault(key, f"seat {seat} is not one this device serves", PLACE_REMEDY)
        return seat

    def zone(self, key: str, zones: Collection[str]) -> str:
        """A zone in `zones`, those that this device is configured for."""
        value = self._take(key)
        if not isinstance(value, str) or value not in ZONES:
            raise self._wrong(key, "a zone such as seat:3, board:1, burn", value)
        if value not in zones:
            raise self.fault(
                key, f"{value} is not a zone of this device, which has {', '.join(sorted(zones))}", PLACE_REMEDY
            )
        return str(value)

    def card(self, key: str) -> str | None:
        """A card's name; None for a card that the sensor did not read.

        The key must be there; its value is never quoted.
        """
        if key not in self._body:
            raise self.fault(key, "it is missing; write null for a card the sensor did not read")
        return self._card(key, self._body[key])

    def cards(self, key: str) -> list[str]:
        """A list of card names; a missing list is empty."""
        if not self.has(key):
            self._asked.add(key)
            return []
        cards = [self._card(key, value) for value in self.array(key, LISTED_CARDS_MAX)]
        if None in cards:
            raise self.fault(key, "a listed card is null")
        return [card for card in cards if card is not None]

    def face(self, key: str) -> str:
        """`down` or `up`."""
        return self.choice(key, FACES)

    def array(self, key: str, most: int) -> list[Any]:
        """An array of at most `most` entries, their contents unchecked."""
        value = self._take(key)
        if not isinstance(value, list | tuple) or len(value) > most:
            raise self._wrong(key, f"an array of at most {most} entries", value)
        return list(value)

    def map_at(self, key: str) -> Mapping[str, Any]:
        """A map with text keys, its contents unchecked."""
        value = self._take(key)
        if not isinstance(value, Mapping) or not all(isinstance(inner, str) for inner in value):
            raise self._wrong(key, "a map with text keys", value)
        return value

    def optional(self, key: str, read: Callable[[str], T]) -> T | None:
        """The result of `read` for the key; None if the key is missing or null."""
        if not self.has(key):
            self._asked.add(key)
            return None
        return read(key)

    def _take(self, key: str) -> object:
        self._asked.add(key)
        if key not in self._body:
            raise self.fault(key, "it is missing")
        return self._body[key]

    def _card(self, key: str, value: object) -> str | None:
        self._asked.add(key)
        if value is None or (isinstance(value, str) and value in CARDS):
            return value
        raise self.fault(key, f"it names no card: {CARDS_SAID}, or null")

    def _wrong(self, key: str, wanted: str, value: object) -> DeviceMessageError:
        return self.fault(key, f"it must be {wanted}, and is {quoted(value)}")


def event_fields(device: str, body: object) -> tuple[str, Fields]:
    """An event's name and its other fields.

    Raises DeviceMessageError for an event without a name.
    """
    name = body.get("ev") if isinstance(body, Mapping) else None
    message = name if isinstance(name, str) and quoted(name) == repr(name) else "event"
    read = Fields(device, message, body, _NEVER_ASKED)
    if not isinstance(name, str):
        raise read.fault("ev", "an event must carry its name there, as a text")
    return name, read
