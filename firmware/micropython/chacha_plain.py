"""ChaCha20's block for a build without the viper emitter: the same, many times slower."""

from struct import pack_into, unpack

_MASK = 0xFFFFFFFF
_ORDER = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def block(out, state):
    """Fill `out` (bytearray of 64) with the key stream of `state` (bytearray of 64)."""
    begin = unpack("<16I", state)
    x = list(begin)
    for _ in range(10):
        for a, b, c, d in _ORDER:
            x[a] = (x[a] + x[b]) & _MASK
            t = x[d] ^ x[a]
            x[d] = (t << 16 | t >> 16) & _MASK
            x[c] = (x[c] + x[d]) & _MASK
            t = x[b] ^ x[c]
            x[b] = (t << 12 | t >> 20) & _MASK
            x[a] = (x[a] + x[b]) & _MASK
            t = x[d] ^ x[a]
            x[d] = (t << 8 | t >> 24) & _MASK
            x[c] = (x[c] + x[d]) & _MASK
            t = x[b] ^ x[c]
            x[b] = (t << 7 | t >> 25) & _MASK
    for i in range(16):
        pack_into("<I", out, 4 * i, (x[i] + begin[i]) & _MASK)


def xor_into(data, at, count, stream):
    """Lay `count` bytes of the key stream over `data` from `at` on."""
    for i in range(count):
        data[at + i] ^= stream[i]
