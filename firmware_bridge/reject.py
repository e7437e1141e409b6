"""The one message in clear: a device's answer to a request that gives no session (PROTOCOL.md, section 2)."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Self

from firmware_bridge import checks
from firmware_bridge.checks import VERSION_MAX
from firmware_bridge.encoding import decode_map
from firmware_bridge.errors import MessageError
from firmware_bridge.limits import REJECT_MAX, ROLE_MAX, SERIAL_MAX


class RejectCode(IntEnum):
    """The reasons for which a device answers in clear."""

    NOT_AUTHENTIC = 1
    UNSUPPORTED_VERSION = 2
    NO_SESSION = 3


@dataclass(frozen=True, slots=True)
class Reject:
    """The device's answer in clear. It proves nothing."""

    code: RejectCode
    role: str
    serial: str
    version_min: int
    version_max: int

    def to_bytes(self) -> bytes:
        fields = (int(self.code), self.role, self.serial, self.version_min, self.version_max)
        return checks.sized(dict(enumerate(fields, 1)), "reject", REJECT_MAX)

    @classmethod
    def from_bytes_or_none(cls, data: bytes) -> Self | None:
        """The reject; None for anything else, which is noise because it came in clear."""
        try:
            return cls.from_bytes(data)
        except MessageError:
            return None

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Raises MessageError."""
        if len(data) > REJECT_MAX:
            raise MessageError(f"reject has {len(data)} bytes, at most {REJECT_MAX} are allowed")
        m = decode_map(data)
        code = checks.integer(m.get(1), "code", min(RejectCode), max(RejectCode))
        low = checks.integer(m.get(4), "lowest version", 1, VERSION_MAX)
        return cls(
            code=RejectCode(code),
            role=checks.name(m.get(2), "role", ROLE_MAX),
            serial=checks.name(m.get(3), "serial number", SERIAL_MAX),
            version_min=low,
            version_max=checks.integer(m.get(5), "highest version", low, VERSION_MAX),
        )
