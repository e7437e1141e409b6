"""The base of all drivers, which translate device messages and table events into each other.

A driver has no clock and does no I/O. It is made of a slot's name and its settings. It keeps one thing: what the table
knows of the states that this device reports (cards in a zone, a marker's seat, a latched fault), so that it can compare
a full-state read with it. Only `observe` changes this mirror. `observe` sees every event that the table takes, live or
replayed from the journal, so the mirror is right after a restart too. Besides it there are only the faults that wait
for who asks (`doubts`).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from devices.drivers.cleaning import clean_text
from devices.drivers.fields import Fields, event_fields
from devices.drivers.trials import TrialKind
from devices.errors import DeviceMessageError, DeviceOutputError, DeviceSettingsError
from table_fsm.events import Event
from toml_text.schema import schema_faults

SETTINGS: Final = ConfigDict(extra="forbid", allow_inf_nan=False)
"""How settings are read: an unknown key is an error; lists from TOML become tuples."""

Command: TypeAlias = tuple[str, dict[str, Any]]
"""A command's name and its arguments."""

S = TypeVar("S")
Reading: TypeAlias = Callable[[Fields, float], Event]
"""Turns one kind of device event into a table event, at a time in seconds."""


def read_settings(device: str, kind: type[S], settings: Mapping[str, Any]) -> S:
    """Check the settings from the configuration.

    Raises DeviceSettingsError with every fault at once.
    """
    try:
        return TypeAdapter(kind).validate_python(dict(settings))
    except ValidationError as error:
        problems = [
            f"setting {'.'.join(str(part) for part in fault.path) or '(all)'}: {fault.what}"
            for fault in schema_faults(kind, settings, error)
        ]
        raise DeviceSettingsError(device, problems) from None


class Driver(ABC, Generic[S]):
    """One device's driver.

    A subclass names its role, the class of its settings and how each event is read.
    """

    role: ClassVar[str]
    settings_type: ClassVar[type[Any]]
    each_time: ClassVar[frozenset[str]] = frozenset()
    """Names of commands that mean something each time they are given, also with the arguments they had before."""
    names_no_card: ClassVar[bool] = False
    """True if no message of this role names a card: then a test may show a whole message."""

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        """`name`: the slot's name, e.g. `reader:board`. Raises DeviceSettingsError."""
        self.name = name
        self.settings: S = read_settings(name, self.settings_type, settings)
        self._readings: Mapping[str, Reading] = self._events_read()

    @abstractmethod
    def _events_read(self) -> Mapping[str, Reading]:
        """The device's events by name, and how each is read."""

    @property
    def event_names(self) -> tuple[str, ...]:
        """The names of the events this device may send."""
        return tuple(self._readings)

    @property
    def trials(self) -> tuple[TrialKind, ...]:
        """Return the tests of the device that a technician can run. Default: none.

        A device whose messages the table must not miss (cards, money, the button) is not listened to in a test.
        """
        return ()

    @property
    def watches(self) -> tuple[str, ...]:
        """The names of what the device watches: zones, groups of keys, markers. Default: none."""
        return ()

    @property
    def lamps(self) -> tuple[str, ...]:
        """The names of the device's lamps, as far as they are known. Default: none."""
        return ()

    def trial_output(self, kind: TrialKind, lamp: str | None, seconds: float, t: float) -> dict[str, Any] | None:
        """Return the output that tests `kind` for `seconds` from table second `t`.

        None if the test shows nothing.
        """
        return None

    def doubts(self) -> list[DeviceMessageError]:
        """Take the faults of messages that were taken nonetheless, since this was asked last. Default: none."""
        return []

    def settings_dict(self) -> dict[str, Any]:
        """The settings in force, with defaults filled in."""
        return asdict(self.settings)  # type: ignore[call-overload, no-any-return]  # S is always a dataclass

    def events(self, body: Mapping[str, Any], t: float) -> list[Event]:
        """Turn a device's message into table events at `t`.

        `t`: seconds of the host; a device's clock is never used. Raises DeviceMessageError; the message has had no
        effect then.
        """
        message, read = event_fields(self.name, body)
        reading = self._readings.get(message)
        if reading is None:
            known = ", ".join(self._readings) or "none"
            raise read.fault("ev", f"the role {self.role} has no such event; it has {known}")
        event = reading(read, _checked(t))
        read.done()
        return [event]

    def state_events(self, state: Mapping[str, Any], t: float) -> list[Event]:
        """The events that a full-state read adds to what the table knows. Raises DeviceMessageError.

        Feed the events to the table, and then, like every event that the table takes, to `observe`.
        """
        read = Fields(self.name, "state", state)
        events = self._compare(read, _checked(t))
        read.done()
        return events

    @abstractmethod
    def _compare(self, read: Fields, t: float) -> list[Event]:
        """Read the whole state; return the events by which it differs from the mirror."""

    def observe(self, event: Event) -> None:
        """Note an event that the table has taken. Default: nothing to note."""

    def commands(self, output: Mapping[str, Any]) -> list[Command]:
        """Turn an output of the table into commands for this device. Default: none.

        Each command sets a level: the latest of a name holds, and it may be sent again after a reconnect. Raises
        DeviceOutputError.
        """
        return []

    def bad_output(self, key: str, problem: str) -> DeviceOutputError:
        """The error for an output that cannot become a command."""
        return DeviceOutputError(self.name, key, clean_text(problem, 200))


def _checked(t: float) -> float:
    if not math.isfinite(t):
        raise ValueError(f"t must be a finite number of seconds, and is {t}")
    return float(t)
