"""The steps of each `[[device]]`, by its role: what feltd can test of it, what a person works, its plug."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from devices.drivers.badge import BadgeDriver
from devices.drivers.base import Driver
from devices.drivers.dropbox import DropboxDriver
from devices.drivers.indicators import IndicatorsDriver
from devices.drivers.keys import KeysDriver
from devices.drivers.markers import MarkersDriver
from devices.drivers.reader import ReaderDriver
from devices.drivers.registry import driver_for
from devices.drivers.shoe import ShoeDriver
from feltd.acceptance.steps import Act, Expected, Listening, Message, Motion, Sense, Shows, Step
from feltd.door.devices import TrialKind
from feltd.table.config.devices import DeviceConfig

MAINTENANCE: Final = "maintenance"
"""The group of keys that is the switch for test mode."""
_OWN_LAMPS: Final = ("play", "attention")
"""The table's, where an indicator device does not say which it has: `stop` is lit while devices are tested."""


def driver_of(device: DeviceConfig) -> Driver[Any]:
    """The driver that reads this device's messages."""
    return driver_for(device.role)(device.name, device.settings)


def tested_steps(device: DeviceConfig) -> Iterator[Step]:
    """Give the steps of a device that are done in test mode and never reach the table."""
    driver = driver_of(device)
    if device.role in _TESTED:
        yield from _TESTED[device.role](device, driver)
    elif TrialKind.LISTEN in driver.trials:
        yield from _used(device, driver)


def worked_steps(device: DeviceConfig) -> Iterator[Step]:
    """Give the steps in which a person works a device and the table receives the events."""
    if device.role in _WORKED:
        yield from _WORKED[device.role](device, driver_of(device))


def plug_steps(device: DeviceConfig) -> tuple[Step, Step]:
    """Return the steps that unplug a device and plug it in again."""
    away = Expected("device.state", {"device": device.name, "online": False})
    there = Expected("device.state", {"device": device.name, "online": True})
    unplug = Motion(Act.UNPLUG, f"Unplug the device {device.name} ({device.place}).", device=device.name)
    plug = Motion(Act.PLUG, f"Plug the device {device.name} in again.", device=device.name)
    return Step(f"{device.name} is unplugged", unplug, away), Step(f"{device.name} is plugged in again", plug, there)


def lamps_of(device: DeviceConfig) -> tuple[str, ...]:
    """The names of an indicator device's lamps, as far as they are known."""
    driver = driver_of(device)
    if not isinstance(driver, IndicatorsDriver):
        return ()
    return driver.settings.lamps or (*_OWN_LAMPS, "stop")


def _indicators(device: DeviceConfig, driver: IndicatorsDriver) -> Iterator[Step]:
    name, settings = device.name, driver.settings
    for lamp in settings.lamps or _OWN_LAMPS:
        if lamp == "stop":
            continue
        words = f"Look at the lamp {lamp} of {name}: feltd lights it for two seconds."
        motion = Motion(Act.TEST, words, device=name, test=TrialKind.LAMP, lamp=lamp)
        question = f"Was the lamp {lamp} of {name} lit for two seconds, and is it dark again?"
        yield _seen(
            f"{name}, lamp {lamp}: a test lights it", motion, question, f"the lamp {lamp} was not lit and dark again"
        )
    if settings.rows:
        words = f"Look at the display of {name}: feltd fills its {settings.rows} rows for five seconds."
        motion = Motion(Act.TEST, words, device=name, test=TrialKind.DISPLAY)
        question = f"Did every row of the display show 1234567890… up to column {settings.columns - 1}?"
        yield _seen(f"{name}, display: a test fills it", motion, question, "the display was not filled")
    if settings.buzzer:
        motion = Motion(Act.TEST, f"Listen for the buzzer of {name}: feltd sounds it, short.", device=name,
                        test=TrialKind.BUZZER)  # fmt: skip
        yield _seen(
            f"{name}, buzzer: a test sounds it", motion, f"Was the buzzer of {name} heard?", "the buzzer was not heard"
        )
    if settings.clock:
        words = f"Look at the action clock of {name}: feltd runs it for seat 1 for five seconds."
        motion = Motion(Act.TEST, words, device=name, test=TrialKind.CLOCK)
        question = "Did the clock count down from 5, and does it stand again?"
        yield _seen(f"{name}, clock: a test runs it", motion, question, "the clock did not count down and stand again")


def _seen(step: str, motion: Motion, question: str, fault: str) -> Step:
    return Step(step, motion, sense=Sense(Shows.ONCE, question, fault))


def _keys(device: DeviceConfig, driver: KeysDriver) -> Iterator[Step]:
    """The configuration names groups of keys on a wire and no single one: any key of each."""
    name = device.name
    for part in driver.settings.parts:
        if part == MAINTENANCE:
            continue
        events = KeysDriver(name, {"parts": [part]}).event_names
        words = f"Press a key of the group {part} of {name} ({', '.join(one.replace('_', ' ') for one in events)})."
        yield _heard(name, f"keys {part}", words, None, Message(events))


def _switch(device: DeviceConfig, driver: KeysDriver) -> Iterator[Step]:
    name = device.name
    for on in (True, False) if MAINTENANCE in driver.settings.parts else ():
        word = "on" if on else "off"
        motion = Motion(Act.WORK, f"Turn the maintenance switch of {name} {word}.", device=name)
        yield Step(f"{name}, maintenance switch {word}", motion, Expected("test.mode", {"on": on}, name))


