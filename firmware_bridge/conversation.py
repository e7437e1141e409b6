"""The host's side of one session (PROTOCOL.md, sections 2 to 5), from the handshake request to its end.

Everything runs in the event loop's callbacks: a frame goes from the transport to the handler without a task between.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from firmware_bridge.admission import admit, refused, unsupported
from firmware_bridge.budget import Pace
from firmware_bridge.commands import CommandDesk
from firmware_bridge.compact import Next, hello_of
from firmware_bridge.delivery import EventInbox
from firmware_bridge.errors import (
    DeliveryError,
    FaultCode,
    FaultError,
    LinkDown,
    LinkFault,
    MessageError,
    SessionError,
)
from firmware_bridge.facts import (
    DeviceIdentity,
    Jump,
    LinkCounters,
    LinkSpec,
    LinkState,
    ResumePoint,
    SessionHandler,
)
from firmware_bridge.framing import Frame, FrameType, encode_frame
from firmware_bridge.language import SECOND, HostLanguage, HostVersion1, HostVersion2
from firmware_bridge.limits import (
    ECHO_SIZE,
    FRAME_LARGEST,
    FRAME_MAX,
    HANDSHAKE_TIMEOUT,
    IDENTIFIER_MAX,
    PING_INTERVAL,
    SILENCE,
    STATE_TIMEOUT,
)
from firmware_bridge.messages import (
    Ack,
    Close,
    CloseReason,
    Event,
    Hello,
    HostMessage,
    Ping,
    Pong,
    Refusal,
    Result,
    State,
    StateRead,
    Status,
    Welcome,
    from_device,
)
from firmware_bridge.moments import last_moment
from firmware_bridge.posts import PostBook
from firmware_bridge.reject import Reject, RejectCode
from firmware_bridge.session import Channel, HostHandshake
from firmware_bridge.trail import FrameTrail
from firmware_bridge.transport import Transport

_REASONS: Final = {
    FaultCode.BAD_FRAME: CloseReason.BAD_FRAME,
    FaultCode.MALFORMED: CloseReason.MALFORMED,
    FaultCode.OUT_OF_ORDER: CloseReason.OUT_OF_ORDER,
    FaultCode.EVENTS_MISSING: CloseReason.OUT_OF_ORDER,
    FaultCode.SILENT: CloseReason.SILENT,
    FaultCode.WRONG_ROLE: CloseReason.WRONG_ROLE,
    FaultCode.UNKNOWN_DEVICE: CloseReason.UNKNOWN_DEVICE,
    FaultCode.UNSUPPORTED_VERSION: CloseReason.UNSUPPORTED_VERSION,
    FaultCode.DOWNGRADE: CloseReason.DOWNGRADE,
    FaultCode.NO_STATE: CloseReason.NO_STATE,
    FaultCode.NO_RESULT: CloseReason.NO_RESULT,
    FaultCode.STALLED: CloseReason.STALLED,
}


@dataclass(frozen=True, slots=True)
class LinkContext:
    """The objects that a link keeps from one conversation to the next."""

    spec: LinkSpec
    versions: tuple[int, int]
    inbox: EventInbox
    posts: PostBook
    handler: SessionHandler
    counters: LinkCounters
    clock: Callable[[], float]
    trail: FrameTrail
    pace: Pace
    entered: Callable[[LinkState], None]  # called with HANDSHAKING, CATCHING_UP, UP


class Conversation:
    """One session, or one attempt at it.

    `ended` gives the fault that ended it, or raises the handler's exception. `was_up`: whether its handler has had the
    state; `was_heard`: whether it has had the state or an event.
    """

    def __init__(self, context: LinkContext, transport: Transport, take_frames_of: Callable[[int], None]) -> None:
        """`take_frames_of`: told of the bytes of the longest frame that the device may send."""
        self._context = context
        self._spec = context.spec
        self._transport = transport
        self._take_frames_of = take_frames_of
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[LinkFault] = self._loop.create_future()
        self.was_up = False
        self.was_heard = False
        self._version = context.versions[1]
        self._handshake: HostHandshake | None = None
        self._channel: Channel | None = None
        self._language: HostLanguage = HostVersion1()
        self._frame_max = FRAME_MAX  # of what goes out
        self._told_next = False
        self._hello: Hello | None = None
        self._identity: DeviceIdentity | None = None
        self._desk: CommandDesk | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._heard = 0.0
        self._progress = 0.0  # when the last event came or the last acknowledgement went
        self._ping_number = 0
        self._pinged: float | None = None  # when the ping that waits for its pong was sent
        self._ack_waits = False
        self._read_number = 0
        self._state_taker: Callable[[Mapping[str, Any]], None] | None = None
        self._state_turn = asyncio.Lock()

    @property
    def key(self) -> bytes:
        """The key of this session."""
        return self._spec.key

    # -- what the link does with it ------------------------------------------------------------------------------

    def start(self) -> None:
        """Send the handshake request."""
        self._take_frames_of(FRAME_MAX)
        self._context.entered(LinkState.HANDSHAKING)
        self._request()

    def frame(self, frame: Frame) -> None:
        """Take a frame. Never raises: a fault ends the session and is in `ended`."""
        if self.ended.done():
            self._context.counters.stale_frames += 1
            return
        try:
            if frame.type is FrameType.TRANSPORT and self._channel is not None:
                self._message(self._channel, frame.body)
            elif frame.type is FrameType.HANDSHAKE_ANSWER and self._channel is None:
                self._answer(frame.body)
            elif frame.type is FrameType.REJECT:
                self._rejected(frame.body)
            else:
                self._context.counters.stale_frames += 1
        except SessionError as error:
            self._context.counters.authentication_failures += 1
            self.fail(self._named(error.fault))
        except FaultError as error:
            self.fail(self._named(error.fault))
        except MessageError as error:
            self.fail(
                self._named(LinkFault(FaultCode.MALFORMED, f"{error}: the device's firmware breaks the protocol"))
            )
        except Exception as error:  # noqa: BLE001 - the handler's own failure: it must end the link, not vanish in the loop
            self._crash(error)

    def writable(self) -> None:
        """The transport takes more: what had to wait goes now."""
        if self.ended.done() or self._channel is None:
            return
        if self._ack_waits:
            self.send_acknowledgement()
        self.send_posts()

    def send_acknowledgement(self) -> None:
        """Tell the device how far the journal holds its events.

        While the transport is congested it is held back; one is sent for all afterwards.
        """
        resume = self._context.inbox.resume
        if self.ended.done() or self._identity is None or resume is None:
            return
        self._ack_waits = self._transport.congested
        if self._ack_waits:
            return
        self._progress = self._context.clock()
        self._say(Ack(*resume))

    def send_posts(self) -> None:
        """Send the posts that are unsent in this session, as far as the transport takes them."""
        if not self.was_up or self.ended.done():
            return
        while not self._transport.congested and (message := self._context.posts.next()) is not None:
            self._context.counters.posts += 1
            self._send(message)

    async def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Raises CommandRefused, LinkDown, MessageError."""
        if not self.was_up or self.ended.done() or self._desk is None:
            raise LinkDown(self._spec.name)
        self._context.counters.commands += 1
        return await self._desk.command(name, args)

    async def read_state(self) -> Mapping[str, Any]:
        """Raises LinkDown."""
        async with self._state_turn:
            if not self.was_up or self.ended.done():
                raise LinkDown(self._spec.name)
            answer: asyncio.Future[Mapping[str, Any]] = self._loop.create_future()
            self._read_state(lambda state: None if answer.done() else answer.set_result(state))
            await asyncio.wait((answer, self.ended), return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            answer.cancel()
            raise LinkDown(self._spec.name, None if self.ended.exception() else self.ended.result())

    def fail(self, fault: LinkFault) -> None:
        """End the session with a fault; inform the device, if possible, and every waiting caller."""
        self._end(fault, _REASONS.get(fault.code))
        if not self.ended.done():
            self.ended.set_result(fault)

    def stop(self) -> None:
        """End the session in good order: inform the device and callers waiting for a result."""
        fault = LinkFault(FaultCode.STOPPED, f"{self._spec.name}: the controller stops")
        self._end(fault, CloseReason.STOPPING)
        if not self.ended.done():
            self.ended.set_result(fault)

    # -- the handshake -------------------------------------------------------------------------------------------

    def _request(self) -> None:
        self._handshake = HostHandshake(self._spec.key, self._spec.role, self._version)
        self._after(HANDSHAKE_TIMEOUT, "handshake", self._no_answer)
        self._put(FrameType.HANDSHAKE_REQUEST, self._handshake.request)

    def _no_answer(self) -> None:
        text = f"{self._where} does not answer within {HANDSHAKE_TIMEOUT:g} s: is it powered, and is it the right port?"
        self.fail(LinkFault(FaultCode.NO_ANSWER, text))

    def _answer(self, body: bytes) -> None:
        if self._handshake is None or body[:ECHO_SIZE] != self._handshake.echo:
            self._context.counters.stale_frames += 1
            return
        channel, payload = self._handshake.read_answer(body[ECHO_SIZE:])
        self._context.counters.frames_received += 1
        self._timers.pop("handshake").cancel()
        self._handshake = None
        self._channel = channel
        hello = self._hello_in(payload)
        self._identity = admit(hello, self._spec, self._version, self._context.versions)
        self._begin(hello)

    def _hello_in(self, payload: bytes) -> Hello:
        """The hello of the session's version, whose language is spoken from here on."""
        if self._version < SECOND:
            hello = from_device(payload)
            if not isinstance(hello, Hello):
                raise MessageError("the handshake answer carries no hello")
            return hello
        hello = hello_of(payload)
        self._language = HostVersion2(hello)
        self._frame_max = hello.takes
        self._take_frames_of(FRAME_LARGEST)
        return hello

    def _rejected(self, body: bytes) -> None:
        """Take an answer in clear: it names a fault and proves nothing. An impossible one is noise."""
        reject = Reject.from_bytes_or_none(body[ECHO_SIZE:])
        expected = bytes(ECHO_SIZE) if self._handshake is None else self._handshake.echo
        in_place = reject is not None and (reject.code is RejectCode.NO_SESSION) == (self._channel is not None)
        if reject is None or not in_place or body[:ECHO_SIZE] != expected:
            self._context.counters.stale_frames += 1
            return
        self._context.counters.frames_received += 1
        if reject.code is RejectCode.NO_SESSION:
            raise FaultError(FaultCode.CLOSED_BY_DEVICE, "the device has no session any more: it restarted or lost it")
        if reject.code is RejectCode.UNSUPPORTED_VERSION:
            self._lower(reject)
            return
        raise refused(reject, self._spec)

    def _lower(self, reject: Reject) -> None:
        """Try the highest common version; the hello must confirm that no higher one was possible."""
        common = min(reject.version_max, self._version - 1)
        if common < max(reject.version_min, self._context.versions[0]):
            raise unsupported(reject.version_min, reject.version_max, self._context.versions)
        self._version = common
        self._request()

    def _begin(self, hello: Hello) -> None:
        """The session is up: welcome, then the full state; the device sends what it has kept before it answers."""
        counters = self._context.counters
        counters.reconnects += counters.sessions > 0
        counters.sessions += 1
        self._heard = self._progress = self._context.clock()
        self._hello = hello
        encode = self._language.encode
        self._desk = CommandDesk(self._spec.name, hello.commands, encode, self._send, self.fail)
        self._context.posts.begin(encode)
        self._context.entered(LinkState.CATCHING_UP)
        assert self._identity is not None
        self._context.handler.on_session(self._spec.name, self._identity)
        self._say(Welcome(self._context.inbox.window, self._context.inbox.begin(), FRAME_LARGEST))
        self._read_state(self._first_state)
        self._after(SILENCE, "silence", self._listen)
        self._after(self._until_ping(), "ping", self._ping)

    # -- within the session --------------------------------------------------------------------------------------

    def _message(self, channel: Channel, body: bytes) -> None:
        message = self._language.decode(channel.decrypt(body))
        self._context.counters.frames_received += 1
        self._heard = self._context.clock()
        match message:
            case Event():
                self._event(message)
            case Status():
                self._context.handler.on_status(self._spec.name, message.body)
            case Pong():
                self._pong(message)
            case Result() | Refusal():
                assert self._desk is not None
                self._desk.settle(message)
            case State():
                self._state(message)
            case Next():
                self._next(message)
            case Close():
                text = f"the device ended the session (reason {message.reason}): {message.text or 'no text'}"
                raise FaultError(FaultCode.CLOSED_BY_DEVICE, text)
            case _:
                raise MessageError("a second hello")

    def _event(self, event: Event) -> None:
        self._context.pace.took_event()
        try:
            is_new = self._context.inbox.take(event.boot_id, event.seq)
        except DeliveryError as error:
            if error.fault.code is FaultCode.EVENTS_MISSING:
                self._jump(ResumePoint(event.boot_id, event.seq))
            raise
        if not is_new:
            self._context.counters.retransmissions += 1
            return
        self._context.counters.events += 1
        self._progress = self._heard
        self.was_heard = True
        self._context.handler.on_event(self._spec.name, event.boot_id, event.seq, event.body)

    def _next(self, coming: Next) -> None:
        """The device names its next event: what leaves a gap, or is not what this journal would expect, is a jump."""
        missing = self._context.inbox.expect(coming.boot_id, coming.seq)
        unknown = not coming.known and not self._told_next
        self._told_next = True
        if missing or unknown:
            self._jump(ResumePoint(coming.boot_id, coming.seq), known=not unknown)

    def _jump(self, coming: ResumePoint, *, known: bool = True) -> None:
        assert self._hello is not None
        resume, acknowledged = self._context.inbox.resume, self._hello.acknowledged
        jump = Jump(
            None if resume is None else ResumePoint(*resume),
            coming,
            None if acknowledged is None else ResumePoint(*acknowledged),
            known,
        )
        self._context.handler.on_jump(self._spec.name, jump)

    def _read_state(self, taker: Callable[[Mapping[str, Any]], None]) -> None:
        self._state_taker = taker
        self._progress = self._context.clock()
        self._read_number += 1
        self._say(StateRead(self._read_number))

    def _state(self, state: State) -> None:
        if state.id < self._read_number:  # an earlier read, whose caller has gone
            return
        taker, self._state_taker = self._state_taker, None
        if taker is None or state.id != self._read_number:
            raise MessageError("a state that was not asked for")
        taker(state.body)

    def _first_state(self, state: Mapping[str, Any]) -> None:
        assert self._identity is not None
        self.was_up = self.was_heard = True
        self._context.entered(LinkState.UP)
        self._context.handler.on_up(self._spec.name, self._identity, state)
        self.send_posts()

    def _pong(self, pong: Pong) -> None:
        if self._pinged is None or pong.number != self._ping_number:
            return
        counters = self._context.counters
        counters.round_trip = self._heard - self._pinged
        counters.round_trip_max = max(counters.round_trip_max, counters.round_trip)
        self._pinged = None

    # -- time ----------------------------------------------------------------------------------------------------

    def _ping(self) -> None:
        self._after(self._until_ping(), "ping", self._ping)
        if self._state_overdue():
            text = f"{self._where} has not told its state within {STATE_TIMEOUT:g} s: restart it"
            self.fail(LinkFault(FaultCode.NO_STATE, text))
            return
        if self._pinged is None:
            self._ping_number = self._ping_number % IDENTIFIER_MAX + 1
            self._pinged = self._context.clock()
        self._say(Ping(self._ping_number))

    def _until_ping(self) -> float:
        """Seconds to the moment, an interval after the last common one, at which other links of this loop ping too."""
        now = self._loop.time()
        return last_moment(now) + PING_INTERVAL - now

    def _state_overdue(self) -> bool:
        """A device that waits for acknowledgements (a full window) is not late: the journal is."""
        if self._state_taker is None or self._context.inbox.unsynced >= self._context.inbox.window:
            return False
        return self._context.clock() - self._progress > STATE_TIMEOUT

    def _listen(self) -> None:
        """Detect silence with one timer, restarted when it expires, so that a frame costs none."""
        quiet = self._context.clock() - self._heard
        if quiet >= SILENCE:
            text = f"{self._where} has been silent for {quiet:.1f} s: look at its power and its cable"
            self.fail(LinkFault(FaultCode.SILENT, text))
            return
        self._after(SILENCE - quiet, "silence", self._listen)

    def _after(self, seconds: float, name: str, callback: Callable[[], None]) -> None:
        earlier = self._timers.get(name)
        if earlier is not None:
            earlier.cancel()
        self._timers[name] = self._loop.call_later(seconds, callback)

    # -- the ground ----------------------------------------------------------------------------------------------

    @property
    def _where(self) -> str:
        return f"{self._spec.name} at {self._transport.name}"

    def _named(self, fault: LinkFault) -> LinkFault:
        return LinkFault(fault.code, f"{self._where}: {fault.text}")

    def _say(self, message: HostMessage) -> None:
        self._send(self._language.encode(message))

    def _send(self, message: bytes) -> None:
        assert self._channel is not None
        self._put(FrameType.TRANSPORT, self._channel.encrypt(message))

    def _put(self, kind: FrameType, body: bytes) -> None:
        self._context.counters.frames_sent += 1
        self._context.trail.sent(kind, len(body))
        self._transport.write(encode_frame(kind, body, self._frame_max))

    def _crash(self, error: Exception) -> None:
        if self.ended.done():  # a handler that ended the session and then failed: the loop's handler reports it
            raise error
        self._end(LinkFault(FaultCode.STOPPED, f"{self._spec.name}: the controller failed"), CloseReason.STOPPING)
        self.ended.set_exception(error)

    def _end(self, fault: LinkFault, reason: CloseReason | None) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        if self._channel is not None and reason is not None and not self.ended.done():
            self._say(Close(reason, ""))
        if self._desk is not None:
            self._desk.close(fault)
