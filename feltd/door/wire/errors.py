"""What is wrong on the socket between processes."""

from feltd.text.errors import FeltdError


class WireError(FeltdError):
    """Bytes that are no message of this protocol: what is wrong, where in the message, and what to do about it."""

    def __init__(self, what: str, where: str = "", remedy: str = "") -> None:
        place = f"{where}: " if where else ""
        super().__init__(f"{place}{what}; {remedy or _SAME_VERSION}")
        self.what = what
        self.where = where


class OtherVersionError(WireError):
    """The other side speaks another version of the protocol."""


_SAME_VERSION = "table and page must come from one installation of feltd: restart whichever is older"
