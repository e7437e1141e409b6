"""A host worked by hand: it says what no host of ours would, and looks at every frame that comes back."""

import os
import select
import time
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import cbor2

from firmware_bridge.framing import Frame, FrameDecoder, FrameType, encode_frame
from firmware_bridge.messages import (
    Close,
    DeviceMessage,
    Hello,
    Ping,
    Pong,
    Post,
    State,
    StateRead,
    Status,
    Welcome,
    from_device,
)
from firmware_bridge.reject import Reject
from firmware_bridge.session import Channel, HostHandshake
from tests.firmware.support import FirmwareProcess
from tests.firmware_bridge.support import KEY

ANSWER = 120.0  # seconds until a test gives up: a device is quicker by far, on a busy machine too
QUIET = 0.25  # seconds in which a device that had something to say would have said it
AWAKE = 1.0  # seconds between two words of a host that waits: after three without one it is gone for the device
WELCOMED = 1.0  # seconds that a device waits for its welcome
SESSIONS = 9  # that are begun until one is welcomed in time


class RawHost:
    """The host's end of a device's wire."""

    def __init__(self, device: FirmwareProcess, role: str = "keys") -> None:
        self.role = role
        self.deaf = False
        self.hello: Hello | None = None
        self.channel: Channel | None = None
        self.decoder = FrameDecoder()
        self._file = os.open(device.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._frames: deque[Frame] = deque()
        self._pings = 0
        self._said_at: float | None = None
        """When this host has said something last; None: nothing yet in this session."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        os.close(self._file)

    # -- bytes and frames

    def write(self, data: bytes) -> None:
        """All of it; what comes meanwhile is kept, unless this host is deaf."""
        while data:
            try:
                data = data[os.write(self._file, data[:1024]) :]
            except BlockingIOError:
                if self.deaf:
                    assert select.select([], [self._file], [], ANSWER)[1], "the device takes nothing any more"
                else:
                    self._take(0.01)

    def put(self, kind: int, body: bytes) -> None:
        self.write(encode_frame(FrameType(kind), body))

    def frame(self, seconds: float = ANSWER) -> Frame | None:
        """The next frame, or None: none came in this time."""
        end = time.monotonic() + seconds
        while not self._frames:
            left = end - time.monotonic()
            if left <= 0:
                return None
            self._take(left)
        return self._frames.popleft()

    def _take(self, seconds: float) -> None:
        if select.select([self._file], [], [], seconds)[0]:
            self._frames.extend(self.decoder.feed(os.read(self._file, 4096)))

    # -- the handshake

    def request(self, *, key: bytes = KEY, role: str | None = None, version: int = 1) -> HostHandshake:
        handshake = HostHandshake(key, self.role if role is None else role, version)
        self.put(1, handshake.request)
        return handshake

    def shake(self) -> HostHandshake:
        """A handshake that the device answers; nothing is said in its session yet. What came before is passed over."""
        handshake = self.request()
        while (frame := self.frame()) is not None and frame.type is not FrameType.HANDSHAKE_ANSWER:
            pass
        assert frame is not None
        assert frame.body[:4] == handshake.echo
        self._said_at = None
        self.channel, payload = handshake.read_answer(frame.body[4:])
        hello = from_device(payload)
        assert isinstance(hello, Hello)
        self.hello = hello
        return handshake

    def up(self, *, window: int = 32, resume: tuple[bytes, int] | None = None) -> Status:
        """A session, welcomed: the status that comes first.

        A device rightly knows of no session where this machine let more than its second pass before the welcome came:
        then it is asked for another one, a few times.
        """
        for _ in range(SESSIONS):
            begun = time.monotonic()
            self.shake()
            self.say(Welcome(window, resume).to_bytes())
            frame = self.frame()
            was_late = time.monotonic() - begun >= WELCOMED
            if frame is None or frame.type is not FrameType.REJECT or not was_late:
                break
        status = self._message(frame)
        assert isinstance(status, Status)
        return status

    def reject(self, seconds: float = ANSWER) -> tuple[int, bytes]:
        """The reject that comes next, whole: its code and its echo. It names the device."""
        frame = self.frame(seconds)
        assert frame is not None
        assert frame.type is FrameType.REJECT
        reject = Reject.from_bytes(frame.body[4:])
        assert (reject.role, reject.serial) == (self.role, f"{self.role}-1")
        assert (reject.version_min, reject.version_max) == (1, 2)
        return int(reject.code), frame.body[:4]

    # -- within the session

    def say(self, message: bytes) -> bytes:
        """Send a message; gives the frame's body, for who wants to send it again."""
        assert self.channel is not None
        body = self.channel.encrypt(message)
        self.put(3, body)
        self._said_at = time.monotonic()
        return body

    def say_map(self, message: Mapping[int, Any]) -> None:
        self.say(cbor2.dumps(message))

    def hear(self, seconds: float | None = None) -> DeviceMessage | None:
        """The next message, or None: none came. Statuses that come by the second are passed over after the first.

        Where no time is given it waits as a host does, which says something each second: else a device that takes its
        time would take this host for gone.
        """
        return self._message(self._awaited() if seconds is None else self.frame(seconds))

    def _awaited(self) -> Frame | None:
        for _ in range(round(ANSWER / AWAKE)):  # looks, and no time: a test that stood still looks once more
            if self._said_at is not None and time.monotonic() - self._said_at >= AWAKE:
                self.say(Post("x_awake", {}).to_bytes())
            if (frame := self.frame(AWAKE)) is not None:
                return frame
        return None

    def _message(self, frame: Frame | None) -> DeviceMessage | None:
        if frame is None:
            return None
        assert frame.type is FrameType.TRANSPORT
        assert self.channel is not None
        return from_device(self.channel.decrypt(frame.body))

    def heard(self, seconds: float | None = None) -> DeviceMessage | None:
        """The next message that is no status, or None."""
        while isinstance(message := self.hear(seconds), Status):
            pass
        return message

    def is_up(self) -> bool:
        """Whether a ping is answered. What came before the pong must have been a status."""
        self._pings += 1
        self.say(Ping(self._pings).to_bytes())
        return self.heard() == Pong(self._pings)

    def state(self) -> Mapping[str, Any]:
        """The state; nothing but statuses may come before it."""
        self.say(StateRead(1).to_bytes())
        state = self.heard()
        assert isinstance(state, State)
        return state.body

    def is_closed(self, reason: int) -> bool:
        """Whether the next thing heard is the device's farewell, and the session is no more."""
        close = self.heard()
        return isinstance(close, Close) and close.reason == reason and self.has_no_session()

    def has_no_session(self) -> bool:
        """Whether a transport frame is answered by a reject, and by nothing else. A status may have been on its way."""
        self.put(3, bytes(40))
        while (frame := self.frame()) is not None and frame.type is FrameType.TRANSPORT and self.channel is not None:
            assert isinstance(from_device(self.channel.decrypt(frame.body)), Status)
        assert frame is not None
        self._frames.appendleft(frame)
        return self.reject() == (3, bytes(4))

    def is_silent(self, seconds: float = QUIET) -> bool:
        return self.frame(seconds) is None
