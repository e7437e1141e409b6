"""Connections of browsers, bounded: how many, of whom, and how long one may take to ask, or to read what it asked for.

Whoever opens connections and says nothing, sends a request by the byte, or never reads an answer, is let go. Where
there is no room, the connection gives way that has waited longest without a whole request: of the address that is at
its limit, or of the address that has most where all are at theirs. So whoever comes to ask gets in, however many others
hold connections open. Only where every connection is in the middle of an answer is a new one refused, and
where an address opens them faster than anybody's browser does: each costs a handshake.
"""

import asyncio
import contextlib
import re
import resource
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import h11
from h11._receivebuffer import ReceiveBuffer
from uvicorn.protocols.http.h11_impl import H11Protocol

from feltd.page.addresses import Network, is_among
from feltd.page.limits.buckets import Buckets
from feltd.page.limits.facts import PageLimits
from feltd.page.limits.refusals import Limit, Refusals
from feltd.text.ip_addresses import counted_as

OTHER_FILES: Final = 256
"""Open files that the page needs beside its connections."""
AGAIN_AFTER: Final = 5
"""Seconds after which a refused visitor is asked to come again."""
_WORDS: Final = b"too many connections are open at once: close some, or come again in a few seconds\n"
_REFUSAL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\ncache-control: no-store\r\n"
    b"retry-after: %d\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (AGAIN_AFTER, len(_WORDS), _WORDS)
)
_PIECE: Final = re.compile(rb"0*[0-9a-fA-F]{1,8}(;[\t\x20-\x7e\x80-\xff]*)?\r\n")
"""What stands before a piece of a body. No control character: a proxy may take a lone CR for the line's end. No size
that goes beyond the integers of any proxy."""


class Held(socket.socket):
    """An accepted connection that is counted until it is closed."""

    place: "Connections | None" = None
    counted_as = ""
    number = -1
    """Its descriptor."""

    def close(self) -> None:
        """Close it, and give its place free."""
        super().close()
        if self.place is not None:
            self.place.left(self)


