"""One simulated device, one process: a model behind the real protocol on a pseudo-terminal, worked over a control
socket.

    python -m devices.simulated.things.device --role shoe --name shoe --port-link DIR/shoe --key-file DIR/shoe.key
        --control DIR/shoe.control --memory DIR/shoe.memory

Orders come as JSON lines over the Unix socket: `{"id": "…", "do": "deal"}`; each is answered by a line
`{"id", "ok": true, "reply": {…}, "boot": hex, "seq": n}` (the last event it has made) or `{"id", "ok": false,
"refused": …}`. The orders of a role are in its model. Every device knows besides: `read`, `settle` (wait until the
host has everything), `where`, `noise`, `silence`, `unplug` (until a `reboot`), `reboot`, `power_loss`.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from devices.simulated.chance import seeded
from devices.simulated.errors import OrderRefused, SimulatedDeviceError
from devices.simulated.things.chips import spoken
from devices.simulated.things.memory import DeviceMemory
from devices.simulated.things.models import (
    BadgeModel,
    DeviceModel,
    DropboxModel,
    IndicatorsModel,
    KeysModel,
    MarkersModel,
    ReaderModel,
)
from devices.simulated.things.orders import number_of
from devices.simulated.things.shoe_model import ShoeModel
from devices.simulated.things.wire import Wire
from firmware_bridge.errors import CommandRefused, FirmwareBridgeError, MessageError
from firmware_bridge.limits import KEY_SIZE
from firmware_bridge.peer import DevicePeer, PeerIdentity
from firmware_bridge.pseudo_terminal import PseudoTerminal

LINE_MAX: Final = 1 << 16
"""Bytes of the longest order."""
SETTLE_POLL: Final = 0.002
"""Seconds between two looks at the events still pending."""
NOISE_MAX: Final = 4096
SILENCE_MAX: Final = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceOptions:
    """The options of one process.

    `leash`: end at the end of standard input, so that no device outlives the process that started it.
    """

    role: str
    name: str
    port_link: Path
    key_file: Path
    control: Path
    memory: Path
    zones: tuple[str, ...] = ()
    decks: tuple[str, ...] = ("blue",)
    seed: int = 0
    serial: str = ""
    reads_down: bool = True
    chips: bool = False
    faces: bool = True
    leash: bool = False

    def arguments(self) -> list[str]:
        """The command line for these options, without the interpreter."""
        words = ["-m", "devices.simulated.things.device", "--role", self.role, "--name", self.name]
        words += ["--port-link", str(self.port_link), "--key-file", str(self.key_file)]
        words += ["--control", str(self.control), "--memory", str(self.memory), "--seed", str(self.seed)]
        words += ["--zones", ",".join(self.zones)] if self.zones else []
        words += ["--decks", ",".join(self.decks)]
        words += ["--serial", self.serial] if self.serial else []
        words += [] if self.reads_down else ["--blind"]
        words += ["--chips"] if self.chips else []
        words += [] if self.faces else ["--faceless"]
        return words + (["--leash"] if self.leash else [])


MODELS: Final[Mapping[str, Callable[[DeviceOptions], DeviceModel]]] = {
    "shoe": lambda options: ShoeModel(options.decks, options.seed, chips=options.chips),
    "reader": lambda options: ReaderModel(
        options.zones, reads_down=options.reads_down, chips=options.chips, faces=options.faces
    ),
    "markers": lambda options: MarkersModel(),
    "dropbox": lambda options: DropboxModel(),
    "keys": lambda options: KeysModel(),
    "badge": lambda options: BadgeModel(),
    "indicators": lambda options: IndicatorsModel(),
}
"""How each role's model is made."""


