"""The device's end of the wire (PROTOCOL.md): handshake, session, delivery, timing. It knows no pins and no cards.

The main loop gives it the bytes that came (`received`) and the time (`tick`), carries away what `out` gives, and says
how much of it has `gone`.
What the device is and does comes as `app`:

    app.state()                   the full state, as it is after the last event emitted
    app.status()                  what goes into the status each second
    app.post(name, args)          set something to a level; ignore what is not known
    app.command(name, args)       do it and give a map, or raise Refused
"""

import gc
from time import ticks_diff, ticks_ms

from frames import FRAME_MAX, HANDSHAKE_ANSWER, HANDSHAKE_REQUEST, REJECT, TRANSPORT, FrameReceiver, put_frame
from messages import (
    ACK,
    BAD_FRAME,
    CLOSE,
    COMMAND,
    EVENT,
    HELLO,
    MALFORMED,
    NEXT,
    PING,
    PONG,
    POST,
    RESULT,
    STATE,
    STATE_READ,
    STATUS,
    WELCOME,
    event_of,
    from_host,
    message,
    refusal,
)
from noise import REQUEST_SIZE, Channel, Responder, prologue
from plain_cbor import Malformed, Pairs, encode
from x25519 import BASE_POINT, Multiplication

VERSION_MIN, VERSION_MAX = 1, 2  # those this firmware speaks
NOT_AUTHENTIC, UNSUPPORTED_VERSION, NO_SESSION = 1, 2, 3  # reject codes
WELCOME_MS = 1000
STATUS_MS = 1000
SILENCE_MS = 3000
COMMANDS_AT_ONCE = 1  # each is done and answered before the next is read
SEQUENCE_MAX = 0xFFFFFFFF
OUT_HIGH = 2048  # bytes not yet carried away from which on events and state wait
OUT_ROOM = 6144  # the longest frame beyond that, and some for what does not wait


class Refused(Exception):
    """A command is not done: raise it with a code (1 to 32 ASCII characters) and a text for people."""

    def __init__(self, code, text=""):
        super().__init__(code)
        self.code = code
        self.text = text


