"""What a page's address says: who can reach it, and by which names it answers."""

import ipaddress
from collections.abc import Sequence
from typing import Final

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]", "::1")


def hosts_for(host: str) -> Sequence[str]:
    """The names a page bound to `host` answers to: on loopback only loopback's, elsewhere any."""
    return (*LOOPBACK_NAMES, host) if is_loopback(host) else ("*",)


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
