"""What is done to a table's hardware, step by step, and what its record must say: made from its configuration."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from devices.errors import DeviceError
from devices.pins.facts import Pins
from devices.pins.keys import KeysGroup
from feltd.config import TableConfig


class Act(Enum):
    """What a hand does."""

    PRESS = "press"
    ON = "on"
    OFF = "off"
    UNPLUG = "unplug"
    PLUG = "plug"


@dataclass(frozen=True, slots=True)
class Motion:
    """One thing to do. `line`, `active_low`: of a pin; `device`: by its name in the configuration; `words`: to a
    person."""

    act: Act
    words: str
    line: int | None = None
    active_low: bool = True
    device: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """An event that the record must have then: its name, and at least these fields."""

    event: str
    where: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """A motion, and what it must bring about; `expected` None where it only undoes the one before. `lamp`: a lamp that
    must be lit then."""

    name: str
    motion: Motion
    expected: Expected | None
    lamp: str | None = None


def steps_of(config: TableConfig) -> Iterator[Step]:
    """Every step that this table's configuration asks for, in the order in which they are done."""
    if config.pins is not None:
        yield from _keys(config.pins)
        yield from _markers(config.pins)
        yield from _dropbox(config.pins)
    for device in config.devices:
        away = Expected("device.state", {"device": device.name, "online": False})
        there = Expected("device.state", {"device": device.name, "online": True})
        unplug = Motion(Act.UNPLUG, f"Unplug the device {device.name} ({device.place}).", device=device.name)
        plug = Motion(Act.PLUG, f"Plug the device {device.name} in again.", device=device.name)
        yield Step(f"{device.name} is unplugged", unplug, away)
        yield Step(f"{device.name} is plugged in again", plug, there)


def lamps_of(config: TableConfig) -> dict[str, int]:
    """The lines of the table's lamps, by name."""
    return {} if config.pins is None else {lamp.name: lamp.line for lamp in config.pins.lamps}


def _keys(pins: Pins) -> Iterator[Step]:
    driver = KeysGroup(pins).driver() if pins.keys else None
    lamps = {lamp.name for lamp in pins.lamps}
    for key in pins.keys:
        assert driver is not None
        try:
            events = driver.events(key.message, 0.0)
        except DeviceError:  # a key that says something only in its moment
            events = []
        if key.line is None or not events:
            continue
        place = Motion(Act.PRESS, f"Press the key {key.name} (line {key.line}).", key.line, key.active == "low")
        expected = Expected(events[0].ev)
        lit = "attention" if expected.event == "floor.called" and "attention" in lamps else None
        yield Step(f"key {key.name}", place, expected, lit)


def _markers(pins: Pins) -> Iterator[Step]:
    for one in pins.markers:
        put = f"Put the {one.marker} at seat {one.seat} (line {one.line})."
        take = f"Take the {one.marker} away from seat {one.seat}."
        expected = Expected("marker.placed", {"marker": one.marker, "seat": one.seat})
        low = one.active == "low"
        yield Step(f"{one.marker} at seat {one.seat}", Motion(Act.ON, put, one.line, low), expected)
        yield Step(f"{one.marker} away from seat {one.seat}", Motion(Act.OFF, take, one.line, low), None)


def _dropbox(pins: Pins) -> Iterator[Step]:
    box = pins.dropbox
    if box is None:
        return
    for channel in box.channels:
        words = f"Drop a chip of {channel.cents} cents (line {channel.line})."
        motion = Motion(Act.PRESS, words, channel.line, channel.active == "low")
        yield Step(f"chip of {channel.cents} cents", motion, Expected("dropbox.chip", {"cents": channel.cents}))
    switches = (("locked", box.locked, "Unlock", "Lock"), ("present", box.present, "Take out", "Put back"))
    for name, one, undo, do in switches:
        if one is None:
            continue
        low = one.active == "low"
        off = Motion(Act.OFF, f"{undo} the drop box (line {one.line}).", one.line, low)
        on = Motion(Act.ON, f"{do} the drop box.", one.line, low)
        yield Step(f"drop box: not {name}", off, Expected("dropbox.state", {name: False}))
        yield Step(f"drop box: {name}", on, Expected("dropbox.state", {name: True}))
