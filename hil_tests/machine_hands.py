"""The virtual machine as a place for the acceptance run: wires are its chip's pulls, plugs are pulled by QEMU."""

from hil_tests.acceptance.hands import CannotDoError
from hil_tests.acceptance.run import fits
from hil_tests.acceptance.steps import Act, Expected, Motion
from hil_tests.guest.usb_reader import CONTROLLER, GADGET
from hil_tests.machine.chip import SimulatedHands
from hil_tests.machine.qemu import Machine
from hil_tests.running import RunningTable
from hil_tests.wires import plug_name


class MachineHands:
    """Does every motion of the suite at a machine."""

    def __init__(self, machine: Machine, pins: SimulatedHands, usb_reader: str) -> None:
        self._machine = machine
        self._pins = pins
        self._usb_reader = usb_reader

    def do(self, motion: Motion) -> None:
        if motion.line is None:
            self._plug(motion)
        elif motion.act is Act.PRESS:
            self._pins.pulls(motion.line, "d 0.15 u" if motion.active_low else "u 0.15 d")
        else:
            self._pins.pull(motion.line, (motion.act is Act.ON) is not motion.active_low)

    def lit(self, lamp: str, line: int) -> bool:
        return self._pins.level(line)

    def _plug(self, motion: Motion) -> None:
        name = plug_name(motion.device)
        if motion.device == self._usb_reader:
            controller = "" if motion.act is Act.UNPLUG else CONTROLLER
            self._machine.order(f"echo {controller} >{GADGET}/UDC")
        elif motion.act is Act.UNPLUG:
            self._machine.unplug(f"cable-{name}")
        elif motion.act is Act.PLUG:
            self._machine.plug("usb-serial", f"cable-{name}", chardev=f"line-{name}", serial=name)
        else:
            raise CannotDoError(f"{motion.device} is not on a pin")


class FeedRecord:
    """The record of a table in a machine, as it is told outside."""

    def __init__(self, table: RunningTable) -> None:
        self._table = table

    def last(self) -> int:
        return self._table.now()

    def has(self, expected: Expected, after: int, seconds: float) -> bool:
        try:
            self._table.entry(
                lambda entry: (
                    entry.kind == "event" and entry.name == expected.event and fits(entry.body, expected.where)
                ),
                after=after,
                seconds=seconds,
            )
        except TimeoutError:
            return False
        return True
