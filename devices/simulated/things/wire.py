"""The wire of a simulated device and its faults: noise, silence, a frame cut off."""

from collections.abc import Callable

from firmware_bridge.errors import TransportError
from firmware_bridge.pseudo_terminal import PseudoTerminal
from firmware_bridge.transport import Receiver


class Wire:
    """A transport over a pseudo-terminal that can go silent, or lose power during a write."""

    def __init__(self, terminal: PseudoTerminal) -> None:
        self._terminal = terminal
        self._receiver: Receiver | None = None
        self._silent = False
        self._cut: Callable[[], None] | None = None

    @property
    def name(self) -> str:
        return self._terminal.name

    @property
    def congested(self) -> bool:
        return self._terminal.congested

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._terminal.start(self)

    def write(self, data: bytes) -> None:
        if self._silent:
            return
        if self._cut is not None:
            cut, self._cut = self._cut, None
            self._terminal.write(data[: max(1, len(data) // 2)])
            self._silent = True
            cut()
            return
        self._terminal.write(data)

    def close(self) -> None:
        self._receiver = None
        self._terminal.close()

    def make_noise(self, data: bytes) -> None:
        """Send bytes that are no frame, like interference."""
        self._terminal.write(data)

    def silence(self, silent: bool) -> None:
        """Block both directions, or open them again."""
        self._silent = silent

    def cut_next_frame(self, power_lost: Callable[[], None]) -> None:
        """Cut the next frame off in the middle; call `power_lost`, and block everything."""
        self._cut = power_lost

    # -- what the terminal calls

    def received(self, data: bytes) -> None:
        """Bytes from the host."""
        if self._receiver is not None and not self._silent:
            self._receiver.received(data)

    def lost(self, error: TransportError) -> None:
        """The terminal is gone."""
        if self._receiver is not None:
            self._receiver.lost(error)

    def writable(self) -> None:
        """There is room to write again."""
        if self._receiver is not None:
            self._receiver.writable()
