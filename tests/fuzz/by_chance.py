"""Inputs as `changing` makes them, by Python's own random numbers: many times as many a second, made small more simply.

For the long runs. hypothesis draws for the tests, and makes a finding smaller.
"""

import time
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.changing import MOST_CHANGES, PLAIN
from tests.fuzz.running import FindingError, Ran
from tests.fuzz.target import Judge, Target

_AT_ONCE = 500
"""Inputs between two looks at the clock."""


def play_by_chance(target: Target, seconds: float, first: int, clock: Callable[[], float] = time.monotonic) -> Ran:
    """Judge changed inputs for so many seconds, the same ones for the same number `first`.

    Raises FindingError.
    """
    chance = Random(first)
    known = [*target.seeds(), *(path.read_bytes() for path in target.kept())]
    words = (*PLAIN, *target.words)
    with target.opened() as judge:
        began, count = clock(), 0
        while clock() - began < seconds:
            for _ in range(_AT_ONCE):
                _judge(target, judge, drawn(chance, known, words))
            count += _AT_ONCE
        return Ran(count, clock() - began)


def drawn(chance: Random, known: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """One of the known inputs after a few changes, or, one time in sixteen, bytes at random."""
    if chance.random() < 1 / 16:
        return chance.randbytes(chance.randrange(301))
    data = bytearray(chance.choice(known))
    for _ in range(chance.randint(0, MOST_CHANGES)):
        _change(data, chance, known, words)
    return bytes(data)


def smaller(data: bytes, judge: Judge) -> bytes:
    """Leave out of a finding what it does not need: pieces, each half as long as those before."""
    length = len(data)
    while (length := length // 2) > 0:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + length :]
            if _is_finding(shorter, judge):
                data = shorter
            else:
                at += length
    return data


def _change(data: bytearray, chance: Random, known: Sequence[bytes], words: Sequence[bytes]) -> None:
    at = chance.randint(0, len(data))
    length = chance.randint(0, min(40, len(data) - at))
    kind = chance.randrange(7)
    if kind == 0 and at < len(data):
        data[at] ^= 1 << chance.randrange(8)
    elif kind == 1 and at < len(data):
        data[at] = chance.randrange(256)
    elif kind == 2:
        del data[at : at + length]
    elif kind == 3:
        data[at : at + length] = chance.choice(words)
    elif kind == 4:
        data[at:at] = data[at : at + length] * chance.randint(1, 20)
    elif kind == 5:
        piece = chance.choice(known)
        begin = chance.randint(0, len(piece))
        data[at:at] = piece[begin : begin + 200]
    elif kind == 6:
        del data[at:]


def _judge(target: Target, judge: Judge, data: bytes) -> None:
    try:
        judge(data)
    except Exception as fault:  # whatever it is, it is what is looked for
        raise FindingError(target, smaller(data, judge)) from fault


def _is_finding(data: bytes, judge: Judge) -> bool:
    try:
        judge(data)
    except Exception:  # noqa: BLE001 - as above
        return True
    return False
