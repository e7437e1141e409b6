"""The Noise session: the handshake of either end, and its channel (PROTOCOL.md, section 2).

The handshake itself is `noise`'s. Its errors, and those of the cipher, become SessionError here.
"""

from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from firmware_bridge.errors import FaultCode, MessageError, NoiseError, SessionError
from firmware_bridge.limits import ECHO_SIZE, EPHEMERAL_SIZE, ROLE_MAX, TAG_SIZE
from firmware_bridge.noise import LONGEST, NONCE_END, Established, Initiator, nonce_bytes, respond

REQUEST_SIZE: Final = EPHEMERAL_SIZE + TAG_SIZE
_LONGEST_MESSAGE: Final = LONGEST - TAG_SIZE
_NOT_AUTHENTIC: Final = "a handshake request does not authenticate"


def prologue(role: str, version: int) -> bytes:
    """Return the bytes on which both ends must agree for a session to exist.

    Raises ValueError for an impossible role.
    """
    if not (0 < len(role) <= ROLE_MAX and role.isascii() and role.isprintable()):
        raise ValueError(f"role {role!r}: 1 to {ROLE_MAX} printable ASCII characters are needed")
    return b"feltd-wire\0" + bytes((version,)) + role.encode("ascii")


class Channel:
    """An established session: encrypts what goes out, authenticates what comes in, in order (Noise, section 5.1).

    The n-th message of a direction has nonce n - 1, and no associated data. After `decrypt` has raised the session is
    over.
    """

    __slots__ = ("_open", "_received", "_seal", "_sent")

    def __init__(self, send_key: bytes, receive_key: bytes) -> None:
        self._seal = ChaCha20Poly1305(send_key).encrypt
        self._open = ChaCha20Poly1305(receive_key).decrypt
        self._sent = 0
        self._received = 0

    @classmethod
    def of(cls, established: Established) -> "Channel":
        """The channel of a finished handshake."""
        return cls(established.send_key, established.receive_key)

    def encrypt(self, message: bytes) -> bytes:
        """The body of the next transport frame.

        Raises MessageError if the message is too long for Noise, SessionError when all nonces are used.
        """
        number = self._sent
        if number >= NONCE_END:
            raise _used_up()
        if len(message) > _LONGEST_MESSAGE:
            text = f"a message has {len(message)} bytes, a Noise message carries at most {_LONGEST_MESSAGE}"
            raise MessageError(f"{text}: send less at once")
        self._sent = number + 1
        return self._seal(nonce_bytes(number), message, None)

    def decrypt(self, body: bytes) -> bytes:
        """The message in a transport frame.

        Raises SessionError if it does not authenticate or is too long for Noise, and when all nonces are used.
        """
        number = self._received
        if number >= NONCE_END:
            raise _used_up()
        if len(body) > LONGEST:
            text = f"a frame's body has {len(body)} bytes, a Noise message at most {LONGEST}: it is none of a device's"
            raise SessionError(FaultCode.BAD_FRAME, text)
        try:
            message = self._open(nonce_bytes(number), body, None)
        except InvalidTag as error:
            text = "a frame does not authenticate: lost, changed or replayed"
            raise SessionError(FaultCode.BAD_FRAME, text) from error
        self._received = number + 1
        return message


def _used_up() -> SessionError:
    text = f"the session has had its {NONCE_END} messages, no nonce is left: begin another session"
    return SessionError(FaultCode.BAD_FRAME, text)


class HostHandshake:
    """The initiator's end of one attempt. Use each instance once."""

    def __init__(self, key: bytes, role: str, version: int) -> None:
        """Raises ValueError for an impossible key or role."""
        self._handshake = Initiator(key, prologue(role, version), X25519PrivateKey.generate())
        message = self._handshake.message
        self.request = bytes((version,)) + message  # the body of the handshake request
        self.echo = message[:ECHO_SIZE]

    def read_answer(self, body: bytes) -> tuple[Channel, bytes]:
        """Return the channel and the payload (the hello) of the Noise message in an answer.

        The answer's echo is already cut off. Raises SessionError if it does not authenticate.
        """
        try:
            established = self._handshake.read(body)
        except NoiseError as error:
            text = "the device's answer to the handshake does not authenticate: changed on the wire or forged"
            raise SessionError(FaultCode.BAD_FRAME, text) from error
        return Channel.of(established), established.payload


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
    try:
        response = respond(key, prologue(role, request[0]), X25519PrivateKey.generate(), request[1:], hello)
    except NoiseError as error:
        raise SessionError(FaultCode.WRONG_KEY, _NOT_AUTHENTIC) from error
    if response.established.payload:
        raise SessionError(FaultCode.WRONG_KEY, _NOT_AUTHENTIC)
    return Answered(Channel.of(response.established), request[1 : 1 + ECHO_SIZE] + response.message)
