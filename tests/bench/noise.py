"""The wire's Noise beside the package `noiseprotocol`: `python -m tests.bench.noise`.

A handshake is the work of both ends, with two ephemeral keys made anew; a message is encrypted by one end and decrypted
by the other. Without that package ours is measured alone, and the program says so: nothing of ours needs it.
"""

import importlib
import importlib.util
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final, TypeAlias

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from firmware_bridge.limits import PROTOCOL_MAX
from firmware_bridge.noise import NAME, Initiator, respond
from firmware_bridge.session import Channel, prologue
from tests.bench.report import Row, micro, table

HANDSHAKES: Final = 200
MESSAGES: Final = 5000
TURNS: Final = 9
"""Times that each is measured, the two packages in turn; the least counts."""
Work: TypeAlias = Callable[[], object]

_KEY: Final = bytes(range(32))
_HELLO: Final = bytes(120)
_MESSAGE: Final = bytes(48)
_PROLOGUE: Final = prologue("reader", PROTOCOL_MAX)


def our_channels() -> tuple[Channel, Channel]:
    """Both ends after one handshake of ours."""
    asks = Initiator(_KEY, _PROLOGUE, X25519PrivateKey.generate())
    answer = respond(_KEY, _PROLOGUE, X25519PrivateKey.generate(), asks.message, _HELLO)
    established = asks.read(answer.message)
    assert established.payload == _HELLO
    return Channel.of(established), Channel.of(answer.established)


def their_channels(connections: Any) -> tuple[Any, Any]:
    """Both ends after one handshake of the other package. `connections`: its class of them."""
    asks, answers = (connections.from_name(NAME) for _ in range(2))
    for end in (asks, answers):
        end.set_psks(psk=_KEY)
        end.set_prologue(_PROLOGUE)
    asks.set_as_initiator()
    answers.set_as_responder()
    asks.start_handshake()
    answers.start_handshake()
    answers.read_message(bytes(asks.write_message()))
    assert asks.read_message(bytes(answers.write_message(_HELLO))) == _HELLO
    return asks, answers


def measure(handshakes: int, messages: int, turns: int) -> list[Row]:
    """A line for the handshake and one for a message, beside the other package where it is installed."""
    peer = other_package()
    ours, theirs = our_channels(), None if peer is None else their_channels(peer)
    shaken = None if peer is None else lambda: their_channels(peer)
    sent = None if theirs is None else _message(*theirs)
    return [
        _row("Noise handshake, both ends", our_channels, shaken, handshakes, turns),
        _row("Noise message, encrypted and decrypted", _message(*ours), sent, messages, turns),
    ]


def other_package() -> Any | None:
    """The other package's class of connections; None where it is not installed."""
    if importlib.util.find_spec("noise") is None:
        return None
    return importlib.import_module("noise.connection").NoiseConnection


def _message(sender: Any, receiver: Any) -> Work:
    def work() -> None:
        assert receiver.decrypt(sender.encrypt(_MESSAGE)) == _MESSAGE

    return work


def _row(name: str, ours: Work, theirs: Work | None, times: int, turns: int) -> Row:
    mine, others = [], []
    for _ in range(turns):
        mine.append(_each(ours, times))
        if theirs is not None:
            others.append(_each(theirs, times))
    value = min(mine)
    if not others:
        return Row(name, micro(value))
    return Row(
        name, micro(value), f"noiseprotocol {micro(min(others))}", value / min(others), "1 ×", value <= min(others)
    )


def _each(work: Work, times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        work()
    return (perf_counter() - start) / times * 1e6


if __name__ == "__main__":
    print(table(measure(HANDSHAKES, MESSAGES, TURNS)))
    if other_package() is None:
        print("noiseprotocol is not installed, so ours has nothing beside it: pip install noiseprotocol==0.3.1")
