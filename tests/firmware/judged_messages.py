"""Authentic messages that are wrong by chance: a firmware must judge each as our own parser does."""

import json
import random
from typing import Any

import cbor2

from firmware_bridge.errors import MessageError
from firmware_bridge.messages import Close, Command, Ping, StateRead, Welcome, from_host
from tests.firmware.raw_host import RawHost
from tests.firmware.scenes import powered
from tests.firmware.support import VECTORS, FirmwareProcess


def mutated_messages_are_judged_as_the_host_side_judges_them(device: FirmwareProcess, seed: int, count: int) -> None:
    """Messages of the vectors, changed by chance, in authentic frames: taken or refused as our own parser does."""
    chance = random.Random(seed)
    vectors = json.loads(VECTORS.read_text())
    names = ("welcome", "ack", "command", "post", "ping", "state_read", "close")
    seeds = [bytes.fromhex(vectors["messages"][name]) for name in names]
    seeds += [bytes.fromhex(text) for text in vectors["allowed"].values()]
    taken = refused = 0
    with powered(device), RawHost(device) as host:
        host.up()
        for _ in range(count):
            data = altered(chance, chance.choice(seeds), chance.choice(seeds))
            try:
                message = from_host(data)
            except MessageError:
                message = None
            host.say(data)
            if message is None or isinstance(message, Welcome):
                refused += 1
                assert host.is_closed(3), data.hex()
                host.up()
            elif isinstance(message, Close):
                assert host.has_no_session(), data.hex()
                host.up()
            else:
                taken += 1
                if isinstance(message, Ping | Command | StateRead):
                    assert host.heard() is not None, data.hex()
                assert host.is_up(), data.hex()
    assert taken > count // 10
    assert refused > count // 4


NUMBERS: list[Any] = [0, 1, -1, 255, 256, 257, 2**32 - 1, 2**32, 2**63 - 1, -(2**63), 2**64 - 1, 0.5, 1.0, float("inf")]
TEXTS: list[Any] = ["", "p", "\u00e9", "x_identify", "n" * 32, "n" * 33, "a\nb", b"", b"12345678", b"123456789"]
HOLDING: list[Any] = [
    [], [b"12345678", 1], [[[[[[[[]]]]]]]], {}, {"a": 1}, {1: 2}, {"": 1}, {"k" * 33: 1}, {"a": {"b": [{"c": None}]}},
    {"a": {2: 1}}, {"on": True}, {True: 1},
]  # fmt: skip
VALUES = [None, True, False, *NUMBERS, *TEXTS, *HOLDING]


def altered(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A message with other values for some keys; or with bytes changed, left out, or put in from another."""
    if chance.random() < 0.6:
        message = dict(cbor2.loads(data))
        for _ in range(chance.choice([1, 1, 2])):
            message[chance.choice([1, 1, 2, 2, 3, 4, 9, 200, -1])] = chance.choice(VALUES)
        return cbor2.dumps(message)[:2027]
    bytes_of = bytearray(data)
    for _ in range(chance.choice([1, 1, 2])):
        at = chance.randrange(len(bytes_of) + 1)
        match chance.randrange(4):
            case 0:
                bytes_of[at : at + 1] = chance.randbytes(1)
            case 1:
                del bytes_of[at : at + chance.randrange(1, 4)]
            case 2 if at < len(bytes_of):
                bytes_of[at] ^= 1 << chance.randrange(8)
            case _:
                begin = chance.randrange(len(other) + 1)
                bytes_of[at:at] = other[begin : begin + chance.randrange(1, 12)]
    return bytes(bytes_of[:2027])
