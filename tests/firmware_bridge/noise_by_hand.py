"""Noise_NNpsk0_25519_ChaChaPoly_SHA256 written out from the specification, over primitives only.

It shares nothing with `firmware_bridge.noise`: what both agree about is right, or wrong in the same way twice.
"""

import hashlib
import hmac
import struct
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

NAME = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _hkdf(chaining_key: bytes, material: bytes, outputs: int) -> list[bytes]:
    secret = hmac.digest(chaining_key, material, "sha256")
    made: list[bytes] = []
    for n in range(1, outputs + 1):
        made.append(hmac.digest(secret, (made[-1] if made else b"") + bytes((n,)), "sha256"))
    return made


def nonce(n: int) -> bytes:
    return struct.pack("<4xQ", n)


@dataclass
class Handshake:
    """One end. `ephemeral` is its private key, 32 bytes."""

    psk: bytes
    prologue: bytes
    ephemeral: bytes
    hash: bytes = b""
    chaining_key: bytes = b""
    key: bytes = b""
    uses: int = 0
    remote: bytes = field(default=b"")

    def __post_init__(self) -> None:
        # The name is longer than a hash, so it is hashed (section 5.2).
        self.hash = self.chaining_key = _hash(NAME)
        self._mix_hash(self.prologue)

    @property
    def public(self) -> bytes:
        return X25519PrivateKey.from_private_bytes(self.ephemeral).public_key().public_bytes_raw()

    def write_first(self) -> bytes:
        self._mix_psk()
        return self._write_ephemeral() + self._encrypt(b"")

    def read_first(self, message: bytes) -> bytes:
        self._mix_psk()
        self._read_ephemeral(message[:32])
        return self._decrypt(message[32:])

    def write_second(self, payload: bytes) -> bytes:
        ephemeral = self._write_ephemeral()
        self._mix_shared()
        return ephemeral + self._encrypt(payload)

    def read_second(self, message: bytes) -> bytes:
        self._read_ephemeral(message[:32])
        self._mix_shared()
        return self._decrypt(message[32:])

    def split(self) -> tuple[bytes, bytes]:
        """The keys of the two directions: from the initiator, from the responder."""
        first, second = _hkdf(self.chaining_key, b"", 2)
        return first, second

    def _mix_hash(self, data: bytes) -> None:
        self.hash = _hash(self.hash + data)

    def _mix_key(self, material: bytes) -> None:
        self.chaining_key, self.key = _hkdf(self.chaining_key, material, 2)
        self.uses = 0

    def _mix_psk(self) -> None:
        self.chaining_key, extra, self.key = _hkdf(self.chaining_key, self.psk, 3)
        self._mix_hash(extra)
        self.uses = 0

    def _mix_shared(self) -> None:
        mine = X25519PrivateKey.from_private_bytes(self.ephemeral)
        self._mix_key(mine.exchange(X25519PublicKey.from_public_bytes(self.remote)))

    def _write_ephemeral(self) -> bytes:
        self._mix_hash(self.public)
        self._mix_key(self.public)  # because it is a psk handshake (section 9.2)
        return self.public

    def _read_ephemeral(self, public: bytes) -> None:
        self.remote = public
        self._mix_hash(public)
        self._mix_key(public)

    def _encrypt(self, payload: bytes) -> bytes:
        sealed = ChaCha20Poly1305(self.key).encrypt(nonce(self.uses), payload, self.hash)
        self.uses += 1
        self._mix_hash(sealed)
        return sealed

    def _decrypt(self, sealed: bytes) -> bytes:
        payload = ChaCha20Poly1305(self.key).decrypt(nonce(self.uses), sealed, self.hash)
        self.uses += 1
        self._mix_hash(sealed)
        return payload
