"""A device of the reference firmware as a process on a pseudo-terminal, and a bad wire to the host before it."""

import asyncio
import json
import os
import random
import shutil
import subprocess
import termios
import tty
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.facts import LinkSpec
from firmware_bridge.limits import PROTOCOL_MAX, PROTOCOL_MIN
from firmware_bridge.link import Link
from firmware_bridge.serial_transport import SerialTransport, open_serial
from firmware_bridge.transport import HostTransport, Receiver
from tests.firmware_bridge.support import KEY, Journal

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "firmware"
VECTORS = ROOT / "firmware_bridge" / "vectors.json"
ROLE_OF_KEYS = "keys"
BUTTONS: dict[str, dict[str, Any]] = {
    "deal": {"ev": "deal_start"},
    "floor": {"ev": "floor_called", "by": "dealer"},
    **{f"seat{seat}": {"ev": "seat_away", "seat": seat} for seat in range(1, 11)},
}


def micropython() -> str | None:
    """The interpreter: Debian's, or the one that `.ci/run` has put beside the checkout."""
    for name in (os.environ.get("MICROPYTHON", ""), "micropython", str(ROOT / ".micropython" / "micropython")):
        if name and (found := shutil.which(name)):
            return found
    return None


def fetched(name: str, variable: str) -> Path | None:
    """Sources that the firmware in C is built with: where a variable says, or where `.ci/pico` has put them."""
    place = Path(os.environ.get(variable) or ROOT / ".pico" / name)
    return place if place.is_dir() else None


class FirmwareProcess:
    """A device that runs. Its wire is `port`, a link that stays the same through restarts; `say` moves its fingers."""

    def __init__(self, command: list[str], folder: Path) -> None:
        """`command`: the program, to which the folder and the pipe of controls are added."""
        self.port = str(folder / "port")
        self.log = folder / "device.log"
        self._command = command
        self._folder = folder
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        settings = termios.tcgetattr(self._slave)
        settings[1] = 0  # an emulator turns output processing on: then there must be none to be done
        termios.tcsetattr(self._slave, termios.TCSANOW, settings)
        (folder / "port").symlink_to(os.ttyname(self._slave))
        self._process: subprocess.Popen[bytes] | None = None
        self._controls = -1

    def start(self) -> None:
        """Power on."""
        reading, self._controls = os.pipe()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, str(self._folder), f"/dev/fd/{reading}"],
                stdin=self._master, stdout=self._master, stderr=log, pass_fds=[reading], cwd=self._folder,
            )  # fmt: skip
        os.close(reading)

    def say(self, *lines: str) -> None:
        """Press, lay, take: see `board_pty.py`."""
        os.write(self._controls, "".join(f"{line}\n" for line in lines).encode())

    @property
    def powered(self) -> bool:
        """Whether its program runs: it may have cut its own power."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """Power off, at whatever moment."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        os.close(self._controls)
        self._process = None

    def close(self) -> None:
        """Power off, and the wire gone. What the device complained of is shown by a failing test."""
        alive = self.powered
        self.kill()
        os.close(self._master)
        os.close(self._slave)
        said = self.log.read_text(encoding="utf-8")
        assert alive, f"the device's program has ended: {said}"
        assert said == ""


def settings(folder: Path, role: str, **more: Any) -> None:
    """What a device finds in its flash."""
    (folder / "key").write_bytes(KEY)
    (folder / "device.json").write_text(json.dumps({"role": role, "serial": f"{role}-1", **more}), encoding="utf-8")


class BadWire:
    """A transport around another: some of what passes is changed, and it can be cut."""

    def __init__(self, inner: SerialTransport, session: "Session") -> None:
        """The session's `share` of the pieces that pass, either way, have one byte changed, taken out or put in."""
        self._inner, self._session = inner, session
        self._receiver: Receiver | None = None
        self.name = inner.name

    @property
    def congested(self) -> bool:
        return self._inner.congested

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._inner.start(self)

    def hold(self) -> None:
        self._inner.hold()

    def resume(self) -> None:
        self._inner.resume()

    def write(self, data: bytes) -> None:
        self._inner.write(self._spoilt(data))

    def close(self) -> None:
        self._inner.close()

    def cut(self) -> None:
        """Take the cable out; the link opens the port anew."""
        assert self._receiver is not None
        self._receiver.lost(TransportError(FaultCode.UNPLUGGED, "cut by the test"))

    def received(self, data: bytes) -> None:
        assert self._receiver is not None
        self._receiver.received(self._spoilt(data))

    def lost(self, error: TransportError) -> None:
        assert self._receiver is not None
        self._receiver.lost(error)

    def writable(self) -> None:
        assert self._receiver is not None
        self._receiver.writable()

    def _spoilt(self, data: bytes) -> bytes:
        chance = self._session.chance
        if chance.random() >= self._session.share:
            return data
        self._session.spoilt += 1
        at = chance.randrange(len(data))
        middle = chance.choice([b"", b"\0", bytes((data[at] ^ 0x21,)), bytes((data[at], 0x55))])
        return data[:at] + middle + data[at + 1 :]


class Session:
    """A link to a device, over a wire that may be bad, and what its journal holds. Use it within a running loop."""

    def __init__(
        self,
        device: FirmwareProcess,
        role: str,
        *,
        share: float = 0.0,
        syncing: bool = True,
        key: bytes = KEY,
        serial: str | None = None,
        versions: tuple[int, int] = (PROTOCOL_MIN, PROTOCOL_MAX),
    ) -> None:
        self.journal = Journal(syncing=syncing)
        self.versions = versions  # of the host, from its next start on
        self.wire: BadWire | None = None
        self.share = share
        self.spoilt = 0  # pieces that went over the wire changed
        self.chance = random.Random(7)
        self._device = device
        self._spec = LinkSpec(role, role, key, serial or f"{role}-1")
        self.link = self._new_link()
        self._running = asyncio.ensure_future(self.link.run())

    @property
    def events(self) -> list[Mapping[str, Any]]:
        return [body for _, _, body in self.journal.events]

    def take_up(self, key: bytes) -> None:
        """The slot's key is another from the next start of the host on."""
        self._spec = replace(self._spec, key=key)

    async def restart(self) -> None:
        """The host is killed and starts again from what it had synced."""
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        self.link = self._new_link()
        self._running = asyncio.ensure_future(self.link.run())

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let time pass until something is so; a link that has failed is raised."""
        while not condition():
            if self._running.done():
                await self._running
            await asyncio.sleep(0.005)

    async def close(self) -> None:
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)

    def _new_link(self) -> Link:
        resume = self.journal.resume()
        link = Link(self._spec, self._connect, self.journal, resume=resume, versions=self.versions)
        self.journal.link = link
        return link

    async def _connect(self) -> HostTransport:
        port = await open_serial(self._device.port, allowed=[self._device.port])
        self.wire = BadWire(port, self)
        return self.wire