def _badge(device: DeviceConfig, _driver: BadgeDriver) -> Iterator[Step]:
    words = f"Hold a staff card of the table's list to the badge reader {device.name} ({device.place})."
    yield _heard(device.name, "a staff card", words, Expected("badge", device=device.name), Message(("badge",)))


def _used(device: DeviceConfig, driver: Driver[Any]) -> Iterator[Step]:
    """A role without steps of its own: each of its messages once."""
    for event in driver.event_names:
        event_words = event.replace("_", " ")
        words = f"Use {device.name} ({device.place}) so that it reports: {event_words}."
        yield _heard(device.name, event_words, words, None, Message((event,)))


def _reader(device: DeviceConfig, driver: ReaderDriver) -> Iterator[Step]:
    """A card in each zone. Between rounds a reader does not tell that one is taken away: cards are being collected."""
    name = device.name
    for zone in driver.settings.zones:
        placed = Message(("placed",), {"zone": zone}, read=True)
        where = "on top of the undealt cards" if zone == "shoe" else f"in {zone}"
        words = f"Lay a card face down {where} ({name}); take it away when it has been read."
        yield _heard(name, zone, words, None, placed)
    seats = [zone for zone in driver.settings.zones if zone.startswith("seat:")]
    if driver.settings.look and seats:
        zone = seats[0]
        words = f"Lay a card face down in {zone} ({name}), lift its corner as a player does, and take it away."
        messages = (Message(("placed",), {"zone": zone}, read=True), Message(("looked",), {"zone": zone}))
        yield _heard(name, f"a look in {zone}", words, None, *messages)


def _heard(name: str, label: str, words: str, expected: Expected | None, *messages: Message) -> Step:
    motion = Motion(Act.WORK, words, device=name)
    return Step(f"{name}, {label}", motion, expected, Listening(name, messages))


def _shoe(device: DeviceConfig, driver: ShoeDriver) -> Iterator[Step]:
    name = device.name
    for deck in driver.settings.decks or (None,):
        which = "a deck" if deck is None else f"the {deck} deck"
        motion = Motion(Act.WORK, f"Put {which} into {name} and have the shoe check it, card by card.", device=name)
        where = {} if deck is None else {"deck": deck}
        yield Step(f"{name}, {which} is checked", motion, Expected("shoe.deck_checked", where, name))
    lid = {"kind": "lid_open"}
    yield Step(
        f"{name}, lid open",
        Motion(Act.WORK, f"Open the lid of {name}.", device=name),
        Expected("shoe.fault", lid, name),
    )
    yield Step(f"{name}, lid closed", Motion(Act.WORK, f"Close the lid of {name}.", device=name),
               Expected("shoe.cleared", lid, name))  # fmt: skip


def _markers(device: DeviceConfig, driver: MarkersDriver) -> Iterator[Step]:
    """The first marker at every seat, and each other one at the first seat, to see that they are told apart."""
    name, seats, (first, *others) = device.name, driver.settings.seats, driver.settings.markers
    places = [(first, seat) for seat in seats] + [(other, seats[0]) for other in others]
    for marker, seat in places:
        words = f"Put the {marker} at seat {seat} ({name}); if it is there, lift it first."
        expected = Expected("marker.placed", {"marker": marker, "seat": seat}, name, alone=True)
        yield Step(f"{name}, {marker} at seat {seat}", Motion(Act.WORK, words, device=name), expected)


def _dropbox(device: DeviceConfig, driver: DropboxDriver) -> Iterator[Step]:
    name = device.name
    for cents in driver.settings.chips:
        yield _chip(name, f"a chip of {cents} cents", f"Drop one chip of {cents} cents through the slot of {name}.",
                    Expected("dropbox.chip", {"cents": cents}, name, alone=True))  # fmt: skip
    if not driver.settings.chips:
        yield _chip(
            name, "a chip", f"Drop one chip through the slot of {name}.", Expected("dropbox.chip", {}, name, alone=True)
        )
    for words, state in (("Unlock", {"locked": False}), ("Lock", {"locked": True}), ("Take out", {"present": False}),
                         ("Put back", {"present": True})):  # fmt: skip
        [(switch, on)] = state.items()
        yield _chip(
            name,
            f"{'' if on else 'not '}{switch}",
            f"{words} the drop box ({name}).",
            Expected("dropbox.state", state, name),
        )
    if driver.settings.float_areas:
        for area, event in (("commission", "float.commission"), ("colour change", "float.colour_change")):
            words = f"Lay a chip in the {area} area of the float ({name})."
            yield _chip(name, f"float, {area}", words, Expected(event, {}, name))


def _chip(name: str, label: str, words: str, expected: Expected) -> Step:
    return Step(f"{name}, {label}", Motion(Act.WORK, words, device=name), expected)


_StepsOf: TypeAlias = Callable[[DeviceConfig, Any], Iterator[Step]]
"""The steps of a device of one role, from its configuration and its driver."""

_TESTED: Final[Mapping[str, _StepsOf]] = MappingProxyType(
    {
        IndicatorsDriver.role: _indicators,
        KeysDriver.role: _keys,
        BadgeDriver.role: _badge,
        ReaderDriver.role: _reader,
    }
)
_WORKED: Final[Mapping[str, _StepsOf]] = MappingProxyType(
    {
        ShoeDriver.role: _shoe,
        KeysDriver.role: _switch,
        MarkersDriver.role: _markers,
        DropboxDriver.role: _dropbox,
    }
)
