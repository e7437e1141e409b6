"""The Noise session: the handshake of either end, and its channel (PROTOCOL.md, section 2).

The only module that uses the untyped `noise` package; its errors, and those of the primitives below it, become
SessionError.
"""

import struct
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from noise.connection import NoiseConnection
from noise.exceptions import NoiseInvalidMessage, NoiseValueError

from firmware_bridge.errors import FaultCode, SessionError
from firmware_bridge.limits import ECHO_SIZE, EPHEMERAL_SIZE, KEY_SIZE, ROLE_MAX, TAG_SIZE

NOISE_NAME: Final = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"
_NONCE: Final = struct.Struct("<4xQ")
REQUEST_SIZE: Final = EPHEMERAL_SIZE + TAG_SIZE
# ValueError: the other end's point gives a null secret; NoiseValueError: it is cut short
_NOT_AUTHENTIC: Final = (InvalidTag, NoiseInvalidMessage, NoiseValueError, ValueError)


def prologue(role: str, version: int) -> bytes:
    """Return the bytes on which both ends must agree for a session to exist.

    Raises ValueError for an impossible role.
    """
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

    The keys come from the library's handshake; what it does with them afterwards (Noise section 5.1: nonce n for the
    n-th message, no associated data) is done here, in one call where the library makes five: this is on the way from a
    card to its lamp. The tests hold both against each other. After `decrypt` has raised the session is over.
    """

    __slots__ = ("_open", "_received", "_seal", "_sent")

    def __init__(self, send_key: bytes, receive_key: bytes) -> None:
        self._seal = ChaCha20Poly1305(send_key).encrypt
        self._open = ChaCha20Poly1305(receive_key).decrypt
        self._sent = 0
        self._received = 0

    @classmethod
    def of(cls, connection: NoiseConnection) -> "Channel":
        """The channel of a finished handshake."""
        noise = connection.noise_protocol
        return cls(noise.cipher_state_encrypt.k, noise.cipher_state_decrypt.k)

    def encrypt(self, message: bytes) -> bytes:
        """The body of the next transport frame."""
        nonce = _NONCE.pack(self._sent)
        self._sent += 1
        return self._seal(nonce, message, None)

    def decrypt(self, body: bytes) -> bytes:
        """The message in a transport frame. Raises SessionError if it does not authenticate."""
        try:
            message = self._open(_NONCE.pack(self._received), body, None)
        except InvalidTag as error:
            text = "a frame does not authenticate: lost, changed or replayed"
            raise SessionError(FaultCode.BAD_FRAME, text) from error
        self._received += 1
        return message


class HostHandshake:
    """The initiator's end of one attempt. Use each instance once."""

    def __init__(self, key: bytes, role: str, version: int) -> None:
        """Raises ValueError for an impossible key or role."""
        self._version = version
        self._connection = _connection(key, role, version)
        self._connection.set_as_initiator()
        self._connection.start_handshake()
        message = bytes(self._connection.write_message())
        self.request = bytes((version,)) + message  # the body of the handshake request
        self.echo = message[:ECHO_SIZE]

    def read_answer(self, body: bytes) -> tuple[Channel, bytes]:
        """Return the channel and the payload (the hello) of the Noise message in an answer.

        The answer's echo is already cut off. Raises SessionError if it does not authenticate.
        """
        try:
            payload = bytes(self._connection.read_message(body))
        except _NOT_AUTHENTIC as error:
            text = "the device's answer to the handshake does not authenticate: changed on the wire or forged"
            raise SessionError(FaultCode.BAD_FRAME, text) from error
        return Channel.of(self._connection), payload


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a handshake at the device's end: its channel and the body of its answer."""

    channel: Channel
    body: bytes


def answer_handshake(key: bytes, role: str, request: bytes, hello: bytes) -> Answered:
    """Answer a handshake request, as the responder.

    `request`: the body of a request of the right length, version byte included. Raises SessionError if it does not
    authenticate: other key, other role, other version, or changed.
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
    return Answered(Channel.of(connection), request[1 : 1 + ECHO_SIZE] + message)