class Connections:
    """All connections of a page. Belongs to the loop."""

    def __init__(
        self,
        limits: PageLimits,
        refusals: Refusals,
        *,
        secure: bool = False,
        proxies: Sequence[Network] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set up an empty register.

        `secure`: they speak TLS, so one that is refused is told nothing. `proxies`: have connections of many people,
        so they have no limit of their own. `clock`: monotonic seconds.
        """
        self.limits = limits
        self._most = _room_for(limits.connections)
        self._refusals = refusals
        self._secure = secure
        self._proxies = proxies
        self._pace = Buckets(limits.connects_per_address, limits.connect_burst_per_address, clock)
        self._held: dict[int, Held] = {}
        self._counts: Counter[str] = Counter()
        self._waiting: dict[Held, asyncio.TimerHandle | None] = {}
        """Those without a whole request, the longest first; with a timer while they are not yet spoken to."""

    def __len__(self) -> int:
        return len(self._held)

    def enter(self, connection: socket.socket, host: str) -> Held:
        """Count a connection that was accepted.

        Raises ConnectionAbortedError for one too many, which is told so and closed.
        """
        key = counted_as(host)
        if not self._room_for(key, host):
            self._refusals.add(Limit.CONNECTIONS)
            self._refuse(connection)
            raise ConnectionAbortedError("too many connections")
        held = Held(connection.family, connection.type, connection.proto, fileno=connection.detach())
        held.place, held.counted_as, held.number = self, key, held.fileno()
        self._held[held.number] = held
        self._counts[key] += 1
        # TLS is spoken before anything is known of a request: whoever does not begin is let go as well.
        self._waiting[held] = asyncio.get_running_loop().call_later(self.limits.seconds_to_ask, self._let_go, held)
        return held

    def _room_for(self, key: str, host: str) -> bool:
        proxy = not host or is_among(host, self._proxies)  # over a Unix socket the proxy comes, with everybody's
        if not proxy and self._pace.take(key) > 0:
            return False
        of_one = self._most if proxy else self.limits.connections_per_address
        if self._counts[key] >= of_one:
            return self._gives_way(next((held for held in self._waiting if held.counted_as == key), None))
        if len(self._held) >= self._most:  # the first of those whose address has most
            return self._gives_way(max(self._waiting, key=lambda held: self._counts[held.counted_as], default=None))
        return True

    def _gives_way(self, held: Held | None) -> bool:
        if held is None:
            return False
        self._refusals.add(Limit.CONNECTIONS)
        self._let_go(held)
        return True

    def _let_go(self, held: Held) -> None:
        """End a connection. Its transport hears of it from the kernel and closes it."""
        self._forget(held)
        with contextlib.suppress(OSError):
            held.shutdown(socket.SHUT_RDWR)

    def left(self, held: Held) -> None:
        """A connection was closed."""
        self._forget(held)

    def _forget(self, held: Held) -> None:
        _cancel(self._waiting.pop(held, None))
        if self._held.get(held.number) is held:
            del self._held[held.number]
            self._counts[held.counted_as] -= 1
            if not self._counts[held.counted_as]:
                del self._counts[held.counted_as]

    def spoken_to(self, number: int) -> Held | None:
        """The connection of this descriptor, once it can be spoken over; None for one that was let go."""
        held = self._held.get(number)
        if held is not None:
            _cancel(self._waiting[held])
            self._waiting[held] = None
        return held

    def waits(self, held: Held, *, waits: bool) -> None:
        """Say whether a connection waits for a whole request, or is answered."""
        if self._held.get(held.number) is not held:
            return
        if not waits:
            _cancel(self._waiting.pop(held, None))
        elif held not in self._waiting:
            self._waiting[held] = None

    def _refuse(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        with contextlib.suppress(OSError), connection:
            if not self._secure:
                with contextlib.suppress(BlockingIOError):
                    connection.recv(65536)  # what stays unread would take the answer away
                connection.send(_REFUSAL)
                connection.shutdown(socket.SHUT_WR)


class CountingListener(socket.socket):
    """A listening socket whose connections are counted before any byte of them is read."""

    connections: Connections | None = None

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept the next connection.

        Raises ConnectionAbortedError for one too many, which the event loop passes over.
        """
        connection, address = super().accept()
        assert self.connections is not None
        host = str(address[0]) if self.family != socket.AF_UNIX else ""
        return self.connections.enter(connection, host), address


class _WholeLines(ReceiveBuffer):
    """What was received, where each line is one that every program in front of the page sees alike.

    h11 takes a line feed alone for an end too, joins a line that begins with a blank to the one before, and passes
    over whatever stands behind the size of a piece. A proxy that does otherwise would see another head or another
    end, and another request behind it (RFC 9112, 2.2, 5.2, 7.1 and 11.2).
    """

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """The lines of the head, or of what follows a body in pieces. Raises h11.RemoteProtocolError."""
        before = bytes(self)
        lines: list[bytearray] | None = super().maybe_extract_lines()
        if lines is not None:
            taken = before[: len(before) - len(self)]
            if taken.count(b"\n") != taken.count(b"\r\n"):
                raise h11.RemoteProtocolError("a line of the head ends in a line feed alone")
            if any(line.startswith((b" ", b"\t")) for line in lines):
                raise h11.RemoteProtocolError("a line of the head goes on in the next one")
        return lines

    def maybe_extract_next_line(self) -> bytearray | None:
        """The line before a piece of a body. Raises h11.RemoteProtocolError."""
        line: bytearray | None = super().maybe_extract_next_line()
        if line is not None and _PIECE.fullmatch(line) is None:
            raise h11.RemoteProtocolError("a piece of the body has no size that is plain")
        return line


class Connection(H11Protocol):
    """One connection, with a limit to its patience."""

    counted: ClassVar[Connections]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn._receive_buffer = _WholeLines()  # h11 has no other way to be strict
        self._held: Held | None = None
        self._asking: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the class above
        super().connection_made(transport)
        self._held = self.counted.spoken_to(transport.get_extra_info("socket").fileno())
        self._wait_for_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_request()

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no HTTP, once.

        Where they stand in the body of a request that is answered meanwhile, two answers to it would be sent: the
        second one ends in a traceback in the log, which anybody could fill so.
        """
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:  # type: ignore[redundant-expr]  # None at first
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing where a request wishes another protocol, which is answered as if it had not.

        The class above writes two lines into the log for each: anybody, without an account, could fill it over one
        connection, and have journald leave out what matters.
        """

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._tell()

    def _wait_for_request(self) -> None:
        """While a request is not whole, its time runs."""
        if not self._tell():
            _cancel(self._asking)
            self._asking = None
        elif self._asking is None:
            self._asking = self.loop.call_later(self.counted.limits.seconds_to_ask, self.transport.abort)

    def _tell(self) -> bool:
        """Whether the connection waits for a whole request; this is told to who decides which one gives way."""
        waits = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if self._held is not None:
            self.counted.waits(self._held, waits=waits)
        return waits

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._reading is None:
            self._reading = self.loop.call_later(self.counted.limits.seconds_to_read, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._reading)
        self._reading = None

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._asking)
        super().connection_lost(exc)
        _cancel(self._reading)


def protocol_of(connections: Connections) -> type[Connection]:
    """The protocol of connections that are counted there."""

    class Counted(Connection):
        counted = connections

    return Counted


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def _room_for(connections: int) -> int:
    """So many connections, or as many as the machine lets this process have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(1, soft - OTHER_FILES)
    return connections
