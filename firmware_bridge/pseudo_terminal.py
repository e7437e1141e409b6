"""A pseudo-terminal whose device's side is held here; the controller opens the other by path."""

import os
import tty
from contextlib import suppress
from pathlib import Path

from firmware_bridge.transport import DescriptorTransport


class PseudoTerminal(DescriptorTransport):
    """The device's side of a new pseudo-terminal. `path` is what the controller opens.

    The controller's side is held open here too, so that it may come and go as on a real port. The kernel holds about
    4 KiB that nobody reads; the controller drops them when it opens the port.
    """

    def __init__(self, link: Path | None = None) -> None:
        """Open a pseudo-terminal.

        `link`: a symbolic link to make or replace, so that the path stays the same through restarts.
        """
        master, self._slave = os.openpty()
        tty.setraw(self._slave)  # before a byte passes: no echo, no line editing
        super().__init__(master, os.ttyname(self._slave))
        self.path = os.ttyname(self._slave)
        self._link = link
        if link is not None:
            fresh = link.with_name(f"{link.name}.{os.getpid()}.new")
            fresh.symlink_to(self.path)
            fresh.replace(link)
            self.path = str(link)

    def unplug(self) -> None:
        """Close it, as if the cable were taken out: the controller's side is lost."""
        self.close()

    def _release(self) -> None:
        if self._link is not None and os.path.islink(self._link) and os.readlink(self._link) == self.name:
            with suppress(FileNotFoundError):
                self._link.unlink()
        super()._release()
        os.close(self._slave)
