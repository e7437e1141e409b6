"""What these tests share: a loop whose clock jumps, a journal on the host's side, a device, and wires good and bad."""

import asyncio
import random
import selectors
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from firmware_bridge.budget import BUDGET, Budget
from firmware_bridge.errors import CommandRefused, TransportError
from firmware_bridge.facts import DeviceIdentity, Jump, LinkSpec, ResumePoint
from firmware_bridge.framing import Frame, FrameDecoder, FrameType
from firmware_bridge.limits import PROTOCOL_MAX, PROTOCOL_MIN
from firmware_bridge.link import Link, LinkFault
from firmware_bridge.memory import MemoryTransport, memory_pair
from firmware_bridge.peer import DevicePeer, PeerIdentity
from firmware_bridge.store import PendingStore
from firmware_bridge.transport import HostTransport, Receiver

T = TypeVar("T")

KEY = bytes(range(32))
SPEC = LinkSpec("shoe", "shoe", KEY, "S-1")
IDENTITY = PeerIdentity("shoe", "S-1", KEY, "test 1")


class _JumpingSelector(selectors.SelectSelector):
    """Where a loop would sleep, its clock jumps instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.turns += 1
        ready = super().select(0)
        if not ready and timeout is None:
            raise AssertionError("the loop would sleep for ever: nothing is left to happen")
        if not ready and timeout is not None and timeout > 0:
            self.now += timeout
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """Hours pass in milliseconds. Only for what needs no descriptors and no threads."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    @property
    def turns(self) -> int:
        """How often it has looked for what is ready."""
        return self._jumping.turns


def run(main: Coroutine[Any, Any, T], *, jumping: bool = True) -> T:
    """Run a test's coroutine, in a loop whose clock jumps unless it needs the real one. Errors in callbacks fail it."""
    with asyncio.Runner(loop_factory=JumpingLoop if jumping else None) as runner:
        errors: list[dict[str, Any]] = []
        runner.get_loop().set_exception_handler(lambda _loop, context: errors.append(context))
        result = runner.run(main)
    assert errors == []
    return result


def now() -> float:
    """The running loop's time."""
    return asyncio.get_running_loop().time()


