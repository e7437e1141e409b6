"""The steps of `[pins]`: each key, lamp and sensor, the buzzer, the drop box's parts, the shoe's gate."""

from collections.abc import Iterator
from typing import Any, Final

from devices.drivers.base import Driver
from devices.pins.chips import DEFAULT_LABELS
from devices.pins.dropbox import DropboxGroup
from devices.pins.facts import PinKey, PinLamp, PinMarker, Pins
from devices.pins.gate import GateGroup
from devices.pins.keys import SWITCH, KeysGroup
from devices.pins.lamps import LampsGroup
from devices.pins.markers import MarkersGroup
from feltd.acceptance.steps import Act, Expected, Listening, Message, Motion, Sense, Shows, Step
from feltd.door.devices import TrialKind
from table_fsm.events import Event, FloorCalled, Supervisor, event_to_dict

KEYS: Final = f"{KeysGroup.role}:pins"
LAMPS: Final = f"{LampsGroup.role}:pins"
MARKERS: Final = f"{MarkersGroup.role}:pins"
DROPBOX: Final = f"{DropboxGroup.role}:pins"
GATE: Final = f"{GateGroup.role}:pins"

_HEADER: Final = (
    27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33, 8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13,
)  # fmt: skip
"""The header's pin of each line of a Raspberry Pi, 0 to 27."""


def wired(pins: Pins, line: int) -> str:
    """Return the place of a line in words; on a Raspberry Pi with the pin of its header."""
    of_a_pi = pins.factory == "rpigpio" or pins.chip is None or pins.chip in DEFAULT_LABELS
    return f"line {line}, header pin {_HEADER[line]}" if of_a_pi and line < len(_HEADER) else f"line {line}"


# -- keys


def key_steps(pins: Pins) -> Iterator[Step]:
    """Each key, but for the switch that begins test mode: that is `switch_steps`."""
    driver = KeysGroup(pins).driver()
    for key in pins.keys:
        if key.message["ev"] == SWITCH:
            continue
        event = _event(driver, key)
        message = {name: value for name, value in key.message.items() if isinstance(value, str | int | bool)}
        event_name = str(message.pop("ev"))
        yield Step(
            f"key {key.name}",
            _press(pins, key),
            Expected(event.ev, _fields(event), KEYS, alone=True),
            Listening(KEYS, (Message((event_name,), message),), alone=True),
        )


def switch_steps(pins: Pins) -> Iterator[Step]:
    """The switch for test mode, if there is one."""
    for key in pins.keys:
        if key.message["ev"] != SWITCH:
            continue
        for act, word, on in ((Act.ON, "Turn", True), (Act.OFF, "Turn back", False)):
            motion = Motion(act, f"{word} the switch {key.name} ({_place(pins, key)}).", key.line, key.active == "low",
                            KEYS, _cell(key))  # fmt: skip
            yield Step(f"switch {key.name} {'on' if on else 'off'}", motion, Expected("test.mode", {"on": on}, KEYS))


def floor_key(pins: Pins) -> PinKey | None:
    """A key that calls the floor."""
    driver = KeysGroup(pins).driver()
    return next((key for key in _pressed(pins) if isinstance(_event(driver, key), FloorCalled)), None)


def acknowledging_key(pins: Pins) -> PinKey | None:
    """Return a key that acknowledges an alarm; None without one."""
    driver = KeysGroup(pins).driver()
    for key in _pressed(pins):
        event = _event(driver, key)
        if isinstance(event, Supervisor) and event.decision == "acknowledge":
            return key
    return None


def press_of(pins: Pins, key: PinKey) -> tuple[Motion, Expected]:
    """A key's press, for the table and not for a test."""
    event = _event(KeysGroup(pins).driver(), key)
    return _press(pins, key), Expected(event.ev, _fields(event), KEYS)


def stuck_key(pins: Pins) -> tuple[Motion, Motion] | None:
    """Return the motions that hold a key until it counts as stuck, and let it go.

    A stuck key is the only fault that a table of pins alone can show. Prefers the key that calls the floor, whose
    press changes nothing in the game. None without keys.
    """
    key = floor_key(pins) or next(iter(_pressed(pins)), None)
    if key is None:
        return None
    place = f"{key.name} ({_place(pins, key)})"
    low, cell = key.active == "low", _cell(key)
    hold = Motion(Act.ON, f"Hold the key {place}: after {pins.stuck_seconds:g} s it is taken for stuck. Keep holding.",
                  key.line, low, KEYS, cell)  # fmt: skip
    return hold, Motion(Act.OFF, f"Let the key {place} go.", key.line, low, KEYS, cell)


def _pressed(pins: Pins) -> Iterator[PinKey]:
    return (key for key in pins.keys if key.message["ev"] != SWITCH)


def _event(driver: Driver[Any], key: PinKey) -> Event:
    return driver.events(key.message, 0.0)[0]  # the configuration has been held against this driver


def _fields(event: Event) -> dict[str, Any]:
    return {name: value for name, value in event_to_dict(event).items() if name not in ("t", "ev")}


def _press(pins: Pins, key: PinKey) -> Motion:
    words = f"Press the key {key.name} ({_place(pins, key)})."
    return Motion(Act.PRESS, words, key.line, key.active == "low", KEYS, _cell(key))


