"""What a table's devices show: gate, lamps, display and buzzer, by the table's outputs or against them.

While play is stopped feltd, not the table, sets gate, lamps and display.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from devices.drivers.indicators import IndicatorsDriver
from devices.errors import DeviceError
from feltd.table.links.display_words import StoppedBy, shown, stop_in_words
from feltd.table.links.ends import TableEnds, nobody
from feltd.table.links.slots import Slot
from feltd.text.language import Language
from firmware_bridge.errors import FirmwareBridgeError
from table_fsm.outputs import Kind, Output

FAULT_LAMP: Final = "fault"
_OF_GATE: Final = frozenset({Kind.SHOE.value})
_OF_STOP: Final = frozenset({Kind.SHOE.value, Kind.LAMP.value, Kind.DISPLAY.value})

_OF_ORDER: Final = frozenset({Kind.SHOE, Kind.ALARM})
"""Outputs with which a cause for which no card may be dealt may have come."""
_FIRST: Final = frozenset({Kind.SHOE, Kind.LAMP})


class Indicating:
    """The devices that show something, and why they show it.

    `connect` it to the table before the first output.
    """

    def __init__(self, *, holds_gate: Callable[[], bool], fault: Callable[[str, str], None]) -> None:
        """Begin with no device. `holds_gate`: whether a device's absence keeps the gate shut.

        `fault`: takes a device's name and why it could not be told.
        """
        self.language = Language.ENGLISH
        """Of what the display says."""
        self.put_back = False
        """Whether play is stopped because the record was put back to an older state, which no person has accepted."""
        self._holds_gate = holds_gate
        self._fault = fault
        self._table = TableEnds(nobody)
        self._slots: list[Slot] = []
        self._listeners: list[Slot] = []
        self._stopped: str | None = None
        self._stopped_by = StoppedBy.RECORD
        self._order = ""
        """Why no card may be dealt, as the display has been told last; empty while cards may be dealt."""

    def add(self, slot: Slot) -> None:
        """Add a device, which shows something or troubles what is shown."""
        self._slots.append(slot)
        if slot.listens:
            self._listeners.append(slot)

    def connect(self, table: TableEnds) -> None:
        """Ask this table from now on what is to be shown."""
        self._table = table

    def send(self, outputs: Sequence[Output]) -> None:
        """Send outputs as commands at once.

        While play is stopped feltd, not the table, sets gate, lamps and display.
        """
        self.follow_order()  # before what the event has to say, which the display then shows
        withheld = self._withheld
        ordered = sorted(outputs, key=_urgency) if len(outputs) > 1 else outputs
        for output in ordered:
            if output.kind not in withheld:
                as_json = self._as_shown(output, outputs)
                for slot in self._listeners:
                    self._command(slot, as_json)
        if not self._order and any(output.kind in _OF_ORDER for output in outputs):
            self.show_order()

    def _as_shown(self, output: Output, outputs: Sequence[Output]) -> Mapping[str, Any]:
        if output.kind is not Kind.DISPLAY:
            return output.to_dict()
        table = self._table
        return shown(output, outputs, self.language, order=table.order(), pending=table.pending())

    def speak(self, language: Language) -> None:
        """From now on the display says what it says in this language."""
        if language is self.language:
            return
        self.language = language
        self._order = ""
        self.show_order()

    def follow_order(self) -> None:
        """Have a display that says why no card may be dealt follow what has changed."""
        if self._order:
            self.show_order()

    def show_order(self) -> None:
        """Have the display say why no card may be dealt, where that has changed: no output tells of each cause."""
        order = self._table.order()
        if order == self._order:
            return
        self._order = order
        if Kind.DISPLAY.value in self._withheld:
            return
        for output in self._table.indicators():
            if Kind.DISPLAY.value in output:
                for slot in self._listeners:
                    self._command(slot, output)

    def stop_play(self, why: str, by: StoppedBy = StoppedBy.RECORD) -> None:
        """Shut the gate, light the stop lamp, and show why.

        `by`: what the display gives as the cause.
        """
        self._stopped, self._stopped_by = why, by
        self.set_again()

    def resume_play(self) -> None:
        """Let the table set gate, lamps and display again."""
        self._stopped = None
        self.set_again()

    def hold_what_was_put_back(self) -> None:
        """Stop play where it is told at a device that the record was put back, else let it go on."""
        put_back = any(slot.put_back for slot in self._slots)
        if put_back is not self.put_back:
            self.put_back = put_back
            self.set_again()

    def leave(self) -> None:
        """Shut the gate and say on the display that nobody watches, because feltd stops."""
        for output in self._shut(StoppedBy.FELTD):
            for slot in self._listeners:
                self._command(slot, output)

    def show(self, output: Mapping[str, Any], name: str | None = None) -> None:
        """Show this on one device, or on all that can, until the table's next output or `set_again`.

        No effect while play is stopped, because people must be able to read what the indicators show then.
        """
        if self._stops_play:
            return
        for slot in self._listeners:
            if name in (None, slot.config.name):
                self._command(slot, output)

    @property
    def has_display(self) -> bool:
        """Whether a display is online on which people read."""
        return bool(self._displays)

    def shows(self, output: Mapping[str, Any]) -> bool:
        """Whether this is what people read, on each display that is online."""
        shown = [
            slot.posted.get(name) == args for slot in self._displays for name, args in slot.driver.commands(output)
        ]
        return bool(shown) and all(shown)

    def shows_first(self, output: Mapping[str, Any], part: str) -> bool:
        """Whether each display that is online shows this output's text at least as far as `part`, its beginning."""
        drivers = (slot.driver for slot in self._displays)
        return all(driver.shows_first(output, part) for driver in drivers if isinstance(driver, IndicatorsDriver))

    @property
    def _displays(self) -> Sequence[Slot]:
        there = (slot for slot in self._listeners if slot.online is True)
        return [slot for slot in there if isinstance(slot.driver, IndicatorsDriver) and slot.driver.settings.rows > 0]

    @property
    def _stops_play(self) -> bool:
        return self._stopped is not None or self.put_back

    @property
    def _withheld(self) -> frozenset[str]:
        if self._stops_play:
            return _OF_STOP
        return _OF_GATE if self._holds_gate() else frozenset()

    def _overriding(self) -> list[dict[str, Any]]:
        if self._stopped is not None:
            return self._shut(self._stopped_by)
        if self.put_back:
            return self._shut(StoppedBy.PUT_BACK)
        return [{"shoe": "lock"}] if self._holds_gate() else []

    def _shut(self, by: StoppedBy) -> list[dict[str, Any]]:
        """The outputs by which feltd, not the table, stops play."""
        return [
            {"shoe": "lock"},
            {"lamp": {"name": "play", "on": False}},
            {"lamp": {"name": "attention", "on": True}},
            {"lamp": {"name": "stop", "on": True}},
            {"display": {"text": stop_in_words(by, self.language, self._stopped or ""), "rule": None}},
        ]

    def set_gate(self) -> None:
        """Set the gate alone: shut while a device is away for a moment, else as the table has it."""
        gate = [output for output in (*self._table.indicators(), *self._overriding()) if "shoe" in output]
        for slot in self._listeners:
            for output in gate[-1:]:
                self._command(slot, output)

    def set_again(self) -> None:
        """Set every indicator as it should be now."""
        for slot in self._listeners:
            self.set_device(slot)

    @property
    def troubled(self) -> bool:
        """Whether a device is offline, an input is disabled, events are missing, or nothing can be recorded."""
        troubled = any(slot.there is False or slot.disabled or slot.missing for slot in self._slots)
        return self._stops_play or troubled

    def set_fault_lamp(self) -> None:
        """Set feltd's own lamp, where there is one of its name."""
        for slot in self._listeners:
            if isinstance(slot.driver, IndicatorsDriver) and FAULT_LAMP in slot.driver.settings.lamps:
                self._command(slot, {"lamp": {"name": FAULT_LAMP, "on": self.troubled}})

    def set_device(self, slot: Slot) -> None:
        """Set everything that this device should show, also what it was told before."""
        if not slot.listens:
            return
        withheld = self._withheld
        for output in self._table.indicators():
            if withheld.isdisjoint(output):
                self._command(slot, output, again=True)
        for output in self._overriding():
            self._command(slot, output, again=True)
        self.set_fault_lamp()

    def _command(self, slot: Slot, output: Mapping[str, Any], *, again: bool = False) -> None:
        """Post what an output means to a device.

        Not what it has already (its link sends that again by itself), unless `again`.
        """
        try:
            for name, args in slot.driver.commands(output):
                if again or name in slot.driver.each_time or slot.posted.get(name) != args:
                    slot.link.post(name, args)
                    slot.posted[name] = args
        except (DeviceError, FirmwareBridgeError) as fault:
            self._fault(slot.config.name, str(fault))


def _urgency(output: Output) -> int:
    """Sort key: gate and lamps before display and buzzer; the dealer acts on the lamp."""
    return 0 if output.kind in _FIRST else 1
