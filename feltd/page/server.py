"""The page's server, in the loop of the page's process."""

import asyncio
import contextlib
import errno
import grp
import os
import socket
import ssl
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import uvicorn

from feltd.page.certificate import Certificate
from feltd.page.connections import Connections, CountingListener, protocol_of
from feltd.page.wrapping import OneLength, OverTlsAlone
from feltd.text.errors import FeltdError

_UNKNOWN_GROUP: Final = 65534
"""As the kernel shows a group that is not in a process's list of users (/proc/sys/kernel/overflowgid, which the page's
unit does not see)."""
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


def listen_at(place: Path, group: str | None, connections: Connections) -> CountingListener:
    """A listening Unix socket, for the page's own user and `group`. Raises PageError."""
    listener = CountingListener(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.connections = connections
    made = False
    try:
        _clear(place)
        before = os.umask(0o177)  # nobody knocks between this and the next lines who may not
        try:
            listener.bind(str(place))
        finally:
            os.umask(before)
        made = True
        if group is not None:
            _give(place, grp.getgrnam(group).gr_gid)
        listener.listen(128)
    except (OSError, KeyError, PageError) as fault:
        listener.close()
        if made:
            place.unlink(missing_ok=True)
        if isinstance(fault, PageError):
            raise
        if isinstance(fault, KeyError):
            raise PageError(f'[page] socket_group: there is no group "{group}" on this machine') from None
        why = (
            f"it is not given to the group {group}: give that group the folder, with mode 2750 (docs/visitors.md)"
            if made and group
            else fault.strerror or str(fault)
        )
        raise PageError(f"[page] socket: {place} cannot be listened at: {why}") from None
    return listener


def _give(place: Path, group: int) -> None:
    """Let a group use the socket. Raises OSError.

    A folder of that group with the set-group-ID bit has given it to the group already. Within a unit's own list of
    users (PrivateUsers=) that is the only way: other groups are not in that list, so the page can give nothing to
    them, and each of them looks to it like the group of nobody.
    """
    folder = place.parent.stat()
    if not folder.st_mode & stat.S_ISGID or folder.st_gid not in (group, _UNKNOWN_GROUP):
        os.chown(place, -1, group)
    place.chmod(0o660)


def _clear(place: Path) -> None:
    """Take away the socket that a page before this one has left. Raises PageError, OSError."""
    try:
        if not stat.S_ISSOCK(place.lstat().st_mode):
            raise PageError(f"[page] socket: {place} is there already and no socket: choose another place")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        if knock.connect_ex(str(place)) != errno.ECONNREFUSED:
            raise PageError(f"[page] socket: another page listens at {place}: end it, or choose another place")
    place.unlink()


def listener_of(
    place: Path | None, group: str | None, host: str, port: int, connections: Connections
) -> CountingListener:
    """Where a page listens: at the Unix socket, if there is one, else at host and port. Raises PageError."""
    return listen(host, port, connections) if place is None else listen_at(place, group, connections)


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
        self._place = Path(listener.getsockname()) if listener.family == socket.AF_UNIX else None
        self._task: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """The address for a person's browser."""
        if self._place is not None:
            return str(self._place)
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
        self._take_away_socket()

    def _take_away_socket(self) -> None:
        if self._place is not None:
            self._place.unlink(missing_ok=True)
