"""Addresses: who can reach a page and by which names, and whose address a request comes from."""

import ipaddress
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from feltd.text.ip_addresses import ip_address_of

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]", "::1")
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


def client_of_proxy(forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The address that a request over a proxy's own socket comes from; empty where the proxy names none.

    `forwarded`: the values of X-Forwarded-For. The last entry is the proxy's own; where it is another proxy of ours,
    the one before counts, and so on.
    """
    said = [entry.strip() for value in forwarded for entry in value.split(",")]
    nearest = ip_address_of(said[-1]) if said else None
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
        address = ip_address_of(entry)
        if address is None:
            break
        client = str(address)
    return client


def on_this_machine(networks: Sequence[Network]) -> bool:
    """Whether one of these networks has an address of loopback."""
    return any(network.overlaps(loopback) for network in networks for loopback in _LOOPBACK)


def is_among(host: str, networks: Sequence[Network]) -> bool:
    """Whether an address lies in one of these networks."""
    address = ip_address_of(host)
    return address is not None and any(address in network for network in networks)
