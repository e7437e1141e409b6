"""Each arrival is told once, and neither bytes nor an end behind them is missed."""

import errno
import os
import select
import socket
from collections.abc import Callable

import pytest

from firmware_bridge.arrivals import Arrivals
from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.limits import READ_CHUNK
from firmware_bridge.pseudo_terminal import PseudoTerminal
from firmware_bridge.serial_transport import open_serial
from firmware_bridge.transport import DescriptorTransport
from tests.firmware_bridge.support import Collector, run
from tests.running import eventually, turns

TURNS = 5


class Reader:
    """Reads so many bytes at each call, and keeps them."""

    def __init__(self, descriptor: int, most: int = 100) -> None:
        self.read: list[bytes] = []
        self._descriptor, self._most = descriptor, most

    def __call__(self) -> None:
        self.read.append(os.read(self._descriptor, self._most))


def watched(most: int = 100) -> tuple[socket.socket, socket.socket, Reader, Arrivals]:
    near, far = socket.socketpair()
    near.setblocking(False)
    reader = Reader(near.fileno(), most)
    arrivals = Arrivals(near.fileno(), reader)
    arrivals.watch()
    return near, far, reader, arrivals


def test_an_arrival_is_told_once_and_what_a_read_left_when_it_is_asked_for() -> None:
    async def scene() -> None:
        near, far, reader, arrivals = watched(most=2)
        far.send(b"abc")
        await turns(TURNS)
        assert reader.read == [b"ab"]
        arrivals.more()
        await turns(TURNS)
        assert reader.read == [b"ab", b"c"]
        far.send(b"d")
        await turns(TURNS)
        assert reader.read == [b"ab", b"c", b"d"]
        arrivals.close()
        near.close()
        far.close()

    run(scene(), jumping=False)


def test_what_arrives_in_a_pause_is_told_after_it() -> None:
    async def scene() -> None:
        near, far, reader, arrivals = watched()
        arrivals.pause()
        far.send(b"abc")
        await turns(TURNS)
        assert reader.read == []
        arrivals.watch()
        await turns(TURNS)
        assert reader.read == [b"abc"]
        arrivals.close()
        arrivals.close()
        far.send(b"d")
        await turns(TURNS)
        assert reader.read == [b"abc"]
        near.close()
        far.close()

    run(scene(), jumping=False)


def sockets() -> tuple[int, int]:
    near, far = socket.socketpair()
    return near.detach(), far.detach()


@pytest.mark.parametrize("made", [sockets, os.pipe, os.openpty], ids=["socket", "pipe", "terminal"])
def test_an_end_that_comes_together_with_bytes_is_told_behind_them(made: Callable[[], tuple[int, int]]) -> None:
    async def scene() -> None:
        near, far = made()
        collector = Collector()
        transport = DescriptorTransport(near, "wire")
        os.write(far, b"last words")
        os.close(far)
        transport.start(collector)
        await eventually(lambda: collector.errors)
        assert bytes(collector.data) == b"last words"
        transport.close()

    run(scene(), jumping=False)


def test_more_than_one_read_takes_is_read_to_its_end() -> None:
    async def scene() -> None:
        near, far = sockets()
        collector = Collector()
        transport = DescriptorTransport(near, "wire")
        sent = bytes(range(256)) * (3 * READ_CHUNK // 256) + b"!"
        assert os.write(far, sent) == len(sent)
        transport.start(collector)
        await eventually(lambda: len(collector.data) == len(sent))
        assert bytes(collector.data) == sent
        transport.close()
        os.close(far)

    run(scene(), jumping=False)


def test_a_terminal_that_is_held_with_bytes_in_it_tells_them_afterwards() -> None:
    async def scene() -> None:
        terminal, collector = PseudoTerminal(), Collector()
        terminal.start(collector)
        terminal.hold()
        os.write(terminal._slave, b"kept")
        await turns(TURNS)
        assert not collector.data
        terminal.resume()
        await eventually(lambda: bytes(collector.data) == b"kept")
        terminal.close()

    run(scene(), jumping=False)


def test_a_port_that_cannot_be_watched_is_given_back_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_most: int) -> select.epoll:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    async def scene() -> None:
        terminal = PseudoTerminal()
        with monkeypatch.context() as patched:
            patched.setattr(select, "epoll", full)
            with pytest.raises(TransportError, match="too many files") as told:
                await open_serial(terminal.path, allowed=[terminal.path])
        assert told.value.fault.code is FaultCode.PORT_FAILED
        again = await open_serial(terminal.path, allowed=[terminal.path])  # exclusive: the first has given it back
        again.close()
        terminal.close()

    run(scene(), jumping=False)
