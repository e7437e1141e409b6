"""Connections of browsers, bounded: how many, and how long one may take to ask, or to read what it asked for.

The page lives in the process that plays. Whoever opens connections and says nothing, sends a request by the byte, or
never reads an answer, is let go; play does not notice.
"""

import asyncio
import socket
from collections import Counter
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ASKED_WITHIN: Final = 15.0
"""Seconds from a connection, or from a request's first byte, to its last."""
READ_WITHIN: Final = 30.0
"""Seconds that an answer may wait for its reader to read on."""
CONNECTIONS_MOST: Final = 200
CONNECTIONS_OF_ONE: Final = 100
"""From one address: behind a reverse proxy everybody has the same."""


class Connection(H11Protocol):
    """One connection, with a limit to its patience."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._asking: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the class above
        super().connection_made(transport)
        self._wait_for_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_request()

    def _wait_for_request(self) -> None:
        """While a request is not whole, its time runs."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            _cancel(self._asking)
            self._asking = None
        elif self._asking is None:
            self._asking = self.loop.call_later(ASKED_WITHIN, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._reading is None:
            self._reading = self.loop.call_later(READ_WITHIN, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._reading)
        self._reading = None

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._asking)
        super().connection_lost(exc)
        _cancel(self._reading)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class CountingListener(socket.socket):
    """A listening socket that limits how many connections are open at once.

    It counts them before any byte is read, the TLS handshake included.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._inside: dict[socket.socket, str] = {}

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept the next connection.

        Raises ConnectionAbortedError for one too many, which the event loop passes over.
        """
        connection, address = super().accept()
        self._inside = {one: host for one, host in self._inside.items() if one.fileno() >= 0}
        host = str(address[0])
        if len(self._inside) >= CONNECTIONS_MOST or Counter(self._inside.values())[host] >= CONNECTIONS_OF_ONE:
            connection.close()
            raise ConnectionAbortedError("too many connections")
        self._inside[connection] = host
        return connection, address
