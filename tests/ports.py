"""Ports of loopback for programs that are given one and take it later, perhaps more than once."""

import random
import socket
from typing import Final

_BELOW_WHAT_IS_GIVEN_OUT: Final = range(20_000, 32_000)
"""The kernel gives none of these to who asks for any (ip_local_port_range begins at 32768)."""


def free_port() -> int:
    """A TCP port of loopback that nobody listens on, and that nobody who asks for any port gets meanwhile: tests run
    side by side, and a daemon may be killed and started again on it."""
    chance = random.SystemRandom()
    while True:
        port = chance.choice(_BELOW_WHAT_IS_GIVEN_OUT)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue
