"""The page's first words on the socket, and what may come instead of a welcome."""

from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError
from typing import Final

from feltd.door.wire.errors import WireError
from feltd.door.wire.messages import VERSION, Fault, Hello, Purpose, Refused, Welcome, line_of, message_of
from feltd.door.wire.refusals import error_of
from feltd.installed.upgrade import STARTS_ANEW
from feltd.text.version import version_of_feltd

_FIRST = frozenset({Welcome, Refused, Fault})
PLAYS_ON: Final = (
    f"the table runs another version of feltd than its page and plays on: it {STARTS_ANEW}, and until then its display "
    "and its lamps say how it stands"
)
"""An upgrade in a round, whose versions do not understand each other at the door."""


@cache
def greeting(purpose: Purpose) -> bytes:
    """The line with which a connection begins."""
    try:
        software = f"feltd {version_of_feltd()}"
    except PackageNotFoundError:
        software = "feltd"
    return line_of(Hello(VERSION, purpose, software))


def welcome_of(line: bytes) -> Welcome | Refused:
    """What the table says to a greeting; for another version's refusal, what people are to know of it.

    Raises WireError, and the record's JournalError where that cannot be read.
    """
    said: Welcome | Refused | Fault = message_of(line, _FIRST)
    if isinstance(said, Fault):
        raise error_of(said)
    if isinstance(said, Welcome) and said.version != VERSION:
        raise WireError(f"the table speaks version {said.version} of the protocol, the page version {VERSION}")
    if isinstance(said, Refused) and said.version != VERSION:
        return replace(said, why=PLAYS_ON)
    return said
