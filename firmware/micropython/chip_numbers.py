"""A chip's number as people and reader modules write it. It runs under MicroPython and CPython."""

SIZES = (4, 7, 8, 10)  # bytes: eight in ISO/IEC 15693, the others in ISO/IEC 14443-3
CASCADE, CHANGING = 0x88, 0x08  # first byte of four: the first part of a longer number; one that is thrown anew
_DIGITS = "0123456789abcdef"


def digits_of(said):
    """The pairs of hexadecimal digits, small and with nothing between them; None: they are no such pairs.

    Between all of them may be colons.
    """
    pairs = said.split(":") if ":" in said else [said[at : at + 2] for at in range(0, len(said), 2)]
    small = "".join(pairs).lower()
    for pair in pairs:
        if len(pair) != 2:
            return None
    for digit in small:
        if digit not in _DIGITS:  # unhexlify of MicroPython takes others
            return None
    return small


def is_whole(digits):
    """Whether the digits are a whole number of a chip, and no noise: not all its bytes are the same."""
    size = len(digits) // 2
    return size in SIZES and digits != digits[:2] * size and not _begins(digits, CASCADE)


def is_changing(digits):
    """Whether a chip throws its number anew each time it is asked: a phone does, and a bank card."""
    return _begins(digits, CHANGING)


def _begins(digits, first):
    return len(digits) == 2 * SIZES[0] and int(digits[:2], 16) == first
