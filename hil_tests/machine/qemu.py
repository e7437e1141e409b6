"""One virtual machine from its start to its end: software emulation, a root beneath it, a console in a file.

The machine runs a script (`job`) as root in that root, the host's own or another (`Ground`), under a layer that
forgets; its result comes as a line `HIL-RC n` on the console. `/dev/kvm` is not even asked: where it exists it may
still be unusable.
"""

import ctypes
import json
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hil_tests.machine.errors import GuestFailedError
from hil_tests.machine.ground import HOST, SPARED, Ground
from hil_tests.machine.stock import STOCK, stock

LOGS: Final = STOCK / "logs"
"""The last console of each machine."""
POLL_SECONDS: Final = 0.05
ORDER_SECONDS: Final = 300.0
"""An order takes a second; where others use the host's cores, as long as it takes."""
_RESULT: Final = re.compile(r"^HIL-RC (\d+)\r?$", re.MULTILINE)
_SHOWN: Final = 60
"""Lines of a console in an error."""
_PARENT_DIED: Final = 1


class Machine:
    """A machine, not started yet. `folder` is shared with it as /shared and has its console; `name` is for people.

    `job`: the script, by its name in the folder. With `systemd` the machine is run by systemd, which finds the units
    of the folder `units`; else the job is all it does. `devices`: further arguments of QEMU. `ground`: whose files.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        job: str = "job.sh",
        systemd: bool = False,
        devices: Sequence[str] = (),
        ground: Ground = HOST,
    ) -> None:
        self.folder = folder
        self.name = name
        self.console_file = folder / "console.log"
        self.monitor = folder / "qmp.sock"
        self._arguments = _arguments(folder, self.console_file, self.monitor, job, systemd, ground)
        self._arguments += list(devices)
        self._process: subprocess.Popen[bytes] | None = None
        self._orders = 0

    def __enter__(self) -> Self:
        self.console_file.unlink(missing_ok=True)
        shutil.rmtree(self.folder / "orders", ignore_errors=True)  # answers to a machine that was here before
        with (self.folder / "qemu.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_on_a_leash
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        LOGS.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            shutil.copy(self.console_file, LOGS / f"{self.name}.log")
        if error is not None:
            error.add_note(f"its console is kept in {LOGS / self.name}.log")

    def cut(self) -> None:
        """Power off without a word."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    @property
    def running(self) -> bool:
        """QEMU has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def bitten(self) -> bool:
        """Its hardware watchdog has expired; it stands still, and switching it off and on again is left."""
        status = self.monitor_order("query-status")
        return isinstance(status, dict) and status["status"] == "watchdog"

    def console(self) -> str:
        """What the machine has said so far."""
        try:
            return self.console_file.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    def wait_for(self, pattern: str, seconds: float) -> re.Match[str]:
        """Wait until the console has this. Raises GuestFailedError after so many seconds, or when the machine ends."""
        wanted, until = re.compile(pattern, re.MULTILINE), time.monotonic() + seconds
        while True:
            ended = not self.running
            if found := wanted.search(self.console()):
                return found
            if ended or time.monotonic() > until:
                why = "the machine has ended" if ended else f"not within {seconds:g} s"
                raise GuestFailedError(f"{self.name}: waiting for {pattern!r}: {why}\n{self._last_lines()}")
            time.sleep(POLL_SECONDS)

    def result(self, seconds: float) -> int:
        """The job's exit code. Raises GuestFailedError if none comes in this time."""
        return int(self.wait_for(_RESULT.pattern, seconds)[1])

    def succeed(self, seconds: float) -> str:
        """Wait for the job's good end; the console. Raises GuestFailedError."""
        code = self.result(seconds)
        if code != 0:
            raise GuestFailedError(f"{self.name}: the job ended with {code}\n{self._last_lines()}")
        return self.console()

    def order(self, script: str, seconds: float = ORDER_SECONDS) -> str:
        """Have the machine's agent carry out a shell script, as root in the checkout; what it printed.

        Raises GuestFailedError if it ends with anything but 0, or not in this time.
        """
        self._orders += 1
        place = self.folder / "orders"
        place.mkdir(exist_ok=True)
        file = place / f"{self._orders}.sh"
        file.with_suffix(".new").write_text(f"set -e\n{script}\n", encoding="utf-8")
        file.with_suffix(".new").rename(file)
        done, until = place / f"{file.name}.done", time.monotonic() + seconds
        while not done.exists():
            if not self.running or time.monotonic() > until:
                raise GuestFailedError(f"{self.name}: no answer to the order\n{script}\n{self._last_lines()}")
            time.sleep(POLL_SECONDS)
        said = (place / f"{file.name}.out").read_text(encoding="utf-8", errors="replace")
        if done.read_text() != "0\n":
            raise GuestFailedError(f"{self.name}: the order\n{script}\nended with {done.read_text()}{said}")
        return said

    def monitor_order(self, command: str, **arguments: object) -> object:
        """Have QEMU do something: plug, unplug, reset. Raises GuestFailedError if it refuses."""
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(ORDER_SECONDS)
            monitor.connect(str(self.monitor))
            lines = monitor.makefile("rw", encoding="utf-8")
            lines.readline()  # its greeting
            for asked in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                lines.write(json.dumps(asked) + "\n")
                lines.flush()
                answer = json.loads(lines.readline())
                while "event" in answer:
                    answer = json.loads(lines.readline())
        if "error" in answer:
            raise GuestFailedError(f"{self.name}: {command} {arguments}: {answer['error']['desc']}")
        return answer["return"]

    def plug(self, driver: str, name: str, **arguments: object) -> None:
        """Plug a USB device in."""
        self.monitor_order("device_add", driver=driver, id=name, **arguments)

    def unplug(self, name: str) -> None:
        """Take a USB device out."""
        self.monitor_order("device_del", id=name)

    def _last_lines(self) -> str:
        log = (self.folder / "qemu.log").read_text(encoding="utf-8", errors="replace")
        return "\n".join((log + self.console()).splitlines()[-_SHOWN:])


def _on_a_leash() -> None:
    """In QEMU's process: it runs no longer than who started it."""
    ctypes.CDLL(None).prctl(_PARENT_DIED, signal.SIGKILL)


def _arguments(folder: Path, console: Path, monitor: Path, job: str, systemd: bool, ground: Ground) -> list[str]:
    kind, parts = ground.kind, stock(ground.kind)
    line = f"console={kind.console} quiet panic={0 if systemd else -1} {SPARED} {kind.spared} feltd.job={job} "
    line += (
        "feltd.as=systemd systemd.unit=feltd-machine.target systemd.journald.forward_to_console=1"
        if systemd
        else "feltd.as=job"
    )
    shares = {"host": (str(ground.root), True), "layer": (str(parts.layer), True), "shared": (str(folder), False)}
    words = [*kind.board, "-accel", "tcg,thread=multi", "-smp", "2", "-m", "1024"]
    words += ["-display", "none", "-nic", "none", "-nodefaults"]
    words += ["-no-reboot"]
    words += ["-kernel", str(parts.kernel), "-initrd", str(parts.initramfs), "-append", line]
    words += ["-serial", f"file:{console}", "-qmp", f"unix:{monitor},server=on,wait=off"]
    for tag, (path, readonly) in shares.items():
        share = f"local,path={path},mount_tag={tag},security_model=none,multidevs=remap"
        words += ["-virtfs", share + (",readonly=on" if readonly else "")]
    return words
