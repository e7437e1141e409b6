"""Who is at the other end of a Unix socket, by the kernel's word."""

import os
import pwd
import socket
import struct
from dataclasses import dataclass
from typing import Final

from feltd.text.errors import FeltdError

_CREDENTIALS: Final = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Guest:
    """A process that has connected. `uid`: its user."""

    pid: int
    uid: int

    def __str__(self) -> str:
        return f"process {self.pid} of user {user_name(self.uid)}"


def guest_of(connection: socket.socket) -> Guest:
    """The process at the other end, as it was when it connected (SO_PEERCRED). Raises OSError."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, _ = _CREDENTIALS.unpack(told)
    return Guest(pid, uid)


def uid_of(user: str | None) -> int:
    """Return the number of a user, given by name or number; of this process's own for None.

    Raises FeltdError for a user that the machine does not know.
    """
    if user is None:
        return os.geteuid()
    if user.isdecimal():
        return int(user)
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        raise FeltdError(
            f'there is no user "{user}" on this machine: the page is to run as one that is there'
        ) from None


def user_name(uid: int) -> str:
    """The user's name, or the number where none has it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
