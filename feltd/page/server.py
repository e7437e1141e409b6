"""The page's server, in the loop of the page's process."""

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

import uvicorn

from feltd.page.certificate import Certificate
from feltd.page.connections import Connections, CountingListener, protocol_of
from feltd.page.wrapping import OneLength, OverTlsAlone
from feltd.text.errors import FeltdError

_POLL: Final = 0.005
_GOODBYE: Final = 1
"""Seconds that browsers get to finish what they read when feltd stops."""


class PageError(FeltdError):
    """The page cannot be served where the configuration wants it."""


class Stream(Protocol):
    """Streams that go on until they are closed."""

    def close(self) -> None: ...


class _Server(uvicorn.Server):
    """Leaves the signals to the daemon."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(host: str, port: int, connections: Connections) -> CountingListener:
    """A listening socket; port 0 takes any. `connections`: where what comes is counted. Raises PageError."""
    try:
        [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        listener = CountingListener(family, kind, protocol)
        listener.connections = connections
    except OSError as fault:
        raise PageError(f'[page] host: "{host}" is no address of this machine: {fault.strerror}') from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as fault:
        listener.close()
        taken = fault.errno == errno.EADDRINUSE
        why = "another program listens there: choose another port" if taken else str(fault.strerror)
        raise PageError(f"[page] {host}:{port}: {why}") from None
    return listener


class PageServer:
    """Serves an application on a socket that listens already."""

    def __init__(
        self, app: Any, listener: CountingListener, certificate: Certificate | None, streams: Sequence[Stream] = ()
    ) -> None:
        """Set the server up; it does not serve before `start`.

        `certificate`: None serves without TLS. `streams`: closed together with the server, since browsers follow them
        without end.
        """
        assert listener.connections is not None
        whole = OneLength(app)
        config = uvicorn.Config(
            whole if certificate is None else OverTlsAlone(whole),
            ssl_certfile=None if certificate is None else certificate.file,
            ssl_keyfile=None if certificate is None else str(certificate.key),
            http=protocol_of(listener.connections),
            proxy_headers=False,  # who asks is who is connected: what a header says of it anybody can write
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GOODBYE,
        )
        config.load()
        if config.ssl is not None:
            config.ssl.minimum_version = ssl.TLSVersion.TLSv1_2
        self._server = _Server(config)
        self._scheme = "http" if certificate is None else "https"
        self._streams = streams
        self._listener = listener
        self._task: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """The address for a person's browser."""
        host, port = self._listener.getsockname()[:2]
        return f"{self._scheme}://[{host}]:{port}/" if ":" in host else f"{self._scheme}://{host}:{port}/"

    async def start(self) -> None:
        """Serve; returns when it does. Raises PageError."""
        self._task = asyncio.create_task(self._server.serve(sockets=[self._listener]), name="page")
        while not self._server.started:
            if self._task.done():
                raise PageError(f"the page at {self.address} does not start: {self._task.exception()}")
            await asyncio.sleep(_POLL)

    async def stop(self) -> None:
        """Let browsers go and close the socket."""
        for stream in self._streams:
            stream.close()
        self._server.should_exit = True
        if self._task is not None:
            await self._task
        self._listener.close()
