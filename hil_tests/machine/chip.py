"""A simulated GPIO chip that looks like a Raspberry Pi's header, and hands on its pins."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from hil_tests.machine.qemu import Machine

LABEL: Final = "pinctrl-bcm2711"
LINES: Final = 28
_CONFIG: Final = "/sys/kernel/config/gpio-sim/header"

MAKE: Final = f"""\
mkdir -p {_CONFIG}/bank0
echo {LINES} >{_CONFIG}/bank0/num_lines
echo {LABEL} >{_CONFIG}/bank0/label
echo 1 >{_CONFIG}/live
ln -s /sys/devices/platform/$(cat {_CONFIG}/dev_name)/$(cat {_CONFIG}/bank0/chip_name) /run/header
"""
"""Shell commands that make the chip; /run/header leads to its lines."""


class SimulatedHands:
    """What a hand does at the pins, done at the simulated chip: its pulls are the wires."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def pull(self, line: int, high: bool) -> None:
        """Put a level on an input line."""
        self._machine.order(f"echo pull-{'up' if high else 'down'} >/run/header/sim_gpio{line}/pull")

    def press(self, line: int, seconds: float = 0.1) -> None:
        """Pull a line low for a moment."""
        self.pulls(line, f"d {seconds} u")

    def pulls(self, line: int, steps: str) -> None:
        """A row of levels and times, in one go: `d` low, `u` high, a number of seconds to wait."""
        script = [f"cd /run/header/sim_gpio{line}"]
        for step in steps.split():
            named = {"d": "echo pull-down >pull", "u": "echo pull-up >pull"}
            script.append(named.get(step, f"sleep {step}"))
        self._machine.order("\n".join(script))

    @contextmanager
    def chattering(self, line: int) -> Iterator[None]:
        """Some fifty closings a second for as long as the block runs, however slow the machine is; then the line is let
        go. Many more would keep an emulated processor busy with nothing else."""
        mark = f"/run/chatter-{line}"
        closing = "echo pull-down >pull; echo pull-up >pull"
        loop = f"exec {{never}}<> <(:); while [ -e {mark} ]; do {closing}; read -t 0.02 -u $never; done"
        self._machine.order(f"touch {mark}; cd /run/header/sim_gpio{line}; bash -c '{loop}' >/dev/null 2>&1 &")
        try:
            yield
        finally:
            self._machine.order(f"rm {mark}")

    @contextmanager
    def listening(self, line: int) -> Iterator[Callable[[], bool]]:
        """Gives a function that says whether the line has been high since the block began, for however short a time."""
        mark, never = f"/run/heard-{line}", "read -t 0.02 -u $never"
        loop = (
            f"exec {{never}}<> <(:); until [ -e {mark} ]; do read v <value; [ $v = 0 ] || touch {mark}; {never}; done"
        )
        self._machine.order(f"cd /run/header/sim_gpio{line}; bash -c '{loop}' >/dev/null 2>&1 &")
        try:
            yield lambda: self._machine.order(f"[ -e {mark} ] && echo yes || true").strip() == "yes"
        finally:
            self._machine.order(f"touch {mark}")

    def until(self, line: int, high: bool, seconds: float) -> None:
        """Wait until a line is at this level. Raises GuestFailedError."""
        value = f"/run/header/sim_gpio{line}/value"
        self._machine.order(f"until grep -q {int(high)} {value}; do sleep 0.2; done", seconds)

    def level(self, line: int) -> bool:
        """Whether a line is high."""
        return self._machine.order(f"cat /run/header/sim_gpio{line}/value").strip() == "1"
