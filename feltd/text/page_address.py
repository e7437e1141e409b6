"""A page's address as browsers show it."""

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

_NAME: Final = re.compile(
    r"(?=.{1,253}$)(?!(.*\.)?([0-9]+|0x[0-9a-f]*)$)"
    r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*"
)
"""Of a host. Where the last part is a number, browsers take the whole for an address: 2130706433 is 127.0.0.1."""
_OWN: Final = re.compile(r"(.*\.)?(localhost[46]?|localdomain[46]?|ip6-localhost|ip6-loopback)")
"""Names of the machine itself, as browsers and Debian have them."""


def page_address(value: str) -> str:
    """The text, where it is one: scheme, host name, and the port where it is not the scheme's own.

    Raises ValueError with what is wrong, and the remedy.
    """
    wrong = ValueError(
        f'"{value}" is no address of a page: write https://NAME or https://NAME:PORT, small, no slash after'
    )
    try:
        parts = urlsplit(value)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise wrong from None
    if _is_address(host):
        raise ValueError(f'"{host}" is no host name: browsers want one here')
    if parts.scheme not in {"http", "https"} or value != f"{parts.scheme}://{host}{'' if port is None else f':{port}'}":
        raise wrong
    if not _NAME.fullmatch(host):
        raise wrong
    if parts.scheme == "http" and host != "localhost":
        raise ValueError(f'"{value}": write https://; only localhost is trusted without')
    if port == {"http": 80, "https": 443}[parts.scheme]:
        raise ValueError(f'"{value}": leave the port {port} out, as browsers do')
    return value


def page_elsewhere(value: str) -> str:
    """The text, where it is a page's address by whose name another machine is meant. Raises ValueError as above."""
    if _OWN.fullmatch(urlsplit(page_address(value)).hostname or ""):
        raise ValueError(f'"{value}" leads each browser to its own machine: write the name that others have for it')
    return value


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
