"""The page's address as a sheet gives it, and as a browser takes it: one spelling for each."""

import re
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

_NAME: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})*")
_NAME_MOST: Final = 253
_DOTTED: Final = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_PORT: Final = re.compile(r"[0-9]{1,5}")
_DEFAULT_PORT: Final = 8080


@dataclass(frozen=True, slots=True)
class PageAddress:
    """Where a table's page listens. `host`: an address or a name, as few letters as it can be written with."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "PageAddress":
        """Read HOST, HOST:PORT or [IPv6]:PORT. Raises ValueError, in words, with all that is wrong.

        Spellings of one address give the same one.

        >>> PageAddress.parse("192.168.20.7:8080").url, PageAddress.parse("127.0.0.1").url
        ('https://192.168.20.7:8080/', 'http://127.0.0.1:8080/')
        >>> PageAddress.parse("[FD00:0::7]:08443").url, PageAddress.parse("Table7.Casino.example.").host
        ('https://[fd00::7]:8443/', 'table7.casino.example')
        """
        host, port = _parted(text)
        faults = list(_host_faults(host))
        if not _PORT.fullmatch(port) or not 1 <= int(port) <= 65535:
            faults.append(f'"{text}" is no address: write HOST:PORT, e.g. 192.168.20.7:8080')
        if faults:
            raise ValueError("; ".join(faults))
        return cls(_one_spelling(host), int(port))

    @classmethod
    def meant(cls, text: str) -> str:
        """One text for every spelling of an address, of one that `parse` refuses too, by which two are compared."""
        host, port = _parted(text)
        return f"{_one_spelling(host)} {port.lstrip('0')}"

    @property
    def loopback(self) -> bool:
        """Whether only the board itself reaches it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def url(self) -> str:
        """What a browser is given: the page speaks TLS to other machines."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'http' if self.loopback else 'https'}://{host}:{self.port}/"


def _parted(text: str) -> tuple[str, str]:
    """Host and port as written; a port that is none where what follows the brackets is none."""
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        return host, (rest.removeprefix(":") or str(_DEFAULT_PORT)) if closed and rest[:1] in ("", ":") else "none"
    if text.count(":") == 1:
        host, _, port = text.partition(":")
        return host, port
    return text, str(_DEFAULT_PORT)


def _host_faults(host: str) -> list[str]:
    spelling = _one_spelling(host)
    if _DOTTED.fullmatch(host) and spelling != host:
        return [f'"{host}" has a number that begins with 0, which browsers read as octal: write {spelling}']
    try:
        address = ip_address(spelling)
    except ValueError:
        known = _NAME.fullmatch(spelling) and len(spelling) <= _NAME_MOST and not spelling.rpartition(".")[2].isdigit()
        return [] if known else [f'"{host}" is no address and no host\'s name']
    if address.is_unspecified or address.is_multicast:
        return [f'"{host}" is not the address of one board: people could not open it']
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return [
            f'"{host}" is an address at one plug of one machine: browsers cannot open it; leave % and all behind out'
        ]
    return []


def _one_spelling(host: str) -> str:
    """The host as few letters as it can be: no capitals, no dot at its end, no 0 in front, IPv4 without its IPv6."""
    host = host.lower()
    host = host.removesuffix(".") if host != "." else host
    if _DOTTED.fullmatch(host):
        host = ".".join(part.lstrip("0") or "0" for part in host.split("."))
    try:
        address = ip_address(host)
    except ValueError:
        return host
    within = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(within or address)
