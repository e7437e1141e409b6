"""ChaCha20-Poly1305 (RFC 8439) with the nonces of Noise: four zero bytes, then the number, least significant first."""

try:
    from chacha_viper import block, xor_into
except (SyntaxError, ImportError):  # a build without the emitter
    from chacha_plain import block, xor_into

_CONSTANT = b"expand 32-byte k"
_PRIME = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
TAG_SIZE = 16


def _crypt(key, number, data):
    """Lays the key stream over `data` in place; gives the key of the tag."""
    state = bytearray(_CONSTANT + key + bytes(8) + number.to_bytes(8, "little"))
    stream = bytearray(64)
    block(stream, state)
    tag_key = bytes(stream[:32])
    at = 0
    while at < len(data):
        state[48:52] = (at // 64 + 1).to_bytes(4, "little")
        block(stream, state)
        xor_into(data, at, min(64, len(data) - at), stream)
        at += 64
    return tag_key


def _absorb(total, r, data):
    """The data's blocks, the last filled up with zeros."""
    at = 0
    while at < len(data):
        piece = bytes(data[at : at + 16])
        if len(piece) < 16:
            piece += bytes(16 - len(piece))
        total = (total + int.from_bytes(piece, "little") + (1 << 128)) * r % _PRIME
        at += 16
    return total


def _tag(tag_key, associated, sealed):
    r = int.from_bytes(tag_key[:16], "little") & _CLAMP
    total = _absorb(0, r, associated)
    total = _absorb(total, r, sealed)
    lengths = len(associated).to_bytes(8, "little") + len(sealed).to_bytes(8, "little")
    total = _absorb(total, r, lengths) + int.from_bytes(tag_key[16:], "little")
    return (total & ((1 << 128) - 1)).to_bytes(16, "little")


def seal(key, number, associated, plain):
    """Sealed bytes and their tag."""
    data = bytearray(len(plain) + TAG_SIZE)
    data[: len(plain)] = plain
    sealed = memoryview(data)[: len(plain)]
    tag_key = _crypt(key, number, sealed)
    data[len(plain) :] = _tag(tag_key, associated, sealed)
    return bytes(data)


def unseal(key, number, associated, sealed):
    """The plain bytes, or None: not authentic.

    Nothing is as long as the message but the answer and what it is made of: a heap in pieces has few such places.
    """
    end = len(sealed) - TAG_SIZE
    if end < 0:
        return None
    hidden = memoryview(sealed)[:end]
    difference = 0
    for a, b in zip(_tag(_crypt(key, number, b""), associated, hidden), sealed[end:]):
        difference |= a ^ b
    if difference:
        return None
    data = bytearray(hidden)
    _crypt(key, number, data)
    return bytes(data)