class SimulatedDevice:
    """The device in its process: model, memory, wire and peer."""

    def __init__(self, options: DeviceOptions, key: bytes, saved: DeviceMemory) -> None:
        self._options = options
        self._identity = PeerIdentity(options.role, options.serial or f"SIM-{options.name}", key)
        self._saved = saved
        self._started = time.monotonic()
        self._turn = asyncio.Lock()
        self._powered = asyncio.Event()
        self._background: set[asyncio.Task[None]] = set()
        self._wire = Wire(PseudoTerminal(options.port_link))
        self._boot()

    def _boot(self) -> None:
        """Power on: levels are forgotten, things lie as before, unreported events are still owed."""
        self._model = MODELS[self._options.role](self._options)
        memory = self._saved.memory()
        if memory is not None:
            self._model.recall(memory)
        self._peer = DevicePeer(self._identity, self, store=self._saved)
        self._last_seq = 0
        self._serving = asyncio.create_task(self._peer.serve(self._wire))
        self._powered.set()

    async def run(self) -> None:
        """Report the events owed from before, then serve until cancelled."""
        try:
            async with self._turn:
                await self._report()
            while True:
                serving = self._serving
                await asyncio.wait({serving})
                await self._powered.wait()
                if serving is self._serving:  # not a reboot: the wire is lost, or the handler failed
                    if not serving.cancelled():
                        serving.result()
                    return
        finally:
            self._serving.cancel()
            self._peer.close()
            self._wire.close()

    # -- orders

    async def order(self, line: bytes) -> dict[str, Any]:
        """Carry out one line of the control socket; returns its answer."""
        try:
            order = json.loads(line)
        except ValueError:
            return {"id": None, "ok": False, "refused": "not JSON: an order is an object on one line"}
        if not isinstance(order, dict):
            return {"id": None, "ok": False, "refused": "not a JSON object"}
        number = order.get("id")
        try:
            if order.get("do") == "settle":
                return {"id": number, "ok": True, "reply": await self._settle(_seconds(order))}
            async with self._turn:
                reply = await self._carry_out(order, number if isinstance(number, str) else "")
        except (OrderRefused, MessageError) as refusal:
            return {"id": number, "ok": False, "refused": str(refusal)}
        return {"id": number, "ok": True, "reply": reply, "boot": self._peer.boot_id.hex(), "seq": self._last_seq}

    async def _carry_out(self, order: dict[str, Any], number: str) -> dict[str, Any]:
        of_wire = _WIRE_ORDERS.get(str(order.get("do")))
        if of_wire is not None:
            return of_wire(self, order)
        earlier = self._saved.reply_to(number)
        if earlier is not None:
            return earlier
        carried = self._model.order(order)
        self._saved.carried_out(number, carried.reply, self._model.memory(), carried.bodies)
        await self._report()
        return carried.reply

    async def _report(self) -> None:
        for body in self._saved.owed():
            try:
                self._last_seq = await self._peer.emit_when_room(spoken(body))
            except MessageError:
                self._saved.drop_owed()
                raise

    async def _settle(self, seconds: float) -> dict[str, Any]:
        """Wait until the host has taken every event, or the seconds have passed."""
        end = time.monotonic() + seconds
        while self._peer.pending and time.monotonic() < end:  # noqa: ASYNC110 - a reboot changes the peer in between
            await asyncio.sleep(SETTLE_POLL)
        return {"pending": self._peer.pending}

    def _where(self, order: dict[str, Any]) -> dict[str, Any]:
        return {"port": str(self._options.port_link), "up": self._peer.up, "pending": self._peer.pending}

    def _noise(self, order: dict[str, Any]) -> dict[str, Any]:
        count = number_of(order, "bytes")
        if not 0 < count <= NOISE_MAX:
            raise OrderRefused(f"order 'noise': bytes must be 1 to {NOISE_MAX}")
        self._wire.make_noise(seeded("noise", self._options.seed, count).randbytes(count))
        return {}

    def _silence(self, order: dict[str, Any]) -> dict[str, Any]:
        seconds = _seconds(order)
        self._wire.silence(True)
        asyncio.get_running_loop().call_later(seconds, self._wire.silence, False)
        return {}

    def _unplug(self, order: dict[str, Any]) -> dict[str, Any]:
        """Off until a reboot."""
        self._wire.silence(True)
        return {}

    def _reboot(self, order: dict[str, Any]) -> dict[str, Any]:
        """Power off, and on again after some seconds."""
        seconds = _seconds(order)
        self._wire.silence(True)
        self._later(self._restart(seconds))
        return {}

    def _power_loss(self, order: dict[str, Any]) -> dict[str, Any]:
        """As a reboot, but in the middle of the next frame."""
        seconds = _seconds(order)
        self._wire.cut_next_frame(lambda: self._later(self._restart(seconds)))
        return {}

    def _later(self, coroutine: Any) -> None:
        task: asyncio.Task[None] = asyncio.create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _restart(self, seconds: float) -> None:
        async with self._turn:
            self._powered.clear()
            before = self._serving
            before.cancel()
            with suppress(asyncio.CancelledError):
                await before
            await asyncio.sleep(seconds)
            self._boot()
            self._wire.silence(False)
            await self._report()

    # -- what the peer asks

    def state(self) -> Mapping[str, Any]:
        """The full state."""
        state: Mapping[str, Any] = spoken(self._model.state())
        return state

    def status(self) -> Mapping[str, Any]:
        """The status sent every second."""
        return {"up_ms": round((time.monotonic() - self._started) * 1000), "waiting": self._peer.pending}

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Refuses: MESSAGES.md has posts only."""
        raise CommandRefused(name, "unknown", f"a {self._options.role} has no command of this name")

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        """Take a level set by the host."""
        self._model.post(name, args)


_WIRE_ORDERS: Final[Mapping[str, Callable[[SimulatedDevice, dict[str, Any]], dict[str, Any]]]] = {
    "where": SimulatedDevice._where,
    "noise": SimulatedDevice._noise,
    "silence": SimulatedDevice._silence,
    "unplug": SimulatedDevice._unplug,
    "reboot": SimulatedDevice._reboot,
    "power_loss": SimulatedDevice._power_loss,
}


def _seconds(order: Mapping[str, Any]) -> float:
    value = order.get("seconds", 0.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= SILENCE_MAX:
        raise OrderRefused(f"order {order.get('do')!r}: seconds must be 0 to {SILENCE_MAX}")
    return float(value)


def read_key(file: Path) -> bytes:
    """A key of 32 bytes, or of 64 hexadecimal digits.

    Raises SimulatedDeviceError; the content is never quoted.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise SimulatedDeviceError(f"key file {file}: {error.strerror}: make one with: openssl rand -hex 32") from None
    if len(content) == KEY_SIZE:
        return content
    with suppress(ValueError):
        key = bytes.fromhex(content.decode("ascii"))
        if len(key) == KEY_SIZE:
            return key
    raise SimulatedDeviceError(
        f"key file {file}: it holds no key of {KEY_SIZE} bytes or {2 * KEY_SIZE} hexadecimal digits"
    )


