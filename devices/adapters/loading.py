"""Find adapters among installed packages, and check one against a device's configuration."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, Final, TypeVar

from devices.adapters.interface import GROUP, Adapter, AdapterFault, At, remedy_for
from devices.drivers.base import read_settings
from devices.drivers.cleaning import clean_text
from devices.drivers.registry import ROLES
from devices.errors import DeviceSettingsError
from firmware_bridge.errors import FaultCode

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PATIENCE: Final = 5.0
"""Seconds that an adapter may take to load, to say what it lacks, or between two calls."""
_TEXT_MAX: Final = 200

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The configuration's facts about a device with an adapter."""

    device: str
    adapter: str
    role: str
    at: At
    has_key: bool
    settings: Mapping[str, Any]


def adapter_names() -> list[str]:
    """The adapters of all installed packages."""
    return sorted({point.name for point in _points()})


def _points() -> Iterable["EntryPoint"]:
    """What installed packages have entered as adapters."""
    from importlib.metadata import entry_points  # with the parser of e-mails: a table without adapters loads neither

    return entry_points(group=GROUP)


def load_adapter(name: str) -> type[Adapter[Any]]:
    """The class behind a name. Runs the package's own code.

    Raises AdapterFault, which names the package and the remedy.
    """
    points = list({point.value: point for point in _points() if point.name == name}.values())
    if not points:
        known = ", ".join(adapter_names()) or "none"
        text = f"no adapter {name} is installed: install its package where feltd is installed (there are: {known})"
        raise _failed(text)
    if len(points) > 1:
        packages = " and ".join(sorted(_package(point) for point in points))
        raise _failed(f"the adapter {name} is in {packages}: uninstall all but one")
    [point] = points
    try:
        adapter = point.load()
    except BaseException as error:  # noqa: BLE001 - a stranger's module may raise anything, SystemExit too
        raise _failed(f"the adapter {name} of {_package(point)} cannot be loaded ({place_of(error)}): {_remedy(name)}")  # noqa: B904 - its text may hold anything
    if not (isinstance(adapter, type) and issubclass(adapter, Adapter)):
        raise _failed(f"the adapter {name} of {_package(point)} is no Adapter ({point.value}): {_remedy(name)}")
    wrong = _wrongly_said(adapter)
    if wrong:
        wrong_names = ", ".join(wrong)
        raise _failed(f"the adapter {name} of {_package(point)} says what cannot be as {wrong_names}: {_remedy(name)}")
    return adapter


def load_in_time(name: str, seconds: float = PATIENCE) -> type[Adapter[Any]]:
    """As `load_adapter`; a package that does not finish loading in time is a fault too."""
    return _in_time(name, "finished loading", lambda: load_adapter(name), seconds)


def misfits_in_time(kind: type[Adapter[Any]], wanted: Wanted, seconds: float = PATIENCE) -> list[tuple[str, str]]:
    """As `misfits`; an adapter that does not return in time is reported too."""
    try:
        return _in_time(wanted.adapter, "said what it lacks", lambda: misfits(kind, wanted), seconds)
    except AdapterFault as fault:
        return [("adapter", str(fault))]


def weak_key_in_time(kind: type[Adapter[Any]], name: str, key: bytes, seconds: float = PATIENCE) -> str | None:
    """Return the adapter's text on why a device's key protects nothing; None if it does.

    Raises AdapterFault if the adapter `name` does not answer within `seconds`, or fails.
    """

    def ask() -> str | None:
        try:
            why = kind.weak_key(key)
        except BaseException as error:  # noqa: BLE001 - a stranger's code may raise anything, SystemExit too
            raise _failed(f"the adapter {name} failed ({place_of(error)}): {_remedy(name)}")  # noqa: B904 - its text may hold the key
        return None if why is None else clean_text(str(why), _TEXT_MAX)

    return _in_time(name, "judged the key", ask, seconds)


def misfits(kind: type[Adapter[Any]], wanted: Wanted) -> list[tuple[str, str]]:
    """Faults of a device's configuration for its adapter: key and words. Reports any exception."""
    return [*_lacks(kind, wanted.adapter), *_misplaced(kind, wanted), *_unread(kind, wanted)]