def _place(pins: Pins, key: PinKey) -> str:
    if key.line is not None:
        return wired(pins, key.line)
    return f"row {key.row}, column {key.column}"


def _cell(key: PinKey) -> tuple[int, int] | None:
    return None if key.row is None or key.column is None else (key.row, key.column)


# -- lamps, buzzer, gate


def lamp_tests(pins: Pins) -> Iterator[Step]:
    """Give the steps that light each lamp by a test and sound the buzzer.

    The lamp `stop` is left out: it is lit while devices are tested, see `lamp_sense`.
    """
    for lamp in pins.lamps:
        if lamp.name == "stop":
            continue
        place = wired(pins, lamp.line)
        words = f"Look at the lamp {lamp.name} ({place}): feltd lights it for two seconds."
        motion = Motion(Act.TEST, words, device=LAMPS, test=TrialKind.LAMP, lamp=lamp.name)
        sense = _lamp_sense(
            lamp, Shows.ONCE, f"Was the lamp {lamp.name} lit for two seconds, and is it dark again?",
            f"the lamp {lamp.name} was not lit and dark again (one that something keeps lit cannot be tried)",
        )  # fmt: skip
        yield Step(f"lamp {lamp.name}: a test lights it", motion, sense=sense)
    if pins.buzzer is not None:
        motion = Motion(Act.TEST, f"Listen for the buzzer ({wired(pins, pins.buzzer.line)}): feltd sounds it, short.",
                        device=LAMPS, test=TrialKind.BUZZER)  # fmt: skip
        sense = Sense(Shows.ONCE, "Was the buzzer heard, and is it silent again?", "the buzzer was not heard once",
                      pins.buzzer.line, pins.buzzer.active == "low")  # fmt: skip
        yield Step("buzzer: a test sounds it", motion, sense=sense)


def lamp_sense(pins: Pins | None, name: str, lit: bool) -> Sense | None:
    """A lamp that must be lit or dark now; None where there is none of that name on pins."""
    lamp = next((one for one in ([] if pins is None else pins.lamps) if one.name == name), None)
    if pins is None or lamp is None:
        return None
    state = "lit" if lit else "dark"
    question = f"Is the lamp {name} ({wired(pins, lamp.line)}) {state}?"
    return _lamp_sense(lamp, Shows.ON if lit else Shows.OFF, question, f"the lamp {name} is not {state}")


def gate_sense(pins: Pins | None, unlocked: bool) -> Sense | None:
    """The shoe's gate on a pin, as it must be now; None where there is none."""
    if pins is None or pins.gate is None:
        return None
    state = "unlocked" if unlocked else "locked"
    question = f"Is the shoe's gate ({wired(pins, pins.gate.line)}) {state}?"
    shows = Shows.ON if unlocked else Shows.OFF
    return Sense(shows, question, f"the gate is not {state}", pins.gate.line, pins.gate.active == "low")


def _lamp_sense(lamp: PinLamp, shows: Shows, question: str, fault: str) -> Sense:
    return Sense(shows, question, fault, lamp.line, lamp.active == "low")


# -- markers, drop box


def marker_steps(pins: Pins) -> Iterator[Step]:
    """Give the steps that place and lift each marker at each seat with a sensor for it.

    A step fails if another sensor answers in its place, or too.
    """
    for sensor in pins.markers:
        place = f"seat {sensor.seat} ({wired(pins, sensor.line)})"
        words = f"Put the {sensor.marker} at {place}; if it is there, lift it first."
        expected = Expected("marker.placed", {"marker": sensor.marker, "seat": sensor.seat}, MARKERS, alone=True)
        yield Step(f"{sensor.marker} at seat {sensor.seat}", _marker(sensor, Act.ON, words), expected)
        take = f"Take the {sensor.marker} away from seat {sensor.seat}."
        yield Step(f"{sensor.marker} away from seat {sensor.seat}", _marker(sensor, Act.OFF, take))


def _marker(sensor: PinMarker, act: Act, words: str) -> Motion:
    return Motion(act, words, sensor.line, sensor.active == "low", MARKERS)


def dropbox_steps(pins: Pins) -> Iterator[Step]:
    """A chip through each channel; the box unlocked and locked, taken out and put back."""
    box = pins.dropbox
    if box is None:
        return
    for number, channel in enumerate(box.channels, start=1):
        words = f"Drop one chip of {channel.cents} cents through channel {number} ({wired(pins, channel.line)})."
        motion = Motion(Act.PRESS, words, channel.line, channel.active == "low", DROPBOX)
        expected = Expected("dropbox.chip", {"cents": channel.cents}, DROPBOX, alone=True)
        yield Step(f"channel {number}: a chip of {channel.cents} cents", motion, expected)
    switches = (("locked", box.locked, "Unlock", "Lock"), ("present", box.present, "Take out", "Put back"))
    for name, switch, undo, do in switches:
        if switch is None:
            continue
        for act, verb, on in ((Act.OFF, undo, False), (Act.ON, do, True)):
            motion = Motion(
                act, f"{verb} the drop box ({wired(pins, switch.line)}).", switch.line, switch.active == "low", DROPBOX
            )
            step = f"drop box: {'' if on else 'not '}{name}"
            yield Step(step, motion, Expected("dropbox.state", {name: on}, DROPBOX))
