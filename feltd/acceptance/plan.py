"""The whole acceptance of one table, in the order in which it is done.

First what needs test mode, with nothing told to the table; then, while nothing waits for anybody, the lamps by their
own causes; then what the table must see, and the plugs last: what that raises is a supervisor's to decide afterwards.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from feltd.acceptance import device_steps, pin_steps
from feltd.acceptance.steps import Act, Expected, Motion, Sense, Shows, Step
from feltd.table.config.config import TableConfig
from feltd.table.links.hotplug import USB_NOTE
from feltd.table.links.usb_watch import Change


def whole_run(config: TableConfig) -> Iterator[Step]:
    """Give every step that this table's configuration calls for."""
    yield from _tested(config)
    yield from _in_order(config)
    yield from _floor_called(config)
    yield from _acknowledged(config)
    yield from _worked(config)
    for device in config.devices:
        yield from device_steps.worked_steps(device)
    yield from _strangers(config)
    yield from _plugs(config)


def steps_of(config: TableConfig) -> Iterator[Step]:
    """Give the steps that need neither a person nor an account.

    Wires and the programs that pull plugs do them; the record of the playing table shows the results.
    """
    if config.pins is not None:
        yield from pin_steps.key_steps(config.pins)
        if pin_steps.floor_key(config.pins) is not None:
            yield from _floor_called(config)
    yield from _worked(config)
    yield from _plugs(config)


def _tested(config: TableConfig) -> Iterator[Step]:
    motion = Motion(Act.BEGIN_TESTS, "Test mode begins.")
    yield Step("test mode begins", motion, Expected("test.mode", {"on": True}))
    locked = (_lamps(config, "stop", True), _lamps(config, "play", False), _gates(config, False))
    yield from (replace(step, in_tests=True) for step in _looks("in test mode", *locked))
    pins = config.pins
    if pins is not None:
        yield from pin_steps.lamp_tests(pins)
        yield from pin_steps.key_steps(pins)
    for device in config.devices:
        yield from device_steps.tested_steps(device)


def _in_order(config: TableConfig) -> Iterator[Step]:
    yield Step("test mode ends", Motion(Act.END_TESTS, "Test mode ends."), Expected("test.mode", {"on": False}))
    ready = (_lamps(config, "stop", False), _lamps(config, "play", True), _gates(config, True))
    yield from _looks("ready to play", *ready)


def _floor_called(config: TableConfig) -> Iterator[Step]:
    """The lamp `attention` by its own cause."""
    pins, lit = config.pins, list(_lamps(config, "attention", True))
    key = None if pins is None else pin_steps.floor_key(pins)
    if pins is not None and key is not None:
        motion, expected = pin_steps.press_of(pins, key)
        yield Step(f"the floor is called by key {key.name}", motion, expected, sense=lit[0] if lit else None)
        yield from _looks("the floor is called", lit[1:])
        return
    for device in config.devices:
        if device.role == "keys" and lit:
            motion = Motion(Act.WORK, f"Call the floor with the keys of {device.name}.", device=device.name)
            yield Step(f"the floor is called by {device.name}", motion, Expected("floor.called", {}, device.name))
            yield from _looks("the floor is called", lit)
            return


def _worked(config: TableConfig) -> Iterator[Step]:
    if config.pins is not None:
        yield from pin_steps.switch_steps(config.pins)
        yield from pin_steps.marker_steps(config.pins)
        yield from pin_steps.dropbox_steps(config.pins)


def _strangers(config: TableConfig) -> Iterator[Step]:
    """What nobody named is told, where the configuration asks for that."""
    if config.usb is None:
        return
    words = (
        "Plug something into a USB socket of the board that the table's file does not name (a memory stick will do)."
    )
    told = Expected("note", {"note": USB_NOTE, "change": Change.STRANGER.value})
    yield Step("a stranger on USB is told", Motion(Act.WORK, words), told)
    gone = Expected("note", {"note": USB_NOTE, "change": Change.GONE.value})
    yield Step("a stranger on USB is gone", Motion(Act.WORK, "Take it out again."), gone)


def _plugs(config: TableConfig) -> Iterator[Step]:
    """Every device away and back; with the first of them the lamp `fault` by its own cause."""
    for number, device in enumerate(config.devices):
        away, back = device_steps.plug_steps(device)
        yield away
        yield from _looks(f"{device.name} is away", _lamps(config, "fault", True) if number == 0 else ())
        yield back
        yield from _looks(f"{device.name} is back", _lamps(config, "fault", False) if number == 0 else ())
    if config.devices or config.pins is None or not list(_lamps(config, "fault", True)):
        return
    held = pin_steps.stuck_key(config.pins)
    if held is not None:
        state = {"device": pin_steps.KEYS}
        yield Step("a key is stuck", held[0], Expected("device.state", {**state, "online": False}))
        yield from _looks("a key is stuck", _lamps(config, "fault", True))
        yield Step("a key is let go", held[1], Expected("device.state", {**state, "online": True}))
        yield from _looks("a key is let go", _lamps(config, "fault", False))


def _acknowledged(config: TableConfig) -> Iterator[Step]:
    """The lamp `attention` goes out when somebody has seen what it is lit for."""
    dark = list(_lamps(config, "attention", False))
    if not dark:
        return
    pins = config.pins
    key = None if pins is None else pin_steps.acknowledging_key(pins)
    if pins is not None and key is not None:
        motion, expected = pin_steps.press_of(pins, key)
    else:
        words = "Have a supervisor come: acknowledge at the page that the floor was called, and whatever else waits."
        motion, expected = Motion(Act.WORK, words), Expected("supervisor")
    yield Step("the call is acknowledged", motion, expected)
    yield from _looks("acknowledged", dark)


def _looks(when: str, *senses: Iterator[Sense] | list[Sense] | tuple[Sense, ...]) -> Iterator[Step]:
    motion = Motion(Act.LOOK, f"Look, {when}:")
    for sense in chain(*senses):
        what = sense.fault.removeprefix("the ").replace(" is not ", " ")
        yield Step(f"{when}: {what}", motion, sense=sense)


def _lamps(config: TableConfig, name: str, lit: bool) -> Iterator[Sense]:
    """This lamp wherever there is one: on pins, and on every indicator device that has it."""
    sense = pin_steps.lamp_sense(config.pins, name, lit)
    if sense is not None:
        yield sense
    state = "lit" if lit else "dark"
    for device in config.devices:
        if name in device_steps.lamps_of(device):
            question = f"Is the lamp {name} of {device.name} {state}?"
            fault = f"the lamp {name} of {device.name} is not {state}"
            yield Sense(Shows.ON if lit else Shows.OFF, question, fault, device=device.name, lamp=name)


def _gates(config: TableConfig, unlocked: bool) -> Iterator[Sense]:
    sense = pin_steps.gate_sense(config.pins, unlocked)
    if sense is not None:
        yield sense
    state = "unlocked" if unlocked else "locked"
    for device in config.devices:
        if device.role == "shoe":
            question = f"Is the gate of {device.name} {state}?"
            yield Sense(Shows.ON if unlocked else Shows.OFF, question, f"the gate of {device.name} is not {state}")
