"""The errors of firmware_bridge: each message names the thing, the place and the remedy.

What ends a link's session is a `LinkFault` with a code of the closed set `FaultCode`; a `FaultError` carries one to
where it is reported.
"""

from dataclasses import dataclass
from enum import StrEnum


class FaultCode(StrEnum):
    """Why a link is down."""

    # the port
    PORT_MISSING = "port_missing"
    PORT_DENIED = "port_denied"
    PORT_BUSY = "port_busy"
    PORT_UNSTABLE = "port_unstable"
    PORT_FAILED = "port_failed"
    UNPLUGGED = "unplugged"
    STALLED = "stalled"
    # who is there
    NO_ANSWER = "no_answer"
    WRONG_KEY = "wrong_key"
    WRONG_ROLE = "wrong_role"
    UNKNOWN_DEVICE = "unknown_device"
    UNSUPPORTED_VERSION = "unsupported_version"
    DOWNGRADE = "downgrade"
    # in the session
    BAD_FRAME = "bad_frame"
    SILENT = "silent"
    MALFORMED = "malformed"
    OUT_OF_ORDER = "out_of_order"
    EVENTS_MISSING = "events_missing"
    NO_STATE = "no_state"
    NO_RESULT = "no_result"
    CLOSED_BY_DEVICE = "closed_by_device"
    # of an adapter, which speaks a protocol of its own
    ADAPTER_FAILED = "adapter_failed"
    ADAPTER_HANGS = "adapter_hangs"
    STOPPED = "stopped"  # by the controller itself; only those who wait for a result see it


@dataclass(frozen=True, slots=True)
class LinkFault:
    """The reason why a link is down.

    `code`: to act on. `text`: for people (what, where, remedy).
    """

    code: FaultCode
    text: str

    def __str__(self) -> str:
        return self.text


class FirmwareBridgeError(Exception):
    """Base of every error that firmware_bridge raises."""


class MessageError(FirmwareBridgeError):
    """A message that breaks PROTOCOL.md: malformed, too long, or of a wrong kind."""


class NoiseError(FirmwareBridgeError):
    """A handshake message that the Noise specification refuses, or a handshake that is over."""


class PendingFullError(FirmwareBridgeError):
    """The device keeps as many unacknowledged events as it can.

    It must stop what makes events, never drop one.
    """


class StoreError(FirmwareBridgeError):
    """A store of pending events that cannot be read or written."""


class LinkError(FirmwareBridgeError):
    """The errors that a caller of a link must handle."""


class LinkDown(LinkError):  # noqa: N818 - the contract's name: it is a state of the link more than a mistake
    """There is no session, or it ended before the result came.

    Whether the command was carried out is not known.
    """

    def __init__(self, name: str, fault: LinkFault | None = None) -> None:
        super().__init__(f"link {name} is down: {fault.text if fault else 'no session'}")
        self.name = name
        self.fault = fault


class CommandRefused(LinkError):  # noqa: N818 - the contract's name: it is an answer, not a failure
    """The device, or a full queue on the way to it, refused a command.

    `code` is for programs, `text` for people.
    """

    def __init__(self, name: str, code: str, text: str) -> None:
        super().__init__(f"command {name!r} refused ({code}): {text}")
        self.name = name
        self.code = code
        self.text = text


class FaultError(FirmwareBridgeError):
    """An error that ends a session; `fault` says how it is reported."""

    def __init__(self, code: FaultCode, text: str) -> None:
        super().__init__(text)
        self.fault = LinkFault(code, text)


class TransportError(FaultError):
    """A port that cannot be opened, read or written."""


class SessionError(FaultError):
    """A handshake or a frame that is not authentic."""


class DeliveryError(FaultError):
    """Events that do not follow each other as the protocol says."""
