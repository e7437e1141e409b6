"""The device's end of a link in Python: simulated devices, tests and the bench use it.

One `DevicePeer` is one boot of a device. To restart a device, first end `serve` of its peer (cancel it and wait),
then make a new peer over the same store: two peers at once over one store would each forget the other's events.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from firmware_bridge.compact import hello_bytes
from firmware_bridge.delivery import EventOutbox
from firmware_bridge.errors import CommandRefused, MessageError, SessionError, TransportError
from firmware_bridge.framing import Frame, FrameCounts, FrameDecoder, FrameType, encode_frame
from firmware_bridge.language import SECOND, DeviceLanguage, DeviceVersion1, DeviceVersion2
from firmware_bridge.limits import (
    BOOT_ID_SIZE,
    COMMANDS_IN_FLIGHT_MAX,
    ECHO_SIZE,
    FRAME_LARGEST,
    FRAME_MAX,
    FRAME_SMALLEST,
    PROTOCOL_MAX,
    PROTOCOL_MIN,
    SILENCE,
    STATUS_INTERVAL,
    WELCOME_TIMEOUT,
)
from firmware_bridge.messages import (
    Ack,
    Close,
    CloseReason,
    Command,
    DeviceMessage,
    Hello,
    Ping,
    Pong,
    Post,
    Refusal,
    Result,
    State,
    StateRead,
    Status,
    Welcome,
)
from firmware_bridge.reject import Reject, RejectCode
from firmware_bridge.session import REQUEST_SIZE, Channel, answer_handshake
from firmware_bridge.store import MemoryStore, PendingStore
from firmware_bridge.transport import Transport

_NO_ECHO: Final = bytes(ECHO_SIZE)


@dataclass(frozen=True, slots=True)
class PeerIdentity:
    """The device's identity, key and abilities, at its own end of the link."""

    role: str
    serial: str
    key: bytes = field(repr=False)
    firmware: str = "simulated"
    versions: tuple[int, int] = (PROTOCOL_MIN, PROTOCOL_MAX)
    commands: int = 4  # it takes at once
    takes: int = FRAME_LARGEST  # bytes of the longest frame, in version 2

    def __post_init__(self) -> None:
        if not (FRAME_MAX if self.versions[0] < SECOND else FRAME_SMALLEST) <= self.takes <= FRAME_LARGEST:
            raise ValueError(f"frames of {self.takes} bytes: PROTOCOL.md, section 8, has the limits")
        if not 1 <= self.commands <= COMMANDS_IN_FLIGHT_MAX:
            raise ValueError(f"a device takes 1 to {COMMANDS_IN_FLIGHT_MAX} commands at once, not {self.commands}")


class PeerHandler(Protocol):
    """The device behind the peer. Calls come from the event loop; none may block."""

    def state(self) -> Mapping[str, Any]:
        """The full state, as it is after the last event emitted."""
        ...

    def status(self) -> Mapping[str, Any]:
        """The status sent every second."""
        ...

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]]:
        """Carry out a command; raise CommandRefused to refuse it."""
        ...

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        """Set a level; unknown names are ignored."""
        ...


@dataclass(slots=True)
class _Session:
    """Keys, and what goes with them. `window` is 0 until the welcome has come."""

    channel: Channel
    language: DeviceLanguage
    heard: float
    frame_max: int = FRAME_MAX  # of what goes out
    timers: dict[str, asyncio.TimerHandle] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    window: int = 0
    state_read: int = 0  # the read that waits for its answer; 0 while none does


