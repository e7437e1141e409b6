"""The two messages of `Noise_NNpsk0_25519_ChaChaPoly_SHA256`, and the keys that they leave to both ends.

Written from revision 34 of the Noise specification, whose sections the numbers name; no other pattern, cipher or hash
is here. Nothing draws chance or reads a clock: who begins or answers a handshake gives its ephemeral key, which nobody
can guess and which is used once.

    psk, e  ->      Initiator(...).message, read by `respond`
    <-  e, ee       Response.message, read by Initiator.read
"""

import hmac
import struct
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from firmware_bridge.errors import NoiseError
from firmware_bridge.limits import EPHEMERAL_SIZE, KEY_SIZE, TAG_SIZE

NAME: Final = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"
LONGEST: Final = 65535
"""Bytes of a Noise message at most, its keys and tags included (section 3)."""
NONCE_END: Final = 2**64 - 1
"""The nonce that no message may have (section 5.1)."""
_NAME_HASH: Final = sha256(NAME).digest()  # the name is longer than a hash, so it is hashed (section 5.2)
_SHORTEST: Final = EPHEMERAL_SIZE + TAG_SIZE

nonce_bytes: Final = struct.Struct("<4xQ").pack
"""A message's number as the cipher takes it (section 12.3)."""
_FIRST: Final = nonce_bytes(0)  # each key of a handshake seals one message at most


@dataclass(frozen=True, slots=True)
class Established:
    """One end's yield of a finished handshake.

    `payload`: of the other end's message. `handshake_hash`: of all that was said (section 11.2).
    """

    payload: bytes = field(repr=False)
    send_key: bytes = field(repr=False)
    receive_key: bytes = field(repr=False)
    handshake_hash: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Response:
    """The responder's end of a handshake: the message that it sends, and what it has."""

    message: bytes
    established: Established


class Initiator:
    """The initiator's end of one handshake: `message` goes out, `read` takes the answer, once."""

    __slots__ = ("_ephemeral", "_state", "message")

    def __init__(self, psk: bytes, prologue: bytes, ephemeral: X25519PrivateKey, payload: bytes = b"") -> None:
        """Raises ValueError for a key of another length than 32 bytes, NoiseError for a payload that is too long."""
        self._state = _SymmetricState(psk, prologue)
        self._ephemeral: X25519PrivateKey | None = ephemeral
        self.message = self._state.write_ephemeral(ephemeral) + self._state.seal(payload)

    def read(self, message: bytes) -> Established:
        """Return what the responder's message completes. The handshake is over then, also where it is refused.

        Raises NoiseError for a message that is not authentic, cut short or too long, and for a second one.
        """
        ephemeral, self._ephemeral = self._ephemeral, None
        if ephemeral is None:
            raise NoiseError("the answer to this handshake has been read: begin another handshake")
        state = self._state
        public = state.read_ephemeral(message)
        state.mix_key(shared_secret(ephemeral, public))
        payload = state.open(message[EPHEMERAL_SIZE:])
        from_initiator, from_responder = state.split()
        return Established(payload, from_initiator, from_responder, state.hash)


def respond(psk: bytes, prologue: bytes, ephemeral: X25519PrivateKey, message: bytes, payload: bytes) -> Response:
    """Answer an initiator's message with one that carries `payload`.

    Raises NoiseError for a message that is not authentic, cut short or too long and for a payload that is too long,
    ValueError for a key of another length than 32 bytes.
    """
    state = _SymmetricState(psk, prologue)
    public = state.read_ephemeral(message)
    request = state.open(message[EPHEMERAL_SIZE:])
    own_public = state.write_ephemeral(ephemeral)
    state.mix_key(shared_secret(ephemeral, public))
    answer = own_public + state.seal(payload)
    from_initiator, from_responder = state.split()
    return Response(answer, Established(request, from_responder, from_initiator, state.hash))


def shared_secret(private: X25519PrivateKey, public: bytes) -> bytes:
    """The secret of an own private and another's public key of 32 bytes (DH, section 12.1).

    Raises NoiseError where it is all zeros, as for a point of small order: anybody could compute it.
    """
    try:
        return private.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError as error:
        text = "the other end's ephemeral key makes a secret of zeros: its firmware is to be mended"
        raise NoiseError(text) from error


def hkdf(chaining_key: bytes, material: bytes, outputs: int) -> list[bytes]:
    """Two or three outputs of 32 bytes (section 4.3)."""
    secret = hmac.digest(chaining_key, material, "sha256")
    made = [hmac.digest(secret, b"\x01", "sha256")]
    for number in range(2, outputs + 1):
        made.append(hmac.digest(secret, made[-1] + bytes((number,)), "sha256"))
    return made


class _SymmetricState:
    """What an end has heard and said so far (section 5.2). Both ends begin it with the pre-shared key."""

    __slots__ = ("_chaining_key", "_key", "hash")

    def __init__(self, psk: bytes, prologue: bytes) -> None:
        if len(psk) != KEY_SIZE:
            raise ValueError(f"a device's key has {KEY_SIZE} bytes, this one has {len(psk)}: check the key's file")
        self.hash = _NAME_HASH
        self._mix_hash(prologue)
        self._chaining_key, extra, self._key = hkdf(_NAME_HASH, psk, 3)
        self._mix_hash(extra)

    def write_ephemeral(self, ephemeral: X25519PrivateKey) -> bytes:
        """The public half of an own ephemeral key, mixed in."""
        public = ephemeral.public_key().public_bytes_raw()
        self._mix_ephemeral(public)
        return public

    def read_ephemeral(self, message: bytes) -> bytes:
        """The ephemeral key at the head of a message, mixed in. Raises NoiseError for an impossible length."""
        if not _SHORTEST <= len(message) <= LONGEST:
            text = f"a handshake message has {len(message)} bytes, {_SHORTEST} to {LONGEST} are possible: it was cut"
            raise NoiseError(f"{text} or is none, begin another handshake")
        public = message[:EPHEMERAL_SIZE]
        self._mix_ephemeral(public)
        return public

    def mix_key(self, material: bytes) -> None:
        self._chaining_key, self._key = hkdf(self._chaining_key, material, 2)

    def seal(self, payload: bytes) -> bytes:
        """The payload of the message under way, encrypted and mixed in. Raises NoiseError if it is too long."""
        if len(payload) > LONGEST - _SHORTEST:
            text = f"the payload of a handshake message has {len(payload)} bytes, at most {LONGEST - _SHORTEST} go in"
            raise NoiseError(f"{text}: send less at once")
        sealed = ChaCha20Poly1305(self._key).encrypt(_FIRST, payload, self.hash)
        self._mix_hash(sealed)
        return sealed

    def open(self, sealed: bytes) -> bytes:
        """The payload at the end of a message, mixed in. Raises NoiseError if it does not authenticate."""
        try:
            payload = ChaCha20Poly1305(self._key).decrypt(_FIRST, sealed, self.hash)
        except InvalidTag as error:
            text = "a handshake message does not authenticate: another key, role or version, or changed on the wire"
            raise NoiseError(f"{text}; begin another handshake") from error
        self._mix_hash(sealed)
        return payload

    def split(self) -> list[bytes]:
        """The keys of what the initiator sends and of what the responder sends."""
        return hkdf(self._chaining_key, b"", 2)

    def _mix_hash(self, data: bytes) -> None:
        self.hash = sha256(self.hash + data).digest()

    def _mix_ephemeral(self, public: bytes) -> None:
        self._mix_hash(public)
        self.mix_key(public)  # because a pre-shared key is used (section 9.2)
