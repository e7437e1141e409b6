"""The page's address as a sheet gives it, and as a browser takes it."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

_NAME: Final = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?:\.(?!-)[A-Za-z0-9-]{1,63})*")
_PORT: Final = re.compile(r"[0-9]{1,5}")
_DEFAULT_PORT: Final = 8080


@dataclass(frozen=True, slots=True)
class PageAddress:
    """Where a table's page listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "PageAddress":
        """Read HOST, HOST:PORT or [IPv6]:PORT. Raises ValueError, in words.

        >>> PageAddress.parse("192.168.20.7:8080").url, PageAddress.parse("127.0.0.1").url
        ('https://192.168.20.7:8080/', 'http://127.0.0.1:8080/')
        >>> PageAddress.parse("[fd00::7]:8443").url
        'https://[fd00::7]:8443/'
        """
        host, port = text, str(_DEFAULT_PORT)
        if text.startswith("["):
            host, _, rest = text[1:].partition("]")
            port = rest.removeprefix(":") or port if rest[:1] in ("", ":") else "none"
        elif text.count(":") == 1:
            host, _, port = text.partition(":")
        if not _PORT.fullmatch(port) or not 1 <= int(port) <= 65535:
            raise ValueError(f'"{text}" is no address: write HOST:PORT, e.g. 192.168.20.7:8080')
        try:
            address = ip_address(host)
        except ValueError:
            if not _NAME.fullmatch(host) or host.rpartition(".")[2].isdigit():
                raise ValueError(f'"{host}" is no address and no host\'s name') from None
        else:
            if address.is_unspecified or address.is_multicast:
                raise ValueError(f'"{host}" is not the address of one board: people could not open it')
        return cls(host, int(port))

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
