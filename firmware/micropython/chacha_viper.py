"""ChaCha20's block in machine code by the viper emitter. Words are little-endian in memory, as on every board meant.

Every sum goes through memory (`ptr32`), which keeps 32 bits of it on machines that calculate with 64, too.
"""

import micropython

_ORDER = bytes(
    (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14)
)


@micropython.viper
def _block(x: ptr32, state: ptr32, order: ptr8):
    for i in range(16):
        x[i] = state[i]
    for _ in range(10):
        q = 0
        while q < 32:
            a = order[q]
            b = order[q + 1]
            c = order[q + 2]
            d = order[q + 3]
            q += 4
            x[a] = x[a] + x[b]
            t = uint(x[d] ^ x[a])
            x[d] = (t << 16) | (t >> 16)
            x[c] = x[c] + x[d]
            t = uint(x[b] ^ x[c])
            x[b] = (t << 12) | (t >> 20)
            x[a] = x[a] + x[b]
            t = uint(x[d] ^ x[a])
            x[d] = (t << 8) | (t >> 24)
            x[c] = x[c] + x[d]
            t = uint(x[b] ^ x[c])
            x[b] = (t << 7) | (t >> 25)
    for i in range(16):
        x[i] = x[i] + state[i]


def block(out, state):
    """Fill `out` (bytearray of 64) with the key stream of `state` (bytearray of 64)."""
    _block(out, state, _ORDER)


@micropython.viper
def xor_into(data: ptr8, at: int, count: int, stream: ptr8):
    """Lay `count` bytes of the key stream over `data` from `at` on."""
    for i in range(count):
        data[at + i] = data[at + i] ^ stream[i]