class Journal:
    """A handler that writes everything down. `sync` says what a journal on disk would: up to here it is safe."""

    def __init__(self, *, syncing: bool = True) -> None:
        self.syncing = syncing  # acknowledge at once; else when `sync` is called
        self.link: Link | None = None
        self.events: list[tuple[bytes, int, Mapping[str, Any]]] = []
        self.synced = 0
        self.ups: list[tuple[DeviceIdentity, Mapping[str, Any]]] = []
        self.events_at_up: list[int] = []
        self.sessions: list[DeviceIdentity] = []
        self.jumps: list[Jump] = []
        self.downs: list[LinkFault] = []
        self.statuses: list[Mapping[str, Any]] = []

    @property
    def bodies(self) -> list[Any]:
        return [body["n"] for _, _, body in self.events]

    @property
    def codes(self) -> list[str]:
        return [fault.code.value for fault in self.downs]

    def sync(self) -> None:
        if len(self.events) > self.synced:
            self.synced = len(self.events)
            assert self.link is not None
            self.link.acknowledge(*self.events[-1][:2])

    def resume(self) -> ResumePoint | None:
        """What a restarted host finds: only what was synced. The rest never happened."""
        del self.events[self.synced :]
        return ResumePoint(*self.events[-1][:2]) if self.events else None

    def on_session(self, _name: str, identity: DeviceIdentity) -> None:
        self.sessions.append(identity)

    def on_jump(self, _name: str, jump: Jump) -> None:
        self.jumps.append(jump)

    def on_up(self, _name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.ups.append((identity, state))
        self.events_at_up.append(len(self.events))

    def on_event(self, _name: str, boot_id: bytes, seq: int, body: Mapping[str, Any]) -> None:
        self.events.append((boot_id, seq, body))
        if self.syncing:
            self.sync()

    def on_status(self, _name: str, status: Mapping[str, Any]) -> None:
        self.statuses.append(status)

    def on_down(self, _name: str, fault: LinkFault) -> None:
        self.downs.append(fault)


class Device:
    """The device behind a peer: counts, echoes, refuses; `slow` answers when it is told to."""

    def __init__(self) -> None:
        self.last = 0
        self.commands: list[tuple[str, Mapping[str, Any]]] = []
        self.posts: list[tuple[str, Mapping[str, Any]]] = []
        self.slow: asyncio.Future[Mapping[str, Any]] | None = None

    def state(self) -> Mapping[str, Any]:
        return {"last": self.last}

    def status(self) -> Mapping[str, Any]:
        return {"ok": True}

    def command(self, name: str, args: Mapping[str, Any]) -> Any:
        self.commands.append((name, args))
        if name == "echo":
            return args
        if name == "slow":
            self.slow = asyncio.get_running_loop().create_future()
            return self.slow
        raise CommandRefused(name, "unknown", "no such command\a")

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        self.posts.append((name, args))


Wire = Callable[[], tuple[HostTransport, HostTransport]]  # the controller's end and the device's


class Bench:
    """A link and a device, and a wire between them that can be cut."""

    def __init__(
        self,
        *,
        spec: LinkSpec = SPEC,
        identity: PeerIdentity = IDENTITY,
        wire: Wire | None = None,
        store: PendingStore | None = None,
        journal: Journal | None = None,
        versions: tuple[int, int] = (PROTOCOL_MIN, PROTOCOL_MAX),
        budget: Budget = BUDGET,
        serving: bool = True,  # False: the test puts something else at the device's end
    ) -> None:
        self.serving, self.budget = serving, budget
        self.spec, self.identity, self.versions = spec, identity, versions
        self.wire: Wire = wire or memory_pair
        self.store = store
        self.device = Device()
        self.journal = journal or Journal()
        self.peer = self.new_peer()
        self.link = self.new_link(None)
        self.ports: tuple[HostTransport, HostTransport] | None = None
        self.plugged = asyncio.Event()
        self.plugged.set()
        self.tasks: set[asyncio.Task[Any]] = set()
        self._peer_task: asyncio.Task[None] | None = None
        self._link_task: asyncio.Task[None] | None = None

    def new_peer(self) -> DevicePeer:
        return DevicePeer(self.identity, self.device, store=self.store, clock=now)

    def new_link(self, resume: ResumePoint | None) -> Link:
        link = Link(
            self.spec,
            self.connect,
            self.journal,
            resume=resume,
            clock=now,
            versions=self.versions,
            budget=self.budget,
        )
        self.journal.link = link
        return link

    async def connect(self) -> HostTransport:
        await self.plugged.wait()
        self.ports = host, device = self.wire()
        self.serve(device)
        return host

    def serve(self, transport: HostTransport) -> None:
        """Give the device a wire, if it has power."""
        if not self.serving:
            return
        self.stop_serving()
        self._peer_task = self.spawn(self.peer.serve(transport))

    def stop_serving(self) -> None:
        if self._peer_task is not None:
            self._peer_task.cancel()
            self._peer_task = None
            # Cancelling takes a turn of the loop, a power cut none.
            self.peer._forget_session()
            self.peer._transport = None

    def spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        return task

    def start(self) -> None:
        self._link_task = self.spawn(self.link.run())

    def kill_link(self) -> None:
        """`kill -9`: nothing is said on the wire, what was not synced is gone; a new one starts from the journal."""
        assert self._link_task is not None
        self._link_task.cancel()
        if self.link._conversation is not None:
            self.link._conversation._channel = None  # a killed process says no farewell
        self.link = self.new_link(self.journal.resume())
        self.start()

    def restart_device(self) -> None:
        """Power off and on: a new boot over the same store, on the same wire."""
        self.stop_serving()  # first: two boots at once would share one store
        self.peer = self.new_peer()
        if self.ports is not None:
            self.serve(self.ports[1])

    def cut(self) -> None:
        """Take the cable out; the link opens another."""
        if self.ports is not None:
            for port in self.ports:
                assert isinstance(port, MemoryTransport | Hindrance)
                port.lose()

    def emit(self, n: int) -> None:
        self.device.last = n
        self.peer.emit({"n": n})

    async def up(self, count: int = 1) -> None:
        await until(lambda: len(self.journal.ups) >= count)

    async def finish(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for port in self.ports or ():
            port.close()


async def started(bench: Bench) -> Bench:
    bench.start()
    await bench.up()
    return bench


async def until(condition: Callable[[], bool], *, seconds: float = 600.0, step: float = 0.01) -> None:
    """Let time pass until something is so."""
    end = now() + seconds
    while not condition():
        assert now() < end, "it never came to be"
        await asyncio.sleep(step)


class Hindrance:
    """A transport around another that does something to what is written. The base does nothing."""

    def __init__(self, inner: MemoryTransport) -> None:
        self.inner = inner
        self.name = inner.name

    @property
    def congested(self) -> bool:
        return self.inner.congested

    def start(self, receiver: Receiver) -> None:
        self.inner.start(receiver)

    def hold(self) -> None:
        self.inner.hold()

    def resume(self) -> None:
        self.inner.resume()

    def write(self, data: bytes) -> None:
        self.inner.write(data)

    def close(self) -> None:
        self.inner.close()

    def lose(self) -> None:
        self.inner.lose()


class ByteAtATime(Hindrance):
    """Every byte comes alone."""

    def write(self, data: bytes) -> None:
        for value in data:
            self.inner.write(bytes((value,)))


class Lossy(Hindrance):
    """One write in five is lost, by a seed."""

    def __init__(self, inner: MemoryTransport, chance: random.Random) -> None:
        super().__init__(inner)
        self._chance = chance

    def write(self, data: bytes) -> None:
        if self._chance.random() >= 0.2:
            self.inner.write(data)


class Delayed(Hindrance):
    """Everything takes 150 ms, and stays in order (timers due at the same moment do not)."""

    def __init__(self, inner: MemoryTransport) -> None:
        super().__init__(inner)
        self._under_way: deque[bytes] = deque()

    def write(self, data: bytes) -> None:
        self._under_way.append(data)
        asyncio.get_running_loop().call_later(0.15, lambda: self.inner.write(self._under_way.popleft()))


class Recording(Hindrance):
    """Keeps what was written, and what is `altered` goes on instead."""

    def __init__(self, inner: MemoryTransport) -> None:
        super().__init__(inner)
        self.written: list[bytes] = []
        self.alter: Callable[[bytes], bytes] = lambda data: data

    def write(self, data: bytes) -> None:
        self.written.append(data)
        self.inner.write(self.alter(data))


def byte_at_a_time() -> tuple[HostTransport, HostTransport]:
    host, device = memory_pair()
    return ByteAtATime(host), ByteAtATime(device)


def lossy(seed: int) -> Wire:
    chance = random.Random(seed)

    def wire() -> tuple[HostTransport, HostTransport]:
        host, device = memory_pair()
        return Lossy(host, chance), Lossy(device, chance)

    return wire


def delayed() -> tuple[HostTransport, HostTransport]:
    host, device = memory_pair()
    return Delayed(host), Delayed(device)


class Collector:
    """A receiver that keeps what it is given."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.errors: list[TransportError] = []
        self.writables = 0

    def received(self, data: bytes) -> None:
        self.data += data

    def lost(self, error: TransportError) -> None:
        self.errors.append(error)

    def writable(self) -> None:
        self.writables += 1

    @property
    def frames(self) -> list[Frame]:
        return FrameDecoder().feed(bytes(self.data))

    def of(self, kind: FrameType) -> list[bytes]:
        return [frame.body for frame in self.frames if frame.type is kind]
