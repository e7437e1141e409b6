r"""What a witness and its callers say to each other: lines of ASCII that end with \n, over TLS or, on one machine, TCP.

    feltd-witness 1 send            the sender's first line; the second is the first of the file of signed heads
    line AT TEXT                    the table's file has this line at byte AT
    ends SIZE                       the table's file ends at byte SIZE: a sign of life, every `BEAT_EVERY` seconds
    feltd-witness 1 give NAME       asks for what the witness has of a table

To each line but the first of a sender it answers one of

    has SIZE LAST                   the bytes that it has of the file, and the byte at which its last line begins
    differs                         it has another line there; send all from byte 0, so that it finds the first
    contradiction WORDS             two histories of one record: it keeps its own, and has alarmed
    refused WORDS

and to `give`: `size N`, then N bytes, the file of signed heads as it has it; or `refused`.
"""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from feltd.witness.errors import WitnessError

GREETING: Final = "feltd-witness 1"
LONGEST: Final = 512
"""Bytes of the longest line."""
PORT: Final = 7453
BEAT_EVERY: Final = 10.0
_ADDRESS: Final = f"tls://witness.example:{PORT}"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a witness is. `table`: whose heads are asked for; empty for a sender."""

    host: str
    port: int
    tls: bool
    table: str = ""

    def __str__(self) -> str:
        return f"{'tls' if self.tls else 'tcp'}://{self.host}:{self.port}"


def is_address(text: str) -> bool:
    """Whether it is meant to be the address of a witness, and not a file."""
    return text.startswith(("tls://", "tcp://"))


def parse_address(text: str, *, of_table: bool = False) -> Address:
    """Read `tls://HOST:PORT` or, on this machine, `tcp://127.0.0.1:PORT`; `of_table`: with `/TABLE` behind it.

    Plain TCP is for one machine alone: on the way here somebody could cut off what a witness has, and a record that
    was put back would look right. Raises WitnessError.
    """
    example = f"{_ADDRESS}/table-7" if of_table else _ADDRESS
    try:
        parts = urlsplit(text)
        host, port, table = parts.hostname or "", parts.port or PORT, parts.path.removeprefix("/")
    except ValueError:
        raise WitnessError("is no address of a witness", text[:200], f"Write {example}") from None
    extra = parts.query or parts.fragment or parts.username or "/" in table
    if parts.scheme not in ("tls", "tcp") or not host or extra or bool(table) != of_table:
        raise WitnessError("is no address of a witness", text[:200], f"Write {example}")
    if parts.scheme == "tcp" and not on_this_machine(host):
        raise WitnessError("plain TCP leaves this machine there", text[:200], f"Write {example}")
    return Address(host, port, parts.scheme == "tls", table)


def on_this_machine(host: str) -> bool:
    """Whether who listens at this address is reached from this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
