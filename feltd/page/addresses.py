"""Addresses: who can reach a page and by which names, whose address a request comes from, and who counts as one."""

import ipaddress
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]", "::1")
ONE_OWNER: Final = 64
"""Bits of an IPv6 address that count: one who has an address has all behind these bits (RFC 6177)."""
_LOOPBACK: Final[Sequence[Network]] = (
    ipaddress.IPv4Network("127.0.0.0/8"),
    ipaddress.IPv6Network("::1/128"),
    ipaddress.IPv6Network("::ffff:127.0.0.0/104"),
)
HOPS_MOST: Final = 32
"""Entries of X-Forwarded-For that are looked at, from the nearest on."""


def hosts_for(host: str, address: str | None = None) -> Sequence[str]:
    """The names a page bound to `host` answers to: on loopback only loopback's, elsewhere any.

    `address`: the page's as browsers show it, over a proxy on this machine: its name too.
    """
    named = () if address is None else (urlsplit(address).hostname or "",)
    return (*LOOPBACK_NAMES, host, *named) if is_loopback(host) else ("*",)


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def counted_as(host: str) -> str:
    """The address under which a visitor is counted.

    An IPv4 address is itself, also where it comes as an IPv6 address (`::ffff:10.0.0.7`). An IPv6 address counts by
    its leading 64 bits, link-local ones too. What is no address is itself.
    """
    address = _address(host)
    if not isinstance(address, ipaddress.IPv6Address):
        return host if address is None else str(address)
    return str(ipaddress.IPv6Network((int(address) >> ONE_OWNER << ONE_OWNER, ONE_OWNER)))


def client_of_proxy(forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The address that a request over a proxy's own socket comes from; empty where the proxy names none.

    `forwarded`: the values of X-Forwarded-For. The last entry is the proxy's own; where it is another proxy of ours,
    the one before counts, and so on.
    """
    said = [entry.strip() for value in forwarded for entry in value.split(",")]
    nearest = _address(said[-1]) if said else None
    return "" if nearest is None else client_behind(str(nearest), said[:-1], proxies)


def client_behind(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The address that a request comes from.

    `peer`: who is connected. `forwarded`: the values of X-Forwarded-For in their order. They are believed only where
    the peer is one of `proxies`, from the nearest entry on, up to the first that is no proxy of ours: what stands
    before that one anybody can write.
    """
    said = [entry.strip() for value in forwarded for entry in value.split(",")]
    client = peer
    for entry in reversed(said[-HOPS_MOST:]):
        if not is_among(client, proxies):
            break
        address = _address(entry)
        if address is None:
            break
        client = str(address)
    return client


def on_this_machine(networks: Sequence[Network]) -> bool:
    """Whether one of these networks has an address of loopback."""
    return any(network.overlaps(loopback) for network in networks for loopback in _LOOPBACK)


def is_among(host: str, networks: Sequence[Network]) -> bool:
    """Whether an address lies in one of these networks."""
    address = _address(host)
    return address is not None and any(address in network for network in networks)


def _address(host: str) -> _Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
