"""X25519 (RFC 7748) on MicroPython's own large integers, in pieces, so that a main loop goes on meanwhile.

Large integers take a time that depends on the numbers. Here each scalar is used for one session and then forgotten.
"""

_P = (1 << 255) - 19
_HIGH = 1 << 254
_LOW_BITS = 7
BASE_POINT = b"\x09" + bytes(31)


class Multiplication:
    """A scalar times a point, both 32 bytes. Call `step` until it says that it is done, then `result`."""

    def __init__(self, scalar, point):
        number = int.from_bytes(scalar, "little")
        self._k = (number & (_HIGH - 1) | _HIGH) & ~_LOW_BITS
        self._u = (int.from_bytes(point, "little") & ((1 << 255) - 1)) % _P
        self._at = 254
        self._swapped = 0
        self._ladder = (1, 0, self._u, 1)

    def step(self, bits=8):
        """Do some bits of the 255; whether all are done."""
        p = _P
        u = self._u
        x2, z2, x3, z3 = self._ladder
        swapped = self._swapped
        while bits and self._at >= 0:
            bit = (self._k >> self._at) & 1
            if bit != swapped:
                x2, z2, x3, z3 = x3, z3, x2, z2
            swapped = bit
            a = x2 + z2
            b = x2 - z2
            aa = a * a % p
            bb = b * b % p
            e = aa - bb
            da = (x3 - z3) * a % p
            cb = (x3 + z3) * b % p
            plus = da + cb
            minus = da - cb
            x3 = plus * plus % p
            z3 = u * (minus * minus % p) % p
            x2 = aa * bb % p
            z2 = e * (aa + 121665 * e) % p
            self._at -= 1
            bits -= 1
        self._ladder = (x2, z2, x3, z3)
        self._swapped = swapped
        return self._at < 0

    def result(self):
        """The product, 32 bytes, once `step` has said that it is done."""
        x2, z2, x3, z3 = self._ladder
        if self._swapped:
            x2, z2 = x3, z3
        return (x2 * pow(z2, _P - 2, _P) % _P).to_bytes(32, "little")


def multiply(scalar, point):
    """All at once."""
    work = Multiplication(scalar, point)
    work.step(255)
    return work.result()
