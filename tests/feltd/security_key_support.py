"""A security key made of Python: what a browser would hand over, and what a forger would."""

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from feltd.page.access.security_keys import Made, Signed, as_bytes, as_text

ORIGIN = "https://localhost"
TOUCHED, ATTESTED = 0x01, 0x40


@dataclass
class Key:
    """`origin`, `flags`: as a browser would say them, unless a test says otherwise. `count`: None does not count."""

    origin: str = ORIGIN
    flags: int = TOUCHED
    count: int | None = 0
    host: str = "localhost"
    id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    private: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def made(self, challenge: str) -> Made:
        """The key as it is registered."""
        public = self.private.public_key().public_numbers()
        cose = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: public.x.to_bytes(32), -3: public.y.to_bytes(32)})
        attested = bytes(16) + len(self.id).to_bytes(2) + self.id + cose
        said = self._said(self.flags | ATTESTED) + attested
        statement = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": said})
        return Made(as_text(self.id), as_text(self._client("webauthn.create", challenge)), as_text(statement))

    def signed(self, challenge: str, *, count: int | None = None) -> Signed:
        """Its answer. `count`: another counter than the next one."""
        if count is not None:
            self.count = count
        elif self.count is not None:
            self.count += 1
        said, client = self._said(self.flags), self._client("webauthn.get", challenge)
        signature = self.private.sign(said + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return Signed(as_text(self.id), as_text(client), as_text(said), as_text(signature))

    def _said(self, flags: int) -> bytes:
        return hashlib.sha256(self.host.encode()).digest() + bytes([flags]) + (self.count or 0).to_bytes(4)

    def _client(self, what: str, challenge: str) -> bytes:
        return json.dumps({"type": what, "challenge": challenge, "origin": self.origin}).encode()


def as_json(answer: Made | Signed) -> dict[str, Any]:
    """As the API takes it."""
    return {name: getattr(answer, name) for name in answer.__dataclass_fields__}


__all__ = ["ORIGIN", "Key", "as_bytes", "as_json"]