class Device:
    """One boot of a device."""

    def __init__(self, role, serial, key, firmware, app, outbox, random):
        """`key`: 32 bytes; `random(n)`: n random bytes that nobody can guess."""
        self.role = role
        self.serial = serial
        self._out = bytearray(OUT_ROOM)  # made once: a heap in pieces could not make it longer later
        self._out_length = 0
        self._key = key
        self._firmware = firmware
        self._app = app
        self._outbox = outbox
        self._random = random
        self._boot_id = random(8)
        self._sequence = 0
        self._receiver = FrameReceiver()
        self._channel = None
        self._version = VERSION_MIN  # of the session
        self._hello_boot = self._boot_id  # the boot id in its hello
        self._place = None  # in version 2: the name that the next event has by its place
        self._window = 0  # events the host lets be in flight; 0 until it has welcomed this device
        self._state_read = 0  # the read to be answered; 0: none
        self._heard = self._told = self._last_tick = ticks_ms()
        self._up_ms = 0
        self._private = b""
        self._public = None  # a key pair for the next handshake, made while nothing else is to be done
        self._making = None

    @property
    def up(self):
        """Whether a host has welcomed this device."""
        return self._channel is not None and self._window > 0

    @property
    def full(self):
        """Whether `emit` would refuse: stop what makes events."""
        return self._outbox.full

    def emit(self, body):
        """Name an event, keep it, send it as soon as may be. False: it could not be kept, and has not happened."""
        self._name_boot()
        event = message(1, EVENT, self._boot_id, self._sequence + 1, body)
        if not self._outbox.append(self._boot_id, self._sequence + 1, event):
            return False
        self._sequence += 1
        self._pump()
        return True

    def _name_boot(self):
        """A boot that has used its sequences up takes another id."""
        if self._sequence == SEQUENCE_MAX:
            self._boot_id = self._random(8)
            self._sequence = 0

    def received(self, data):
        """Bytes came."""
        for kind, body in self._receiver.feed(data):
            if kind == HANDSHAKE_REQUEST:
                self._requested(body)
            elif kind == TRANSPORT:
                self._transport(body)

    def out(self):
        """What is to go on the wire."""
        return memoryview(self._out)[: self._out_length]

    def gone(self, count):
        """So much of it has."""
        rest = self._out_length - count
        self._out[:rest] = self._out[count : self._out_length]
        self._out_length = rest

    def tick(self):
        """To be called often: sends what is due, ends what took too long, gets the next key pair ready."""
        now = ticks_ms()
        self._up_ms += ticks_diff(now, self._last_tick)
        self._last_tick = now
        if self._channel is not None:
            quiet = ticks_diff(now, self._heard)
            if quiet >= (SILENCE_MS if self._window else WELCOME_MS):
                self._forget()
            elif self._window:
                if ticks_diff(now, self._told) >= STATUS_MS:
                    self._send_status()
                self._pump()
        self._prepare(8)

    # -- the handshake

    def _prepare(self, bits):
        """Get on with a key pair for the next handshake."""
        if self._public is not None:
            return
        if self._making is None:
            self._private = self._random(32)
            self._making = Multiplication(self._private, BASE_POINT)
        if self._making.step(bits):
            self._public = self._making.result()
            self._making = None

    def _requested(self, body):
        if len(body) != 1 + REQUEST_SIZE:
            return
        echo = body[1:5]
        version = body[0]
        if not VERSION_MIN <= version <= VERSION_MAX:
            self._reject(UNSUPPORTED_VERSION, echo)
            return
        handshake = Responder(self._key, prologue(self.role, version))
        if not handshake.read(body[1:]):
            self._reject(NOT_AUTHENTIC, echo)
            return
        self._prepare(255)
        answer = handshake.write(self._private, self._public, self._hello(version))
        self._private, self._public = b"", None  # for one handshake only
        if answer is None:
            self._reject(NOT_AUTHENTIC, echo)
            return
        self._forget()
        to_device, to_host = handshake.keys()
        self._channel = Channel(to_device, to_host)
        self._version = version
        self._hello_boot = self._boot_id
        self._put(HANDSHAKE_ANSWER, echo + answer)
        self._heard = ticks_ms()
        gc.collect()

    def _hello(self, version):
        values = [
            self.role, self.serial, self._firmware, VERSION_MIN, VERSION_MAX,
            self._boot_id, self._outbox.persistent, COMMANDS_AT_ONCE,
        ]  # fmt: skip
        if version > 1:
            values += [self._outbox.acknowledged, FRAME_MAX]
        return message(1, HELLO, *values)  # a map in either version

    def _reject(self, code, echo):
        what = Pairs((1, code), (2, self.role), (3, self.serial), (4, VERSION_MIN), (5, VERSION_MAX))
        self._put(REJECT, echo + encode(what))

    def _forget(self):
        self._channel = None
        self._window = 0
        self._state_read = 0

    # -- within the session

    def _transport(self, body):
        if self._channel is None:
            self._reject(NO_SESSION, bytes(4))
            return
        data = self._channel.open(body)
        if data is None:
            self._end(BAD_FRAME, "a frame did not authenticate")
            return
        self._heard = ticks_ms()
        try:
            self._message(from_host(data, self._version, self._hello_boot))
        except Malformed as error:
            self._end(MALFORMED, str(error))

    def _end(self, reason, text):
        """End the session; the host is told why, unless it has not welcomed this device yet."""
        if self._window:
            self._say(CLOSE, reason, text)
        self._forget()

    def _message(self, m):
        kind = m[0]
        if kind == CLOSE:
            self._forget()
        elif (kind == WELCOME) == (self._window > 0):
            raise Malformed("the welcome comes first, and once")
        elif kind == WELCOME:
            self._window = m[1]
            self._outbox.begin(m[2])
            self._send_status()
            if self._version > 1:
                self._name_boot()
                self._send_next(self._outbox.oldest() or (self._boot_id, self._sequence + 1))
        elif kind == ACK:
            self._outbox.forget_through(m[1], m[2])
        elif kind == COMMAND:
            self._command(m[1], m[2], m[3])
        elif kind == POST:
            self._app.post(m[1], m[2])
        elif kind == PING:
            self._say(PONG, m[1])
        elif kind == STATE_READ:
            self._state_read = m[1]
        self._pump()

    def _command(self, number, name, args):
        try:
            self._say(RESULT, number, self._app.command(name, args))
        except Refused as refused:
            self._send(refusal(self._version, number, refused.code, refused.text))

    def _send_status(self):
        status = {"up_ms": self._up_ms, "waiting": len(self._outbox), "free": gc.mem_free()}
        if self._outbox.note:
            status["note"] = self._outbox.note
        status.update(self._app.status())
        self._told = ticks_ms()
        self._say(STATUS, status)

    def _pump(self):
        """Send what may go: events in order, then the state if it was asked for."""
        while self._window and self._out_length < OUT_HIGH:
            event = self._outbox.next(self._window)
            if event is None:
                break
            self._send_event(event[0], event[1])
        if self._state_read and self._window and self._outbox.all_sent and self._out_length < OUT_HIGH:
            number = self._state_read
            self._state_read = 0
            self._say(STATE, number, self._app.state())

    def _send_next(self, name):
        """Version 2: the name of the event that comes next."""
        self._place = name
        self._say(NEXT, name[0], name[1], self._outbox.known)

    def _send_event(self, name, kept):
        if self._version > 1:
            if name != self._place:
                self._send_next(name)
            self._place = (name[0], name[1] + 1)
        self._send(event_of(self._version, kept))

    def _say(self, kind, *values):
        self._send(message(self._version, kind, *values))

    def _send(self, data):
        if self._channel is not None:
            self._put(TRANSPORT, self._channel.seal(data))

    def _put(self, kind, body):
        end = put_frame(self._out, self._out_length, kind, body)
        if end is None:
            self._forget()  # nobody takes what is written
            return
        self._out_length = end
