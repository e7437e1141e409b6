"""The Noise session (PROTOCOL.md, section 2): the handshake of either end, and the channel that comes of it.

The untyped `noise` package is used here and nowhere else. Only its documented surface; its errors, and those of the
primitives below it, become SessionError.
"""

from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from noise.connection import NoiseConnection
from noise.exceptions import NoiseInvalidMessage, NoiseValueError

from firmware_bridge.errors import FaultCode, SessionError
from firmware_bridge.limits import ECHO_SIZE, EPHEMERAL_SIZE, KEY_SIZE, ROLE_MAX, TAG_SIZE

NOISE_NAME: Final = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"
REQUEST_SIZE: Final = EPHEMERAL_SIZE + TAG_SIZE
# ValueError: the other end's point gives a null secret; NoiseValueError: it is cut short
_NOT_AUTHENTIC: Final = (InvalidTag, NoiseInvalidMessage, NoiseValueError, ValueError)


def prologue(role: str, version: int) -> bytes:
    """What both ends must agree about for a session to exist. Raises ValueError for a role that cannot be."""
    if not (0 < len(role) <= ROLE_MAX and role.isascii() and role.isprintable()):
        raise ValueError(f"role {role!r}: 1 to {ROLE_MAX} printable ASCII characters are needed")
    return b"feltd-wire\0" + bytes((version,)) + role.encode("ascii")


def _connection(key: bytes, role: str, version: int) -> NoiseConnection:
    if len(key) != KEY_SIZE:
        raise ValueError(f"a device's key has {KEY_SIZE} bytes, this one has {len(key)}: check the key's file")
    connection = NoiseConnection.from_name(NOISE_NAME)
    connection.set_psks(psk=key)
    connection.set_prologue(prologue(role, version))
    return connection


class Channel:
    """An established session: encrypts what goes out, authenticates what comes in, in order.

    After `decrypt` has raised, the session is over: neither method may be called again.
    """

    __slots__ = ("_decrypt", "_encrypt")

    def __init__(self, connection: NoiseConnection) -> None:
        self._encrypt = connection.encrypt
        self._decrypt = connection.decrypt

    def encrypt(self, message: bytes) -> bytes:
        """The body of the next transport frame."""
        sealed: bytes = self._encrypt(message)
        return sealed

    def decrypt(self, body: bytes) -> bytes:
        """The message in a transport frame. Raises SessionError if it does not authenticate."""
        try:
            message: bytes = self._decrypt(body)
        except _NOT_AUTHENTIC as error:
            raise SessionError(
                FaultCode.BAD_FRAME, "a frame does not authenticate: lost, changed or replayed"
            ) from error
        return message


class HostHandshake:
    """The initiator's end of one attempt. Use each instance once."""

    def __init__(self, key: bytes, role: str, version: int) -> None:
        """Raises ValueError for a key or role that cannot be."""
        self._version = version
        self._connection = _connection(key, role, version)
        self._connection.set_as_initiator()
        self._connection.start_handshake()
        message = bytes(self._connection.write_message())
        self.request = bytes((version,)) + message  # the body of the handshake request
        self.echo = message[:ECHO_SIZE]

    def read_answer(self, body: bytes) -> tuple[Channel, bytes]:
        """The channel and the payload (the hello) of the Noise message in an answer, its echo already cut off."""
        try:
            payload = bytes(self._connection.read_message(body))
        except _NOT_AUTHENTIC as error:
            text = "the device's answer to the handshake does not authenticate: changed on the wire or forged"
            raise SessionError(FaultCode.BAD_FRAME, text) from error
        return Channel(self._connection), payload


@dataclass(frozen=True, slots=True)
class Answered:
    """What the device's end of a handshake gives: its channel and the body of its answer."""

    channel: Channel
    body: bytes


def answer_handshake(key: bytes, role: str, request: bytes, hello: bytes) -> Answered:
    """The responder's end. `request` is the body of a handshake request of the right length, version byte included.

    Raises SessionError if the request does not authenticate: other key, other role, other version, or changed.
    """
    connection = _connection(key, role, request[0])
    connection.set_as_responder()
    connection.start_handshake()
    try:
        payload = connection.read_message(request[1:])
        if payload:
            raise ValueError("the request carries a payload")
        message = bytes(connection.write_message(hello))
    except _NOT_AUTHENTIC as error:
        raise SessionError(FaultCode.WRONG_KEY, "a handshake request does not authenticate") from error
    return Answered(Channel(connection), request[1 : 1 + ECHO_SIZE] + message)
