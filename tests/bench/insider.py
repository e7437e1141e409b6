"""Somebody who has taken over the page's user, at the table's own socket: `python -m tests.bench.insider SOCKET KIND`.

A process of its own, of nice 19. It sends what it is told to as fast as the table takes it, and reads every answer. A
line on its standard input begins it and ends it, and each time it tells what it has sent.
"""

import json
import os
import select
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from feltd.door.place import address_of
from feltd.door.wire.messages import VERSION, Ask, Hello, Purpose, line_of

_PERSON: Final = {"signature": "S7", "account": "anna", "role": "supervisor", "address": "192.0.2.7"}
_PEOPLE: Final = 1000
_NAMES: Final = 30
"""Whose commands they are said to be: a table takes fewer of one account than of many."""
_LONG: Final = 60_000
_PENDING: Final = 1 << 17
"""Bytes that wait to be sent at most."""


def _act(number: int, why: str) -> tuple[str, dict[str, Any]]:
    event = {"t": 0.0, "ev": ("seat.away", "seat.back")[number % 2], "seat": 1}
    person = {**_PERSON, "account": f"anna{number % _NAMES}"}
    return "act", {"person": person, "why": why, "event": event}


def _badges(number: int) -> tuple[str, dict[str, Any]]:
    role = ("supervisor", "director")[number % 2]
    members = [{"badge": f"S{one}", "account": "anna", "role": role, "enabled": True} for one in range(_PEOPLE)]
    return "keep_staff", {"person": _PERSON, "why": "w" * 500, "members": members}


def _tells(number: int) -> tuple[str, dict[str, Any]]:
    facts = [
        {"n": number * 32 + one, "what": "sign_in_failed", "at": 1.8e9, "address": "192.0.2.7"} for one in range(1, 33)
    ]
    return "tell_access", {"page": "0123abcd", "facts": facts}


KINDS: Final[Mapping[str, Callable[[int], tuple[str, dict[str, Any]]]]] = {
    "commands": lambda number: _act(number, "w" * 500),
    "long words": lambda number: _act(number, "w" * _LONG),
    "badges": _badges,
    "sign-ins": _tells,
    "questions": lambda number: (("state", "devices", "counters", "staff")[number % 4], {}),
}


class Insider:
    """One connection."""

    def __init__(self, connection: socket.socket, kind: str) -> None:
        self._connection = connection
        self._lines = self._made(KINDS[kind])
        self._rest = b""
        self.sent = 0

    def flood(self) -> None:
        """Until somebody writes a line."""
        self._connection.setblocking(False)
        while True:
            readable, writable, _ = select.select([sys.stdin, self._connection], [self._connection], [])
            if self._connection in readable and not self._connection.recv(1 << 20):
                raise SystemExit("the table has let the insider go")
            if writable:
                self._send()
            if sys.stdin in readable:
                sys.stdin.readline()
                return

    def _send(self) -> None:
        while len(self._rest) < _PENDING:
            self._rest += next(self._lines)
        try:
            self._rest = self._rest[self._connection.send(self._rest) :]
        except BlockingIOError:
            return

    def _made(self, what: Callable[[int], tuple[str, dict[str, Any]]]) -> Iterator[bytes]:
        while True:
            self.sent += 1
            yield line_of(Ask(self.sent, *what(self.sent)))


def main() -> None:
    """The program."""
    os.nice(19)
    place, kind = sys.argv[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        with address_of(Path(place)) as address:
            connection.connect(address)
        connection.sendall(line_of(Hello(VERSION, Purpose.TABLE, "an insider")))
        connection.recv(4096)
        insider = Insider(connection, kind)
        while sys.stdin.readline():
            _tell(insider)
            insider.flood()
            _tell(insider)


def _tell(insider: Insider) -> None:
    sys.stdout.write(json.dumps(insider.sent) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