async def serve_device(options: DeviceOptions, saved: DeviceMemory | None = None) -> None:
    """Run one simulated device until cancelled.

    Raises SimulatedDeviceError, FirmwareBridgeError. `saved`: its opened memory; it is closed here.
    """
    saved = DeviceMemory(options.memory) if saved is None else saved
    try:
        device = SimulatedDevice(options, read_key(options.key_file), saved)
        fresh = options.control.with_name(f"{options.control.name}.new")
        server = await asyncio.start_unix_server(
            lambda reader, writer: _converse(device, reader, writer), fresh, limit=LINE_MAX
        )
        os.chmod(fresh, 0o600)
        fresh.replace(options.control)  # made last: its presence means that a connection will succeed
        async with server:
            await device.run()
    finally:
        saved.close()


async def _converse(device: SimulatedDevice, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one connection of the control socket."""
    try:
        while line := await reader.readline():
            writer.write(json.dumps(await device.order(line)).encode() + b"\n")
            await writer.drain()
    except (ConnectionError, ValueError):  # disconnected, or a line that is too long
        pass
    except asyncio.CancelledError:
        pass  # the process ends, and this task with it: raised on, the stream's own callback would print it
    finally:
        writer.close()


def read_options(words: list[str] | None = None) -> DeviceOptions:
    """The command line as options."""
    parser = argparse.ArgumentParser(
        prog="python -m devices.simulated.things.device", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--role", required=True, choices=tuple(MODELS), help="what it is")
    parser.add_argument("--name", required=True, help="its slot at the table, e.g. reader:board")
    parser.add_argument("--port-link", required=True, type=Path, help="where the port is to be found: a symbolic link")
    parser.add_argument("--key-file", required=True, type=Path, help="its key: 32 bytes, or 64 hexadecimal digits")
    parser.add_argument("--control", required=True, type=Path, help="the Unix socket that takes orders")
    parser.add_argument("--memory", required=True, type=Path, help="the file that outlives this process")
    parser.add_argument("--zones", default="", help="a reader's zones, with commas between")
    parser.add_argument("--decks", default="blue", help="a shoe's decks, with commas between")
    parser.add_argument("--seed", type=int, default=0, help="decides every shuffle")
    parser.add_argument("--serial", default="", help="its serial number; SIM-NAME if none is given")
    parser.add_argument("--blind", action="store_true", help="a reader that cannot name cards that lie face down")
    parser.add_argument("--chips", action="store_true", help="cards are told by the numbers of their chips")
    parser.add_argument("--faceless", action="store_true", help="a reader that knows no side of a card")
    parser.add_argument("--leash", action="store_true", help="end when standard input ends")
    given = parser.parse_args(words)
    return DeviceOptions(
        role=given.role,
        name=given.name,
        port_link=given.port_link,
        key_file=given.key_file,
        control=given.control,
        memory=given.memory,
        zones=tuple(zone for zone in given.zones.split(",") if zone),
        decks=tuple(deck for deck in given.decks.split(",") if deck),
        seed=given.seed,
        serial=given.serial,
        reads_down=not given.blind,
        chips=given.chips,
        faces=not given.faceless,
        leash=given.leash,
    )


async def _until_told(options: DeviceOptions) -> None:
    task = asyncio.create_task(serve_device(options))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    if options.leash:
        loop.add_reader(sys.stdin.fileno(), lambda: None if os.read(sys.stdin.fileno(), 4096) else task.cancel())
    with suppress(asyncio.CancelledError):
        await task


def main() -> int:
    """The process. Exit code 1, with a message, if the device cannot run."""
    try:
        asyncio.run(_until_told(read_options()))
    except (SimulatedDeviceError, FirmwareBridgeError, OSError) as error:
        sys.stderr.write(f"simulated device: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
