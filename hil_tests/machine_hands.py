"""The virtual machine as a place for the acceptance run: wires are its chip's pulls, plugs are pulled by QEMU."""

import time
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from feltd.acceptance.recorded import fits, in_words
from feltd.acceptance.run import CannotDoError, Result
from feltd.acceptance.steps import Act, Expected, Motion, Sense, Shows, Step
from feltd.record import EntryKind
from hil_tests.guest.usb_reader import CONTROLLER, GADGET
from hil_tests.machine.errors import GuestFailedError
from hil_tests.running import PATIENCE, RunningTable
from hil_tests.wires import Fed, plug_name

_LOOK_EVERY: Final = 0.2


class MachineHands:
    """Does every motion at a machine that needs no person. `columns`: the lines of a matrix that has one row, which is
    pulled low whenever nothing is pressed: a column that is pulled low is then its key."""

    def __init__(self, table: RunningTable, usb_reader: str, columns: Sequence[int] = ()) -> None:
        self._table = table
        self._machine = table.machine
        self._pins = table.hands
        self._usb_reader = usb_reader
        self._columns = columns

    def begin(self, step: Step, number: int, of: int) -> None:
        """Nobody has to be told."""

    def do(self, motion: Motion) -> None:
        if motion.act is Act.LOOK:
            return
        if motion.act in (Act.UNPLUG, Act.PLUG):
            self._plug(motion)
        elif motion.cell is not None and motion.cell[0] == 1 and motion.cell[1] <= len(self._columns):
            self._pins.pulls(self._columns[motion.cell[1] - 1], "d 0.3 u")
        elif motion.line is None:
            raise CannotDoError("the lines of a simulated chip are joined to nothing: no key of a matrix closes there")
        elif motion.act is Act.PRESS:
            self._pins.pulls(motion.line, "d 0.15 u" if motion.active_low else "u 0.15 d")
        else:
            self._pins.pull(motion.line, (motion.act is Act.ON) is not motion.active_low)

    def done(self, motion: Motion) -> None:
        """It is done when the machine has obeyed."""

    def wait(self, seconds: float) -> None:
        time.sleep(max(seconds, _LOOK_EVERY))

    def sees(self, sense: Sense) -> bool:
        if sense.lamp and sense.shows is not Shows.ONCE:
            return self._sees_on_device(sense)
        if sense.line is None or sense.shows is Shows.ONCE:
            raise CannotDoError("nobody looks and listens in a machine")
        try:
            self._pins.until(sense.line, (sense.shows is Shows.ON) is not sense.active_low, PATIENCE)
        except GuestFailedError:
            return False
        return True

    def again(self, result: Result) -> bool:
        return False

    def _sees_on_device(self, sense: Sense) -> bool:
        """A lamp of a simulated device: it says what it shows."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            lamps = self._table.order(sense.device, "read")["shown"]["lamps"]
            if lamps.get(sense.lamp, False) is (sense.shows is Shows.ON):
                return True
            time.sleep(_LOOK_EVERY)
        return False

    def _plug(self, motion: Motion) -> None:
        name = plug_name(motion.device)
        if motion.device == self._usb_reader:
            controller = "" if motion.act is Act.UNPLUG else CONTROLLER
            self._machine.order(f"echo {controller} >{GADGET}/UDC")
        elif motion.act is Act.UNPLUG:
            self._machine.unplug(f"cable-{name}")
        else:
            self._machine.plug("usb-serial", f"cable-{name}", chardev=f"line-{name}", serial=name)


class FeedRecord:
    """The record of a table in a machine, as it is told outside."""

    def __init__(self, table: RunningTable) -> None:
        self._table = table

    def last(self) -> int:
        return self._table.now()

    def found(self, expected: Expected, after: int) -> bool:
        return any(fits(entry.name, entry.body, entry.device, expected) for entry in self._since(after))

    def others(self, expected: Expected, after: int) -> Sequence[str]:
        if expected.device is None:
            return []
        fitting = [fits(one.name, one.body, one.device, expected) for one in self._since(after)]
        return [
            in_words(entry.name, entry.body)
            for entry in self._since(after)
            if entry.device == expected.device and not fits(entry.name, entry.body, entry.device, expected)
        ] + [f"{expected} once more"] * (sum(fitting) - 1)

    def _since(self, after: int) -> Sequence[Fed]:
        entries = self._table.table.feed.look()
        later = entries[bisect_right(entries, after, key=lambda one: one.seq) :]
        return [entry for entry in later if entry.kind == EntryKind.EVENT]
