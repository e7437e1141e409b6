"""Addresses of the network as they are read, and who counts as one."""

import ipaddress
from typing import Final

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
ONE_OWNER: Final = 64
"""Bits of an IPv6 address that count: one who has an address has all behind these bits (RFC 6177)."""


def ip_address_of(host: str) -> IPAddress | None:
    """The address; None where it is none. One of IPv4 that comes as an IPv6 address (`::ffff:10.0.0.7`) is itself."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def counted_as(host: str) -> str:
    """The address under which a visitor is counted.

    An IPv4 address is itself, also where it comes as an IPv6 address. An IPv6 address counts by its leading 64 bits,
    link-local ones too. What is no address is itself.
    """
    address = ip_address_of(host)
    if not isinstance(address, ipaddress.IPv6Address):
        return host if address is None else str(address)
    return str(ipaddress.IPv6Network((int(address) >> ONE_OWNER << ONE_OWNER, ONE_OWNER)))