def _lacks(kind: type[Adapter[Any]], name: str) -> Iterator[tuple[str, str]]:
    try:
        lacking = kind.lacks()
    except BaseException as error:  # noqa: BLE001 - a stranger's code may raise anything, SystemExit too
        lacking = f"the adapter {name} failed ({place_of(error)}): {_remedy(name)}"
    if lacking is not None:
        yield "adapter", clean_text(str(lacking), _TEXT_MAX)


def _misplaced(kind: type[Adapter[Any]], wanted: Wanted) -> Iterator[tuple[str, str]]:
    role = getattr(kind, "role", None)
    if role not in ROLES:
        yield "adapter", f"the adapter {wanted.adapter} plays no role there is: {_remedy(wanted.adapter)}"
    elif role != wanted.role:
        yield "role", f"the adapter {wanted.adapter} plays a {role}, not a {wanted.role}"
    if wanted.at not in kind.at:
        places = " or ".join(sorted(place.value for place in kind.at))
        yield wanted.at.value, f"the adapter {wanted.adapter} finds its device at: {places}"
    if kind.key_bytes and not wanted.has_key:
        yield "key_file", f"is missing: the adapter {wanted.adapter} needs a key of {kind.key_bytes} bytes"
    if wanted.has_key and not kind.key_bytes:
        yield "key_file", f"nobody reads it: the adapter {wanted.adapter} has no key, and authenticates nobody"


def _unread(kind: type[Adapter[Any]], wanted: Wanted) -> Iterator[tuple[str, str]]:
    try:
        read_settings(wanted.device, kind.settings_type, wanted.settings)
    except DeviceSettingsError as fault:
        yield from (("adapter_settings", problem.removeprefix("setting ")) for problem in fault.problems)
    except BaseException as error:  # noqa: BLE001 - the class of its settings is a stranger's code, too
        words = f"the adapter {wanted.adapter} failed to read them ({place_of(error)}): {_remedy(wanted.adapter)}"
        yield "adapter_settings", words


def _wrongly_said(kind: type[Adapter[Any]]) -> list[str]:
    """The names of class attributes with impossible values. The role is checked later."""
    sound: dict[str, Callable[[Any], bool]] = {
        "role": lambda role: role is None or isinstance(role, str),
        "at": lambda at: isinstance(at, frozenset) and bool(at) and all(isinstance(place, At) for place in at),
        "key_bytes": lambda size: type(size) is int and size >= 0,
        "authenticated": lambda proves: isinstance(proves, bool),
        "tells_leaving": lambda tells: isinstance(tells, bool),
        "settings_type": lambda settings: isinstance(settings, type) and is_dataclass(settings),
    }
    wrong = []
    for name, is_sound in sound.items():
        try:
            value = getattr(kind, name, None)
        except BaseException:  # noqa: BLE001 - a stranger's code may raise anything
            wrong.append(name)
        else:
            wrong += [] if is_sound(value) else [name]
    return wrong


def _in_time(name: str, done: str, call: Callable[[], T], seconds: float) -> T:
    """Run foreign code in a thread, which is left behind if it does not end.

    Raises AdapterFault.
    """
    result: list[T | AdapterFault] = []

    def work() -> None:
        try:
            result.append(call())
        except AdapterFault as fault:
            result.append(fault)

    thread = threading.Thread(target=work, name=f"ask {name}", daemon=True)
    thread.start()
    thread.join(seconds)
    if not result:
        raise _failed(f"the adapter {name} has not {done} within {seconds:g} s: {_remedy(name)}")
    if isinstance(result[0], AdapterFault):
        raise result[0]
    return result[0]


def place_of(error: BaseException) -> str:
    """An exception's type and where it was raised.

    Not its text: it may quote what a device sent.
    """
    frames = extract_tb(error.__traceback__)
    kind = type(error).__name__
    return f"{kind} at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else kind


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist is not None else point.value.partition(":")[0]


def _remedy(name: str) -> str:
    return remedy_for(name)


def _failed(text: str) -> AdapterFault:
    return AdapterFault(text, FaultCode.ADAPTER_FAILED)