class DevicePeer:
    """A device's end: keeps events until they are acknowledged, answers the host."""

    def __init__(
        self,
        identity: PeerIdentity,
        handler: PeerHandler,
        *,
        store: PendingStore | None = None,
        clock: Callable[[], float] = time.monotonic,
        boot_id: bytes | None = None,
    ) -> None:
        """`store` None: kept in memory, lost with the peer. `boot_id` None: random, as it should be."""
        self.identity = identity
        self.boot_id = secrets.token_bytes(BOOT_ID_SIZE) if boot_id is None else boot_id
        self.counts = FrameCounts()
        self.stale_frames = 0  # good frames that have no place where they came
        self._handler = handler
        self._store: PendingStore = MemoryStore() if store is None else store
        self._outbox = EventOutbox(self._store, self.boot_id)
        self._clock = clock
        self._transport: Transport | None = None
        self._decoder = FrameDecoder(self.counts)
        self._session: _Session | None = None
        self._gone: asyncio.Future[None] | None = None
        self._room = asyncio.Event()
        self._room.set()

    # -- what the device does with it ----------------------------------------------------------------------------

    @property
    def up(self) -> bool:
        """Whether a host has welcomed this device."""
        return self._session is not None and self._session.window > 0

    @property
    def pending(self) -> int:
        """Events not yet acknowledged."""
        return len(self._outbox)

    @property
    def full(self) -> bool:
        """Whether `emit` would be refused."""
        return self._outbox.full

    async def serve(self, transport: Transport) -> None:
        """Speak over this transport until it is lost (returns) or the caller cancels.

        Cancelling is a loss of power. A failure of the handler is raised here. The transport is not closed.
        """
        if self._transport is not None:
            raise RuntimeError(f"the peer of {self.identity.serial} serves a transport already")
        self._gone = asyncio.get_running_loop().create_future()
        self._decoder = FrameDecoder(self.counts)
        self._transport = transport
        try:
            transport.start(_Port(self, transport))
            await self._gone
        finally:
            self._forget_session()
            self._transport = None

    def close(self) -> None:
        """End the session in good order, as a device does before it switches itself off."""
        self._close(CloseReason.STOPPING, "")

    def emit(self, body: Mapping[str, Any]) -> int:
        """Keep an event and send it as soon as possible; returns its sequence number.

        Raises PendingFullError, MessageError, StoreError.
        """
        seq = self._outbox.append(body)
        if self._outbox.full:
            self._room.clear()
        self._pump()
        return seq

    async def emit_when_room(self, body: Mapping[str, Any]) -> int:
        """As `emit`, but waits while the store is full."""
        while self._outbox.full:
            await self._room.wait()
        return self.emit(body)

    # -- what the transport calls --------------------------------------------------------------------------------

    def _received(self, data: bytes) -> None:
        for frame in self._decoder.feed(data):
            try:
                self._frame(frame)
            except SessionError as error:
                self._close(CloseReason.BAD_FRAME, str(error))
            except MessageError as error:
                self._close(CloseReason.MALFORMED, str(error))
            except Exception as error:  # noqa: BLE001 - the handler's own failure: `serve` raises it
                self._crash(error)

    def _lost(self) -> None:
        if self._gone is not None and not self._gone.done():
            self._gone.set_result(None)

    # -- the handshake -------------------------------------------------------------------------------------------

    def _frame(self, frame: Frame) -> None:
        if frame.type is FrameType.HANDSHAKE_REQUEST:
            self._requested(frame.body)
        elif frame.type is FrameType.TRANSPORT:
            if self._session is None:
                self._reject(RejectCode.NO_SESSION, _NO_ECHO)
            else:
                self._message(self._session, frame.body)
        else:
            self.stale_frames += 1

    def _requested(self, request: bytes) -> None:
        if len(request) != 1 + REQUEST_SIZE:
            self.stale_frames += 1
            return
        me, echo = self.identity, request[1 : 1 + ECHO_SIZE]
        low, high = me.versions
        if not low <= request[0] <= high:
            self._reject(RejectCode.UNSUPPORTED_VERSION, echo)
            return
        second = request[0] >= SECOND
        hello = Hello(
            *(me.role, me.serial, me.firmware, low, high, self.boot_id),
            persistent=self._store.persistent,
            commands=me.commands,
            acknowledged=self._outbox.acknowledged,
            takes=me.takes,
        )
        payload = hello_bytes(hello) if second else hello.to_bytes()
        try:
            answered = answer_handshake(me.key, me.role, request, payload)
        except SessionError:
            self._reject(RejectCode.NOT_AUTHENTIC, echo)
            return
        self._forget_session()
        language = DeviceVersion2(self.boot_id) if second else DeviceVersion1()
        self._session = _Session(answered.channel, language, self._clock())
        self._decoder.take_frames_of(me.takes if second else FRAME_MAX)
        self._after(WELCOME_TIMEOUT, "welcome", self._forget_session)
        self._put(FrameType.HANDSHAKE_ANSWER, answered.body)

    def _reject(self, code: RejectCode, echo: bytes) -> None:
        me = self.identity
        self._put(FrameType.REJECT, echo + Reject(code, me.role, me.serial, *me.versions).to_bytes())

    def _welcomed(self, session: _Session, welcome: Welcome) -> None:
        session.timers.pop("welcome").cancel()
        session.window = welcome.window
        session.frame_max = welcome.takes
        self._outbox.begin(welcome.resume)
        self._check_room()
        self._after(SILENCE, "silence", self._listen)
        self._status()
        for message in session.language.begin(self._outbox.upcoming, known=self._outbox.known):
            self._send(message)
        self._pump()

    # -- within the session --------------------------------------------------------------------------------------

    def _message(self, session: _Session, body: bytes) -> None:
        message = session.language.decode(session.channel.decrypt(body))
        session.heard = self._clock()
        if isinstance(message, Close):
            self._forget_session()
            return
        if session.window == 0 or isinstance(message, Welcome):
            if session.window or not isinstance(message, Welcome):
                raise MessageError("the welcome comes first, and once")
            self._welcomed(session, message)
            return
        match message:
            case Ack():
                self._outbox.forget_through(message.boot_id, message.seq)
                self._check_room()
                self._pump()
            case Command():
                self._command(session, message)
            case Post():
                self._handler.post(message.name, message.args)
            case Ping():
                self._say(session, Pong(message.number))
            case StateRead():
                session.state_read = message.id
                self._pump()

    def _pump(self) -> None:
        """Send what may go: events in order, then the state if it was asked for."""
        session, transport = self._session, self._transport
        if session is None or transport is None or session.window == 0:
            return
        while not transport.congested and (event := self._outbox.next(session.window)) is not None:
            for message in session.language.event(event):
                self._send(message)
        if session.state_read and self._outbox.all_sent and not transport.congested:
            number, session.state_read = session.state_read, 0
            self._say(session, State(number, dict(self._handler.state())))

    def _command(self, session: _Session, command: Command) -> None:
        try:
            value = self._handler.command(command.name, command.args)
        except CommandRefused as refused:
            self._say(session, Refusal(command.id, refused.code, refused.text))
            return
        if isinstance(value, Mapping):
            self._say(session, Result(command.id, dict(value)))
            return
        task = asyncio.ensure_future(self._finish(session, command, value))
        session.tasks.add(task)
        task.add_done_callback(session.tasks.discard)

    async def _finish(self, session: _Session, command: Command, value: Awaitable[Mapping[str, Any]]) -> None:
        """Finish a command that takes time: its result goes into its own session, or nowhere."""
        answer: Result | Refusal
        try:
            answer = Result(command.id, dict(await value))
        except CommandRefused as refused:
            answer = Refusal(command.id, refused.code, refused.text)
        except Exception as error:  # noqa: BLE001 - as in `_received`
            self._crash(error)
            return
        if self._session is session:
            self._say(session, answer)

    def _status(self) -> None:
        assert self._session is not None
        self._after(STATUS_INTERVAL, "status", self._status)
        try:
            self._say(self._session, Status(dict(self._handler.status())))
        except Exception as error:  # noqa: BLE001 - as in `_received`
            self._crash(error)

    def _listen(self) -> None:
        """Detect silence with one timer, restarted when it expires."""
        assert self._session is not None
        quiet = self._clock() - self._session.heard
        if quiet >= SILENCE:
            self._forget_session()
            return
        self._after(SILENCE - quiet, "silence", self._listen)

    # -- the ground ----------------------------------------------------------------------------------------------

    def _check_room(self) -> None:
        if not self._outbox.full:
            self._room.set()

    def _after(self, seconds: float, name: str, callback: Callable[[], None]) -> None:
        assert self._session is not None
        self._session.timers[name] = asyncio.get_running_loop().call_later(seconds, callback)

    def _say(self, session: _Session, message: DeviceMessage) -> None:
        data = session.language.encode(message)
        if self._session is session:
            self._send(data)

    def _send(self, message: bytes) -> None:
        if self._session is not None:
            self._put(FrameType.TRANSPORT, self._session.channel.encrypt(message), self._session.frame_max)

    def _put(self, kind: FrameType, body: bytes, frame_max: int = FRAME_MAX) -> None:
        if self._transport is not None:
            self._transport.write(encode_frame(kind, body, frame_max))

    def _close(self, reason: CloseReason, text: str) -> None:
        if self._session is not None and self.up:  # before the welcome nothing is sent: the request may be a replay
            self._say(self._session, Close(reason, text))
        self._forget_session()

    def _forget_session(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        self._decoder.take_frames_of(FRAME_MAX)
        for timer in session.timers.values():
            timer.cancel()
        for task in session.tasks:
            task.cancel()

    def _crash(self, error: Exception) -> None:
        if self._gone is not None and not self._gone.done():
            self._gone.set_exception(error)


class _Port:
    """The receiver of one transport; ignores it once the peer serves another one."""

    def __init__(self, peer: DevicePeer, transport: Transport) -> None:
        self._peer = peer
        self._transport = transport

    def received(self, data: bytes) -> None:
        if self._peer._transport is self._transport:
            self._peer._received(data)

    def lost(self, _error: TransportError) -> None:
        if self._peer._transport is self._transport:
            self._peer._lost()

    def writable(self) -> None:
        if self._peer._transport is self._transport:
            self._peer._pump()
