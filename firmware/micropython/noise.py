"""The device's end of Noise_NNpsk0_25519_ChaChaPoly_SHA256 (PROTOCOL.md, section 2)."""

from hashlib import sha256

from aead import seal, unseal
from x25519 import multiply

_NAME = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"
REQUEST_SIZE = 48  # ephemeral key and tag


def _hash(data):
    return sha256(data).digest()


def _hmac(key, data):
    key = key + bytes(64 - len(key))
    inner = _hash(bytes(b ^ 0x36 for b in key) + data)
    return _hash(bytes(b ^ 0x5C for b in key) + inner)


def _hkdf(chaining_key, material, count):
    secret = _hmac(chaining_key, material)
    made = []
    last = b""
    for n in range(count):
        last = _hmac(secret, last + bytes((n + 1,)))
        made.append(last)
    return made


def prologue(role, version):
    """What both ends must agree about."""
    return b"feltd-wire\0" + bytes((version,)) + role.encode()


class Responder:
    """One handshake: read the host's message, then write the answer. Then `hash` and the two keys stand."""

    def __init__(self, psk, begin):
        """`psk`: the device's key, 32 bytes; `begin`: the prologue."""
        self.hash = self._chaining_key = _hash(_NAME)
        self._key = b""
        self._number = 0
        self._remote = b""
        self._mix_hash(begin)
        self._chaining_key, extra, self._key = _hkdf(self._chaining_key, psk, 3)
        self._mix_hash(extra)

    def read(self, message):
        """Whether the host's first message is authentic."""
        self._remote = message[:32]
        self._mix_public(self._remote)
        payload = unseal(self._key, self._number, self.hash, message[32:])
        if payload != b"":
            return False
        self._number += 1
        self._mix_hash(message[32:])
        return True

    def write(self, private, public, payload):
        """The second message. Gives None if the host's ephemeral key is one of the few that make no secret."""
        self._mix_public(public)
        shared = multiply(private, self._remote)
        if shared == bytes(32):
            return None
        self._mix_key(shared)
        sealed = seal(self._key, self._number, self.hash, payload)
        self._mix_hash(sealed)
        return public + sealed

    def keys(self):
        """Host to device, device to host."""
        return _hkdf(self._chaining_key, b"", 2)

    def _mix_hash(self, data):
        self.hash = _hash(self.hash + data)

    def _mix_key(self, material):
        self._chaining_key, self._key = _hkdf(self._chaining_key, material, 2)
        self._number = 0

    def _mix_public(self, public):
        # The key is mixed in as well as hashed: so a pattern with a pre-shared key has it (Noise, section 9.2).
        self._mix_hash(public)
        self._mix_key(public)


class Channel:
    """The keys of a session and how often each was used."""

    def __init__(self, receiving, sending):
        self._receiving = receiving
        self._sending = sending
        self._received = 0
        self._sent = 0

    def open(self, body):
        """The message in a transport frame, or None: not authentic."""
        message = unseal(self._receiving, self._received, b"", body)
        if message is not None:
            self._received += 1
        return message

    def seal(self, message):
        """The body of a transport frame."""
        body = seal(self._sending, self._sent, b"", message)
        self._sent += 1
        return body
